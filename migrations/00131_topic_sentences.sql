-- +goose Up
-- A summary's figures of tables and what was taken back have ranks of their own, so that three rows of a period had rank 1, and the
-- best five by rank were figures. They are in topic_sentence_by_mode, by kind.
create or replace view api_v1.topic_sentence as
select t.name as topic, d.period_start, d.period_end, s.rank, s.sentence, s.before, s.after, s.weight, s.pages, s.hosts, s.page_id, p.url, s.version, s.label, s.kind, s.place, s.at, s.cosine, s.earlier, s.cluster, s.said_by, s.bucket
from core.topic_sentence s
join core.topic_period d using (topic_id, period_start)
join core.topic t using (topic_id)
join core.page p on p.bucket = s.bucket and p.page_id = s.page_id
where s.mode = d.rank and s.kind = 'sentence';
comment on view api_v1.topic_sentence is 'The sentences of the summaries of periods, ranked as their topic asks. Figures of tables and what was taken back are in topic_sentence_by_mode.';
comment on column api_v1.topic_sentence.rank is 'Rank in its period, from 1 on.';
comment on column api_v1.topic_sentence.sentence is 'The sentence.';
comment on column api_v1.topic_sentence.version is 'The version that first had it.';
comment on column api_v1.topic_sentence.label is 'new, update or repeat.';
comment on column api_v1.topic_sentence.kind is 'sentence.';
comment on column api_v1.topic_sentence.earlier is 'The nearest past sentence of an update or a repeat; of an update the last state before it.';

-- +goose Down
create or replace view api_v1.topic_sentence as
select t.name as topic, d.period_start, d.period_end, s.rank, s.sentence, s.before, s.after, s.weight, s.pages, s.hosts, s.page_id, p.url, s.version, s.label, s.kind, s.place, s.at, s.cosine, s.earlier, s.cluster, s.said_by, s.bucket
from core.topic_sentence s
join core.topic_period d using (topic_id, period_start)
join core.topic t using (topic_id)
join core.page p on p.bucket = s.bucket and p.page_id = s.page_id
where s.mode = d.rank;
comment on view api_v1.topic_sentence is 'The summaries of periods, ranked as their topic asks.';
comment on column api_v1.topic_sentence.rank is 'Rank among those of its kind, from 1 on.';
comment on column api_v1.topic_sentence.sentence is 'The sentence; of figures the name of the row with its values.';
comment on column api_v1.topic_sentence.version is 'The version that first had it; of one taken back the last that had it.';
comment on column api_v1.topic_sentence.label is 'new, update, repeat, row or retracted.';
comment on column api_v1.topic_sentence.kind is 'sentence, row (figures of a table) or retracted.';
comment on column api_v1.topic_sentence.earlier is 'The nearest past sentence of an update, or the values before.';
