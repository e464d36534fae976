-- How long do prices live, and what else stands in a cell or a paragraph?
-- An element is named by its path, the last part of which is its tag; life_hours is how long one content stayed there.
-- What was seen in a single hour's version says nothing of its life.
select p.host, count(*) as places, round(avg(e.life_hours)::numeric, 1) as mean_hours,
       percentile_cont(0.5) within group (order by e.life_hours) as median_hours
from api_v1.element_life e
join api_v1.page p using (bucket, page_id)
where e.path ~ '(td|span|p)\[?[0-9]*\]?$' and e.life_hours is not null and e.last_seen > e.first_seen
group by p.host
order by mean_hours, p.host;
