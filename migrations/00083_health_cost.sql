-- schedule_health with thousands of watches: it read a week of lags to use a day of them,
-- counted in numeric, and compared kinds as text a quarter of a million times.

-- +goose Up
create index schedule_lag_hour on core.schedule_lag (hour);

create or replace view api_v1.schedule_health as
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
    -- Kinds as numbers: there are a few hundred thousand rows of a day.
    select case l.kind when 'watch' then 0 when 'burst' then 1 else 2 end as k, l.watch_id, l.bin, sum(l.fetches::double precision) as fetches
    from core.schedule_lag l, clock c
    where l.hour > c.now - interval '24 hours'
    group by 1, l.watch_id, l.bin
), ranked as (
    select b.k, b.watch_id, b.bin,
           sum(b.fetches) over (partition by b.watch_id, b.k order by b.bin rows unbounded preceding) as below,
           sum(b.fetches) over (partition by b.watch_id, b.k) as total
    from bins b
), lag as (
    -- A bin ends at 0.25 s * 2^(bin/2).
    select case r.k when 0 then 'watch' when 1 then 'burst' else 'pair' end as kind, r.watch_id,
           0.25 * power(2::double precision, min(r.bin) filter (where r.below >= 0.5 * r.total) / 2.0::double precision) as p50,
           0.25 * power(2::double precision, min(r.bin) filter (where r.below >= 0.99 * r.total) / 2.0::double precision) as p99
    from ranked r
    group by r.k, r.watch_id
), kinds as (
    select 'watch' as kind, w.watch_id from core.watch w
    union
    select case when b.pair_at is null then 'burst' else 'pair' end, b.watch_id from core.burst_state b where b.next_due_at is not null
    union
    select l.kind, l.watch_id from lag l
)
select k.kind, w.name, coalesce(d.due, 0) as due, coalesce(d.late, 0) as late, coalesce(f.failing, 0) as failing,
       d.oldest_due_at, l.p50 as lag_p50, l.p99 as lag_p99
from kinds k
join core.watch w using (watch_id)
left join due d using (kind, watch_id)
left join failing f using (kind, watch_id)
left join lag l using (kind, watch_id)
where w.paused_at is null;

-- +goose Down
create or replace view api_v1.schedule_health as
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
drop index core.schedule_lag_hour;
