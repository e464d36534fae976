-- What analysts may take of the disk: nothing for good, and little for a while.

-- +goose Up
alter function core.grant_reader() rename to grant_reader_views;
comment on function core.grant_reader_views() is 'The part of core.grant_reader that wants no more than the right to make roles.';

-- +goose StatementBegin
create function core.grant_reader() returns boolean
language plpgsql as $$
declare
    made boolean := core.grant_reader_views();
    f regprocedure;
begin
    -- Read-only is a default that a session may lift; these are rights that it lacks then. Tables of a
    -- session's own fill the disk that the pages are stored on, as large objects and sorts do.
    execute format('revoke temporary on database %I from public', current_database());
    -- Only a superuser may give what follows; whoever is none leaves it to the owner of the server.
    if (select rolsuper from pg_roles where rolname = current_user) then
        alter role strandline_reader set temp_file_limit = '2GB';
        for f in select p.oid from pg_proc p
                 where p.pronamespace = 'pg_catalog'::regnamespace and p.proname in ('lo_create', 'lo_creat', 'lo_from_bytea', 'lo_put', 'lowrite', 'lo_open', 'lo_truncate', 'lo_truncate64', 'pg_notify') loop
            execute format('revoke execute on function %s from public', f);
        end loop;
    end if;
    return made;
end $$;
-- +goose StatementEnd
comment on function core.grant_reader() is 'Makes the role strandline_reader, unless it is there, and gives it the views of api_v1 and bounds; true when it was made.';

-- +goose Down
drop function core.grant_reader();
alter function core.grant_reader_views() rename to grant_reader;
comment on function core.grant_reader() is 'Makes the role strandline_reader, unless it is there, and gives it the views of api_v1; true when it was made.';
