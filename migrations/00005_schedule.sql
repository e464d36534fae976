-- When each watched page is due, who fetches it, and how late things are.

-- +goose Up
alter table core.watch add column timing text not null default '';
alter table core.watch add column every interval;
alter table core.watch add column pages_hash bytea;
comment on column core.watch.timing is 'Everything that decides when its pages are due, as one text; when it changes all its pages are scheduled anew.';
comment on column core.watch.every is 'Mean time between two fetches of a page.';
comment on column core.watch.pages_hash is 'Hash of the list of pages as configured, so that a list that did not change is not read again.';

create table core.watch_page (
    page_id          bigint      not null,
    bucket           integer     not null,
    watch_id         integer     not null,
    source           text        not null default '',
    slot_at          timestamptz,
    due_at           timestamptz,
    joined_at        timestamptz not null,
    left_at          timestamptz,
    set_aside_at     timestamptz,
    set_aside_reason text,
    primary key (page_id, bucket, watch_id)
) with (fillfactor = 70);
select core.distribute('core.watch_page');
create index watch_page_watch on core.watch_page (watch_id);
create index watch_page_set_aside on core.watch_page (watch_id) where set_aside_at is not null;
comment on table core.watch_page is 'Which watch wants which page, and from when on it next wants it. One fetch serves all watches of a page.';
comment on column core.watch_page.page_id is 'The page.';
comment on column core.watch_page.bucket is 'Bucket of the page''s host.';
comment on column core.watch_page.watch_id is 'The watch.';
comment on column core.watch_page.source is 'Where the page comes from: empty for the configured list, else the sitemap or feed that named it.';
comment on column core.watch_page.slot_at is 'The slot of the watch''s schedule that is next to be served: a time of the schedule itself, without phase and jitter.';
comment on column core.watch_page.due_at is 'When the page is due for it; null while the watch is paused, the page left it or is set aside.';
comment on column core.watch_page.joined_at is 'When the page first joined the watch.';
comment on column core.watch_page.left_at is 'When the page left the watch; null while it belongs to it.';
comment on column core.watch_page.set_aside_at is 'When the page was set aside as misconfigured; null while it is not.';
comment on column core.watch_page.set_aside_reason is 'Why it was set aside.';

create table core.page_schedule (
    page_id       bigint      not null,
    bucket        integer     not null,
    next_due_at   timestamptz,
    due_at        timestamptz,
    lease_owner   integer,
    lease_until   timestamptz,
    deferred_at   timestamptz,
    failing_since timestamptz,
    primary key (page_id, bucket)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
select core.distribute('core.page_schedule');
create index page_schedule_next on core.page_schedule (next_due_at);
create index page_schedule_deferred on core.page_schedule (page_id) where deferred_at is not null;
create index page_schedule_failing on core.page_schedule (page_id) where failing_since is not null;
comment on table core.page_schedule is 'Watched pages: when each is due next over all its watches, and which daemon has taken it.';
comment on column core.page_schedule.page_id is 'The page.';
comment on column core.page_schedule.bucket is 'Bucket of the page''s host.';
comment on column core.page_schedule.next_due_at is 'From when on a daemon takes the page: due_at, or later where the page was put off. Null while no watch wants it.';
comment on column core.page_schedule.due_at is 'When the page is due: the earliest of its watches.';
comment on column core.page_schedule.lease_owner is 'The daemon that has taken the page; null when nobody has.';
comment on column core.page_schedule.lease_until is 'When the page may be taken by another, should its daemon not say what became of it.';
comment on column core.page_schedule.deferred_at is 'When the page was put off since it was last fetched: its host took no request, or the daemon was catching up.';
comment on column core.page_schedule.failing_since is 'When the page first failed since it last succeeded; null while it does not fail.';

create table core.daemon (
    daemon_id  integer generated always as identity primary key,
    host       text        not null,
    pid        integer     not null,
    started_at timestamptz not null,
    seen_at    timestamptz not null,
    until      timestamptz not null,
    real_at    timestamptz not null,
    speed      double precision not null,
    stopped_at timestamptz
);
comment on table core.daemon is 'Daemons that share this database.';
comment on column core.daemon.daemon_id is 'Number of this run of a daemon.';
comment on column core.daemon.host is 'Machine that it runs on.';
comment on column core.daemon.pid is 'Its process there.';
comment on column core.daemon.started_at is 'When it started, by its clock.';
comment on column core.daemon.seen_at is 'When it last renewed its leases, by its clock.';
comment on column core.daemon.until is 'When it counts as dead unless it renews them.';
comment on column core.daemon.real_at is 'When it last renewed them, by the clock of the database.';
comment on column core.daemon.speed is 'Seconds of its clock in a second of the database''s; 1 unless it runs on virtual time, 0 where its clock is moved by hand.';
comment on column core.daemon.stopped_at is 'When it stopped in good order.';

create table core.bucket_lease (
    bucket integer primary key,
    owner  integer,
    until  timestamptz
) with (fillfactor = 50);
insert into core.bucket_lease (bucket) select generate_series(0, 4095);
comment on table core.bucket_lease is 'Which daemon crawls the hosts of a bucket.';
comment on column core.bucket_lease.bucket is 'The bucket, 0..4095.';
comment on column core.bucket_lease.owner is 'The daemon; null when nobody does.';
comment on column core.bucket_lease.until is 'When another may take the bucket unless it is renewed.';

create table core.schedule_lag (
    watch_id integer     not null,
    hour     timestamptz not null,
    bin      smallint    not null,
    fetches  bigint      not null,
    primary key (watch_id, hour, bin)
) with (fillfactor = 70);
comment on table core.schedule_lag is 'How late fetches started, counted in bins: bin 0 is up to 0.25 s, bin n up to 0.25 s * 2^(n/2).';
comment on column core.schedule_lag.watch_id is 'The watch that was due.';
comment on column core.schedule_lag.hour is 'Hour in which the fetches started.';
comment on column core.schedule_lag.bin is 'The bin.';
comment on column core.schedule_lag.fetches is 'Number of fetches.';

-- What time it is for the schedule: the database's own, unless the daemon that
-- was last seen runs on virtual time.
-- +goose StatementBegin
create function core.schedule_now() returns timestamptz
language plpgsql stable as $$
declare d record;
begin
    select * into d from core.daemon order by real_at desc, daemon_id desc limit 1;
    if not found or (d.speed = 1 and abs(extract(epoch from d.seen_at - d.real_at)) < 300) then
        return now();
    end if;
    if d.stopped_at is not null then
        return d.seen_at;
    end if;
    return d.seen_at + d.speed * (now() - d.real_at);
end $$;
-- +goose StatementEnd
comment on function core.schedule_now() is 'What time it is for the schedule: virtual where the daemon that was last seen runs on virtual time.';

create view api_v1.schedule_health as
with clock as materialized (
    select core.schedule_now() as now
), waiting as materialized (
    -- Due pages stand at the front of the index; those that were put off are few and have their own.
    select s.page_id, s.bucket from core.page_schedule s where s.next_due_at <= (select now from clock)
    union
    select s.page_id, s.bucket from core.page_schedule s where s.deferred_at is not null
), due as (
    select m.watch_id, count(*) as due, min(m.due_at) as oldest_due_at,
           count(*) filter (where m.due_at < c.now - greatest(w.every / 4, interval '1 minute')) as late
    from waiting s
    join core.watch_page m using (bucket, page_id)
    join core.watch w using (watch_id)
    cross join clock c
    where m.due_at <= c.now
    group by m.watch_id
), failing as (
    select m.watch_id, count(*) as failing
    from core.page_schedule s
    join core.watch_page m using (bucket, page_id)
    where s.failing_since is not null and m.left_at is null
    group by m.watch_id
), bins as (
    select l.watch_id, l.bin, sum(l.fetches) as fetches
    from core.schedule_lag l, clock c
    where l.hour > c.now - interval '24 hours'
    group by l.watch_id, l.bin
), ranked as (
    select b.watch_id, 0.25 * power(2, b.bin / 2.0) as upto,
           sum(b.fetches) over (partition by b.watch_id order by b.bin) as below,
           sum(b.fetches) over (partition by b.watch_id) as total
    from bins b
), lag as (
    select r.watch_id, min(r.upto) filter (where r.below >= 0.5 * r.total) as p50,
           min(r.upto) filter (where r.below >= 0.99 * r.total) as p99
    from ranked r
    group by r.watch_id
)
select 'watch'::text as kind, w.name, coalesce(d.due, 0) as due, coalesce(d.late, 0) as late, coalesce(f.failing, 0) as failing,
       d.oldest_due_at, l.p50::double precision as lag_p50, l.p99::double precision as lag_p99
from core.watch w
left join due d using (watch_id)
left join failing f using (watch_id)
left join lag l using (watch_id)
where w.paused_at is null;
comment on view api_v1.schedule_health is 'How the schedules are kept, a row for each running watch. A schedule that stalls shows as late pages and an old oldest_due_at.';
comment on column api_v1.schedule_health.kind is 'What is scheduled: watch.';
comment on column api_v1.schedule_health.name is 'Its name in the configuration.';
comment on column api_v1.schedule_health.due is 'Pages that are due and not fetched yet.';
comment on column api_v1.schedule_health.late is 'Those of them that have been due for more than a quarter of the interval, and for a minute at least.';
comment on column api_v1.schedule_health.failing is 'Pages whose last fetch failed.';
comment on column api_v1.schedule_health.oldest_due_at is 'Since when the page that has waited longest is due; null when none is [UTC].';
comment on column api_v1.schedule_health.lag_p50 is 'Time from due to start of a fetch in the last 24 hours, half of the fetches being faster; rounded up by a factor of 1.41 at most [seconds].';
comment on column api_v1.schedule_health.lag_p99 is 'The same, 99 of 100 fetches being faster [seconds].';

-- +goose Down
drop view api_v1.schedule_health;
drop function core.schedule_now();
drop table core.schedule_lag, core.bucket_lease, core.daemon, core.page_schedule, core.watch_page;
alter table core.watch drop column pages_hash, drop column every, drop column timing;
