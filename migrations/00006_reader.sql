-- The role of analysts.

-- +goose Up
-- Roles belong to the whole server, so the role is made when somebody asks for
-- it, not by a migration.
-- +goose StatementBegin
create function core.grant_reader() returns boolean
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
comment on function core.grant_reader() is 'Makes the role strandline_reader, unless it is there, and gives it the views of api_v1; true when it was made.';

-- +goose Down
drop function core.grant_reader();
