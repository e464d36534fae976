-- How many pages are due was unknown to the planner, which took a third of all of them for due: it
-- does not look into (select now from clock), but reckons what a stable function gives before it plans.

-- +goose Up
create or replace view core.schedule_due as
with clock as materialized (
    select core.schedule_now() as now
), waiting as materialized (
    -- Due pages stand at the front of the index; those that were put off are few and have their own.
    select s.page_id, s.bucket from core.page_schedule s where s.next_due_at <= core.schedule_now()
    union
    select s.page_id, s.bucket from core.page_schedule s where s.deferred_at is not null
)
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
group by d.kind, b.watch_id;

-- +goose Down
create or replace view core.schedule_due as
with clock as materialized (
    select core.schedule_now() as now
), waiting as materialized (
    -- Due pages stand at the front of the index; those that were put off are few and have their own.
    select s.page_id, s.bucket from core.page_schedule s where s.next_due_at <= (select now from clock)
    union
    select s.page_id, s.bucket from core.page_schedule s where s.deferred_at is not null
)
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
group by d.kind, b.watch_id;
