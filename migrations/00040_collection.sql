-- The language model of all pages: how often each word is used in the versions
-- that were seen hour by hour, kept a period at a time.

-- +goose Up
create table core.collection_todo (
    todo_id      bigint      generated always as identity primary key,
    period_start timestamptz not null
);
comment on table core.collection_todo is 'Periods in which fetches saw versions that are not in the language model yet. Writers only append, so that none waits for another.';
comment on column core.collection_todo.todo_id is 'Number of the row.';
comment on column core.collection_todo.period_start is 'Start of the period: a year before 2025, a day from then on.';
insert into core.collection_todo (period_start)
select distinct date_trunc(case when t.at < timestamp '2025-01-01' then 'year' else 'day' end, t.at) at time zone 'UTC'
from (select distinct date_trunc('hour', started_at at time zone 'UTC') as hour from core.fetch where version is not null) f
cross join lateral (values (f.hour - interval '1 hour'), (f.hour + interval '2 hours')) t(at);

create table core.collection_period (
    period_start timestamptz primary key,
    slots        integer     not null,
    versions     bigint      not null,
    words        bigint      not null,
    terms        bigint      not null,
    cut          bigint      not null,
    data         bytea       not null,
    computed_at  timestamptz not null
);
alter table core.collection_period alter column data set storage external;
comment on table core.collection_period is 'What a period adds to the language model of all pages; a period with fetches that came later is computed anew.';
comment on column core.collection_period.period_start is 'Start of the period: a year before 2025, a day from then on.';
comment on column core.collection_period.slots is 'Hours of the period in which a version with words was seen.';
comment on column core.collection_period.versions is 'Versions seen, each once an hour.';
comment on column core.collection_period.words is 'Words of these versions.';
comment on column core.collection_period.terms is 'Distinct words among them.';
comment on column core.collection_period.cut is 'Words with a smaller sum of shares are not in data, in units of 2^-44; 0: all are.';
comment on column core.collection_period.data is 'The words, ascending, with the sums over the hours of their shares of all words.';
comment on column core.collection_period.computed_at is 'When this was computed.';

create table core.collection_term (
    term text   collate "C" primary key,
    sum  bigint not null
) with (fillfactor = 80);
comment on table core.collection_term is 'The language model of all pages: the sum over all periods of core.collection_period.';
comment on column core.collection_term.term is 'The word.';
comment on column core.collection_term.sum is 'Sum over the hours of the word''s share of the words of all versions seen in the hour, in units of 2^-44.';

create view api_v1.collection_term as
select c.term, c.sum / 17592186044416.0::double precision / s.slots as share
from core.collection_term c
cross join (select sum(slots)::double precision as slots from core.collection_period) s;
comment on view api_v1.collection_term is 'The language model of all pages: how often each word is used. Words too rare to be kept have no row.';
comment on column api_v1.collection_term.term is 'The word.';
comment on column api_v1.collection_term.share is 'Mean over the hours of its share of the words of all versions that were seen in the hour.';

create or replace view api_v1.term as
select t.page_id, p.url, u.term, u.power as staying_power,
       case when u.p_doc > 0 then u.p_doc * ln(u.p_doc / c.share) end as divergence,
       t.origin + u.first_slot * interval '1 hour' as first_seen, t.origin + u.last_slot * interval '1 hour' as last_seen, u.versions,
       u.p_doc as share, t.sampled, t.bucket
from core.page_terms t
join core.page p using (bucket, page_id)
cross join lateral unnest(t.terms, t.power, t.p_doc, t.first_slot, t.last_slot, t.versions) u(term, power, p_doc, first_slot, last_slot, versions)
left join api_v1.collection_term c on c.term = (u.term collate "C");
comment on column api_v1.term.divergence is 'How the term sets the page apart from all pages: share times the logarithm of share over the share that it has of the words of all pages; negative for a word that is rarer here. Null for a word that the language model does not have, being too rare or too new.';

-- +goose Down
create or replace view api_v1.term as
select t.page_id, p.url, u.term, u.power as staying_power, null::double precision as divergence,
       t.origin + u.first_slot * interval '1 hour' as first_seen, t.origin + u.last_slot * interval '1 hour' as last_seen, u.versions,
       u.p_doc as share, t.sampled, t.bucket
from core.page_terms t
join core.page p using (bucket, page_id)
cross join lateral unnest(t.terms, t.power, t.p_doc, t.first_slot, t.last_slot, t.versions) u(term, power, p_doc, first_slot, last_slot, versions);
drop view api_v1.collection_term;
drop table core.collection_term, core.collection_period, core.collection_todo;
