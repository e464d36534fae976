-- What the pages of each watch take, beside what they may.

-- +goose Up
create view api_v1.watch_storage as
with v as (
    select m.watch_id, v.bucket, v.sha256, v.record, v.thinned_at, v.bytes
    from core.watch_page m
    join core.version v on v.bucket = m.bucket and v.page_id = m.page_id
    where m.left_at is null
), counted as (
    select watch_id, count(*) as versions, count(thinned_at) as thinned, sum(bytes) filter (where thinned_at is null)::bigint as raw_bytes
    from v group by watch_id
), bodies as (
    select d.watch_id, sum(octet_length(b.data))::bigint as bytes
    from (select distinct watch_id, bucket, sha256 from v where thinned_at is null) d
    join core.body b on b.bucket = d.bucket and b.sha256 = d.sha256
    group by d.watch_id
), records as (
    select d.watch_id, sum(octet_length(b.data))::bigint as bytes
    from (select distinct watch_id, bucket, record from v where thinned_at is null) d
    join core.record b on b.bucket = d.bucket and b.sha256 = d.record
    group by d.watch_id
)
select w.name as watch, coalesce(c.versions, 0) as versions, coalesce(c.thinned, 0) as thinned,
       coalesce(b.bytes, 0) + coalesce(r.bytes, 0) as bytes, coalesce(c.raw_bytes, 0) as raw_bytes, (w.config->>'quota_bytes')::bigint as quota
from core.watch w
left join counted c using (watch_id)
left join bodies b using (watch_id)
left join records r using (watch_id);
comment on view api_v1.watch_storage is 'What the contents of the pages of each watch take. Contents that watches share count for each of them.';
comment on column api_v1.watch_storage.watch is 'The watch.';
comment on column api_v1.watch_storage.versions is 'Versions of its pages.';
comment on column api_v1.watch_storage.thinned is 'Those of them whose content retention gave up.';
comment on column api_v1.watch_storage.bytes is 'Stored payloads and records of the others [bytes].';
comment on column api_v1.watch_storage.raw_bytes is 'Payloads of the others before compression, each version counted [bytes].';
comment on column api_v1.watch_storage.quota is 'What they may take as configured; null for no bound [bytes].';

-- +goose Down
drop view api_v1.watch_storage;
