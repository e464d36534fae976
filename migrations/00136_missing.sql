-- A page is gone when its host has said so a number of times. Counting failures of all
-- kinds for that let a host that did not answer for a while make pages gone by a single 404.

-- +goose Up
alter table core.page_schedule add column missing smallint not null default 0;
comment on column core.page_schedule.missing is 'How many fetches since the page was last seen were answered that it is not there; other failures neither count nor end the run. crawler.gone_after of them make it gone.';

-- +goose Down
alter table core.page_schedule drop column missing;
