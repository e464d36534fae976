-- Messages to people and programs: one row a message and target, so that a target
-- that fails holds up nothing but its own rows.

-- +goose Up
create table core.outbox (
    outbox_id       bigint      generated always as identity primary key,
    message_id      text        not null,
    target          text        not null,
    kind            text        not null,
    source          text        not null,
    url             text,
    title           text        not null,
    payload         jsonb       not null,
    created_at      timestamptz not null,
    attempts        integer     not null default 0,
    next_attempt_at timestamptz not null,
    delivered_at    timestamptz,
    dead_at         timestamptz,
    last_error      text,
    unique (message_id, target)
) with (fillfactor = 70);
create index outbox_due on core.outbox (target, next_attempt_at, outbox_id) where delivered_at is null and dead_at is null;
create index outbox_dead on core.outbox (target) where dead_at is not null;
create index outbox_delivered on core.outbox (delivered_at) where delivered_at is not null;
comment on table core.outbox is 'Messages that have to be delivered, were, or were given up: a row for each target of a message. A message that is written again is known by its id.';
comment on column core.outbox.outbox_id is 'Number of the row; of two that are due at one time the smaller goes first.';
comment on column core.outbox.message_id is 'Id of the message, the same for all targets and all attempts; made of what it tells.';
comment on column core.outbox.target is 'Name of the target.';
comment on column core.outbox.kind is 'What the message tells: change, digest, failing, recovered, quiet, moving, noisy, summary or test.';
comment on column core.outbox.source is 'What it comes from, such as a watch: its kind and name.';
comment on column core.outbox.url is 'The page that it is about; null when it is about several or none.';
comment on column core.outbox.title is 'Its first line.';
comment on column core.outbox.payload is 'The message.';
comment on column core.outbox.created_at is 'When it was written.';
comment on column core.outbox.attempts is 'Attempts begun.';
comment on column core.outbox.next_attempt_at is 'When the next attempt may begin; while one runs, when it counts as lost.';
comment on column core.outbox.delivered_at is 'When the target took it.';
comment on column core.outbox.dead_at is 'When it was given up.';
comment on column core.outbox.last_error is 'Why the last attempt failed, without secrets.';

create view api_v1.notification as
select o.message_id, o.target, o.kind, o.source, o.url, o.title, o.created_at,
       case when o.delivered_at is not null then 'delivered' when o.dead_at is not null then 'dead' when o.attempts > 0 then 'retrying' else 'waiting' end as state,
       o.attempts, case when o.delivered_at is null and o.dead_at is null then o.next_attempt_at end as next_attempt_at, o.delivered_at, o.dead_at,
       o.last_error as error
from core.outbox o;
comment on view api_v1.notification is 'Messages to the configured targets, a row for each target of a message. Those delivered are kept for 90 days.';
comment on column api_v1.notification.message_id is 'Id of the message, the same for all targets and all attempts.';
comment on column api_v1.notification.target is 'Name of the target.';
comment on column api_v1.notification.kind is 'What the message tells: change, digest, failing, recovered, quiet, moving, noisy, summary or test.';
comment on column api_v1.notification.source is 'What it comes from, such as "watch prices".';
comment on column api_v1.notification.url is 'The page that it is about; null when it is about several or none.';
comment on column api_v1.notification.title is 'Its first line.';
comment on column api_v1.notification.created_at is 'When it was written [UTC].';
comment on column api_v1.notification.state is 'waiting, retrying, delivered, or dead: given up after the last attempt.';
comment on column api_v1.notification.attempts is 'Attempts begun.';
comment on column api_v1.notification.next_attempt_at is 'When the next attempt may begin; null when there is none [UTC].';
comment on column api_v1.notification.delivered_at is 'When the target took it [UTC].';
comment on column api_v1.notification.dead_at is 'When it was given up [UTC].';
comment on column api_v1.notification.error is 'Why the last attempt failed, without secrets.';

-- +goose Down
drop view api_v1.notification;
drop table core.outbox;
