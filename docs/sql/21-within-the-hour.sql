-- How long after a fetch do pages that change all the time show something else?
-- A row for each time since the first snapshot of a round; 0 minutes are two requests at one moment, whose differences are noise.
select s.interval_minutes, s.pages, round(s.any_changed / nullif(s.pages, 0)::numeric, 2) as share_changed,
       round(s.all_changed / nullif(s.pages, 0)::numeric, 2) as share_always_changed, round(s.dice_mean::numeric, 3) as dice_mean
from api_v1.subhour_change s
order by s.interval_minutes;
