-- How does a series grow, and how much of it cannot be told old or new?
select snapshot, started_at, pages, l2, old_other, unidentified,
       round(unidentified / nullif(pages, 0)::numeric, 3) as share_unidentified
from api_v1.snapshot
where series = 'web'
order by snapshot;
