-- Topics: queries, and the collections of pages that serve them.

-- +goose Up
create table core.topic (
    topic_id   integer generated always as identity,
    name       text not null,
    query      text not null,
    language   text not null,
    provider   text not null,
    rank       text not null,
    config     jsonb not null,
    added_at   timestamptz not null,
    paused_at  timestamptz,
    clicks     integer not null default -1,
    clicked_at timestamptz,
    formed_at  timestamptz,
    tried_at   timestamptz,
    failures   integer not null default 0,
    note       text not null default '',
    starts_at  timestamptz,
    primary key (topic_id), unique (name)
);
comment on table core.topic is 'Topics ever configured. One that is no longer configured is paused and keeps its history.';
comment on column core.topic.topic_id is 'Number of the topic.';
comment on column core.topic.name is 'Its stable key.';
comment on column core.topic.query is 'What its pages are about.';
comment on column core.topic.language is 'Language of its sentences; empty: each page has its own.';
comment on column core.topic.provider is 'Where its first pages come from: archive, searxng or seeds.';
comment on column core.topic.rank is 'How its summaries are ranked: novel, or paper as paper J does.';
comment on column core.topic.config is 'As configured.';
comment on column core.topic.added_at is 'When it was first configured.';
comment on column core.topic.paused_at is 'Since when it is no longer configured; null while it is.';
comment on column core.topic.clicks is 'Clicks from the hits that its collection has been formed by (SCIENCE J5); -1 before the provider has answered.';
comment on column core.topic.clicked_at is 'When the last of these steps was made.';
comment on column core.topic.formed_at is 'When the collection was complete; null while it is being formed.';
comment on column core.topic.tried_at is 'When the provider was last asked.';
comment on column core.topic.failures is 'How often in a row it gave no pages.';
comment on column core.topic.note is 'What forming came to, such as why the provider gave no pages.';
comment on column core.topic.starts_at is 'Start of the period that is running; null before the first.';

create table core.topic_page (
    topic_id    integer not null,
    page_id     bigint not null,
    bucket      integer not null,
    added_by    text not null,
    reason      text not null,
    links       integer not null default 0,
    click       integer not null default 0,
    proposed_at timestamptz not null,
    added_at    timestamptz,
    left_at     timestamptz,
    left_reason text not null default '',
    score       double precision,
    up_to_date  double precision,
    rank        integer,
    tracked     boolean not null default true,
    primary key (topic_id, page_id, bucket)
);
comment on table core.topic_page is 'Pages of the collection of a topic, those that left it, and those that wait for a word.';
comment on column core.topic_page.topic_id is 'The topic.';
comment on column core.topic_page.page_id is 'The page.';
comment on column core.topic_page.bucket is 'Bucket of the page''s host.';
comment on column core.topic_page.added_by is 'Why it came: base (a hit), seed, link (of the hits), growth, or review (growth, accepted by a person).';
comment on column core.topic_page.reason is 'The same in words.';
comment on column core.topic_page.links is 'Distinct pages that link to it, of those that brought it; of a hit its place.';
comment on column core.topic_page.click is 'Clicks from the hits; of growth 0.';
comment on column core.topic_page.proposed_at is 'When it was found.';
comment on column core.topic_page.added_at is 'When it joined; of growth the end of the period that brought it. Null: it waits, or was refused.';
comment on column core.topic_page.left_at is 'When it left, or was refused; null while it belongs to the collection or waits.';
comment on column core.topic_page.left_reason is 'Why it left.';
comment on column core.topic_page.score is 'Its score in the last period (SCIENCE J3), with the portion of the pages it links to.';
comment on column core.topic_page.up_to_date is 'Its up-to-date-ness after the last period (SCIENCE J4).';
comment on column core.topic_page.rank is 'Its rank by that, from 1 on.';
comment on column core.topic_page.tracked is 'It is among the best pages, which are fetched often and read for the summary.';
create index topic_page_page on core.topic_page (page_id);

create view api_v1.topic_page as
select t.name as topic, m.page_id, p.url, m.added_at, m.added_by, m.score, m.up_to_date, m.rank, m.left_at, m.reason, m.left_reason, m.links, m.tracked, case when m.left_at is not null and m.added_at is null then 'refused' when m.left_at is not null then 'left' when m.added_at is null then 'proposed' else 'member' end as state, m.bucket
from core.topic_page m
join core.topic t using (topic_id)
join core.page p on p.bucket = m.bucket and p.page_id = m.page_id;
comment on view api_v1.topic_page is 'Pages of the collections of topics, with those that left, were refused, or wait to be accepted.';
comment on column api_v1.topic_page.topic is 'Name of the topic.';
comment on column api_v1.topic_page.page_id is 'The page.';
comment on column api_v1.topic_page.url is 'Its URL.';
comment on column api_v1.topic_page.added_at is 'When it joined; null while it waits, or when it was refused [UTC].';
comment on column api_v1.topic_page.added_by is 'Why it came: base, seed, link, growth or review.';
comment on column api_v1.topic_page.score is 'Its score in the last period (SCIENCE J3), with the portion of the pages it links to.';
comment on column api_v1.topic_page.up_to_date is 'Its up-to-date-ness after the last period (SCIENCE J4).';
comment on column api_v1.topic_page.rank is 'Its rank by that, from 1 on.';
comment on column api_v1.topic_page.left_at is 'When it left, or was refused [UTC].';
comment on column api_v1.topic_page.reason is 'Why it came, in words.';
comment on column api_v1.topic_page.left_reason is 'Why it left.';
comment on column api_v1.topic_page.links is 'Distinct pages that link to it, of those that brought it; of a hit its place.';
comment on column api_v1.topic_page.tracked is 'It is among the best pages, which are read for the summary.';
comment on column api_v1.topic_page.state is 'member, left, proposed or refused.';
comment on column api_v1.topic_page.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

-- +goose Down
drop view api_v1.topic_page;
drop table core.topic_page, core.topic;
