-- Do messages arrive, and how fast?
-- A message that a target refused or that failed too often is dead; the last error says why.
select n.target, n.kind, count(*) as messages, count(*) filter (where n.state = 'delivered') as delivered,
       count(*) filter (where n.state in ('waiting', 'retrying')) as pending, count(*) filter (where n.state = 'dead') as dead,
       percentile_cont(0.5) within group (order by n.delivered_at - n.created_at) as median_delay,
       (array_agg(n.error order by n.created_at desc) filter (where n.error is not null))[1] as last_error
from api_v1.notification n
group by n.target, n.kind
order by n.target, n.kind;
