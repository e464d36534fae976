-- Hosts, pages and what is known of a page right now.

-- +goose Up
create table core.host (
    host_id    bigint      not null,
    bucket     integer     not null,
    name       text        not null,
    site       text        not null,
    tld        text        not null,
    created_at timestamptz not null,
    primary key (host_id, bucket),
    unique (name, bucket),
    check (host_id >> 40 = bucket)
);
select core.distribute('core.host');
comment on table core.host is 'Hosts whose pages are known.';
comment on column core.host.host_id is 'Id for all time; its upper bits are the bucket.';
comment on column core.host.bucket is 'Bucket of the host, 0..4095; the key by which page data can be spread over servers.';
comment on column core.host.name is 'Host name in lower case, IDNA form, with the port where it is not the scheme''s own.';
comment on column core.host.site is 'Registrable domain by the public suffix list; the host itself for addresses and single labels.';
comment on column core.host.tld is 'Last label of the host name.';
comment on column core.host.created_at is 'When the host was first heard of.';

create table core.page (
    page_id    bigint      not null,
    bucket     integer     not null,
    host_id    bigint      not null,
    url        text        not null,
    url_hash   uuid        not null,
    depth      smallint    not null,
    first_seen timestamptz not null,
    category   text,
    genre      text,
    alias_of   bigint,
    trap       text,
    primary key (page_id, bucket),
    unique (url_hash, bucket),
    check (page_id >> 40 = bucket)
);
select core.distribute('core.page');
create index page_host on core.page (host_id, bucket);
comment on table core.page is 'Pages: one canonical URL each, with one id for all time. Link targets that were never fetched are here too.';
comment on column core.page.page_id is 'Id for all time; its upper bits are the bucket, the lower 40 are nearly dense over all pages.';
comment on column core.page.bucket is 'Bucket of the page''s host.';
comment on column core.page.host_id is 'The host.';
comment on column core.page.url is 'Canonical URL.';
comment on column core.page.url_hash is 'First 128 bits of the sha256 of the canonical URL.';
comment on column core.page.depth is 'Number of non-empty path segments.';
comment on column core.page.first_seen is 'When the URL was first heard of: by a link, a list or a fetch; the time of the capture for archives.';
comment on column core.page.category is 'Topic category as configured.';
comment on column core.page.genre is 'Genre as configured.';
comment on column core.page.alias_of is 'Page that this URL redirects to for good.';
comment on column core.page.trap is 'Kind of crawler trap that the URL looks like.';

create table core.page_state (
    page_id        bigint      not null,
    bucket         integer     not null,
    last_fetched   timestamptz,
    last_outcome   text,
    last_status    smallint,
    last_error     text,
    failures       integer     not null default 0,
    version        integer     not null default 0,
    version_since  timestamptz,
    version_seen   timestamptz,
    sha256         bytea,
    text_hash      uuid,
    text_since     timestamptz,
    etag           text,
    last_modified  text,
    title          text,
    language       text,
    body_chain     bytea,
    record_chain     bytea,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_state');
comment on table core.page_state is 'What is known of each fetched page right now; the writer locks a page''s row here while it stores a capture of it.';
comment on column core.page_state.page_id is 'The page.';
comment on column core.page_state.bucket is 'Bucket of the page''s host.';
comment on column core.page_state.last_fetched is 'Start of the last attempt.';
comment on column core.page_state.last_outcome is 'Outcome of the last attempt.';
comment on column core.page_state.last_status is 'HTTP status of the last attempt.';
comment on column core.page_state.last_error is 'Reason why the last attempt failed.';
comment on column core.page_state.failures is 'Failed attempts in a row.';
comment on column core.page_state.version is 'Number of the last version; 0 before the first.';
comment on column core.page_state.version_since is 'first_seen of the last version.';
comment on column core.page_state.version_seen is 'last_seen of the last version.';
comment on column core.page_state.sha256 is 'Content of the last version.';
comment on column core.page_state.text_hash is 'Text of the last version.';
comment on column core.page_state.text_since is 'When that text was first seen.';
comment on column core.page_state.etag is 'Validator for the next conditional request.';
comment on column core.page_state.last_modified is 'Validator for the next conditional request.';
comment on column core.page_state.title is 'Title of the last version.';
comment on column core.page_state.language is 'Language of the last version.';
comment on column core.page_state.body_chain is 'State of the chain of stored bodies: which bodies the next one may be based on.';
comment on column core.page_state.record_chain is 'The same for the extracted records.';

create table core.host_state (
    host_id        bigint  not null,
    bucket         integer not null,
    body_templates bytea,
    record_templates bytea,
    primary key (host_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.host_state');
comment on table core.host_state is 'Per host: which stored bodies serve as the base of a new page''s first body.';
comment on column core.host_state.host_id is 'The host.';
comment on column core.host_state.bucket is 'Bucket of the host.';
comment on column core.host_state.body_templates is 'State of the choice of bodies.';
comment on column core.host_state.record_templates is 'State of the choice of records.';

create table core.watch (
    watch_id  integer generated always as identity primary key,
    name      text        not null unique,
    category  text,
    genre     text,
    added_at  timestamptz not null,
    paused_at timestamptz,
    config    jsonb       not null
);
comment on table core.watch is 'Watches: pages that the configuration asks to recrawl. A watch that left the configuration is paused and keeps its history.';
comment on column core.watch.watch_id is 'Id for all time.';
comment on column core.watch.name is 'Name in the configuration, the stable key.';
comment on column core.watch.category is 'Topic category of its pages.';
comment on column core.watch.genre is 'Genre of its pages.';
comment on column core.watch.added_at is 'When the watch was first configured.';
comment on column core.watch.paused_at is 'When the watch left the configuration; null while it runs.';
comment on column core.watch.config is 'The watch as configured.';

-- +goose Down
drop table core.watch, core.host_state, core.page_state, core.page, core.host;
