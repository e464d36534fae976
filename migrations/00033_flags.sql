-- Changes of before a mask was learned are flagged by it too.

-- +goose Up
alter table core.page_mask add column stale boolean not null default true;
alter table core.page_mask add column flagged_to integer not null default 0;
comment on column core.page_mask.stale is 'The changes of the page have to be flagged anew: what counts as noise has changed since.';
comment on column core.page_mask.flagged_to is 'The last version that was flagged anew while stale.';
create index page_mask_stale on core.page_mask (page_id) where stale;

-- +goose Down
drop index core.page_mask_stale;
alter table core.page_mask drop column flagged_to, drop column stale;
