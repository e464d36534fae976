-- When series are due, and how far each host and site of a running snapshot is
-- (SCIENCE T12, T13, T16).

-- +goose Up
alter table core.series add column schedule text;
alter table core.series add column next_due_at timestamptz;
comment on column core.series.schedule is 'The schedule by which next_due_at was computed; null where nothing is scheduled.';
comment on column core.series.next_due_at is 'When the next snapshot is due; null where nothing is scheduled. Whoever moves it on starts the snapshot.';

-- Hosts are leased by bucket, so a row needs no lease of its own: taking rows
-- writes nothing.
drop index core.snapshot_frontier_lease;
alter table core.snapshot_frontier drop column lease_owner;
alter table core.snapshot_frontier drop column lease_until;
create index snapshot_frontier_level on core.snapshot_frontier (snapshot_id, depth);
create index snapshot_frontier_best on core.snapshot_frontier (snapshot_id, host_id, priority desc, page_id) where priority > 0;
comment on table core.snapshot_frontier is 'URLs that a running snapshot has still to fetch. A row is deleted in the transaction that writes its row of snapshot_page, so what is in neither was never found and what is in both is a late find, to be dropped when taken. Rows are taken by the daemon that leases their bucket; a killed one leaves them as they were.';
comment on column core.snapshot_frontier.tries is 'Requests that failed in a way which another one may not.';

create table core.snapshot_host (
    snapshot_id integer not null,
    host_id     bigint not null,
    bucket      integer not null,
    tried       integer not null default 0,
    crawled     integer not null default 0,
    traps       integer not null default 0,
    closed      text,
    primary key (snapshot_id, host_id, bucket),
    check (closed in ('pages', 'language', 'unreachable'))
) with (fillfactor = 70);
select core.distribute('core.snapshot_host');
comment on table core.snapshot_host is 'Hosts of a snapshot: how many of their pages were fetched, and why no more are.';
comment on column core.snapshot_host.snapshot_id is 'The snapshot.';
comment on column core.snapshot_host.host_id is 'The host.';
comment on column core.snapshot_host.bucket is 'Bucket of the host.';
comment on column core.snapshot_host.tried is 'URLs of which it is known what became of them.';
comment on column core.snapshot_host.crawled is 'Pages that gave content.';
comment on column core.snapshot_host.traps is 'Those of them whose URL looks like a crawler trap.';
comment on column core.snapshot_host.closed is 'Why no more URLs of the host are fetched: pages: it had its share; language: its site is in another one; unreachable: it did not answer many times in a row. Null while they are.';

create table core.snapshot_site (
    snapshot_id integer not null,
    site        text not null,
    looked_at   integer not null,
    wanted      integer not null,
    primary key (snapshot_id, site)
);
comment on table core.snapshot_site is 'Sites of a snapshot that wants one language: a site none of whose first pages is in it is left.';
comment on column core.snapshot_site.snapshot_id is 'The snapshot.';
comment on column core.snapshot_site.site is 'The site.';
comment on column core.snapshot_site.looked_at is 'Pages whose language was looked at.';
comment on column core.snapshot_site.wanted is 'Those of them in the language wanted.';

-- +goose Down
drop table core.snapshot_site, core.snapshot_host;
drop index core.snapshot_frontier_best, core.snapshot_frontier_level;
alter table core.snapshot_frontier add column lease_owner integer, add column lease_until timestamptz;
create index snapshot_frontier_lease on core.snapshot_frontier (snapshot_id, lease_owner) where lease_owner is not null;
alter table core.series drop column next_due_at, drop column schedule;
