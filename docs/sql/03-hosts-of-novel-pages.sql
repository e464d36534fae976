-- Which hosts brought the novel pages of a series?
-- Novelty of at least 0.1 is the threshold; only pages of class U are judged.
select p.host, count(*) as novel, round(avg(s.novelty)::numeric, 2) as mean_novelty
from api_v1.snapshot_page s
join api_v1.page p using (bucket, page_id)
where s.series = 'web' and s.class = 'U' and s.snapshot > 1 and s.novelty >= 0.1
group by p.host
order by novel desc, p.host;
