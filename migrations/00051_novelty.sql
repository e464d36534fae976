-- What is computed of a finished snapshot: classes and novelty of its pages, and how
-- far the scores may be trusted (SCIENCE T2 to T9).

-- +goose Up
create type core.page_class as enum ('L2', 'O', 'U');
comment on type core.page_class is 'Class of a crawled page: L2 old and crawled by the snapshot before, O another old page, U not known to be old.';

create table core.snapshot_novelty (
    snapshot_id integer not null,
    page_id     bigint not null,
    bucket      integer not null,
    class       core.page_class not null,
    old_by      smallint not null,
    novelty     real not null,
    in_links    integer not null,
    primary key (snapshot_id, page_id, bucket)
);
select core.distribute('core.snapshot_novelty');
comment on table core.snapshot_novelty is 'Class and novelty of each crawled page of a snapshot. A computation replaces all rows of its snapshot.';
comment on column core.snapshot_novelty.snapshot_id is 'The snapshot.';
comment on column core.snapshot_novelty.page_id is 'The page.';
comment on column core.snapshot_novelty.bucket is 'Bucket of the page''s host.';
comment on column core.snapshot_novelty.class is 'Class of the page.';
comment on column core.snapshot_novelty.old_by is 'First rule that told it to be old: 1 the series knew it before, 2 its Last-Modified, 3 a page that links to it has an old Last-Modified, 4 the month in its URL; 0 for U.';
comment on column core.snapshot_novelty.novelty is 'Novelty: 1 for L2, 0 for O, from 0 to 1 - delta for U.';
comment on column core.snapshot_novelty.in_links is 'Crawled pages that link to it, itself included where it does.';

create table core.snapshot_convergence (
    snapshot_id integer not null,
    delta       double precision not null,
    iteration   integer not null,
    l1          double precision not null,
    primary key (snapshot_id, delta, iteration)
);
comment on table core.snapshot_convergence is 'How the scores of a snapshot came to rest.';
comment on column core.snapshot_convergence.snapshot_id is 'The snapshot.';
comment on column core.snapshot_convergence.delta is 'Decay of novelty per link.';
comment on column core.snapshot_convergence.iteration is 'Iteration, from 1.';
comment on column core.snapshot_convergence.l1 is 'Sum over U of how much the scores changed in it.';

create table core.snapshot_distribution (
    snapshot_id integer not null,
    delta       double precision not null,
    bin         smallint not null,
    pages       bigint not null,
    primary key (snapshot_id, delta, bin)
);
comment on table core.snapshot_distribution is 'How novelty is spread over U.';
comment on column core.snapshot_distribution.snapshot_id is 'The snapshot.';
comment on column core.snapshot_distribution.delta is 'Decay of novelty per link.';
comment on column core.snapshot_distribution.bin is '0 for novelty 0, i for novelty above (i-1)/10 and up to i/10.';
comment on column core.snapshot_distribution.pages is 'Pages of U.';

create table core.snapshot_truth (
    snapshot_id integer not null,
    truth       text not null,
    old         bigint not null,
    new         bigint not null,
    future      bigint not null,
    undated     bigint not null,
    primary key (snapshot_id, truth)
);
comment on table core.snapshot_truth is 'Pages of U whose age is known from elsewhere.';
comment on column core.snapshot_truth.snapshot_id is 'The snapshot.';
comment on column core.snapshot_truth.truth is 'What tells when a page appeared: url, the month in its URL; page, the date that the page gives itself.';
comment on column core.snapshot_truth.old is 'Pages of U dated before the month of the snapshot before.';
comment on column core.snapshot_truth.new is 'Pages of U dated from that month to the month of the snapshot.';
comment on column core.snapshot_truth.future is 'Pages of U dated later.';
comment on column core.snapshot_truth.undated is 'Pages of U without such a date.';

create table core.snapshot_accuracy (
    snapshot_id integer not null,
    truth       text not null,
    delta       double precision not null,
    threshold   double precision not null,
    judged      bigint not null,
    hits        bigint not null,
    primary key (snapshot_id, truth, delta, threshold)
);
comment on table core.snapshot_accuracy is 'Judgements by novelty held against pages whose age is known.';
comment on column core.snapshot_accuracy.snapshot_id is 'The snapshot.';
comment on column core.snapshot_accuracy.truth is 'What tells when a page appeared: url or page.';
comment on column core.snapshot_accuracy.delta is 'Decay of novelty per link.';
comment on column core.snapshot_accuracy.threshold is 'Pages of U of at least this novelty are judged novel; 0 judges all.';
comment on column core.snapshot_accuracy.judged is 'Dated pages judged novel.';
comment on column core.snapshot_accuracy.hits is 'Those of them that are.';

create table core.snapshot_miss (
    snapshot_id integer not null,
    delta       double precision not null,
    pages       bigint not null,
    above_zero  bigint not null,
    above_tenth bigint not null,
    primary key (snapshot_id, delta)
);
comment on table core.snapshot_miss is 'How often novelty misses, with the rules on Last-Modified switched off and Last-Modified as judge.';
comment on column core.snapshot_miss.snapshot_id is 'The snapshot.';
comment on column core.snapshot_miss.delta is 'Decay of novelty per link.';
comment on column core.snapshot_miss.pages is 'Pages that are in U by the first rule alone and old by their Last-Modified.';
comment on column core.snapshot_miss.above_zero is 'Those of them with a novelty above 0.';
comment on column core.snapshot_miss.above_tenth is 'Those with at least 0.1.';

-- +goose Down
drop table core.snapshot_miss, core.snapshot_accuracy, core.snapshot_truth, core.snapshot_distribution, core.snapshot_convergence, core.snapshot_novelty;
drop type core.page_class;
