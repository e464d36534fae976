-- Days of lags that have to be added up are looked up one by one: joined, all counts
-- of all days were read to find that there is none.

-- +goose Up
create or replace view core.schedule_lags as
with clock as materialized (
    select core.schedule_now() - interval '24 hours' as yesterday
), bins as (
    -- A day sum that begins after yesterday does not hold all of the day: a clock was put back, or no
    -- fetch has come since the counts were kept without sums.
    select d.kind, d.watch_id, l.bin, l.fetches
    from core.schedule_lag_day d
    cross join clock c
    cross join lateral (
        select l.bin, sum(l.fetches::double precision) as fetches
        from core.schedule_lag l where l.watch_id = d.watch_id and l.kind = d.kind and l.hour > c.yesterday
        group by l.bin
    ) l
    where d.since > c.yesterday
), ranked as (
    select b.kind, b.watch_id, b.bin,
           sum(b.fetches) over (partition by b.watch_id, b.kind order by b.bin rows unbounded preceding) as below,
           sum(b.fetches) over (partition by b.watch_id, b.kind) as total
    from bins b
), quantiles as (
    select d.kind, d.watch_id, d.p50[i.n] as p50, d.p99[i.n] as p99
    from core.schedule_lag_day d
    cross join clock c
    cross join lateral (select width_bucket(c.yesterday, d.hours) + 1 as n) i
    where d.since <= c.yesterday and i.n <= cardinality(d.hours)
    union all
    select r.kind, r.watch_id, min(r.bin) filter (where r.below >= 0.5 * r.total), min(r.bin) filter (where r.below >= 0.99 * r.total)
    from ranked r
    group by r.kind, r.watch_id
)
-- A bin ends at 0.25 s * 2^(bin/2).
select q.kind, q.watch_id, 0.25 * power(2::double precision, q.p50 / 2.0::double precision) as p50,
       0.25 * power(2::double precision, q.p99 / 2.0::double precision) as p99
from quantiles q;

-- +goose Down
-- The view gave the same rows before, only slower: it stays as it is.
select 1;
