-- The row of 60 minutes is of all pages that are crawled for rounds, not only of those
-- that were chosen for changing in every hour; and means do not depend on the order in
-- which rows lie.

-- +goose Up
create or replace view api_v1.subhour_change as
with by_page as (
    select r.offset_s / 60 as minutes, count(*) as valid, count(*) filter (where r.changed) as changed, avg(r.dice) as dice
    from core.burst_result r
    group by r.bucket, r.page_id, r.offset_s
    union all
    select 60, b.slots, b.slot_changes, case when b.slot_changes = 0 then 1 else 1 - (1 - avg(c.dice)) * b.slot_changes / b.slots end
    from core.burst_state b
    left join core.change c on c.bucket = b.bucket and c.page_id = b.page_id and c.text_changed
        and not exists (select 1 from core.burst_result r where r.bucket = c.bucket and r.page_id = c.page_id and r.version = c.version)
    where b.slots > 0
    group by b.bucket, b.page_id, b.slots, b.slot_changes
)
select b.minutes::double precision as interval_minutes, count(*) as pages, count(*) filter (where b.changed > 0) as any_changed,
       count(*) filter (where b.changed = b.valid) as all_changed, avg(b.dice) as dice_mean,
       percentile_cont(0.5) within group (order by b.dice) as dice_median,
       count(*) filter (where b.changed >= 0.9 * b.valid) as nearly_all_changed
from by_page b
group by b.minutes;
comment on view api_v1.subhour_change is 'Change within the hour: a row for each time since the first snapshot of a round (SCIENCE A7), of the pages that change nearly every hour. 0 minutes stands for two requests at one moment, 60 minutes for the slots of the watch''s own schedule, of all pages of watches with rounds.';

create or replace view api_v1.change_by_class as
with seen as (
    select p.bucket, p.page_id, h.tld, h.site, p.depth, coalesce(p.category, f.category) as category, p.genre, p.visitors, k.knot_hours, k.knot_dice,
           sum(v.fetches)::float8 as fetches, extract(epoch from max(v.last_seen) - min(v.first_seen))::float8 / 3600 as hours
    from core.version v
    join core.page p using (bucket, page_id)
    join core.host h using (bucket, host_id)
    left join core.page_curve k using (bucket, page_id)
    left join core.page_category f using (bucket, page_id)
    group by p.bucket, p.page_id, h.tld, h.site, p.depth, p.category, f.category, p.genre, p.visitors, k.knot_hours, k.knot_dice
    having sum(v.fetches) > 1
), changed as (
    select c.bucket, c.page_id, count(*) as changes, avg(c.dice order by c.version) as dice,
           (sum(c.hours order by c.version) - (array_agg(c.hours order by c.version))[1]) / nullif(count(*) - 1, 0) as hours
    from core.change c
    where c.text_changed and not c.masked
    group by c.bucket, c.page_id
), watched as (
    select s.bucket, s.page_id, s.tld, s.site, s.depth, s.category, s.genre, s.visitors, s.knot_hours, s.knot_dice, coalesce(c.changes, 0) as changes, c.dice, c.hours,
           case when s.hours > 0 then
               -24 * (s.fetches - 1) / s.hours * ln((s.fetches - 1 - least(coalesce(c.changes, 0), s.fetches - 1) + 0.5) / (s.fetches - 1 + 0.5)) end as rate
    from seen s
    left join changed c using (bucket, page_id)
)
select k.class_kind, k.class, count(*) as pages, count(*) filter (where w.changes = 0) as unchanged,
       avg(w.hours order by w.bucket, w.page_id) as hours_mean, percentile_cont(0.5) within group (order by w.hours) as hours_median,
       avg(w.dice order by w.bucket, w.page_id) as dice_mean, avg(w.knot_hours order by w.bucket, w.page_id) as knot_hours_mean, avg(w.knot_dice order by w.bucket, w.page_id) as knot_dice_mean,
       percentile_cont(0.5) within group (order by w.dice) as dice_median,
       percentile_cont(0.5) within group (order by w.knot_hours) as knot_hours_median,
       percentile_cont(0.5) within group (order by w.knot_dice) as knot_dice_median, count(w.knot_hours) as knotted,
       avg(w.rate order by w.bucket, w.page_id) filter (where w.changes > 0) as rate_mean,
       percentile_cont(0.5) within group (order by w.rate) filter (where w.changes > 0) as rate_median
from watched w
cross join lateral (values ('all', 'all'),
    ('visitors', case when w.visitors >= 39 then '39+' when w.visitors >= 7 then '7-38' when w.visitors >= 3 then '3-6' when w.visitors = 2 then '2' end),
    ('tld', w.tld), ('site', w.site), ('depth', case when w.depth >= 5 then '5+' else w.depth::text end),
    ('category', w.category), ('genre', w.genre)) k(class_kind, class)
where k.class is not null
group by k.class_kind, k.class;

-- +goose Down
create or replace view api_v1.subhour_change as
with by_page as (
    select r.offset_s / 60 as minutes, count(*) as valid, count(*) filter (where r.changed) as changed, avg(r.dice) as dice
    from core.burst_result r
    group by r.bucket, r.page_id, r.offset_s
    union all
    select 60, b.slots, b.slot_changes, case when b.slot_changes = 0 then 1 else 1 - (1 - avg(c.dice)) * b.slot_changes / b.slots end
    from core.burst_state b
    left join core.change c on c.bucket = b.bucket and c.page_id = b.page_id and c.text_changed
        and not exists (select 1 from core.burst_result r where r.bucket = c.bucket and r.page_id = c.page_id and r.version = c.version)
    where b.phase <> 'candidate' and b.slots > 0
    group by b.bucket, b.page_id, b.slots, b.slot_changes
)
select b.minutes::double precision as interval_minutes, count(*) as pages, count(*) filter (where b.changed > 0) as any_changed,
       count(*) filter (where b.changed = b.valid) as all_changed, avg(b.dice) as dice_mean,
       percentile_cont(0.5) within group (order by b.dice) as dice_median,
       count(*) filter (where b.changed >= 0.9 * b.valid) as nearly_all_changed
from by_page b
group by b.minutes;
comment on view api_v1.subhour_change is 'Change within the hour, of pages that change nearly every hour: a row for each time since the first snapshot of a round (SCIENCE A7). 0 minutes stands for two requests at one moment, 60 minutes for the slots of the watch''s own schedule.';

create or replace view api_v1.change_by_class as
with seen as (
    select p.bucket, p.page_id, h.tld, h.site, p.depth, coalesce(p.category, f.category) as category, p.genre, p.visitors, k.knot_hours, k.knot_dice,
           sum(v.fetches)::float8 as fetches, extract(epoch from max(v.last_seen) - min(v.first_seen))::float8 / 3600 as hours
    from core.version v
    join core.page p using (bucket, page_id)
    join core.host h using (bucket, host_id)
    left join core.page_curve k using (bucket, page_id)
    left join core.page_category f using (bucket, page_id)
    group by p.bucket, p.page_id, h.tld, h.site, p.depth, p.category, f.category, p.genre, p.visitors, k.knot_hours, k.knot_dice
    having sum(v.fetches) > 1
), changed as (
    select c.bucket, c.page_id, count(*) as changes, avg(c.dice) as dice,
           (sum(c.hours) - (array_agg(c.hours order by c.version))[1]) / nullif(count(*) - 1, 0) as hours
    from core.change c
    where c.text_changed and not c.masked
    group by c.bucket, c.page_id
), watched as (
    select s.tld, s.site, s.depth, s.category, s.genre, s.visitors, s.knot_hours, s.knot_dice, coalesce(c.changes, 0) as changes, c.dice, c.hours,
           case when s.hours > 0 then
               -24 * (s.fetches - 1) / s.hours * ln((s.fetches - 1 - least(coalesce(c.changes, 0), s.fetches - 1) + 0.5) / (s.fetches - 1 + 0.5)) end as rate
    from seen s
    left join changed c using (bucket, page_id)
)
select k.class_kind, k.class, count(*) as pages, count(*) filter (where w.changes = 0) as unchanged,
       avg(w.hours) as hours_mean, percentile_cont(0.5) within group (order by w.hours) as hours_median,
       avg(w.dice) as dice_mean, avg(w.knot_hours) as knot_hours_mean, avg(w.knot_dice) as knot_dice_mean,
       percentile_cont(0.5) within group (order by w.dice) as dice_median,
       percentile_cont(0.5) within group (order by w.knot_hours) as knot_hours_median,
       percentile_cont(0.5) within group (order by w.knot_dice) as knot_dice_median, count(w.knot_hours) as knotted,
       avg(w.rate) filter (where w.changes > 0) as rate_mean,
       percentile_cont(0.5) within group (order by w.rate) filter (where w.changes > 0) as rate_median
from watched w
cross join lateral (values ('all', 'all'),
    ('visitors', case when w.visitors >= 39 then '39+' when w.visitors >= 7 then '7-38' when w.visitors >= 3 then '3-6' when w.visitors = 2 then '2' end),
    ('tld', w.tld), ('site', w.site), ('depth', case when w.depth >= 5 then '5+' else w.depth::text end),
    ('category', w.category), ('genre', w.genre)) k(class_kind, class)
where k.class is not null
group by k.class_kind, k.class;
