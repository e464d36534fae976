-- Which pages joined a topic, and why?
select t.url, t.state, t.added_at, t.added_by, t.reason, t.left_reason
from api_v1.topic_page t
where t.topic = 'town'
order by t.added_at desc nulls last, t.url;
