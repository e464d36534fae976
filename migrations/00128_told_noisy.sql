-- When each page was last called noisy, and for how long messages are kept that nobody took.

-- +goose Up
alter table core.notice_page add column noisy_at timestamptz;
comment on column core.notice_page.noisy_at is 'When it was last told that the page brings too many messages.';
comment on column core.notice_watch.noisy_at is 'When a page of it was last called noisy, before each page had its own time.';
comment on view api_v1.notification is 'Messages to the configured targets, a row for each target of a message. Those delivered, given up, or due to a target that is no longer configured are kept for 90 days.';

-- +goose Down
comment on view api_v1.notification is 'Messages to the configured targets, a row for each target of a message. Those delivered are kept for 90 days.';
comment on column core.notice_watch.noisy_at is 'When a page of it was last called noisy.';
alter table core.notice_page drop column noisy_at;
