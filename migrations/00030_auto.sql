-- Intervals that follow how each page changes: what is known of a page's rate, how
-- right the dates of sitemaps and feeds were, and the threshold of each watch.

-- +goose Up
create table core.page_rate (
    page_id    bigint      not null,
    bucket     integer     not null,
    state      bytea       not null default '',
    seen_at    timestamptz,
    text_hash  uuid,
    claim_kind text,
    claimed_at timestamptz,
    hinted_at  timestamptz,
    moved      boolean     not null default false,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_rate');
comment on table core.page_rate is 'How often each page of a watch with schedule auto changes, as far as its fetches tell (SCIENCE 2.1).';
comment on column core.page_rate.page_id is 'The page.';
comment on column core.page_rate.bucket is 'Bucket of the page''s host.';
comment on column core.page_rate.state is 'What is known of the rate, packed; empty before two fetches have been compared.';
comment on column core.page_rate.seen_at is 'Start of the last fetch that told what the page says; null when none did.';
comment on column core.page_rate.text_hash is 'Hash of the text that it saw.';
comment on column core.page_rate.claim_kind is 'sitemap or feed: what last dated the page; null when nothing does.';
comment on column core.page_rate.claimed_at is 'When the page last changed by that date.';
comment on column core.page_rate.hinted_at is 'When that date moved on since the page was last seen; null when it did not.';
comment on column core.page_rate.moved is 'The next fetch was brought forward for it.';

create table core.host_signal (
    host_id bigint  not null,
    bucket  integer not null,
    kind    text    not null,
    signals bytea   not null,
    primary key (host_id, bucket, kind)
) with (fillfactor = 70);
select core.distribute('core.host_signal');
comment on table core.host_signal is 'How right the dates of a host''s sitemaps and feeds were when its pages were fetched.';
comment on column core.host_signal.host_id is 'The host.';
comment on column core.host_signal.bucket is 'Its bucket.';
comment on column core.host_signal.kind is 'sitemap or feed.';
comment on column core.host_signal.signals is 'Counts of fetches with and without a hint that found a change and that found none, packed.';

create table core.watch_pace (
    watch_id    integer primary key,
    budget      double precision not null,
    shortest    interval         not null,
    longest     interval         not null,
    reach       interval         not null,
    pages       integer          not null,
    threshold   double precision not null,
    applied     double precision not null,
    hosts       jsonb            not null,
    fetched     bigint           not null,
    plan_at     bigint           not null,
    backlog     integer          not null,
    counted     bigint           not null,
    observed_at timestamptz
);
comment on table core.watch_pace is 'Watches with schedule auto: the value of a fetch at which a page is due, kept so that the fetches of all daemons meet the budget.';
comment on column core.watch_pace.watch_id is 'The watch.';
comment on column core.watch_pace.budget is 'Fetches an hour, as configured when the threshold was planned.';
comment on column core.watch_pace.shortest is 'The shortest interval, as configured then.';
comment on column core.watch_pace.longest is 'The longest interval, as configured then.';
comment on column core.watch_pace.reach is 'The longest interval in force: longer than configured where the budget does not allow it for all pages.';
comment on column core.watch_pace.pages is 'Pages that take part.';
comment on column core.watch_pace.threshold is 'A page is due at the age at which its value, importance times U(age), reaches this [hours].';
comment on column core.watch_pace.applied is 'The threshold by which all waiting pages had their due times last.';
comment on column core.watch_pace.hosts is 'Hosts whose own limit binds, each with the factor on the threshold of its pages.';
comment on column core.watch_pace.fetched is 'Fetches since the threshold was first planned for this budget.';
comment on column core.watch_pace.plan_at is 'The number of fetches at which it is planned anew from what was learned.';
comment on column core.watch_pace.backlog is 'Pages that were due and waiting when last looked at.';
comment on column core.watch_pace.counted is 'Fetches counted in schedule_lag for the hour of observed_at and the hour before it, then.';
comment on column core.watch_pace.observed_at is 'When fetches and backlog were last looked at, by the daemons'' clock.';

-- +goose Down
drop table core.watch_pace, core.host_signal, core.page_rate;
