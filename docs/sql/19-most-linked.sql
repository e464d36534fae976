-- Which pages of the last snapshot have most links from others?
select s.url, s.in_links, s.class, s.novelty
from api_v1.snapshot_page s
where s.series = 'web' and s.in_links > 0
  and s.snapshot = (select max(snapshot) from api_v1.snapshot where series = 'web' and computed_at is not null)
order by s.in_links desc, s.url
limit 20;
