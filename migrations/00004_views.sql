-- The first views for analysts. A comment that ends in [unit] gives the column's unit.

-- +goose Up
create view api_v1.page as
select p.page_id, p.url, h.name as host, h.site, h.tld, p.depth, p.category, p.first_seen,
       s.last_fetched, nullif(s.version, 0) as last_version, s.language, s.title, p.bucket
from core.page p
join core.host h using (bucket, host_id)
left join core.page_state s using (bucket, page_id);
comment on view api_v1.page is 'Pages: one canonical URL each, fetched or only heard of by a link.';
comment on column api_v1.page.page_id is 'Id for all time.';
comment on column api_v1.page.url is 'Canonical URL.';
comment on column api_v1.page.host is 'Host name.';
comment on column api_v1.page.site is 'Registrable domain.';
comment on column api_v1.page.tld is 'Last label of the host name.';
comment on column api_v1.page.depth is 'Number of non-empty path segments.';
comment on column api_v1.page.category is 'Topic category as configured.';
comment on column api_v1.page.first_seen is 'When the URL was first heard of [UTC].';
comment on column api_v1.page.last_fetched is 'Start of the last attempt; null where the page was never fetched [UTC].';
comment on column api_v1.page.last_version is 'Number of the last version; null before the first.';
comment on column api_v1.page.language is 'Language of the last version [ISO 639-1].';
comment on column api_v1.page.title is 'Title of the last version.';
comment on column api_v1.page.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.fetch_log as
select f.page_id, p.url, f.due_at, f.started_at, f.finished_at, f.outcome::text as outcome, f.status,
       f.error, f.bytes, f.version, w.name as watch, f.kind, f.bucket
from core.fetch f
join core.page p using (bucket, page_id)
left join core.watch w on w.watch_id = f.watch_id;
comment on view api_v1.fetch_log is 'Every attempt on a page, also those that failed, were denied or skipped.';
comment on column api_v1.fetch_log.page_id is 'The page.';
comment on column api_v1.fetch_log.url is 'Canonical URL of the page.';
comment on column api_v1.fetch_log.due_at is 'When the attempt was due; null where nothing was scheduled [UTC].';
comment on column api_v1.fetch_log.started_at is 'Start of the attempt; the time of the capture for imported archives [UTC].';
comment on column api_v1.fetch_log.finished_at is 'End of the attempt [UTC].';
comment on column api_v1.fetch_log.outcome is 'new, changed, same, not_modified, gone, error, denied or skipped.';
comment on column api_v1.fetch_log.status is 'HTTP status; null without an answer.';
comment on column api_v1.fetch_log.error is 'Reason of a failure.';
comment on column api_v1.fetch_log.bytes is 'Payload received [bytes].';
comment on column api_v1.fetch_log.version is 'Version that the attempt saw; null where it saw none.';
comment on column api_v1.fetch_log.watch is 'Watch that asked for the attempt.';
comment on column api_v1.fetch_log.kind is 'Why the page was fetched: schedule, burst, pair, manual, snapshot, topic or import.';
comment on column api_v1.fetch_log.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.version as
select v.page_id, p.url, v.version, v.first_seen, v.last_seen, v.fetches, v.status, v.bytes, v.words,
       v.sentences, v.title, v.language, encode(v.sha256, 'hex') as sha256, v.charset, v.flags, v.bucket
from core.version v
join core.page p using (bucket, page_id);
comment on view api_v1.version is 'Versions: one content of a page, from the fetch that first saw it to the fetch that last saw it.';
comment on column api_v1.version.page_id is 'The page.';
comment on column api_v1.version.url is 'Canonical URL of the page.';
comment on column api_v1.version.version is 'Number, from 1 per page in order of time.';
comment on column api_v1.version.first_seen is 'Start of the fetch that first saw this content [UTC].';
comment on column api_v1.version.last_seen is 'Start of the fetch that last saw it [UTC].';
comment on column api_v1.version.fetches is 'Number of fetches that saw it.';
comment on column api_v1.version.status is 'HTTP status.';
comment on column api_v1.version.bytes is 'Size of the payload [bytes].';
comment on column api_v1.version.words is 'Number of distinct words.';
comment on column api_v1.version.sentences is 'Number of sentences.';
comment on column api_v1.version.title is 'Title.';
comment on column api_v1.version.language is 'Language of the text [ISO 639-1].';
comment on column api_v1.version.sha256 is 'Hash of the payload; versions with the same hash share one stored body [hex].';
comment on column api_v1.version.charset is 'Character set by which the text was read.';
comment on column api_v1.version.flags is 'Peculiarities: truncated, wrong-charset, tokenized ...';
comment on column api_v1.version.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.change as
select c.page_id, p.url, c.version, c.changed_at, c.hours, c.dice, c.words_added, c.words_removed,
       c.sentences_added, c.sentences_removed, c.significance, c.masked, c.text_changed, c.words_changed, c.bucket
from core.change c
join core.page p using (bucket, page_id);
comment on view api_v1.change is 'The step from one version to the next. Bytes differ in every row; text_changed and words_changed tell the two finer levels.';
comment on column api_v1.change.page_id is 'The page.';
comment on column api_v1.change.url is 'Canonical URL of the page.';
comment on column api_v1.change.version is 'The version that the change led to, from 2.';
comment on column api_v1.change.changed_at is 'When that version was first seen [UTC].';
comment on column api_v1.change.hours is 'Time since the change of the text before, or since the first fetch for the first one [hours].';
comment on column api_v1.change.dice is 'Dice coefficient of the two sets of words: 1 equal, 0 nothing in common.';
comment on column api_v1.change.words_added is 'Distinct words that came.';
comment on column api_v1.change.words_removed is 'Distinct words that went.';
comment on column api_v1.change.sentences_added is 'Distinct sentences that came.';
comment on column api_v1.change.sentences_removed is 'Distinct sentences that went.';
comment on column api_v1.change.significance is '0 to 1: the share of words that changed, damped where they are few.';
comment on column api_v1.change.masked is 'Only parts differ that are known to be noise.';
comment on column api_v1.change.text_changed is 'The visible text differs.';
comment on column api_v1.change.words_changed is 'The set of words differs.';
comment on column api_v1.change.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

-- Sizes by table; a cluster answers by its own function, since the coordinator
-- holds only empty shells of distributed tables.
-- +goose StatementBegin
create function core.table_bytes(tbl regclass, out heap bigint, out indexes bigint)
language plpgsql stable as $$
begin
    if exists (select 1 from pg_proc where proname = 'citus_total_relation_size') then
        execute format('select citus_table_size(%L), citus_total_relation_size(%L) - citus_table_size(%L)', tbl, tbl, tbl)
            into heap, indexes;
        return;
    end if;
    select coalesce(sum(pg_table_size(t.relid)), 0), coalesce(sum(pg_indexes_size(t.relid)), 0)
        into heap, indexes
        from pg_partition_tree(tbl) t where t.isleaf;
    if heap = 0 and indexes = 0 then
        heap := pg_table_size(tbl);
        indexes := pg_indexes_size(tbl);
    end if;
end $$;
-- +goose StatementEnd
comment on function core.table_bytes(regclass) is 'Bytes of a table with its partitions: rows with what is stored beside them, and indexes.';

create view api_v1.storage as
with data as (
    select 'bodies' as kind, 'core.body'::regclass as tbl, coalesce(sum(octet_length(data)), 0)::bigint as bytes, count(*) as rows, coalesce(sum(raw_size), 0)::bigint as raw_bytes from core.body
    union all
    select 'records', 'core.record', coalesce(sum(octet_length(data)), 0)::bigint, count(*), coalesce(sum(raw_size), 0)::bigint from core.record
    union all
    select 'links', 'core.link_set', coalesce(sum(octet_length(targets)), 0)::bigint, count(*), coalesce(sum(links), 0)::bigint * 8 from core.link_set
), tables as (
    select c.oid::regclass as tbl, c.relname, (core.table_bytes(c.oid::regclass)).*
    from pg_class c
    where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
)
select kind, bytes, rows, raw_bytes from data
union all
select 'rows of ' || t.relname, greatest(t.heap - coalesce(d.bytes, 0), 0)::bigint,
       coalesce(d.rows, (select sum(nullif(l.reltuples, -1))::bigint from pg_class l
                         where l.relkind = 'r' and (l.oid = t.tbl or l.oid in (select relid from pg_partition_tree(t.tbl))))),
       null
from tables t left join data d using (tbl)
union all
select 'indexes', sum(t.indexes)::bigint, null, null from tables t;
comment on view api_v1.storage is 'What the database holds: stored content by kind, the rows of each table without that content, and all indexes.';
comment on column api_v1.storage.kind is 'bodies, records, links: stored content; "rows of" a table: its rows without that content; indexes.';
comment on column api_v1.storage.bytes is 'Size in the database [bytes].';
comment on column api_v1.storage.rows is 'Number of rows; for tables without stored content as estimated by the last ANALYZE, null before the first.';
comment on column api_v1.storage.raw_bytes is 'Size of the content before compression [bytes].';

create view api_v1.data_dictionary as
select c.relname::text as view_name, a.attname::text as column_name, format_type(a.atttypid, a.atttypmod) as type,
       substring(d.description from '\[([^\]]*)\]\.?$') as unit,
       regexp_replace(d.description, '\s*\[[^\]]*\]\.?$', '.') as meaning
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_description d on d.objoid = c.oid and d.objsubid = a.attnum and d.classoid = 'pg_class'::regclass
where c.relnamespace = 'api_v1'::regnamespace and c.relkind in ('v', 'm')
union all
select c.relname::text, null, 'view', null, d.description
from pg_class c
left join pg_description d on d.objoid = c.oid and d.objsubid = 0 and d.classoid = 'pg_class'::regclass
where c.relnamespace = 'api_v1'::regnamespace and c.relkind in ('v', 'm')
order by 1, 2 nulls first;
comment on view api_v1.data_dictionary is 'This schema described: a row for each view (column_name is null) and for each of its columns. Join page data using (bucket, page_id).';
comment on column api_v1.data_dictionary.view_name is 'Name of the view.';
comment on column api_v1.data_dictionary.column_name is 'Name of the column; null for the view itself.';
comment on column api_v1.data_dictionary.type is 'SQL type.';
comment on column api_v1.data_dictionary.unit is 'Unit, where the column has one.';
comment on column api_v1.data_dictionary.meaning is 'What it says.';

-- +goose Down
drop view api_v1.data_dictionary, api_v1.storage, api_v1.change, api_v1.version, api_v1.fetch_log, api_v1.page;
drop function core.table_bytes(regclass);
