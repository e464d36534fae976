-- The measures of a page are written anew with many of its versions. PostgreSQL's own
-- compression of their arrays took a third of the server's processor time while changed
-- pages were recrawled; LZ4 takes a tenth of that. A server that was built without it
-- keeps the old way.

-- +goose Up
-- +goose StatementBegin
do $$
begin
    alter table core.page_terms
        alter column terms set compression lz4, alter column power set compression lz4, alter column p_doc set compression lz4,
        alter column first_slot set compression lz4, alter column last_slot set compression lz4, alter column versions set compression lz4;
    alter table core.page_elements
        alter column paths set compression lz4, alter column first_slot set compression lz4, alter column last_slot set compression lz4,
        alter column life set compression lz4, alter column travel set compression lz4;
exception
    when feature_not_supported then
        raise notice 'this server has no LZ4; measures stay compressed by pglz';
end
$$;
-- +goose StatementEnd

-- +goose Down
alter table core.page_terms
    alter column terms set compression default, alter column power set compression default, alter column p_doc set compression default,
    alter column first_slot set compression default, alter column last_slot set compression default, alter column versions set compression default;
alter table core.page_elements
    alter column paths set compression default, alter column first_slot set compression default, alter column last_slot set compression default,
    alter column life set compression default, alter column travel set compression default;
