-- Change within the hour, with the pairs of simultaneous requests and the Dice of
-- the hourly slots.

-- +goose Up
comment on column core.burst_result.round is 'Number of the round, from 0; the pairs of simultaneous requests count down from -1.';
comment on column core.burst_result.offset_s is 'Planned time since the start of the first snapshot of the round, in seconds; 0 for a pair.';

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
comment on column api_v1.subhour_change.interval_minutes is 'Time between the two snapshots compared, as planned [minutes].';
comment on column api_v1.subhour_change.pages is 'Pages with a valid pair of snapshots.';
comment on column api_v1.subhour_change.any_changed is 'Those whose text changed in one pair at least.';
comment on column api_v1.subhour_change.all_changed is 'Those whose text changed in every valid pair.';
comment on column api_v1.subhour_change.dice_mean is 'Mean over the pages of the mean Dice coefficient of a page''s pairs, pairs without change counting as 1; at 60 minutes from the changes that no round and no pair found.';
comment on column api_v1.subhour_change.dice_median is 'Median over the pages of the same.';
comment on column api_v1.subhour_change.nearly_all_changed is 'Pages whose text changed in at least nine of ten pairs.';

-- +goose Down
delete from core.burst_result where round < 0;
create or replace view api_v1.subhour_change as
with compared as (
    select r.bucket, r.page_id, r.offset_s, r.changed, r.dice from core.burst_result r
), by_page as (
    select c.offset_s / 60 as minutes, count(*) as valid, count(*) filter (where c.changed) as changed, avg(c.dice) as dice
    from compared c
    group by c.bucket, c.page_id, c.offset_s
    union all
    select 60, b.slots, b.slot_changes, null
    from core.burst_state b
    where b.phase <> 'candidate' and b.slots > 0
)
select b.minutes::double precision as interval_minutes, count(*) as pages, count(*) filter (where b.changed > 0) as any_changed,
       count(*) filter (where b.changed = b.valid) as all_changed, avg(b.dice) as dice_mean,
       percentile_cont(0.5) within group (order by b.dice) as dice_median,
       count(*) filter (where b.changed >= 0.9 * b.valid) as nearly_all_changed
from by_page b
group by b.minutes;
comment on view api_v1.subhour_change is 'Change within the hour, of pages that change nearly every hour: a row for each time since the first snapshot of a round (SCIENCE A7); 60 minutes stands for the slots of the watch''s own schedule.';
