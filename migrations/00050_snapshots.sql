-- Series of snapshots: which pages each snapshot crawled and what they link to, what
-- it has still to crawl, and what a series has heard of (SCIENCE T1, C5).

-- +goose Up
create table core.series (
    series_id   integer generated always as identity primary key,
    name        text not null unique,
    added_at    timestamptz not null,
    paused_at   timestamptz,
    gap_seconds integer,
    config      jsonb not null
);
comment on table core.series is 'Series: parts of the web of which snapshots are taken. A series that left the configuration is paused and keeps its snapshots.';
comment on column core.series.series_id is 'Id for all time.';
comment on column core.series.name is 'Name in the configuration or of the import, the stable key.';
comment on column core.series.added_at is 'When the series was first configured or imported.';
comment on column core.series.paused_at is 'When the series left the configuration; null while it runs and for imports.';
comment on column core.series.gap_seconds is 'Imported captures closer together than this are one snapshot; null for crawled series.';
comment on column core.series.config is 'The series as configured; an empty object for imports.';

create table core.snapshot (
    snapshot_id  integer generated always as identity primary key,
    series_id    integer not null,
    status       text not null,
    origin       text not null,
    due_at       timestamptz,
    started_at   timestamptz not null,
    finished_at  timestamptz,
    error        text,
    pages        bigint,
    links        bigint,
    fringe       bigint,
    aliases      bigint,
    failed       bigint,
    traps        bigint,
    l2           bigint,
    old_other    bigint,
    unidentified bigint,
    delta        double precision,
    iterations   integer,
    rules        text[],
    computed_at  timestamptz,
    unique (series_id, started_at),
    check (status in ('planned', 'running', 'done', 'failed', 'cut short')),
    check (origin in ('crawl', 'import'))
);
comment on table core.snapshot is 'Snapshots: one breadth-first crawl of a series each, or the captures of an import that lie close together.';
comment on column core.snapshot.snapshot_id is 'Id for all time.';
comment on column core.snapshot.series_id is 'The series.';
comment on column core.snapshot.status is 'planned, running, done, failed, or cut short: stopped before its frontier was empty.';
comment on column core.snapshot.origin is 'crawl or import.';
comment on column core.snapshot.due_at is 'When the snapshot was due; null where nothing was scheduled.';
comment on column core.snapshot.started_at is 'Start of the first fetch; the planned start before that. The order of a series'' snapshots, and the t_k that a page''s Last-Modified is held against.';
comment on column core.snapshot.finished_at is 'End of the last fetch; null while it runs.';
comment on column core.snapshot.error is 'Why it failed or was cut short.';
comment on column core.snapshot.pages is '|W|: pages that were crawled.';
comment on column core.snapshot.links is 'Distinct links between crawled pages and what they link to, self links included.';
comment on column core.snapshot.fringe is 'Pages that are linked to and were not crawled; redirects that were followed count as their targets.';
comment on column core.snapshot.aliases is 'URLs that redirected to another page.';
comment on column core.snapshot.failed is 'URLs that were tried and gave neither a page nor a redirect.';
comment on column core.snapshot.traps is 'Crawled pages whose URL looks like a crawler trap; they take no part in the classes.';
comment on column core.snapshot.l2 is '|L2|: old pages that the snapshot before crawled too.';
comment on column core.snapshot.old_other is '|O \ L2|: the other old pages.';
comment on column core.snapshot.unidentified is '|U|: pages not known to be old.';
comment on column core.snapshot.delta is 'Decay of novelty per link by which the scores were computed.';
comment on column core.snapshot.iterations is 'Iterations that the scores took.';
comment on column core.snapshot.rules is 'Rules by which pages were told to be old: seen, last-modified, linked-from-old, url-date.';
comment on column core.snapshot.computed_at is 'When classes and scores were computed; null before.';

create table core.snapshot_page (
    snapshot_id         integer not null,
    page_id             bigint not null,
    bucket              integer not null,
    crawled_at          timestamptz not null,
    crawled             boolean not null,
    status              smallint,
    depth               smallint,
    alias_of            bigint,
    last_modified       timestamptz,
    last_modified_valid boolean not null,
    links_hash          uuid,
    primary key (snapshot_id, page_id, bucket)
);
select core.distribute('core.snapshot_page');
comment on table core.snapshot_page is 'What a snapshot fetched: a row for each URL that was tried, also those that failed or redirected.';
comment on column core.snapshot_page.snapshot_id is 'The snapshot.';
comment on column core.snapshot_page.page_id is 'The page.';
comment on column core.snapshot_page.bucket is 'Bucket of the page''s host.';
comment on column core.snapshot_page.crawled_at is 'Start of the fetch; the page''s version at that time is what the snapshot saw.';
comment on column core.snapshot_page.crawled is 'The fetch gave content, so the page belongs to W.';
comment on column core.snapshot_page.status is 'HTTP status; null without an answer.';
comment on column core.snapshot_page.depth is 'Links from the nearest seed; null for imports, which have no seeds.';
comment on column core.snapshot_page.alias_of is 'Page that the URL redirected to.';
comment on column core.snapshot_page.last_modified is 'Last-Modified as the server gave it.';
comment on column core.snapshot_page.last_modified_valid is 'It may be trusted: not before 1990, not after the fetch, and not the time of the answer itself.';
comment on column core.snapshot_page.links_hash is 'Out-links: a row of link_set; null where there are none.';

create table core.series_capture (
    series_id           integer not null,
    page_id             bigint not null,
    bucket              integer not null,
    captured_at         timestamptz not null,
    crawled             boolean not null,
    status              smallint,
    alias_of            bigint,
    last_modified       timestamptz,
    last_modified_valid boolean not null,
    primary key (series_id, page_id, bucket, captured_at)
);
select core.distribute('core.series_capture');
comment on table core.series_capture is 'Captures that were imported into a series. Its snapshots are cut from them anew after each import, so the order of imports has no say.';
comment on column core.series_capture.series_id is 'The series.';
comment on column core.series_capture.page_id is 'The page.';
comment on column core.series_capture.bucket is 'Bucket of the page''s host.';
comment on column core.series_capture.captured_at is 'Time of the capture.';
comment on column core.series_capture.crawled is 'It has content.';
comment on column core.series_capture.status is 'HTTP status.';
comment on column core.series_capture.alias_of is 'Page that the URL redirected to.';
comment on column core.series_capture.last_modified is 'Last-Modified as the server gave it.';
comment on column core.series_capture.last_modified_valid is 'It may be trusted.';

create table core.snapshot_known (
    snapshot_id integer not null,
    bucket      integer not null,
    pages       integer not null,
    targets     bytea not null,
    primary key (snapshot_id, bucket)
);
select core.distribute('core.snapshot_known');
alter table core.snapshot_known alter column targets set storage external;
comment on table core.snapshot_known is 'Pages that a series first heard of in a snapshot, crawled or only linked to. What was known before a snapshot are the rows of all earlier ones of its series.';
comment on column core.snapshot_known.snapshot_id is 'The snapshot.';
comment on column core.snapshot_known.bucket is 'Bucket of the pages'' hosts.';
comment on column core.snapshot_known.pages is 'Number of pages.';
comment on column core.snapshot_known.targets is 'Their ids in rising order, packed as the targets of link_set are.';

create table core.snapshot_frontier (
    snapshot_id integer not null,
    page_id     bigint not null,
    bucket      integer not null,
    host_id     bigint not null,
    depth       smallint not null,
    priority    real not null default 0,
    tries       smallint not null default 0,
    not_before  timestamptz,
    lease_owner integer,
    lease_until timestamptz,
    primary key (snapshot_id, page_id, bucket)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
select core.distribute('core.snapshot_frontier');
create index snapshot_frontier_next on core.snapshot_frontier (snapshot_id, host_id, depth, priority desc, page_id);
create index snapshot_frontier_lease on core.snapshot_frontier (snapshot_id, lease_owner) where lease_owner is not null;
comment on table core.snapshot_frontier is 'URLs that a running snapshot has still to fetch. A row is deleted in the transaction that writes its row of snapshot_page, so what is in neither was never found and what is in both is a late find, to be dropped when taken. A killed daemon leaves leases that run out.';
comment on column core.snapshot_frontier.snapshot_id is 'The snapshot.';
comment on column core.snapshot_frontier.page_id is 'The page.';
comment on column core.snapshot_frontier.bucket is 'Bucket of the page''s host.';
comment on column core.snapshot_frontier.host_id is 'The page''s host.';
comment on column core.snapshot_frontier.depth is 'Links from the nearest seed.';
comment on column core.snapshot_frontier.priority is 'Within a depth, or before it where the series asks for another order, higher ones first.';
comment on column core.snapshot_frontier.tries is 'Times that the URL was taken; more than fetches only after a crash.';
comment on column core.snapshot_frontier.not_before is 'Not to be taken before; null: at once.';
comment on column core.snapshot_frontier.lease_owner is 'The daemon that has taken it; null when nobody has.';
comment on column core.snapshot_frontier.lease_until is 'When it may be taken by another, should its daemon not say what became of it.';

-- +goose Down
drop table core.snapshot_frontier, core.snapshot_known, core.series_capture, core.snapshot_page, core.snapshot, core.series;
