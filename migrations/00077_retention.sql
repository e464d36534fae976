-- Retention. A version that is thinned keeps its row, so that the history of a page,
-- its numbers and what was measured stay true; what goes is its content.

-- +goose Up
alter table core.version add column thinned_at timestamptz;
comment on column core.version.thinned_at is 'When retention gave up the stored content and the header of this version; null while both are kept.';

create table core.loose_blob (
    bucket integer  not null,
    sha256 bytea    not null,
    kind   smallint not null,
    primary key (sha256, bucket, kind),
    check (kind in (0, 1))
);
select core.distribute('core.loose_blob');
create index loose_blob_bucket on core.loose_blob (bucket, kind, sha256);
comment on table core.loose_blob is 'Stored contents that may be no version''s any more, noted in the transaction that gave up the version; retention looks at each and deletes it or strikes it off.';
comment on column core.loose_blob.bucket is 'Bucket of the host.';
comment on column core.loose_blob.sha256 is 'Hash of the payload or record.';
comment on column core.loose_blob.kind is '0 for a row of body, 1 for one of record.';

-- Who is based on a frame is asked before it goes. Most frames on one base share its
-- entry, so these are small.
create index body_base on core.body (base_sha256) where base_sha256 is not null;
create index record_base on core.record (base_sha256) where base_sha256 is not null;
-- Payloads of answers that made no version are held by their fetch.
create index fetch_payload on core.fetch (sha256) where sha256 is not null and version is null;

create table core.retention_run (
    run_id           integer generated always as identity primary key,
    started_at       timestamptz not null,
    finished_at      timestamptz,
    versions         bigint not null default 0,
    bodies           bigint not null default 0,
    records          bigint not null default 0,
    rebased          bigint not null default 0,
    fetches          bigint not null default 0,
    partitions       bigint not null default 0,
    bytes            bigint not null default 0,
    longest_seconds  double precision not null default 0,
    error            text
);
comment on table core.retention_run is 'Runs of retention and what they gave up.';
comment on column core.retention_run.run_id is 'Number of the run.';
comment on column core.retention_run.started_at is 'When it began.';
comment on column core.retention_run.finished_at is 'When it ended; null while it runs and for one that was killed.';
comment on column core.retention_run.versions is 'Versions whose content was given up.';
comment on column core.retention_run.bodies is 'Stored payloads that were deleted.';
comment on column core.retention_run.records is 'Stored records that were deleted.';
comment on column core.retention_run.rebased is 'Frames that were written anew because their base went.';
comment on column core.retention_run.fetches is 'Rows of the log of fetches that were dropped.';
comment on column core.retention_run.partitions is 'Partitions of the log of fetches that were dropped or made smaller.';
comment on column core.retention_run.bytes is 'Bytes of stored content that were freed.';
comment on column core.retention_run.longest_seconds is 'The longest time that one of its transactions took.';
comment on column core.retention_run.error is 'Why it ended early.';

-- +goose StatementBegin
create function core.partitions_of(parent text)
returns table (name text, from_at timestamptz, to_at timestamptz, tbl regclass)
language plpgsql stable as $$
begin
    return query
    select c.relname::text, m.b[1]::timestamptz, m.b[2]::timestamptz, c.oid::regclass
    from pg_class t
    join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'core'
    join pg_inherits i on i.inhparent = t.oid
    join pg_class c on c.oid = i.inhrelid
    cross join lateral (select regexp_match(pg_get_expr(c.relpartbound, c.oid), $m$FROM \('([^']+)'\) TO \('([^']+)'\)$m$) as b) m
    where t.relname = parent and m.b is not null;
end $$;
-- +goose StatementEnd
comment on function core.partitions_of(text) is 'Partitions of a table of core by time, with their bounds.';

-- Puts a partition in the place of an old one that has only the fetches that first saw
-- what is still kept, or nothing when there are none. The rows are copied while readers
-- go on; the table of all fetches is locked for the exchange alone.
-- +goose StatementBegin
create function core.shrink_fetches(child text, out dropped bigint, out kept bigint)
language plpgsql as $$
declare
    p record;
    fresh text := child || '_kept';
begin
    select * into p from core.partitions_of('fetch') o where o.name = child;
    if p is null then
        raise exception 'core.% is no partition of core.fetch', child;
    end if;
    execute format('lock table core.%I in share row exclusive mode', child);
    execute format('create table core.%I (like core.%I including defaults including storage including constraints including indexes)', fresh, child);
    execute format($q$
        insert into core.%I select f.* from core.%I f
        where f.outcome in ('new', 'changed') and exists (
            select 1 from core.version v
            where v.bucket = f.bucket and v.page_id = f.page_id and v.version = f.version and v.first_seen = f.started_at
              and v.first_seen >= %L and v.first_seen < %L and v.thinned_at is null)$q$, fresh, child, p.from_at, p.to_at);
    get diagnostics kept = row_count;
    execute format('select count(*) - %s from core.%I', kept, child) into dropped;
    if dropped = 0 then
        execute format('drop table core.%I', fresh);
        return;
    end if;
    -- The bounds are checked before the table of all fetches is locked: attaching need not look again.
    execute format('alter table core.%I add constraint span check (started_at >= %L and started_at < %L)', fresh, p.from_at, p.to_at);
    execute format('alter table core.fetch detach partition core.%I', child);
    execute format('drop table core.%I', child);
    if kept = 0 then
        execute format('drop table core.%I', fresh);
        return;
    end if;
    execute format('alter table core.%I rename to %I', fresh, child);
    execute format('alter table core.fetch attach partition core.%I for values from (%L) to (%L)', child, p.from_at, p.to_at);
    execute format('alter table core.%I drop constraint span', child);
    execute format('comment on table core.%I is %L', child,
        format('Rows of core.fetch from %s to %s, as far as they first saw what is kept.', p.from_at at time zone 'UTC', p.to_at at time zone 'UTC'));
end $$;
-- +goose StatementEnd
comment on function core.shrink_fetches(text) is 'Drops the rows of an old partition of fetches, but for those that first saw a version that is kept.';

drop view api_v1.version;
create view api_v1.version as
select v.page_id, p.url, v.version, v.first_seen, v.last_seen, v.fetches, v.status, v.bytes, v.words,
       v.sentences, v.title, v.language, encode(v.sha256, 'hex') as sha256, v.charset, v.flags, v.thinned_at, v.bucket
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
comment on column api_v1.version.thinned_at is 'When retention gave up its stored content; null while it is kept. What was measured of it stays [UTC].';
comment on column api_v1.version.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.retention_run as
select run_id, started_at, finished_at, versions, bodies, records, rebased, fetches, partitions, bytes, longest_seconds, error
from core.retention_run;
comment on view api_v1.retention_run is 'Runs of retention and what they gave up.';
comment on column api_v1.retention_run.run_id is 'Number of the run.';
comment on column api_v1.retention_run.started_at is 'When it began [UTC].';
comment on column api_v1.retention_run.finished_at is 'When it ended; null while it runs and for one that was killed [UTC].';
comment on column api_v1.retention_run.versions is 'Versions whose content was given up.';
comment on column api_v1.retention_run.bodies is 'Stored payloads that were deleted.';
comment on column api_v1.retention_run.records is 'Stored records, of what was extracted, that were deleted.';
comment on column api_v1.retention_run.rebased is 'Stored contents that were written anew because the one they were based on went.';
comment on column api_v1.retention_run.fetches is 'Rows of the log of fetches that were dropped.';
comment on column api_v1.retention_run.partitions is 'Partitions of the log of fetches that were dropped or made smaller.';
comment on column api_v1.retention_run.bytes is 'Stored content that was freed [bytes].';
comment on column api_v1.retention_run.longest_seconds is 'The longest time that one of its transactions took [seconds].';
comment on column api_v1.retention_run.error is 'Why it ended early.';

create view api_v1.partition as
select t.parent as table_name, o.name as partition, o.from_at, o.to_at, pg_total_relation_size(o.tbl) as bytes,
       nullif(c.reltuples, -1)::bigint as rows
from (values ('fetch'), ('version')) t(parent)
cross join lateral core.partitions_of(t.parent) o
join pg_class c on c.oid = o.tbl;
comment on view api_v1.partition is 'Parts of the tables that are kept by time: a year each before 2025, a month from then on. Months to come are made ahead.';
comment on column api_v1.partition.table_name is 'The table: fetch or version.';
comment on column api_v1.partition.partition is 'Name of the part.';
comment on column api_v1.partition.from_at is 'Its rows are no older than this [UTC].';
comment on column api_v1.partition.to_at is 'Its rows are older than this [UTC].';
comment on column api_v1.partition.bytes is 'Size with indexes [bytes].';
comment on column api_v1.partition.rows is 'Rows as estimated by the last ANALYZE; null before the first.';

-- +goose Down
drop view api_v1.partition, api_v1.retention_run, api_v1.version;
create view api_v1.version as
select v.page_id, p.url, v.version, v.first_seen, v.last_seen, v.fetches, v.status, v.bytes, v.words,
       v.sentences, v.title, v.language, encode(v.sha256, 'hex') as sha256, v.charset, v.flags, v.bucket
from core.version v
join core.page p using (bucket, page_id);
comment on view api_v1.version is 'Versions: one content of a page, from the fetch that first saw it to the fetch that last saw it.';
drop function core.shrink_fetches(text);
drop function core.partitions_of(text);
drop table core.retention_run;
drop index core.fetch_payload, core.record_base, core.body_base;
drop table core.loose_blob;
alter table core.version drop column thinned_at;
