-- Copies, moves and mirrors: which pages that are new say what an older page said
-- before (SCIENCE T15).

-- +goose Up
create table core.page_sketch (
    page_id    bigint      not null,
    bucket     integer     not null,
    version    integer     not null,
    first_seen timestamptz not null,
    words      integer     not null,
    keys       bigint[]    not null,
    primary key (page_id, bucket, version)
);
select core.distribute('core.page_sketch');
create index page_sketch_keys on core.page_sketch using gin (keys);
comment on table core.page_sketch is 'Keys by which versions with a like text are found: those of first versions of pages, of versions that differ much from the one before, and of those that snapshots saw. Dropped when the versions of a page are laid anew.';
comment on column core.page_sketch.page_id is 'The page.';
comment on column core.page_sketch.bucket is 'Bucket of the page''s host.';
comment on column core.page_sketch.version is 'The version.';
comment on column core.page_sketch.first_seen is 'When the version was first seen.';
comment on column core.page_sketch.words is 'Words of its main text.';
comment on column core.page_sketch.keys is 'Hashes of main text and of all text: the text, its smallest shingles, bands of its simhash. Two texts that are copies share some. Empty for a text without words.';

create table core.page_copy (
    page_id      bigint           not null,
    bucket       integer          not null,
    version      integer          not null,
    kind         text             not null check (kind in ('copy', 'moved', 'twin', 'near')),
    source_id    bigint           not null,
    source_url   text             not null,
    source_at    timestamptz      not null,
    source_state text             not null,
    jaccard      double precision not null,
    basis        text             not null check (basis in ('main', 'whole')),
    same_site    boolean          not null,
    same_path    boolean          not null,
    host         text             not null,
    source_host  text             not null,
    computed_at  timestamptz      not null,
    primary key (page_id, bucket)
);
select core.distribute('core.page_copy');
comment on table core.page_copy is 'Pages whose text, when they were new, was that of an older page, with the oldest such source. What is shown of the source stands in the row, since it may lie on another server.';
comment on column core.page_copy.page_id is 'The page.';
comment on column core.page_copy.bucket is 'Bucket of the page''s host.';
comment on column core.page_copy.version is 'The version that was looked at: the page''s first, or the one that a snapshot saw.';
comment on column core.page_copy.kind is 'copy: the source is still there; moved: it is gone, redirects or was no longer found; twin: both were first seen by one snapshot; near: like it, not a copy.';
comment on column core.page_copy.source_id is 'The page that had the text before.';
comment on column core.page_copy.source_url is 'Its canonical URL.';
comment on column core.page_copy.source_at is 'When its version with the text was first seen.';
comment on column core.page_copy.source_state is 'there, gone, redirects, or missing: not found by a snapshot that found its host.';
comment on column core.page_copy.jaccard is 'Shared 5-word shingles as a part of all of both texts: 0.9 and more is a copy, 0.6 to 0.9 near.';
comment on column core.page_copy.basis is 'What was compared: main, the main text without what the site repeats; whole, all text.';
comment on column core.page_copy.same_site is 'Both lie on one registrable domain.';
comment on column core.page_copy.same_path is 'Path and query are the same.';
comment on column core.page_copy.host is 'Host of the page.';
comment on column core.page_copy.source_host is 'Host of the source.';
comment on column core.page_copy.computed_at is 'When it was found.';

create table core.snapshot_copies (
    snapshot_id          integer primary key,
    copies               bigint not null,
    moved                bigint not null,
    twins                bigint not null,
    near                 bigint not null,
    novel                bigint not null,
    novel_without_copies bigint not null
);
comment on table core.snapshot_copies is 'Pages of U of a snapshot that are copies.';
comment on column core.snapshot_copies.snapshot_id is 'The snapshot.';
comment on column core.snapshot_copies.copies is 'Pages of U that are copies of an older page which is still there.';
comment on column core.snapshot_copies.moved is 'Those whose older page is gone.';
comment on column core.snapshot_copies.twins is 'Those with the text of another page that was first seen by the same snapshot.';
comment on column core.snapshot_copies.near is 'Those that are like an older page, and no copies.';
comment on column core.snapshot_copies.novel is 'Pages of U judged novel by the threshold of the series.';
comment on column core.snapshot_copies.novel_without_copies is 'Those of them that are no copy, not moved and no twin.';

create view api_v1.page_copy as
select c.page_id, p.url, c.kind, c.source_id, c.source_url, c.source_at, c.source_state, c.jaccard, c.basis, c.same_site, c.same_path, c.host, c.source_host,
       c.version, c.computed_at, c.bucket
from core.page_copy c
join core.page p using (bucket, page_id);
comment on view api_v1.page_copy is 'Pages whose text, when they were new, was that of an older page, with the oldest such source.';
comment on column api_v1.page_copy.page_id is 'The page.';
comment on column api_v1.page_copy.url is 'Canonical URL of the page.';
comment on column api_v1.page_copy.kind is 'copy: the source is still there; moved: it is gone, redirects or was no longer found; twin: both were first seen by one snapshot; near: like it, not a copy.';
comment on column api_v1.page_copy.source_id is 'The page that had the text before.';
comment on column api_v1.page_copy.source_url is 'Its canonical URL.';
comment on column api_v1.page_copy.source_at is 'When its version with the text was first seen [UTC].';
comment on column api_v1.page_copy.source_state is 'there, gone, redirects, or missing: not found by a snapshot that found its host.';
comment on column api_v1.page_copy.jaccard is 'Shared 5-word shingles as a part of all of both texts: 0.9 and more is a copy, 0.6 to 0.9 near.';
comment on column api_v1.page_copy.basis is 'What was compared: main, the main text without what the site repeats; whole, all text.';
comment on column api_v1.page_copy.same_site is 'Both lie on one registrable domain.';
comment on column api_v1.page_copy.same_path is 'Path and query are the same.';
comment on column api_v1.page_copy.host is 'Host of the page.';
comment on column api_v1.page_copy.source_host is 'Host of the source.';
comment on column api_v1.page_copy.version is 'The version that was looked at.';
comment on column api_v1.page_copy.computed_at is 'When it was found [UTC].';
comment on column api_v1.page_copy.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.host_mirror as
select c.host, c.source_host, s.pages, c.copies, c.same_path
from (
    select bucket, host, source_host, count(*) as copies, count(*) filter (where same_path) as same_path
    from core.page_copy
    where kind <> 'near' and host <> source_host
    group by bucket, host, source_host
) c
join (
    select p.bucket, h.name, count(distinct k.page_id) as pages
    from core.page_sketch k
    join core.page p using (bucket, page_id)
    join core.host h using (bucket, host_id)
    where k.words > 0
    group by p.bucket, h.name
) s on s.bucket = c.bucket and s.name = c.host
where c.copies >= 5 and c.copies >= 0.8 * s.pages and c.same_path >= 0.8 * c.copies;
comment on view api_v1.host_mirror is 'Hosts that mirror another: five pages or more, and four fifths of all, are copies of pages of one host, four fifths of them at the same path.';
comment on column api_v1.host_mirror.host is 'The host that mirrors.';
comment on column api_v1.host_mirror.source_host is 'The host whose pages it has.';
comment on column api_v1.host_mirror.pages is 'Pages of the host with text.';
comment on column api_v1.host_mirror.copies is 'Those that are copies of pages of the other.';
comment on column api_v1.host_mirror.same_path is 'Those of the copies at the same path.';

create view api_v1.snapshot_copies as
select n.series, n.snapshot, s.unidentified, c.copies, c.moved, c.twins, c.near, s.unidentified - c.copies - c.moved - c.twins as without_copies,
       c.novel, c.novel_without_copies
from core.snapshot_copies c
join core.snapshot s using (snapshot_id)
join core.numbered_snapshot n using (snapshot_id);
comment on view api_v1.snapshot_copies is 'What is left of the unidentified and of the novel pages of each snapshot without copies.';
comment on column api_v1.snapshot_copies.series is 'The series.';
comment on column api_v1.snapshot_copies.snapshot is 'Number of the snapshot in its series, from 1 in order of time.';
comment on column api_v1.snapshot_copies.unidentified is 'Pages not known to be old.';
comment on column api_v1.snapshot_copies.copies is 'Those that are copies of an older page which is still there.';
comment on column api_v1.snapshot_copies.moved is 'Those whose older page is gone.';
comment on column api_v1.snapshot_copies.twins is 'Those with the text of another page that was first seen by the same snapshot.';
comment on column api_v1.snapshot_copies.near is 'Those that are like an older page, and no copies.';
comment on column api_v1.snapshot_copies.without_copies is 'Unidentified pages without copies, moved ones and twins.';
comment on column api_v1.snapshot_copies.novel is 'Unidentified pages judged novel by the threshold of the series.';
comment on column api_v1.snapshot_copies.novel_without_copies is 'Those of them that are no copy, not moved and no twin.';

-- The first version of every page that no snapshot crawled is looked at by the next monitor.
insert into core.monitor_todo (page_id, bucket, version, stage, enqueued_at)
select v.page_id, v.bucket, min(v.version), 'copies', now() from core.version v group by v.page_id, v.bucket;

-- +goose Down
drop view api_v1.snapshot_copies, api_v1.host_mirror, api_v1.page_copy;
drop table core.snapshot_copies, core.page_copy, core.page_sketch;
delete from core.monitor_todo where stage like 'copies%';
