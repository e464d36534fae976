-- Views of snapshots and of which of their pages are new.

-- +goose Up
create view core.numbered_snapshot as
select s.snapshot_id, s.series_id, r.name as series,
       (row_number() over (partition by s.series_id order by s.started_at, s.snapshot_id))::integer as snapshot,
       s.status, s.origin, s.started_at, s.finished_at
from core.snapshot s
join core.series r using (series_id);
comment on view core.numbered_snapshot is 'Snapshots with their number in the series, from 1 in order of time. An older import moves the numbers; ids stay.';
comment on column core.numbered_snapshot.snapshot_id is 'Id for all time.';
comment on column core.numbered_snapshot.series_id is 'The series.';
comment on column core.numbered_snapshot.series is 'Name of the series.';
comment on column core.numbered_snapshot.snapshot is 'Number in the series.';
comment on column core.numbered_snapshot.status is 'planned, running, done, failed or cut short.';
comment on column core.numbered_snapshot.origin is 'crawl or import.';
comment on column core.numbered_snapshot.started_at is 'Start of the first fetch.';
comment on column core.numbered_snapshot.finished_at is 'End of the last fetch.';

-- Packed links hold one unsigned varint a target: (id - id before) << 1 | nofollow.
-- +goose StatementBegin
create function core.unpack_links(packed bytea) returns table (target_id bigint, nofollow boolean)
language plpgsql immutable strict parallel safe as $$
declare
    id bigint := 0;
    v bigint := 0;
    shift integer := 0;
    b integer;
begin
    for i in 0 .. octet_length(packed) - 1 loop
        b := get_byte(packed, i);
        v := v | ((b & 127)::bigint << shift);
        if b >= 128 then
            shift := shift + 7;
        else
            id := id + (v >> 1);
            target_id := id;
            nofollow := (v & 1) = 1;
            return next;
            v := 0;
            shift := 0;
        end if;
    end loop;
end $$;
-- +goose StatementEnd
comment on function core.unpack_links(bytea) is 'The targets of packed links in rising order of their ids.';

create view api_v1.snapshot as
select n.series, n.snapshot, s.started_at, s.finished_at, s.pages, s.links, s.fringe, s.l2, s.old_other, s.unidentified,
       s.status, s.origin, s.aliases, s.failed, s.traps, s.delta, s.iterations, s.rules, s.error, s.computed_at
from core.snapshot s
join core.numbered_snapshot n using (snapshot_id);
comment on view api_v1.snapshot is 'Snapshots of series. Pages are L2, other old ones and unidentified ones: l2 + old_other + unidentified = pages.';
comment on column api_v1.snapshot.series is 'The series.';
comment on column api_v1.snapshot.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.snapshot.started_at is 'Start of the first fetch [UTC].';
comment on column api_v1.snapshot.finished_at is 'End of the last fetch; null while it runs [UTC].';
comment on column api_v1.snapshot.pages is 'Pages that were crawled; null before the snapshot is finished.';
comment on column api_v1.snapshot.links is 'Distinct links between crawled pages and what they link to.';
comment on column api_v1.snapshot.fringe is 'Pages that are linked to and were not crawled.';
comment on column api_v1.snapshot.l2 is 'Old pages that the snapshot before crawled too.';
comment on column api_v1.snapshot.old_other is 'The other old pages.';
comment on column api_v1.snapshot.unidentified is 'Pages not known to be old; their novelty tells how likely they are new.';
comment on column api_v1.snapshot.status is 'planned, running, done, failed, or cut short.';
comment on column api_v1.snapshot.origin is 'crawl or import.';
comment on column api_v1.snapshot.aliases is 'URLs that redirected to another page; links to them count for it.';
comment on column api_v1.snapshot.failed is 'URLs that were tried in vain.';
comment on column api_v1.snapshot.traps is 'Further pages whose URL looks like a crawler trap; not among pages.';
comment on column api_v1.snapshot.delta is 'Decay of novelty per link.';
comment on column api_v1.snapshot.iterations is 'Iterations that the scores took.';
comment on column api_v1.snapshot.rules is 'Rules by which pages were told to be old.';
comment on column api_v1.snapshot.error is 'Why it failed or was cut short.';
comment on column api_v1.snapshot.computed_at is 'When classes and scores were computed; null before [UTC].';

create view api_v1.snapshot_page as
select n.series, n.snapshot, s.page_id, p.url, s.crawled_at, s.last_modified, v.class::text as class, v.novelty, v.in_links,
       s.status, s.depth, s.last_modified_valid, v.old_by, s.bucket
from core.snapshot_page s
join core.numbered_snapshot n using (snapshot_id)
join core.page p using (bucket, page_id)
left join core.snapshot_novelty v using (snapshot_id, bucket, page_id)
where s.crawled;
comment on view api_v1.snapshot_page is 'Pages that each snapshot crawled, with class and novelty.';
comment on column api_v1.snapshot_page.series is 'The series.';
comment on column api_v1.snapshot_page.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.snapshot_page.page_id is 'The page.';
comment on column api_v1.snapshot_page.url is 'Canonical URL of the page.';
comment on column api_v1.snapshot_page.crawled_at is 'Start of the fetch [UTC].';
comment on column api_v1.snapshot_page.last_modified is 'Last-Modified as the server gave it [UTC].';
comment on column api_v1.snapshot_page.class is 'L2: old and crawled by the snapshot before; O: another old page; U: not known to be old. Null before it is computed, and for traps.';
comment on column api_v1.snapshot_page.novelty is 'How likely the page is new: 1 for L2 and 0 for O as the sources of the scores of U.';
comment on column api_v1.snapshot_page.in_links is 'Crawled pages that link to it.';
comment on column api_v1.snapshot_page.status is 'HTTP status.';
comment on column api_v1.snapshot_page.depth is 'Links from the nearest seed; null for imports.';
comment on column api_v1.snapshot_page.last_modified_valid is 'Last-Modified may be trusted.';
comment on column api_v1.snapshot_page.old_by is 'First rule that told the page to be old: 1 known before, 2 Last-Modified, 3 linked from a page with an old Last-Modified, 4 the month in its URL; 0 for U.';
comment on column api_v1.snapshot_page.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.link as
select n.series, n.snapshot, s.page_id as source_id, l.target_id, l.nofollow, s.bucket
from core.snapshot_page s
join core.numbered_snapshot n using (snapshot_id)
join core.link_set k using (bucket, links_hash)
cross join lateral core.unpack_links(k.targets) l
where s.crawled;
comment on view api_v1.link is 'Distinct links of the pages that each snapshot crawled, to the URLs as they were linked: aliases are not followed. Narrow it by series and snapshot; whole snapshots are faster by export.';
comment on column api_v1.link.series is 'The series.';
comment on column api_v1.link.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.link.source_id is 'The page that links.';
comment on column api_v1.link.target_id is 'The page that is linked to, crawled or not.';
comment on column api_v1.link.nofollow is 'All of its links to it say nofollow.';
comment on column api_v1.link.bucket is 'Bucket of the source''s host.';

create view api_v1.novelty_accuracy as
select n.series, n.snapshot, a.delta, a.threshold, a.hits::double precision / nullif(a.judged, 0) as precision,
       a.hits::double precision / nullif(t.new + t.future, 0) as recall, a.judged, a.hits, t.new + t.future as novel, t.old
from core.snapshot_accuracy a
join core.snapshot_truth t using (snapshot_id, truth)
join core.numbered_snapshot n using (snapshot_id)
where a.truth = 'url';
comment on view api_v1.novelty_accuracy is 'Judgements by novelty held against pages of U that have a month in their URL.';
comment on column api_v1.novelty_accuracy.series is 'The series.';
comment on column api_v1.novelty_accuracy.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.novelty_accuracy.delta is 'Decay of novelty per link.';
comment on column api_v1.novelty_accuracy.threshold is 'Pages of at least this novelty are judged novel; 0 judges all, which is the baseline.';
comment on column api_v1.novelty_accuracy.precision is 'Share of the judged pages that are novel; null where none is judged.';
comment on column api_v1.novelty_accuracy.recall is 'Share of the novel pages that are judged; null where there are none.';
comment on column api_v1.novelty_accuracy.judged is 'Pages judged novel.';
comment on column api_v1.novelty_accuracy.hits is 'Novel pages among the judged.';
comment on column api_v1.novelty_accuracy.novel is 'Pages of U dated in or after the month of the snapshot before.';
comment on column api_v1.novelty_accuracy.old is 'Pages of U dated earlier.';

create view api_v1.novelty_accuracy_by_truth as
select n.series, n.snapshot, a.delta, a.threshold, a.hits::double precision / nullif(a.judged, 0) as precision,
       a.hits::double precision / nullif(t.new + t.future, 0) as recall, a.judged, a.truth, a.hits, t.new + t.future as novel, t.old
from core.snapshot_accuracy a
join core.snapshot_truth t using (snapshot_id, truth)
join core.numbered_snapshot n using (snapshot_id);
comment on view api_v1.novelty_accuracy_by_truth is 'The same against each kind of truth.';
comment on column api_v1.novelty_accuracy_by_truth.series is 'The series.';
comment on column api_v1.novelty_accuracy_by_truth.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.novelty_accuracy_by_truth.delta is 'Decay of novelty per link.';
comment on column api_v1.novelty_accuracy_by_truth.threshold is 'Pages of at least this novelty are judged novel; 0 judges all, which is the baseline.';
comment on column api_v1.novelty_accuracy_by_truth.precision is 'Share of the judged pages that are novel; null where none is judged.';
comment on column api_v1.novelty_accuracy_by_truth.recall is 'Share of the novel pages that are judged; null where there are none.';
comment on column api_v1.novelty_accuracy_by_truth.judged is 'Pages judged novel.';
comment on column api_v1.novelty_accuracy_by_truth.truth is 'url: the month in the URL; page: the date that the page gives itself.';
comment on column api_v1.novelty_accuracy_by_truth.hits is 'Novel pages among the judged.';
comment on column api_v1.novelty_accuracy_by_truth.novel is 'Pages of U dated in or after the month of the snapshot before.';
comment on column api_v1.novelty_accuracy_by_truth.old is 'Pages of U dated earlier.';

create view api_v1.novelty_convergence as
select n.series, n.snapshot, c.delta, c.iteration, c.l1
from core.snapshot_convergence c
join core.numbered_snapshot n using (snapshot_id);
comment on view api_v1.novelty_convergence is 'How the scores of a snapshot came to rest.';
comment on column api_v1.novelty_convergence.series is 'The series.';
comment on column api_v1.novelty_convergence.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.novelty_convergence.delta is 'Decay of novelty per link.';
comment on column api_v1.novelty_convergence.iteration is 'Iteration, from 1.';
comment on column api_v1.novelty_convergence.l1 is 'Sum over the pages of U of how much their scores changed in it.';

create view api_v1.novelty_distribution as
select n.series, n.snapshot, d.delta, d.bin, d.pages
from core.snapshot_distribution d
join core.numbered_snapshot n using (snapshot_id);
comment on view api_v1.novelty_distribution is 'How novelty is spread over U.';
comment on column api_v1.novelty_distribution.series is 'The series.';
comment on column api_v1.novelty_distribution.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.novelty_distribution.delta is 'Decay of novelty per link.';
comment on column api_v1.novelty_distribution.bin is '0 for novelty 0, i for novelty above (i-1)/10 and up to i/10.';
comment on column api_v1.novelty_distribution.pages is 'Pages of U.';

create view api_v1.novelty_miss as
select n.series, n.snapshot, m.delta, m.pages, m.above_zero::double precision / nullif(m.pages, 0) as above_zero,
       m.above_tenth::double precision / nullif(m.pages, 0) as above_tenth
from core.snapshot_miss m
join core.numbered_snapshot n using (snapshot_id);
comment on view api_v1.novelty_miss is 'How often pages that their Last-Modified shows to be old get novelty, with the rules on Last-Modified switched off.';
comment on column api_v1.novelty_miss.series is 'The series.';
comment on column api_v1.novelty_miss.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.novelty_miss.delta is 'Decay of novelty per link.';
comment on column api_v1.novelty_miss.pages is 'Pages in U by the first rule alone that are old by their Last-Modified.';
comment on column api_v1.novelty_miss.above_zero is 'Share of them with novelty above 0.';
comment on column api_v1.novelty_miss.above_tenth is 'Share of them with at least 0.1.';

-- +goose Down
drop view api_v1.novelty_miss, api_v1.novelty_distribution, api_v1.novelty_convergence, api_v1.novelty_accuracy_by_truth, api_v1.novelty_accuracy,
    api_v1.link, api_v1.snapshot_page, api_v1.snapshot;
drop function core.unpack_links(bytea);
drop view core.numbered_snapshot;
