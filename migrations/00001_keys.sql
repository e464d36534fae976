-- Schemas, ids and the helpers that all tables share.

-- +goose Up
create schema core;
comment on schema core is 'Private tables of Strandline. They may change with any release; query api_v1 instead.';
create schema api_v1;
comment on schema api_v1 is 'Stable views for analysts. Columns are only ever added. Join page data using (bucket, page_id).';

-- Ids are handed out by the program in blocks of 1,000, so that no insert calls
-- nextval and an id can carry its bucket: id = bucket << 40 | number.
create sequence core.page_no increment by 1000 minvalue 1000 start with 1000;
create sequence core.host_no increment by 1000 minvalue 1000 start with 1000;

-- +goose StatementBegin
create function core.bucket_of_host(name text) returns integer
language plpgsql immutable strict parallel safe as $$
declare d bytea := sha256(convert_to(name, 'UTF8'));
begin
    return (get_byte(d, 0) << 4) | (get_byte(d, 1) >> 4);
end $$;
-- +goose StatementEnd
comment on function core.bucket_of_host(text) is 'The bucket 0..4095 of a host: the first 12 bits of the sha256 of its name.';

-- +goose StatementBegin
create function core.bucket_of_page(page_id bigint) returns integer
language plpgsql immutable strict parallel safe as $$
begin
    return (page_id >> 40)::integer;
end $$;
-- +goose StatementEnd
comment on function core.bucket_of_page(bigint) is 'The bucket that a page id carries in its upper bits.';

-- Makes a table distributed by bucket where an extension for that is present,
-- and does nothing on plain PostgreSQL.
-- +goose StatementBegin
create function core.distribute(tbl regclass) returns void
language plpgsql as $$
begin
    if exists (select 1 from pg_extension where extname = 'citus')
       and exists (select 1 from pg_proc where proname = 'create_distributed_table') then
        execute format('select create_distributed_table(%L, %L, colocate_with => %L)',
            tbl::text, 'bucket', case when tbl::text = 'core.host' then 'none' else 'core.host' end);
    end if;
end $$;
-- +goose StatementEnd
comment on function core.distribute(regclass) is 'Spreads a table over the servers of a cluster by bucket; does nothing on a single server.';

-- The partitions of a time-partitioned table: one a year before 2025 (archives
-- reach back decades and are read by page), one a month from then on.
-- +goose StatementBegin
create function core.partition_bounds(at timestamptz, out suffix text, out lower_bound timestamptz, out upper_bound timestamptz)
language plpgsql immutable strict as $$
declare u timestamp := at at time zone 'UTC';
begin
    if u < timestamp '2025-01-01' then
        lower_bound := date_trunc('year', u) at time zone 'UTC';
        upper_bound := (date_trunc('year', u) + interval '1 year') at time zone 'UTC';
        suffix := to_char(u, '"y"YYYY');
    else
        lower_bound := date_trunc('month', u) at time zone 'UTC';
        upper_bound := (date_trunc('month', u) + interval '1 month') at time zone 'UTC';
        suffix := to_char(u, '"y"YYYY"m"MM');
    end if;
end $$;
-- +goose StatementEnd
comment on function core.partition_bounds(timestamptz) is 'Name suffix and bounds of the partition that holds a moment: a year before 2025, a month from then on.';

-- +goose StatementBegin
create function core.ensure_partition(parent text, at timestamptz) returns boolean
language plpgsql as $$
declare
    b record;
    child text;
begin
    select * into b from core.partition_bounds(at);
    child := parent || '_' || b.suffix;
    if to_regclass('core.' || child) is not null then
        return false;
    end if;
    -- Two writers may want the same month at once; the lock lets one make it. The
    -- other looks into the catalogue itself, since its cache may not have heard.
    perform pg_advisory_xact_lock(hashtext('strandline.partition'), hashtext(child));
    if exists (select 1 from pg_class where relname = child and relnamespace = 'core'::regnamespace) then
        return false;
    end if;
    -- Made beside the parent and attached, which locks the parent's readers and
    -- writers out for no longer than the attach itself.
    execute format('create table core.%I (like core.%I including defaults including storage including constraints)', child, parent);
    execute format('alter table core.%I attach partition core.%I for values from (%L) to (%L)',
        parent, child, b.lower_bound, b.upper_bound);
    execute format('comment on table core.%I is %L', child,
        format('Rows of core.%s from %s to %s.', parent, b.lower_bound at time zone 'UTC', b.upper_bound at time zone 'UTC'));
    return true;
end $$;
-- +goose StatementEnd
comment on function core.ensure_partition(text, timestamptz) is 'Makes the partition of a table that holds a moment, unless it is there; true when it was made.';

-- +goose Down
drop schema api_v1 cascade;
drop schema core cascade;
