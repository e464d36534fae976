-- Which sentences of a topic were new, and which an update of something said before?
select s.period_start, s.label, s.rank, s.sentence, s.earlier, s.hosts, s.url
from api_v1.topic_sentence s
where s.topic = 'town' and s.label in ('new', 'update')
order by s.period_start, s.label, s.rank;
