-- What takes the space?
select kind, pg_size_pretty(bytes) as stored, rows, round(raw_bytes / nullif(bytes, 0)::numeric, 1) as compressed_by
from api_v1.storage
order by bytes desc;
