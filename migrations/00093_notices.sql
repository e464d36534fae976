-- What decides whether a change becomes a message: the queue of changes, and what
-- was told of each page and watch.

-- +goose Up
create table core.notice_todo (
    page_id    bigint      not null,
    bucket     integer     not null,
    version    integer     not null,
    watch_id   integer     not null,
    changed_at timestamptz not null,
    primary key (page_id, bucket, version, watch_id)
);
create index notice_todo_order on core.notice_todo (changed_at, page_id, version);
comment on table core.notice_todo is 'Measured changes of pages of watches that tell somebody, still to be judged by the conditions of the watch. A row comes with the measures and goes with the message.';
comment on column core.notice_todo.page_id is 'The page.';
comment on column core.notice_todo.bucket is 'Bucket of the page''s host.';
comment on column core.notice_todo.version is 'The version that the change led to.';
comment on column core.notice_todo.watch_id is 'The watch.';
comment on column core.notice_todo.changed_at is 'When the change was seen.';

create table core.notice_page (
    watch_id     integer     not null,
    page_id      bigint      not null,
    bucket       integer     not null,
    states       bigint[]    not null default '{}',
    failing_at   timestamptz,
    window_at    timestamptz,
    window_count integer     not null default 0,
    primary key (watch_id, page_id, bucket)
) with (fillfactor = 70);
create index notice_page_failing on core.notice_page (watch_id) where failing_at is not null;
comment on table core.notice_page is 'What was told of a page of a watch.';
comment on column core.notice_page.watch_id is 'The watch.';
comment on column core.notice_page.page_id is 'The page.';
comment on column core.notice_page.bucket is 'Bucket of the page''s host.';
comment on column core.notice_page.states is 'Hashes of the last texts of the page, the newest last, without what is ignored and what is noise.';
comment on column core.notice_page.failing_at is 'When it was told that the page fails; null while it does not.';
comment on column core.notice_page.window_at is 'Start of the day in which messages on the page are counted.';
comment on column core.notice_page.window_count is 'Messages on the page in that day.';

create table core.notice_watch (
    watch_id   integer primary key,
    changed_at timestamptz not null,
    quiet_at   timestamptz,
    noisy_at   timestamptz
);
comment on table core.notice_watch is 'What was told of a watch as a whole.';
comment on column core.notice_watch.watch_id is 'The watch.';
comment on column core.notice_watch.changed_at is 'When a page of it last changed, or since when that is looked at.';
comment on column core.notice_watch.quiet_at is 'When it was told that nothing has changed for too long; null while something changes.';
comment on column core.notice_watch.noisy_at is 'When a page of it was last called noisy.';

create table core.notice_item (
    item_id  bigint      generated always as identity primary key,
    watch_id integer     not null,
    due_at   timestamptz not null,
    message  jsonb       not null
);
create index notice_item_due on core.notice_item (due_at, watch_id);
comment on table core.notice_item is 'Messages that wait for the end of their watch''s period, to be told as one.';
comment on column core.notice_item.item_id is 'Number of the row.';
comment on column core.notice_item.watch_id is 'The watch.';
comment on column core.notice_item.due_at is 'End of the period.';
comment on column core.notice_item.message is 'The message.';

-- +goose Down
drop table core.notice_item, core.notice_watch, core.notice_page, core.notice_todo;
