-- Novelty of pages that are found between snapshots (SCIENCE T17).

-- +goose Up
create table core.series_between (
    series_id integer not null,
    page_id   bigint not null,
    bucket    integer not null,
    class     core.page_class not null,
    novelty   real not null,
    in_links  integer not null,
    found_at  timestamptz not null,
    after     timestamptz not null,
    until     timestamptz not null,
    born_from timestamptz,
    born_to   timestamptz,
    born_new  real,
    primary key (series_id, page_id, bucket)
);
select core.distribute('core.series_between');
comment on table core.series_between is 'Pages first heard of, and fetched, since the last snapshot of a series began. A computation replaces all rows of its series.';
comment on column core.series_between.series_id is 'The series.';
comment on column core.series_between.page_id is 'The page.';
comment on column core.series_between.bucket is 'Bucket of the page''s host.';
comment on column core.series_between.class is 'O where a rule tells the page to be old, else U.';
comment on column core.series_between.novelty is 'Novelty in the window (after, until].';
comment on column core.series_between.in_links is 'Pages of which a fetch in the window links to it.';
comment on column core.series_between.found_at is 'When the page was first fetched.';
comment on column core.series_between.after is 'Begin of the window: the start of the last snapshot.';
comment on column core.series_between.until is 'End of the window.';
comment on column core.series_between.born_from is 'The page appeared between here and born_to with a probability of 0.9; null for class O.';
comment on column core.series_between.born_to is 'See born_from.';
comment on column core.series_between.born_new is 'Probability that it appeared in the window.';

create view api_v1.novelty_between as
select s.name as series, b.page_id, p.url, b.found_at, b.class::text as class, b.novelty, b.in_links, b.after, b.until,
       b.born_from, b.born_to, b.born_new as new, b.bucket
from core.series_between b
join core.series s using (series_id)
join core.page p using (bucket, page_id);
comment on view api_v1.novelty_between is 'Pages that were found since the last snapshot of a series began, by recrawling pages that link to them, with their novelty as if a snapshot had been taken at the end.';
comment on column api_v1.novelty_between.series is 'The series.';
comment on column api_v1.novelty_between.page_id is 'The page.';
comment on column api_v1.novelty_between.url is 'Canonical URL of the page.';
comment on column api_v1.novelty_between.found_at is 'When the page was first fetched [UTC].';
comment on column api_v1.novelty_between.class is 'O: told to be old by its Last-Modified or a page that links to it; U: not known to be old.';
comment on column api_v1.novelty_between.novelty is 'How likely the page is new; 0 for class O.';
comment on column api_v1.novelty_between.in_links is 'Pages of which a fetch in the window links to it.';
comment on column api_v1.novelty_between.after is 'Begin of the window, not in it: the start of the series'' last snapshot [UTC].';
comment on column api_v1.novelty_between.until is 'End of the window: when this was computed [UTC].';
comment on column api_v1.novelty_between.born_from is 'The page appeared from here on, with born_to as the end of an interval of probability 0.9; null for class O [UTC].';
comment on column api_v1.novelty_between.born_to is 'The page appeared up to here [UTC].';
comment on column api_v1.novelty_between.new is 'Probability that it appeared in the window.';
comment on column api_v1.novelty_between.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

-- +goose Down
drop view api_v1.novelty_between;
drop table core.series_between;
