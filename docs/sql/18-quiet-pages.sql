-- Which pages are fetched often and never change?
-- They may do with a longer interval.
select v.url, sum(v.fetches) as fetches, max(v.last_seen) - min(v.first_seen) as watched
from api_v1.version v
group by v.bucket, v.page_id, v.url
having count(*) = 1 and sum(v.fetches) >= 24
order by fetches desc, v.url;
