-- What share of changes is noise?
-- Bytes differ in every change; the text in fewer, the words in fewer still, and some of those are masked.
select date_trunc('day', c.changed_at) as day, count(*) as changes,
       round(avg((not c.text_changed)::int), 3) as bytes_only,
       round(avg((c.text_changed and not c.words_changed)::int), 3) as order_only,
       round(avg(c.masked::int), 3) as masked
from api_v1.change c
group by day
order by day;
