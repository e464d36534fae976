-- Which watches are late, and since when?
-- Waiting counts by the clock of the database's machine; in virtual time (strandline demo) read oldest_due_at alone.
select h.kind, h.name, h.due, h.late, h.oldest_due_at, now() - h.oldest_due_at as waiting
from api_v1.schedule_health h
where h.late > 0
order by h.oldest_due_at;
