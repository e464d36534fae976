-- The role of analysts: what one session may take from the others.

-- +goose Up
-- A sort in memory may take what a report wants and not what starves the daemon;
-- a session that was forgotten gives its connection back; nobody waits for a lock
-- longer than a person would.
-- +goose StatementBegin
create or replace function core.grant_reader() returns boolean
language plpgsql as $$
declare made boolean := false;
begin
    perform pg_advisory_xact_lock(7305820);
    if not exists (select 1 from pg_roles where rolname = 'strandline_reader') then
        create role strandline_reader login noinherit connection limit 50;
        made := true;
    end if;
    grant usage on schema api_v1 to strandline_reader;
    grant select on all tables in schema api_v1 to strandline_reader;
    alter default privileges in schema api_v1 grant select on tables to strandline_reader;
    alter role strandline_reader set default_transaction_read_only = on;
    alter role strandline_reader set statement_timeout = '60s';
    alter role strandline_reader set lock_timeout = '5s';
    alter role strandline_reader set idle_in_transaction_session_timeout = '10min';
    alter role strandline_reader set idle_session_timeout = '8h';
    alter role strandline_reader set work_mem = '32MB';
    alter role strandline_reader set max_parallel_workers_per_gather = 2;
    alter role strandline_reader set search_path = api_v1, pg_catalog;
    alter role strandline_reader set timezone = 'UTC';
    return made;
end $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
create or replace function core.grant_reader() returns boolean
language plpgsql as $$
declare made boolean := false;
begin
    perform pg_advisory_xact_lock(7305820);
    if not exists (select 1 from pg_roles where rolname = 'strandline_reader') then
        create role strandline_reader login noinherit connection limit 50;
        made := true;
    end if;
    grant usage on schema api_v1 to strandline_reader;
    grant select on all tables in schema api_v1 to strandline_reader;
    alter default privileges in schema api_v1 grant select on tables to strandline_reader;
    alter role strandline_reader set default_transaction_read_only = on;
    alter role strandline_reader set statement_timeout = '60s';
    alter role strandline_reader set idle_in_transaction_session_timeout = '10min';
    alter role strandline_reader set search_path = api_v1, pg_catalog;
    alter role strandline_reader set timezone = 'UTC';
    return made;
end $$;
-- +goose StatementEnd
