-- What is known of how often a page changes follows when changes turn out to be noise.

-- +goose Up
alter table core.page_rate add column relearn boolean not null default false;
comment on column core.page_rate.relearn is 'Changes of the page have turned out to be noise, or not to be: its next fetch learns the rate anew from the latest fetches.';

-- +goose Down
alter table core.page_rate drop column relearn;
