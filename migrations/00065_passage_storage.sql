-- A passage ends by an update of its row, and the update must not touch the index of its
-- words. So a row is kept short, with its words beside it, and its block has room for the
-- new form: PostgreSQL then leaves all indexes alone. Words that wait for the index wait
-- in larger numbers, since each word's list is written once for all of them.

-- +goose Up
-- +goose StatementBegin
do $$
begin
    -- Partitioned tables, as a cluster might have them, take no storage parameters.
    if (select relkind = 'r' from pg_class where oid = 'core.passage'::regclass) then
        alter table core.passage set (fillfactor = 80, toast_tuple_target = 256);
        alter index core.passage_words set (gin_pending_list_limit = 16384);
    end if;
    alter table core.passage alter column lines set storage main;
end
$$;
-- +goose StatementEnd
-- +goose StatementBegin
do $$
begin
    alter table core.passage alter column words set compression lz4;
exception
    when feature_not_supported then
        raise notice 'this server has no LZ4; words stay compressed by pglz';
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
do $$
begin
    if (select relkind = 'r' from pg_class where oid = 'core.passage'::regclass) then
        alter table core.passage reset (fillfactor, toast_tuple_target);
        alter index core.passage_words reset (gin_pending_list_limit);
    end if;
    alter table core.passage alter column lines set storage extended;
    alter table core.passage alter column words set compression default;
end
$$;
-- +goose StatementEnd
