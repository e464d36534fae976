-- Which government pages changed most in the first week of July?
-- The mean of 1 - dice is the share of its words that a page changed each time; noise is left out.
select p.url, count(*) as changes, round(avg(1 - c.dice)::numeric, 3) as share_changed
from api_v1.change c
join api_v1.page p using (bucket, page_id)
where p.category = 'Government' and c.words_changed and not c.masked
  and c.changed_at >= '2025-07-01' and c.changed_at < '2025-07-08'
group by p.bucket, p.page_id, p.url
order by sum(1 - c.dice) desc, p.url
limit 20;
