-- Fetches, versions, their bodies, text records and links.

-- +goose Up
create type core.outcome as enum ('new', 'changed', 'same', 'not_modified', 'gone', 'error', 'denied', 'skipped');
comment on type core.outcome is 'What an attempt to fetch a page came to.';

create table core.fetch (
    page_id     bigint       not null,
    bucket      integer      not null,
    started_at  timestamptz  not null,
    attempt     smallint     not null default 0,
    finished_at timestamptz  not null,
    due_at      timestamptz,
    outcome     core.outcome not null,
    status      smallint,
    kind        text         not null,
    watch_id    integer,
    version     integer,
    bytes       bigint,
    error       text,
    sha256      bytea,
    head        bytea,
    detail      jsonb,
    primary key (page_id, bucket, started_at, attempt)
) partition by range (started_at);
select core.distribute('core.fetch');
comment on table core.fetch is 'Every attempt on a page, also those that failed, were denied or skipped. Partitioned by started_at.';
comment on column core.fetch.page_id is 'The page.';
comment on column core.fetch.bucket is 'Bucket of the page''s host.';
comment on column core.fetch.started_at is 'Start of the attempt; for archives the time of the capture.';
comment on column core.fetch.attempt is 'Tells attempts apart that started at the same moment.';
comment on column core.fetch.finished_at is 'End of the attempt.';
comment on column core.fetch.due_at is 'When the attempt was due; null where nothing was scheduled.';
comment on column core.fetch.outcome is 'What the attempt came to.';
comment on column core.fetch.status is 'HTTP status; null without an answer.';
comment on column core.fetch.kind is 'Why the page was fetched: schedule, burst, pair, manual, snapshot, topic, import.';
comment on column core.fetch.watch_id is 'The watch that asked for it.';
comment on column core.fetch.version is 'Version that the attempt saw; null where it saw none.';
comment on column core.fetch.bytes is 'Payload bytes received.';
comment on column core.fetch.error is 'Reason of a failure.';
comment on column core.fetch.sha256 is 'Payload of an answer that made no version, such as an error page.';
comment on column core.fetch.head is 'Packed status line and header where they differ from those kept with the version.';
comment on column core.fetch.detail is 'Redirect chain and other facts of the attempt.';

create table core.version (
    page_id     bigint      not null,
    bucket      integer     not null,
    version     integer     not null,
    first_seen  timestamptz not null,
    last_seen   timestamptz not null,
    fetches     integer     not null,
    status      smallint    not null,
    bytes       bigint      not null,
    words       integer     not null,
    sentences   integer     not null,
    sha256      bytea       not null,
    sha1        bytea       not null,
    record      bytea       not null,
    rules       smallint    not null,
    text_hash   uuid        not null,
    text_since  timestamptz not null,
    words_hash  uuid        not null,
    links_hash  uuid,
    title       text,
    language    text,
    charset     text,
    media_type  text,
    coding      text,
    flags       text[]      not null default '{}',
    head        bytea       not null,
    primary key (page_id, bucket, version, first_seen)
) partition by range (first_seen);
select core.distribute('core.version');
comment on table core.version is 'Versions: one content of a page from the fetch that first saw it to the one that last saw it. Partitioned by first_seen.';
comment on column core.version.page_id is 'The page.';
comment on column core.version.bucket is 'Bucket of the page''s host.';
comment on column core.version.version is 'Number, from 1 per page in order of time.';
comment on column core.version.first_seen is 'Start of the fetch that first saw this content.';
comment on column core.version.last_seen is 'Start of the fetch that last saw it.';
comment on column core.version.fetches is 'Number of fetches that saw it.';
comment on column core.version.status is 'HTTP status of the first fetch.';
comment on column core.version.bytes is 'Size of the payload.';
comment on column core.version.words is 'Number of distinct words.';
comment on column core.version.sentences is 'Number of sentences.';
comment on column core.version.sha256 is 'Hash of the payload, the content id.';
comment on column core.version.sha1 is 'The hash by which archives know the payload.';
comment on column core.version.record is 'Hash of the record of what was extracted; versions with the same text and outline share one.';
comment on column core.version.rules is 'Version of the rules by which it was extracted.';
comment on column core.version.text_hash is 'Hash of the normalised visible text: equal hashes, equal text.';
comment on column core.version.text_since is 'first_seen of the version that brought this text: the last change of the text up to here.';
comment on column core.version.words_hash is 'Hash of the word set.';
comment on column core.version.links_hash is 'Hash of the set of links; null where the content has none to keep.';
comment on column core.version.title is 'Title.';
comment on column core.version.language is 'Language of the text as detected.';
comment on column core.version.charset is 'Character set by which the text was read.';
comment on column core.version.media_type is 'Media type without parameters.';
comment on column core.version.coding is 'Content coding that the stored payload still has.';
comment on column core.version.flags is 'Peculiarities: truncated, wrong-charset, tokenized ...';
comment on column core.version.head is 'Packed status line and header of the first fetch.';

create table core.body (
    bucket      integer  not null,
    sha256      bytea    not null,
    depth       smallint not null,
    raw_size    integer  not null,
    base_sha256 bytea,
    data        bytea    not null,
    primary key (sha256, bucket)
);
alter table core.body alter column data set storage external;
select core.distribute('core.body');
comment on table core.body is 'Payloads, once per bucket and content, as zstd frames; a frame may have an earlier body of the same host as its dictionary.';
comment on column core.body.bucket is 'Bucket of the host it was fetched from.';
comment on column core.body.sha256 is 'Hash of the payload.';
comment on column core.body.depth is 'Number of bodies to read before this one can be; 0 to 3.';
comment on column core.body.raw_size is 'Size of the payload.';
comment on column core.body.base_sha256 is 'Content of the body that is the dictionary; null for a full frame.';
comment on column core.body.data is 'The frame.';

create table core.record (
    bucket      integer  not null,
    sha256      bytea    not null,
    depth       smallint not null,
    raw_size    integer  not null,
    base_sha256 bytea,
    data        bytea    not null,
    primary key (sha256, bucket)
);
alter table core.record alter column data set storage external;
select core.distribute('core.record');
comment on table core.record is 'What was extracted from payloads: text, words, sentences and element lines in compact form, stored as the bodies are. It can be rebuilt from the bodies.';
comment on column core.record.bucket is 'Bucket of the host the payload was fetched from.';
comment on column core.record.sha256 is 'Hash of the record.';
comment on column core.record.depth is 'Number of records to read before this one can be; 0 to 3.';
comment on column core.record.raw_size is 'Size of the record.';
comment on column core.record.base_sha256 is 'Hash of the record that is the dictionary; null for a full frame.';
comment on column core.record.data is 'The frame.';

create table core.link_set (
    bucket     integer not null,
    links_hash uuid    not null,
    links      integer not null,
    targets    bytea   not null,
    primary key (links_hash, bucket)
);
alter table core.link_set alter column targets set storage external;
select core.distribute('core.link_set');
comment on table core.link_set is 'Sets of distinct links, packed; versions with the same links share a row.';
comment on column core.link_set.bucket is 'Bucket of the host that links.';
comment on column core.link_set.links_hash is 'Hash of the packed targets.';
comment on column core.link_set.links is 'Number of distinct targets.';
comment on column core.link_set.targets is 'Target page ids in rising order, each as the difference to the one before, shifted left by one with the nofollow flag in the lowest bit, as unsigned varints.';

create table core.monitor_todo (
    page_id     bigint      not null,
    bucket      integer     not null,
    version     integer     not null,
    stage       text        not null,
    enqueued_at timestamptz not null,
    primary key (page_id, bucket, version, stage)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
select core.distribute('core.monitor_todo');
comment on table core.monitor_todo is 'New versions that a later stage has still to look at; filled in the transaction that stores the version.';
comment on column core.monitor_todo.page_id is 'The page.';
comment on column core.monitor_todo.bucket is 'Bucket of the page''s host.';
comment on column core.monitor_todo.version is 'The version.';
comment on column core.monitor_todo.stage is 'The stage that has to look.';
comment on column core.monitor_todo.enqueued_at is 'When the version was stored.';

create table core.change (
    page_id           bigint      not null,
    bucket            integer     not null,
    version           integer     not null,
    changed_at        timestamptz not null,
    hours             double precision not null,
    dice              double precision not null,
    words_added       integer     not null,
    words_removed     integer     not null,
    sentences_added   integer     not null,
    sentences_removed integer     not null,
    text_changed      boolean     not null,
    words_changed     boolean     not null,
    significance      double precision not null,
    masked            boolean     not null default false,
    computed_at       timestamptz not null,
    primary key (page_id, bucket, version)
);
select core.distribute('core.change');
create index change_at on core.change (changed_at);
comment on table core.change is 'The step from one version to the next, measured on the sets of words.';
comment on column core.change.page_id is 'The page.';
comment on column core.change.bucket is 'Bucket of the page''s host.';
comment on column core.change.version is 'The version that the change led to, from 2.';
comment on column core.change.changed_at is 'When that version was first seen.';
comment on column core.change.hours is 'Hours since the change of the text before, or since the first fetch for the first one.';
comment on column core.change.dice is 'Dice coefficient of the two sets of words: 1 equal, 0 nothing in common.';
comment on column core.change.words_added is 'Distinct words that came.';
comment on column core.change.words_removed is 'Distinct words that went.';
comment on column core.change.sentences_added is 'Distinct sentences that came.';
comment on column core.change.sentences_removed is 'Distinct sentences that went.';
comment on column core.change.text_changed is 'The visible text differs.';
comment on column core.change.words_changed is 'The set of words differs.';
comment on column core.change.significance is '0 to 1: the share of words that changed, damped where they are few.';
comment on column core.change.masked is 'Only parts differ that are known to be noise.';
comment on column core.change.computed_at is 'When this was computed.';

select core.ensure_partition(t, now() + make_interval(months => m))
from unnest(array['fetch', 'version']) t, generate_series(0, 3) m;

-- +goose Down
drop table core.change, core.monitor_todo, core.link_set, core.record, core.body, core.version, core.fetch;
drop type core.outcome;
