-- How do pages forget: all at once, steadily, or not at all?
select k.shape, count(*) as pages, round(avg(k.hours)::numeric, 1) as knot_hours, round(avg(k.dice)::numeric, 2) as dice_left
from api_v1.change_knot k
group by k.shape
order by pages desc;
