-- Fast rounds on pages that change all the time, pairs of requests at one moment,
-- and the noise that pairs taught.

-- +goose Up
create table core.burst_state (
    page_id      bigint      not null,
    bucket       integer     not null,
    watch_id     integer     not null,
    phase        text        not null,
    slots        integer     not null,
    slot_changes integer     not null,
    slot_text    uuid,
    first_version integer    not null default 0,
    state        bytea       not null,
    pairs        bytea       not null,
    pair_at      timestamptz,
    next_due_at  timestamptz,
    updated_at   timestamptz not null,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.burst_state');
comment on table core.burst_state is 'How far each page of a watch with bursts has come: whether it changes often enough for fast rounds, and its way through them.';
comment on column core.burst_state.page_id is 'The page.';
comment on column core.burst_state.bucket is 'Bucket of the page''s host.';
comment on column core.burst_state.watch_id is 'The watch by whose rules it goes.';
comment on column core.burst_state.phase is 'candidate, enrolled, running or done.';
comment on column core.burst_state.slots is 'Slots of the watch''s schedule that were served, as was the slot before.';
comment on column core.burst_state.slot_changes is 'Those of them in which the text differed from the slot before.';
comment on column core.burst_state.slot_text is 'Hash of the text of the last slot; null when that was missed or failed.';
comment on column core.burst_state.first_version is 'Version that the first snapshot of the current round saw; 0 between rounds.';
comment on column core.burst_state.state is 'The rounds, packed.';
comment on column core.burst_state.pairs is 'The counts of pairs, packed.';
comment on column core.burst_state.pair_at is 'When the next pair is due; null when none is.';
comment on column core.burst_state.next_due_at is 'When the next fetch of a round or pair is due; null when none is.';
comment on column core.burst_state.updated_at is 'When the row was last written, by the daemon''s clock.';

create table core.burst_result (
    page_id       bigint      not null,
    bucket        integer     not null,
    round         smallint    not null,
    snapshot      smallint    not null,
    started_at    timestamptz not null,
    offset_s      double precision not null,
    delay_s       double precision not null,
    first_version integer     not null,
    version       integer     not null,
    changed       boolean     not null,
    dice          double precision,
    primary key (page_id, bucket, round, snapshot)
);
select core.distribute('core.burst_result');
create index burst_result_unmeasured on core.burst_result (page_id) where dice is null;
comment on table core.burst_result is 'Snapshots of fast rounds compared with the first of their round (SCIENCE A7). A snapshot that was lost has no row.';
comment on column core.burst_result.page_id is 'The page.';
comment on column core.burst_result.bucket is 'Bucket of the page''s host.';
comment on column core.burst_result.round is 'Number of the round, from 0.';
comment on column core.burst_result.snapshot is 'Number of the snapshot in its round, from 1; 0 is the one that it is compared with.';
comment on column core.burst_result.started_at is 'Start of the fetch.';
comment on column core.burst_result.offset_s is 'Planned time since the start of the first snapshot of the round, in seconds.';
comment on column core.burst_result.delay_s is 'Actual time since then, in seconds.';
comment on column core.burst_result.first_version is 'Version that the first snapshot of the round saw.';
comment on column core.burst_result.version is 'Version that the snapshot saw.';
comment on column core.burst_result.changed is 'The text differs from that of the first snapshot.';
comment on column core.burst_result.dice is 'Dice coefficient of the words of the two; null until it is measured.';

create table core.page_mask (
    page_id    bigint      not null,
    bucket     integer     not null,
    watch_id   integer     not null,
    mask       bytea       not null,
    rules      jsonb       not null,
    pairs      integer     not null,
    learned_at timestamptz not null,
    active     boolean     not null,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_mask');
comment on table core.page_mask is 'Parts of pages that pairs showed to be noise: counters, clocks, advertisements, ids.';
comment on column core.page_mask.page_id is 'The page.';
comment on column core.page_mask.bucket is 'Bucket of the page''s host.';
comment on column core.page_mask.watch_id is 'The watch that asked for the pairs.';
comment on column core.page_mask.mask is 'What was learned, packed.';
comment on column core.page_mask.rules is 'The same for people: a list of rule, kind, pairs, confidence, counts.';
comment on column core.page_mask.pairs is 'Pairs that it was learned from.';
comment on column core.page_mask.learned_at is 'When the last of them was fetched.';
comment on column core.page_mask.active is 'The watch passes over masked changes; false where its masks are switched off.';

create view api_v1.page_mask as
select m.page_id, p.url, r.rule, r.kind, r.confidence, m.learned_at, r.pairs, m.active and r.counts as active, m.bucket
from core.page_mask m
join core.page p using (bucket, page_id)
cross join lateral jsonb_to_recordset(m.rules) r(rule text, kind text, confidence double precision, pairs integer, counts boolean);
comment on view api_v1.page_mask is 'What of a page is known to be noise, learned from two requests at the same moment. A change of nothing else is flagged masked.';
comment on column api_v1.page_mask.page_id is 'The page.';
comment on column api_v1.page_mask.url is 'Canonical URL of the page.';
comment on column api_v1.page_mask.rule is 'The element as a CSS selector and, behind a colon, what varies in it.';
comment on column api_v1.page_mask.kind is 'tokens: placeholders in a line of text; order: the order of children; block: the whole element.';
comment on column api_v1.page_mask.confidence is '0 to 1: n/(n + q + 1) with n pairs that showed it and q pairs since the last of them.';
comment on column api_v1.page_mask.learned_at is 'When the last pair was fetched [UTC].';
comment on column api_v1.page_mask.pairs is 'Pairs that showed it.';
comment on column api_v1.page_mask.active is 'It counts now: enough pairs over enough time showed it, and the watch has masks switched on.';
comment on column api_v1.page_mask.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.subhour_change as
with compared as (
    select r.bucket, r.page_id, r.offset_s, r.changed, r.dice from core.burst_result r
), by_page as (
    select c.offset_s / 60 as minutes, count(*) as valid, count(*) filter (where c.changed) as changed, avg(c.dice) as dice
    from compared c
    group by c.bucket, c.page_id, c.offset_s
    union all
    select 60, b.slots, b.slot_changes, null
    from core.burst_state b
    where b.phase <> 'candidate' and b.slots > 0
)
select b.minutes::double precision as interval_minutes, count(*) as pages, count(*) filter (where b.changed > 0) as any_changed,
       count(*) filter (where b.changed = b.valid) as all_changed, avg(b.dice) as dice_mean,
       percentile_cont(0.5) within group (order by b.dice) as dice_median,
       count(*) filter (where b.changed >= 0.9 * b.valid) as nearly_all_changed
from by_page b
group by b.minutes;
comment on view api_v1.subhour_change is 'Change within the hour, of pages that change nearly every hour: a row for each time since the first snapshot of a round (SCIENCE A7); 60 minutes stands for the slots of the watch''s own schedule.';
comment on column api_v1.subhour_change.interval_minutes is 'Time between the two snapshots compared, as planned [minutes].';
comment on column api_v1.subhour_change.pages is 'Pages with a valid pair of snapshots.';
comment on column api_v1.subhour_change.any_changed is 'Those whose text changed in one round at least.';
comment on column api_v1.subhour_change.all_changed is 'Those whose text changed in every round with a valid pair.';
comment on column api_v1.subhour_change.dice_mean is 'Mean over the pages of the mean Dice coefficient of a page''s pairs, pairs without change counting as 1; null at 60 minutes, see view change.';
comment on column api_v1.subhour_change.dice_median is 'Median over the pages of the same.';
comment on column api_v1.subhour_change.nearly_all_changed is 'Pages whose text changed in at least nine of ten pairs.';

-- +goose Down
drop view api_v1.subhour_change, api_v1.page_mask;
drop table core.page_mask, core.burst_result, core.burst_state;
