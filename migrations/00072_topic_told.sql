-- Delivery of the summaries of topics.

-- +goose Up
alter table core.topic add column told_until timestamptz;
update core.topic set told_until = starts_at;
comment on column core.topic.told_until is 'Periods that end by then have been told to the targets, or were there before the topic was followed; null before the first.';

-- +goose Down
alter table core.topic drop column told_until;
