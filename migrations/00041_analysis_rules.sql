-- The rules under which a page was analysed, so that other rules are noticed.

-- +goose Up
alter table core.page_analysis add column rules bytea;
comment on column core.page_analysis.rules is 'Hash of the ignore rules of the page''s watches under which this was computed; null: there were none. When they differ, the page is analysed from the start.';

-- +goose Down
alter table core.page_analysis drop column rules;
