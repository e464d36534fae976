-- How much of a topic is checked, changed and new in each period?
select topic, period_start, pages_checked, pages_changed, sentences, fresh, repeats, copies, boilerplate
from api_v1.topic_period
where topic = 'town'
order by period_start;
