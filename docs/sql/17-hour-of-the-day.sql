-- At what hour of the day do pages change?
select extract(hour from c.changed_at at time zone 'UTC')::int as hour, count(*) as changes, count(distinct (c.bucket, c.page_id)) as pages
from api_v1.change c
where c.words_changed and not c.masked
group by hour
order by hour;
