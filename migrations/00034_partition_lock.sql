-- Who finds a partition that another session has just made waits until that session
-- has told all others of it.

-- +goose Up
-- +goose StatementBegin
create or replace function core.ensure_partition(parent text, at timestamptz) returns boolean
language plpgsql as $$
declare
    b record;
    child text;
begin
    select * into b from core.partition_bounds(at);
    child := parent || '_' || b.suffix;
    -- Two writers may want the same month at once; the lock lets one make it. It comes before any
    -- look: a commit is seen in the catalogue a moment before it reaches the caches of other
    -- sessions, and its locks are released after that. Attaching does not lock writers out, so one
    -- that saw the partition without the lock could insert with a cache that has no such partition.
    perform pg_advisory_xact_lock(hashtext('strandline.partition'), hashtext(child));
    -- The catalogue itself, since the cache may not have heard.
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

-- +goose Down
-- +goose StatementBegin
create or replace function core.ensure_partition(parent text, at timestamptz) returns boolean
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
    perform pg_advisory_xact_lock(hashtext('strandline.partition'), hashtext(child));
    if exists (select 1 from pg_class where relname = child and relnamespace = 'core'::regnamespace) then
        return false;
    end if;
    execute format('create table core.%I (like core.%I including defaults including storage including constraints)', child, parent);
    execute format('alter table core.%I attach partition core.%I for values from (%L) to (%L)',
        parent, child, b.lower_bound, b.upper_bound);
    execute format('comment on table core.%I is %L', child,
        format('Rows of core.%s from %s to %s.', parent, b.lower_bound at time zone 'UTC', b.upper_bound at time zone 'UTC'));
    return true;
end $$;
-- +goose StatementEnd
