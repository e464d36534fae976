-- Which hosts fail, and with what?
select p.host, coalesce(f.error, 'HTTP ' || f.status) as fault, count(*) as fetches, max(f.started_at) as last
from api_v1.fetch_log f
join api_v1.page p using (bucket, page_id)
where f.status >= 400 or f.error is not null
group by p.host, fault
order by fetches desc, p.host;
