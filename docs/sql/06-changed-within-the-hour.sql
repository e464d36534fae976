-- Which pages change within the hour?
select c.url, count(*) as changes, count(*) filter (where c.hours <= 1) as within_the_hour
from api_v1.change c
where c.words_changed
group by c.bucket, c.page_id, c.url
having count(*) filter (where c.hours <= 1) > 0
order by within_the_hour desc, c.url
limit 20;
