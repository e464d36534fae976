-- Which elements are noise, and on how many pages?
-- Learned from pairs of requests at one moment; only active rules count for what is flagged masked.
select p.host, m.rule, m.kind, count(*) as pages, count(*) filter (where m.active) as active, round(avg(m.confidence)::numeric, 2) as confidence
from api_v1.page_mask m
join api_v1.page p using (bucket, page_id)
group by p.host, m.rule, m.kind
order by pages desc, p.host, m.rule
limit 20;
