-- Periods of topics: what each brought, term by term, page by page and in sentences.

-- +goose Up
create table core.topic_period (
    topic_id      integer not null,
    period_start  timestamptz not null,
    period_end    timestamptz not null,
    computed_at   timestamptz not null,
    rank          text not null,
    pages         integer not null,
    tracked       integer not null,
    pages_checked integer not null,
    pages_changed integer not null,
    hosts_changed integer not null,
    fetches       bigint not null,
    failed        bigint not null,
    first_read    integer not null,
    sentences     integer not null,
    boilerplate   integer not null,
    copies        integer not null,
    repeats       integer not null,
    fresh         integer not null,
    added         integer not null default 0,
    proposed      integer not null default 0,
    departed      integer not null default 0,
    note          text not null default '',
    primary key (topic_id, period_start)
);
comment on table core.topic_period is 'Periods of topics that were summed up. A period without fetches or changes has its row too.';
comment on column core.topic_period.topic_id is 'The topic.';
comment on column core.topic_period.period_start is 'Start of the period.';
comment on column core.topic_period.period_end is 'End of the period, which belongs to the next one.';
comment on column core.topic_period.computed_at is 'When it was computed.';
comment on column core.topic_period.rank is 'How its summary is ranked: novel or paper.';
comment on column core.topic_period.pages is 'Pages of the collection.';
comment on column core.topic_period.tracked is 'Best pages, which were read for the summary.';
comment on column core.topic_period.pages_checked is 'Pages that were fetched with success: N of the weights (SCIENCE J1).';
comment on column core.topic_period.pages_changed is 'Those that had new sentences.';
comment on column core.topic_period.hosts_changed is 'Distinct hosts of those.';
comment on column core.topic_period.fetches is 'Attempts on the pages.';
comment on column core.topic_period.failed is 'Attempts that failed.';
comment on column core.topic_period.first_read is 'Pages that were read for the first time: what they say is known from then on, and not new.';
comment on column core.topic_period.sentences is 'New sentences of the tracked pages (SCIENCE J7), boilerplate left out.';
comment on column core.topic_period.boilerplate is 'New sentences that stand on many pages of their site, which do not count.';
comment on column core.topic_period.copies is 'Second ones of a host.';
comment on column core.topic_period.repeats is 'New on their page, but said before elsewhere in the topic.';
comment on column core.topic_period.fresh is 'The others: new, or updates.';
comment on column core.topic_period.added is 'Pages that joined at the end of the period.';
comment on column core.topic_period.proposed is 'Pages that were proposed to a person.';
comment on column core.topic_period.departed is 'Pages that left.';
comment on column core.topic_period.note is 'What a reader has to know, such as that nothing was fetched.';

create table core.topic_score (
    topic_id     integer not null,
    period_start timestamptz not null,
    page_id      bigint not null,
    bucket       integer not null,
    fetches      integer not null,
    version_from integer,
    version_to   integer,
    sentences    integer not null,
    terms        integer not null,
    weights      double precision not null,
    score        double precision not null,
    linked       double precision not null,
    up_to_date   double precision not null,
    rank         integer not null,
    tracked      boolean not null,
    primary key (topic_id, period_start, page_id, bucket)
);
comment on table core.topic_score is 'What each page of a topic brought in a period; every figure follows from those before it.';
comment on column core.topic_score.topic_id is 'The topic.';
comment on column core.topic_score.period_start is 'Start of the period.';
comment on column core.topic_score.page_id is 'The page.';
comment on column core.topic_score.bucket is 'Bucket of the page''s host.';
comment on column core.topic_score.fetches is 'Attempts that gave a version.';
comment on column core.topic_score.version_from is 'The version that it had before, or its first.';
comment on column core.topic_score.version_to is 'The last version of the period; null: it was not fetched.';
comment on column core.topic_score.sentences is 'New sentences.';
comment on column core.topic_score.terms is 'N_d: occurrences of terms in them.';
comment on column core.topic_score.weights is 'Sum of the weights W of these occurrences.';
comment on column core.topic_score.score is 'S = weights (1 + ln terms) / terms, 0 without terms (SCIENCE J3).';
comment on column core.topic_score.linked is 'Portion of the scores of pages of its site that it links to, added to S.';
comment on column core.topic_score.up_to_date is 'D = sum over the page''s periods t = 1..T of (S_t + linked_t) / (T - t + 1) (SCIENCE J4).';
comment on column core.topic_score.rank is 'Rank by that, from 1 on.';
comment on column core.topic_score.tracked is 'It is among the best pages.';
create index topic_score_page on core.topic_score (topic_id, page_id, period_start);

create table core.topic_term (
    topic_id     integer not null,
    period_start timestamptz not null,
    rank         integer not null,
    term         text not null,
    word         text not null,
    occurrences  integer not null,
    pages        integer not null,
    weight       double precision not null,
    hosts        integer not null,
    g2           double precision not null,
    trend        text not null,
    burst_since  timestamptz,
    primary key (topic_id, period_start, rank)
);
comment on table core.topic_term is 'Weights of the terms of a period.';
comment on column core.topic_term.topic_id is 'The topic.';
comment on column core.topic_term.period_start is 'Start of the period.';
comment on column core.topic_term.rank is 'Rank by weight, from 1 on.';
comment on column core.topic_term.term is 'The stem.';
comment on column core.topic_term.word is 'The word that stands for it most often.';
comment on column core.topic_term.occurrences is 'CF: occurrences in the new sentences.';
comment on column core.topic_term.pages is 'n: pages whose new sentences have it.';
comment on column core.topic_term.weight is 'W = CF exp(n / N), N being pages_checked of the period (SCIENCE J1).';
comment on column core.topic_term.hosts is 'Distinct hosts whose new sentences have it.';
comment on column core.topic_term.g2 is 'Likelihood ratio of its share of hosts against the periods before; negative: it became rarer.';
comment on column core.topic_term.trend is 'rising, falling or steady.';
comment on column core.topic_term.burst_since is 'Start of the period in which its present burst began; null: none.';
create index topic_term_term on core.topic_term (topic_id, term, period_start);

create table core.topic_sentence (
    topic_id     integer not null,
    period_start timestamptz not null,
    mode         text not null,
    kind         text not null,
    rank         integer not null,
    place        integer not null,
    sentence     text not null,
    before       text not null,
    after        text not null,
    weight       double precision not null,
    pages        integer not null,
    hosts        integer not null,
    page_id      bigint not null,
    bucket       integer not null,
    version      integer not null,
    at           timestamptz not null,
    label        text not null,
    cluster      integer not null,
    cosine       double precision not null,
    earlier      text not null,
    said_by      bigint[] not null,
    primary key (topic_id, period_start, mode, kind, rank)
);
comment on table core.topic_sentence is 'What the summaries of periods tell, in both modes.';
comment on column core.topic_sentence.topic_id is 'The topic.';
comment on column core.topic_sentence.period_start is 'Start of the period.';
comment on column core.topic_sentence.mode is 'novel or paper.';
comment on column core.topic_sentence.kind is 'sentence; row: figures of a table; retracted: a sentence that was taken back.';
comment on column core.topic_sentence.rank is 'Rank among those of its kind, from 1 on.';
comment on column core.topic_sentence.place is 'Place in the order in which the summary is read.';
comment on column core.topic_sentence.sentence is 'The sentence; of figures the name of the row with its values.';
comment on column core.topic_sentence.before is 'The sentence before it on the page.';
comment on column core.topic_sentence.after is 'The one after it.';
comment on column core.topic_sentence.weight is 'Mean weight of its terms in mode paper (SCIENCE J11); hosts, novelty and interest in mode novel.';
comment on column core.topic_sentence.pages is 'Pages that say it, also in other words.';
comment on column core.topic_sentence.hosts is 'Distinct hosts of these.';
comment on column core.topic_sentence.page_id is 'The page it is taken from.';
comment on column core.topic_sentence.bucket is 'Bucket of the page''s host.';
comment on column core.topic_sentence.version is 'The version that first had it; of one taken back the last that had it.';
comment on column core.topic_sentence.at is 'When that version was first seen.';
comment on column core.topic_sentence.label is 'new, update, repeat, row or retracted.';
comment on column core.topic_sentence.cluster is 'Number of what it tells of; rewrites of it share one.';
comment on column core.topic_sentence.cosine is 'Likeness to the nearest past sentence.';
comment on column core.topic_sentence.earlier is 'The nearest past sentence of an update, or the values before.';
comment on column core.topic_sentence.said_by is 'Pages that say it.';

create table core.topic_history (
    topic_id     integer not null,
    period_start timestamptz not null,
    sentences    integer not null,
    data         bytea not null,
    primary key (topic_id, period_start)
);
alter table core.topic_history alter column data set storage external;
comment on table core.topic_history is 'What was said in a topic, period by period: the index from which novelty is told.';
comment on column core.topic_history.topic_id is 'The topic.';
comment on column core.topic_history.period_start is 'Start of the period.';
comment on column core.topic_history.sentences is 'Number of sentences.';
comment on column core.topic_history.data is 'The index of the sentences and their texts, compressed.';

create view api_v1.topic as
select t.name as topic, t.query, t.language, coalesce(n.pages, 0) as pages, r.last_period, t.provider, t.rank, coalesce(n.proposed, 0) as proposed, t.added_at, t.formed_at, t.paused_at, t.note
from core.topic t
left join (select p.topic_id, count(*) filter (where p.added_at is not null and p.left_at is null) as pages,
                  count(*) filter (where p.added_at is null and p.left_at is null) as proposed
           from core.topic_page p group by p.topic_id) n using (topic_id)
left join (select d.topic_id, max(d.period_end) as last_period from core.topic_period d group by d.topic_id) r using (topic_id);
comment on view api_v1.topic is 'Topics with the size of their collections.';
comment on column api_v1.topic.topic is 'Name of the topic.';
comment on column api_v1.topic.query is 'What its pages are about.';
comment on column api_v1.topic.language is 'Language of its sentences; empty: each page has its own [ISO 639-1].';
comment on column api_v1.topic.pages is 'Pages of the collection.';
comment on column api_v1.topic.last_period is 'End of the last period that was summed up; null before the first [UTC].';
comment on column api_v1.topic.provider is 'Where its first pages come from.';
comment on column api_v1.topic.rank is 'How its summaries are ranked: novel or paper.';
comment on column api_v1.topic.proposed is 'Pages that wait for a person to accept them.';
comment on column api_v1.topic.added_at is 'When the topic was first configured [UTC].';
comment on column api_v1.topic.formed_at is 'When its collection was complete; null while it is being formed [UTC].';
comment on column api_v1.topic.paused_at is 'Since when it is no longer configured; null while it is [UTC].';
comment on column api_v1.topic.note is 'What forming came to.';

create view api_v1.topic_period as
select t.name as topic, d.period_start, d.period_end, d.pages_checked, d.pages_changed, d.sentences, d.rank, d.pages, d.tracked, d.hosts_changed, d.fetches, d.failed, d.first_read, d.boilerplate, d.copies, d.repeats, d.fresh, d.added, d.proposed, d.departed, d.note, d.computed_at
from core.topic_period d
join core.topic t using (topic_id);
comment on view api_v1.topic_period is 'Periods of topics. A period without fetches or changes has its row too.';
comment on column api_v1.topic_period.topic is 'Name of the topic.';
comment on column api_v1.topic_period.period_start is 'Start of the period [UTC].';
comment on column api_v1.topic_period.period_end is 'End of the period, which belongs to the next one [UTC].';
comment on column api_v1.topic_period.pages_checked is 'Pages that were fetched with success: N of the weights.';
comment on column api_v1.topic_period.pages_changed is 'Those that had new sentences.';
comment on column api_v1.topic_period.sentences is 'New sentences.';
comment on column api_v1.topic_period.rank is 'How the summary is ranked: novel or paper.';
comment on column api_v1.topic_period.pages is 'Pages of the collection.';
comment on column api_v1.topic_period.tracked is 'Best pages, which were read for the summary.';
comment on column api_v1.topic_period.hosts_changed is 'Distinct hosts of the pages that changed.';
comment on column api_v1.topic_period.fetches is 'Attempts on the pages.';
comment on column api_v1.topic_period.failed is 'Attempts that failed.';
comment on column api_v1.topic_period.first_read is 'Pages read for the first time, whose text counts as known.';
comment on column api_v1.topic_period.boilerplate is 'New sentences that stand on many pages of their site; they are not counted.';
comment on column api_v1.topic_period.copies is 'Second ones of a host.';
comment on column api_v1.topic_period.repeats is 'New on their page, but said before elsewhere in the topic.';
comment on column api_v1.topic_period.fresh is 'The others: new, or updates.';
comment on column api_v1.topic_period.added is 'Pages that joined at its end.';
comment on column api_v1.topic_period.proposed is 'Pages that were proposed to a person.';
comment on column api_v1.topic_period.departed is 'Pages that left.';
comment on column api_v1.topic_period.note is 'What a reader has to know.';
comment on column api_v1.topic_period.computed_at is 'When it was computed [UTC].';

create view api_v1.topic_score as
select t.name as topic, d.period_start, d.period_end, s.page_id, p.url, s.fetches, s.version_from, s.version_to, s.sentences, s.terms, s.weights, s.score, s.linked, s.up_to_date, s.rank, s.tracked, s.bucket
from core.topic_score s
join core.topic_period d using (topic_id, period_start)
join core.topic t using (topic_id)
join core.page p on p.bucket = s.bucket and p.page_id = s.page_id;
comment on view api_v1.topic_score is 'What each page of a topic brought in a period; every figure follows from those before it.';
comment on column api_v1.topic_score.topic is 'Name of the topic.';
comment on column api_v1.topic_score.period_start is 'Start of the period [UTC].';
comment on column api_v1.topic_score.period_end is 'End of the period, which belongs to the next one [UTC].';
comment on column api_v1.topic_score.page_id is 'The page.';
comment on column api_v1.topic_score.url is 'Its URL.';
comment on column api_v1.topic_score.fetches is 'Attempts that gave a version.';
comment on column api_v1.topic_score.version_from is 'The version before, or its first.';
comment on column api_v1.topic_score.version_to is 'The last version of the period; null: it was not fetched.';
comment on column api_v1.topic_score.sentences is 'New sentences.';
comment on column api_v1.topic_score.terms is 'N_d: occurrences of terms in them.';
comment on column api_v1.topic_score.weights is 'Sum of the weights W of these occurrences.';
comment on column api_v1.topic_score.score is 'S = weights (1 + ln terms) / terms, 0 without terms (SCIENCE J3).';
comment on column api_v1.topic_score.linked is 'Portion of the scores of pages of its site that it links to.';
comment on column api_v1.topic_score.up_to_date is 'D = sum over its periods t = 1..T of (S_t + linked_t) / (T - t + 1) (SCIENCE J4).';
comment on column api_v1.topic_score.rank is 'Rank by that.';
comment on column api_v1.topic_score.tracked is 'It is among the best pages.';
comment on column api_v1.topic_score.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.topic_term as
select t.name as topic, d.period_start, d.period_end, w.rank, w.word as term, w.weight, w.pages, w.hosts, w.term as stem, w.occurrences, w.g2, w.trend, w.burst_since
from core.topic_term w
join core.topic_period d using (topic_id, period_start)
join core.topic t using (topic_id);
comment on view api_v1.topic_term is 'Terms of the periods of topics, the heaviest first.';
comment on column api_v1.topic_term.topic is 'Name of the topic.';
comment on column api_v1.topic_term.period_start is 'Start of the period [UTC].';
comment on column api_v1.topic_term.period_end is 'End of the period, which belongs to the next one [UTC].';
comment on column api_v1.topic_term.rank is 'Rank by weight, from 1 on.';
comment on column api_v1.topic_term.term is 'The word that stands for the stem most often.';
comment on column api_v1.topic_term.weight is 'W = occurrences exp(pages / pages_checked) (SCIENCE J1).';
comment on column api_v1.topic_term.pages is 'n: pages whose new sentences have it.';
comment on column api_v1.topic_term.hosts is 'Distinct hosts of these.';
comment on column api_v1.topic_term.stem is 'The stem.';
comment on column api_v1.topic_term.occurrences is 'CF: occurrences in the new sentences.';
comment on column api_v1.topic_term.g2 is 'Likelihood ratio of its share of hosts against the periods before; negative: it became rarer.';
comment on column api_v1.topic_term.trend is 'rising, falling or steady.';
comment on column api_v1.topic_term.burst_since is 'Start of the period in which its burst began [UTC].';

create view api_v1.topic_sentence as
select t.name as topic, d.period_start, d.period_end, s.rank, s.sentence, s.before, s.after, s.weight, s.pages, s.hosts, s.page_id, p.url, s.version, s.label, s.kind, s.place, s.at, s.cosine, s.earlier, s.cluster, s.said_by, s.bucket
from core.topic_sentence s
join core.topic_period d using (topic_id, period_start)
join core.topic t using (topic_id)
join core.page p on p.bucket = s.bucket and p.page_id = s.page_id
where s.mode = d.rank;
comment on view api_v1.topic_sentence is 'The summaries of periods, ranked as their topic asks.';
comment on column api_v1.topic_sentence.topic is 'Name of the topic.';
comment on column api_v1.topic_sentence.period_start is 'Start of the period [UTC].';
comment on column api_v1.topic_sentence.period_end is 'End of the period, which belongs to the next one [UTC].';
comment on column api_v1.topic_sentence.rank is 'Rank among those of its kind, from 1 on.';
comment on column api_v1.topic_sentence.sentence is 'The sentence; of figures the name of the row with its values.';
comment on column api_v1.topic_sentence.before is 'The sentence before it on the page.';
comment on column api_v1.topic_sentence.after is 'The one after it.';
comment on column api_v1.topic_sentence.weight is 'Mean weight of its terms in mode paper (SCIENCE J11); hosts, novelty and interest in mode novel.';
comment on column api_v1.topic_sentence.pages is 'Pages that say it, also in other words.';
comment on column api_v1.topic_sentence.hosts is 'Distinct hosts of these.';
comment on column api_v1.topic_sentence.page_id is 'The page it is taken from.';
comment on column api_v1.topic_sentence.url is 'Its URL.';
comment on column api_v1.topic_sentence.version is 'The version that first had it; of one taken back the last that had it.';
comment on column api_v1.topic_sentence.label is 'new, update, repeat, row or retracted.';
comment on column api_v1.topic_sentence.kind is 'sentence, row (figures of a table) or retracted.';
comment on column api_v1.topic_sentence.place is 'Place in the order in which the summary is read.';
comment on column api_v1.topic_sentence.at is 'When that version was first seen [UTC].';
comment on column api_v1.topic_sentence.cosine is 'Likeness to the nearest past sentence.';
comment on column api_v1.topic_sentence.earlier is 'The nearest past sentence of an update, or the values before.';
comment on column api_v1.topic_sentence.cluster is 'Number of what it tells of; rewrites of it share one.';
comment on column api_v1.topic_sentence.said_by is 'Pages that say it.';
comment on column api_v1.topic_sentence.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.topic_sentence_by_mode as
select t.name as topic, d.period_start, d.period_end, s.rank, s.sentence, s.before, s.after, s.weight, s.pages, s.hosts, s.page_id, p.url, s.version, s.label, s.kind, s.place, s.at, s.cosine, s.earlier, s.cluster, s.said_by, s.mode, s.bucket
from core.topic_sentence s
join core.topic_period d using (topic_id, period_start)
join core.topic t using (topic_id)
join core.page p on p.bucket = s.bucket and p.page_id = s.page_id;
comment on view api_v1.topic_sentence_by_mode is 'The summaries of periods in both modes, novel and paper, to compare them.';
comment on column api_v1.topic_sentence_by_mode.topic is 'Name of the topic.';
comment on column api_v1.topic_sentence_by_mode.period_start is 'Start of the period [UTC].';
comment on column api_v1.topic_sentence_by_mode.period_end is 'End of the period, which belongs to the next one [UTC].';
comment on column api_v1.topic_sentence_by_mode.rank is 'Rank among those of its kind, from 1 on.';
comment on column api_v1.topic_sentence_by_mode.sentence is 'The sentence; of figures the name of the row with its values.';
comment on column api_v1.topic_sentence_by_mode.before is 'The sentence before it on the page.';
comment on column api_v1.topic_sentence_by_mode.after is 'The one after it.';
comment on column api_v1.topic_sentence_by_mode.weight is 'Mean weight of its terms in mode paper (SCIENCE J11); hosts, novelty and interest in mode novel.';
comment on column api_v1.topic_sentence_by_mode.pages is 'Pages that say it, also in other words.';
comment on column api_v1.topic_sentence_by_mode.hosts is 'Distinct hosts of these.';
comment on column api_v1.topic_sentence_by_mode.page_id is 'The page it is taken from.';
comment on column api_v1.topic_sentence_by_mode.url is 'Its URL.';
comment on column api_v1.topic_sentence_by_mode.version is 'The version that first had it; of one taken back the last that had it.';
comment on column api_v1.topic_sentence_by_mode.label is 'new, update, repeat, row or retracted.';
comment on column api_v1.topic_sentence_by_mode.kind is 'sentence, row (figures of a table) or retracted.';
comment on column api_v1.topic_sentence_by_mode.place is 'Place in the order in which the summary is read.';
comment on column api_v1.topic_sentence_by_mode.at is 'When that version was first seen [UTC].';
comment on column api_v1.topic_sentence_by_mode.cosine is 'Likeness to the nearest past sentence.';
comment on column api_v1.topic_sentence_by_mode.earlier is 'The nearest past sentence of an update, or the values before.';
comment on column api_v1.topic_sentence_by_mode.cluster is 'Number of what it tells of; rewrites of it share one.';
comment on column api_v1.topic_sentence_by_mode.said_by is 'Pages that say it.';
comment on column api_v1.topic_sentence_by_mode.mode is 'novel or paper.';
comment on column api_v1.topic_sentence_by_mode.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

-- +goose Down
drop view api_v1.topic_sentence_by_mode, api_v1.topic_sentence, api_v1.topic_term, api_v1.topic_score, api_v1.topic_period, api_v1.topic;
drop table core.topic_history, core.topic_sentence, core.topic_term, core.topic_score, core.topic_period;
