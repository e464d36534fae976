-- Rounds and pairs in schedule_health, and lateness of pages with intervals of their own.

-- +goose Up
alter table core.schedule_lag add column kind text not null default 'watch';
alter table core.schedule_lag drop constraint schedule_lag_pkey;
alter table core.schedule_lag add primary key (watch_id, kind, hour, bin);
comment on column core.schedule_lag.kind is 'What was due: watch for its schedule, burst for a snapshot of a round, pair.';
create index burst_state_pending on core.burst_state (watch_id) where next_due_at is not null;

drop view api_v1.schedule_health;
create view api_v1.schedule_health as
with clock as materialized (
    select core.schedule_now() as now
), waiting as materialized (
    -- Due pages stand at the front of the index; those that were put off are few and have their own.
    select s.page_id, s.bucket from core.page_schedule s where s.next_due_at <= (select now from clock)
    union
    select s.page_id, s.bucket from core.page_schedule s where s.deferred_at is not null
), due as (
    -- A page of schedule auto has an interval of its own, from its last fetch to the next.
    select 'watch' as kind, m.watch_id, count(*) as due, min(m.due_at) as oldest_due_at,
           count(*) filter (where m.due_at < c.now - greatest(case when p.watch_id is null then w.every else m.due_at - m.slot_at end / 4,
                                                             interval '1 minute')) as late
    from waiting s
    join core.watch_page m using (bucket, page_id)
    join core.watch w using (watch_id)
    left join core.watch_pace p using (watch_id)
    cross join clock c
    where m.due_at <= c.now
    group by m.watch_id
    union all
    select d.kind, b.watch_id, count(*), min(d.at), count(*) filter (where d.at < c.now - interval '1 minute')
    from waiting s
    join core.burst_state b using (bucket, page_id)
    cross join clock c
    cross join lateral (
        select 'pair' as kind, b.pair_at as at
        union all
        select 'burst', b.next_due_at where b.next_due_at is distinct from b.pair_at
    ) d
    where d.at <= c.now
    group by d.kind, b.watch_id
), failing as (
    select 'watch' as kind, m.watch_id, count(*) as failing
    from core.page_schedule s
    join core.watch_page m using (bucket, page_id)
    where s.failing_since is not null and m.left_at is null
    group by m.watch_id
    union all
    select case when b.pair_at is null then 'burst' else 'pair' end, b.watch_id, count(*)
    from core.page_schedule s
    join core.burst_state b using (bucket, page_id)
    where s.failing_since is not null and b.next_due_at is not null
    group by 1, b.watch_id
), bins as (
    select l.kind, l.watch_id, l.bin, sum(l.fetches) as fetches
    from core.schedule_lag l, clock c
    where l.hour > c.now - interval '24 hours'
    group by l.kind, l.watch_id, l.bin
), ranked as (
    select b.kind, b.watch_id, 0.25 * power(2, b.bin / 2.0) as upto,
           sum(b.fetches) over (partition by b.kind, b.watch_id order by b.bin) as below,
           sum(b.fetches) over (partition by b.kind, b.watch_id) as total
    from bins b
), lag as (
    select r.kind, r.watch_id, min(r.upto) filter (where r.below >= 0.5 * r.total) as p50,
           min(r.upto) filter (where r.below >= 0.99 * r.total) as p99
    from ranked r
    group by r.kind, r.watch_id
), kinds as (
    select 'watch' as kind, w.watch_id from core.watch w
    union
    select case when b.pair_at is null then 'burst' else 'pair' end, b.watch_id from core.burst_state b where b.next_due_at is not null
    union
    select l.kind, l.watch_id from lag l
)
select k.kind, w.name, coalesce(d.due, 0) as due, coalesce(d.late, 0) as late, coalesce(f.failing, 0) as failing,
       d.oldest_due_at, l.p50::double precision as lag_p50, l.p99::double precision as lag_p99
from kinds k
join core.watch w using (watch_id)
left join due d using (kind, watch_id)
left join failing f using (kind, watch_id)
left join lag l using (kind, watch_id)
where w.paused_at is null;
comment on view api_v1.schedule_health is 'How the schedules are kept: a row for each running watch, and one each for its rounds and its pairs where it has some. A schedule that stalls shows as late pages and an old oldest_due_at.';
comment on column api_v1.schedule_health.kind is 'What is scheduled: watch for the watch''s own schedule, burst for its fast rounds, pair for its pairs of requests.';
comment on column api_v1.schedule_health.name is 'Name of the watch in the configuration.';
comment on column api_v1.schedule_health.due is 'Pages that are due and not fetched yet.';
comment on column api_v1.schedule_health.late is 'Those of them that have been due for more than a quarter of the interval, and for a minute at least; of bursts and pairs for a minute.';
comment on column api_v1.schedule_health.failing is 'Pages whose last fetch failed; of bursts and pairs those that have a fetch planned.';
comment on column api_v1.schedule_health.oldest_due_at is 'Since when the page that has waited longest is due; null when none is [UTC].';
comment on column api_v1.schedule_health.lag_p50 is 'Time from due to start of a fetch in the last 24 hours, half of the fetches being faster; rounded up by a factor of 1.41 at most [seconds].';
comment on column api_v1.schedule_health.lag_p99 is 'The same, 99 of 100 fetches being faster [seconds].';

-- +goose Down
drop view api_v1.schedule_health;
drop index core.burst_state_pending;
delete from core.schedule_lag where kind <> 'watch';
alter table core.schedule_lag drop constraint schedule_lag_pkey;
alter table core.schedule_lag add primary key (watch_id, hour, bin);
alter table core.schedule_lag drop column kind;
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
