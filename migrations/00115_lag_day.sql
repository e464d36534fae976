-- schedule_health added up a day of counts of all watches at each look. What a day of
-- a watch comes to is now kept beside its counts, for the hours to come as well, and the
-- parts of the view are views of their own, so that a change of one does not repeat the others.

-- +goose Up
create table core.schedule_lag_day (
    watch_id integer       not null,
    kind     text          not null,
    since    timestamptz   not null,
    hours    timestamptz[] not null default '{}',
    p50      smallint[]    not null default '{}',
    p99      smallint[]    not null default '{}',
    primary key (watch_id, kind)
) with (fillfactor = 50);
comment on table core.schedule_lag_day is 'What schedule_lag comes to over a day, so that nobody has to add it up: written with each count of the watch by the same transaction. Element i is over the fetches from hours[i] on, which is the last day for as long as hours[i - 1] lies behind it and hours[i] in it.';
comment on column core.schedule_lag_day.watch_id is 'The watch that was due.';
comment on column core.schedule_lag_day.kind is 'What was due, as in schedule_lag.';
comment on column core.schedule_lag_day.since is 'Of the counts of hours behind this time nothing is left out; a day that begins before it has to be added up from schedule_lag.';
comment on column core.schedule_lag_day.hours is 'The hours behind since in which fetches started, rising.';
comment on column core.schedule_lag_day.p50 is 'The bin up to which half of the fetches lie.';
comment on column core.schedule_lag_day.p99 is 'The bin up to which 99 of 100 lie.';
-- Added up at each look until the next fetch of the watch.
insert into core.schedule_lag_day (watch_id, kind, since) select distinct watch_id, kind, timestamptz 'infinity' from core.schedule_lag;

-- The view as it was, to hold the other against. Its text is that of the last migration that made it.
-- +goose StatementBegin
do $$
declare a record;
begin
    execute 'create view core.schedule_health_slow as ' || pg_get_viewdef('api_v1.schedule_health'::regclass);
    for a in select attname, col_description(attrelid, attnum) as says from pg_attribute where attrelid = 'api_v1.schedule_health'::regclass and attnum > 0 loop
        execute format('comment on column core.schedule_health_slow.%I is %L', a.attname, a.says);
    end loop;
end $$;
-- +goose StatementEnd
comment on view core.schedule_health_slow is 'api_v1.schedule_health, but all of it added up anew; db check holds that against this.';

create view core.schedule_due as
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
comment on view core.schedule_due is 'Pages that are due and not fetched yet, of each watch and kind that has some.';
comment on column core.schedule_due.kind is 'What is due: watch, burst or pair.';
comment on column core.schedule_due.watch_id is 'The watch.';
comment on column core.schedule_due.due is 'Number of pages.';
comment on column core.schedule_due.oldest_due_at is 'Since when the page that has waited longest is due.';
comment on column core.schedule_due.late is 'Pages that have been due for more than a quarter of the interval, and for a minute at least; of bursts and pairs for a minute.';

create view core.schedule_failing as
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
group by 1, b.watch_id;
comment on view core.schedule_failing is 'Pages whose last fetch failed, of each watch and kind that has some.';
comment on column core.schedule_failing.kind is 'What is due next: watch, burst or pair.';
comment on column core.schedule_failing.watch_id is 'The watch.';
comment on column core.schedule_failing.failing is 'Number of pages.';

create view core.schedule_lags as
with clock as materialized (
    select core.schedule_now() - interval '24 hours' as yesterday
), bins as (
    -- A day sum that begins after yesterday does not hold all of the day: a clock was put back, or no
    -- fetch has come since the counts were kept without sums.
    select d.kind, d.watch_id, l.bin, sum(l.fetches::double precision) as fetches
    from core.schedule_lag_day d
    cross join clock c
    join core.schedule_lag l on l.watch_id = d.watch_id and l.kind = d.kind and l.hour > c.yesterday
    where d.since > c.yesterday
    group by d.kind, d.watch_id, l.bin
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
comment on view core.schedule_lags is 'How late fetches of the last 24 hours started, of each watch and kind that had some [seconds].';
comment on column core.schedule_lags.kind is 'What was due: watch, burst or pair.';
comment on column core.schedule_lags.watch_id is 'The watch.';
comment on column core.schedule_lags.p50 is 'Half of the fetches started no later; the end of its bin.';
comment on column core.schedule_lags.p99 is '99 of 100 fetches started no later; the end of its bin.';

create or replace view api_v1.schedule_health as
with lag as materialized (
    select * from core.schedule_lags
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
left join core.schedule_due d using (kind, watch_id)
left join core.schedule_failing f using (kind, watch_id)
left join lag l using (kind, watch_id)
where w.paused_at is null;

-- +goose Down
-- +goose StatementBegin
do $$ begin
    execute 'create or replace view api_v1.schedule_health as ' || pg_get_viewdef('core.schedule_health_slow'::regclass);
end $$;
-- +goose StatementEnd
drop view core.schedule_health_slow, core.schedule_lags, core.schedule_failing, core.schedule_due;
drop table core.schedule_lag_day;
