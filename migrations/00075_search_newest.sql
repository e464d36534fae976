-- Searches for frequent words read passages from the newest on.

-- +goose Up
create index passage_newest on core.passage (from_at);

-- +goose Down
drop index core.passage_newest;
