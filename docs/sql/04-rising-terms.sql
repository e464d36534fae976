-- Which terms of a topic rose?
-- G2 weighs the share of hosts that say a term against the periods before.
select t.period_start, t.term, t.hosts, round(t.g2::numeric, 1) as g2, t.trend, t.burst_since
from api_v1.topic_term t
where t.topic = 'town' and t.g2 > 0
order by t.period_start desc, t.g2 desc, t.term
limit 20;
