-- What is known of watched pages from outside: category, genre, visitors and
-- weight as configured, and categories found by a classifier that learned from
-- those.

-- +goose Up
alter table core.watch_page add column category text, add column genre text, add column visitors integer, add column weight real;
comment on column core.watch_page.category is 'Category that the watch gives to this page; null: that of the watch.';
comment on column core.watch_page.genre is 'Genre that the watch gives to this page; null: that of the watch.';
comment on column core.watch_page.visitors is 'Visitors of the page in the log that it was drawn from (SCIENCE A1); null where not known.';
comment on column core.watch_page.weight is 'Number of pages that it stands for in the sample (SCIENCE A2), 0 for one that was added for its visitors; null outside of samples.';

alter table core.page add column visitors integer, add column weight real;
comment on column core.page.category is 'Category as configured, by the first of its watches that has one; never auto.';
comment on column core.page.genre is 'Genre as configured.';
comment on column core.page.visitors is 'Visitors of the page as configured.';
comment on column core.page.weight is 'Number of pages that it stands for, as configured.';

create table core.classifier (
    classifier_id integer generated always as identity primary key,
    trained_at    timestamptz not null,
    trained_on    bytea       not null,
    pages         integer     not null,
    categories    jsonb       not null,
    tested        integer     not null,
    correct       integer     not null,
    sites_apart   boolean     not null,
    refused       text
);
comment on table core.classifier is 'Classifiers of categories that were learned from labelled pages. The last row is the one in force; the model itself follows from the pages and is not kept.';
comment on column core.classifier.classifier_id is 'Number of the classifier.';
comment on column core.classifier.trained_at is 'When it was trained.';
comment on column core.classifier.trained_on is 'Hash of the labels and contents that it was trained on, so that the same ones are not learned again.';
comment on column core.classifier.pages is 'Labelled pages that it was trained on.';
comment on column core.classifier.categories is 'A list of category, pages, sites, correct: the labelled pages of each category and how many of them cross-validation found.';
comment on column core.classifier.tested is 'Labelled pages in the cross-validation.';
comment on column core.classifier.correct is 'Those that a classifier trained without their part put into the right category.';
comment on column core.classifier.sites_apart is 'Pages of one site were never on both sides of the cross-validation.';
comment on column core.classifier.refused is 'Why no classifier was made; null when one was.';

create table core.page_category (
    page_id       bigint  not null,
    bucket        integer not null,
    classifier_id integer not null,
    category      text    not null,
    margin        real    not null,
    record        bytea   not null,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_category');
comment on table core.page_category is 'Categories that the classifier found, of pages of watches with category auto.';
comment on column core.page_category.page_id is 'The page.';
comment on column core.page_category.bucket is 'Bucket of the page''s host.';
comment on column core.page_category.classifier_id is 'The classifier.';
comment on column core.page_category.category is 'The category found.';
comment on column core.page_category.margin is 'How much more similar the page is to this category than to the next, 0 to 1.';
comment on column core.page_category.record is 'Content of the version that was looked at.';

drop view api_v1.change_by_class, api_v1.page;
create view api_v1.page as
select p.page_id, p.url, h.name as host, h.site, h.tld, p.depth, coalesce(p.category, f.category) as category, p.first_seen,
       s.last_fetched, nullif(s.version, 0) as last_version, s.language, s.title,
       p.category is null and f.category is not null as category_found, case when p.category is null then f.margin end as category_margin,
       p.genre, p.visitors, p.weight, p.bucket
from core.page p
join core.host h using (bucket, host_id)
left join core.page_state s using (bucket, page_id)
left join core.page_category f using (bucket, page_id);
comment on view api_v1.page is 'Pages: one canonical URL each, fetched or only heard of by a link.';
comment on column api_v1.page.page_id is 'Id for all time.';
comment on column api_v1.page.url is 'Canonical URL.';
comment on column api_v1.page.host is 'Host name.';
comment on column api_v1.page.site is 'Registrable domain.';
comment on column api_v1.page.tld is 'Last label of the host name.';
comment on column api_v1.page.depth is 'Number of non-empty path segments.';
comment on column api_v1.page.category is 'Topic category: as configured, or found by the classifier where a watch says auto; see category_found.';
comment on column api_v1.page.first_seen is 'When the URL was first heard of [UTC].';
comment on column api_v1.page.last_fetched is 'Start of the last attempt; null where the page was never fetched [UTC].';
comment on column api_v1.page.last_version is 'Number of the last version; null before the first.';
comment on column api_v1.page.language is 'Language of the last version [ISO 639-1].';
comment on column api_v1.page.title is 'Title of the last version.';
comment on column api_v1.page.category_found is 'The category was found by the classifier, not configured.';
comment on column api_v1.page.category_margin is 'How much more similar the page is to its category than to the next, 0 to 1; null unless found.';
comment on column api_v1.page.genre is 'Genre as configured.';
comment on column api_v1.page.visitors is 'Visitors in the log that the page was drawn from; null where not known.';
comment on column api_v1.page.weight is 'Number of pages that it stands for in a sample, 0 for one added for its visitors; null outside of samples.';
comment on column api_v1.page.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.change_by_class as
with seen as (
    select p.bucket, p.page_id, h.tld, h.site, p.depth, coalesce(p.category, f.category) as category, p.genre, p.visitors, k.knot_hours, k.knot_dice,
           sum(v.fetches)::float8 as fetches, extract(epoch from max(v.last_seen) - min(v.first_seen))::float8 / 3600 as hours
    from core.version v
    join core.page p using (bucket, page_id)
    join core.host h using (bucket, host_id)
    left join core.page_curve k using (bucket, page_id)
    left join core.page_category f using (bucket, page_id)
    group by p.bucket, p.page_id, h.tld, h.site, p.depth, p.category, f.category, p.genre, p.visitors, k.knot_hours, k.knot_dice
    having sum(v.fetches) > 1
), changed as (
    select c.bucket, c.page_id, count(*) as changes, avg(c.dice) as dice,
           (sum(c.hours) - (array_agg(c.hours order by c.version))[1]) / nullif(count(*) - 1, 0) as hours
    from core.change c
    where c.text_changed and not c.masked
    group by c.bucket, c.page_id
), watched as (
    select s.tld, s.site, s.depth, s.category, s.genre, s.visitors, s.knot_hours, s.knot_dice, coalesce(c.changes, 0) as changes, c.dice, c.hours,
           case when s.hours > 0 then
               -24 * (s.fetches - 1) / s.hours * ln((s.fetches - 1 - least(coalesce(c.changes, 0), s.fetches - 1) + 0.5) / (s.fetches - 1 + 0.5)) end as rate
    from seen s
    left join changed c using (bucket, page_id)
)
select k.class_kind, k.class, count(*) as pages, count(*) filter (where w.changes = 0) as unchanged,
       avg(w.hours) as hours_mean, percentile_cont(0.5) within group (order by w.hours) as hours_median,
       avg(w.dice) as dice_mean, avg(w.knot_hours) as knot_hours_mean, avg(w.knot_dice) as knot_dice_mean,
       percentile_cont(0.5) within group (order by w.dice) as dice_median,
       percentile_cont(0.5) within group (order by w.knot_hours) as knot_hours_median,
       percentile_cont(0.5) within group (order by w.knot_dice) as knot_dice_median, count(w.knot_hours) as knotted,
       avg(w.rate) filter (where w.changes > 0) as rate_mean,
       percentile_cont(0.5) within group (order by w.rate) filter (where w.changes > 0) as rate_median
from watched w
cross join lateral (values ('all', 'all'),
    ('visitors', case when w.visitors >= 39 then '39+' when w.visitors >= 7 then '7-38' when w.visitors >= 3 then '3-6' when w.visitors = 2 then '2' end),
    ('tld', w.tld), ('site', w.site), ('depth', case when w.depth >= 5 then '5+' else w.depth::text end),
    ('category', w.category), ('genre', w.genre)) k(class_kind, class)
where k.class is not null
group by k.class_kind, k.class;
comment on view api_v1.change_by_class is 'How the pages of a class change: means over pages of their own means. Pages count that were seen at least twice.';
comment on column api_v1.change_by_class.class_kind is 'all, visitors, tld, site, depth, category or genre.';
comment on column api_v1.change_by_class.class is 'The class; depths of 5 and more are one, visitors are 2, 3-6, 7-38 and 39+ as configured.';
comment on column api_v1.change_by_class.pages is 'Number of pages, unchanged ones too.';
comment on column api_v1.change_by_class.unchanged is 'Pages whose text did not change; the other columns leave them out.';
comment on column api_v1.change_by_class.hours_mean is 'Mean time between changes; the time before a page''s first change is not known and left out [hours].';
comment on column api_v1.change_by_class.hours_median is 'Median over the pages of their mean time [hours].';
comment on column api_v1.change_by_class.dice_mean is 'Mean Dice coefficient of changes.';
comment on column api_v1.change_by_class.knot_hours_mean is 'Mean time to the knot of the pages that have one [hours].';
comment on column api_v1.change_by_class.knot_dice_mean is 'Mean of the change curve at the knot.';
comment on column api_v1.change_by_class.dice_median is 'Median over the pages of their mean Dice coefficient.';
comment on column api_v1.change_by_class.knot_hours_median is 'Median time to the knot [hours].';
comment on column api_v1.change_by_class.knot_dice_median is 'Median of the change curve at the knot.';
comment on column api_v1.change_by_class.knotted is 'Number of pages whose curve has a knot.';
comment on column api_v1.change_by_class.rate_mean is 'Mean rate of change by the Poisson estimate (SCIENCE A10), which allows for changes between visits [1/day].';
comment on column api_v1.change_by_class.rate_median is 'Median over the pages of the same [1/day].';

-- +goose Down
drop view api_v1.change_by_class, api_v1.page;
drop table core.page_category, core.classifier;
alter table core.page drop column visitors, drop column weight;
alter table core.watch_page drop column category, drop column genre, drop column visitors, drop column weight;
create view api_v1.page as
select p.page_id, p.url, h.name as host, h.site, h.tld, p.depth, p.category, p.first_seen,
       s.last_fetched, nullif(s.version, 0) as last_version, s.language, s.title, p.bucket
from core.page p
join core.host h using (bucket, host_id)
left join core.page_state s using (bucket, page_id);
create view api_v1.change_by_class as
with watched as (
    select s.bucket, s.page_id, h.tld, h.site, p.depth, p.category, count(c.version) > 0 as changed, avg(c.dice) as dice,
           (sum(c.hours) - (array_agg(c.hours order by c.version))[1]) / nullif(count(c.version) - 1, 0) as hours, k.knot_hours, k.knot_dice
    from core.page_state s
    join core.page p using (bucket, page_id)
    join core.host h using (bucket, host_id)
    left join core.change c on c.bucket = s.bucket and c.page_id = s.page_id and c.text_changed and not c.masked
    left join core.page_curve k on k.bucket = s.bucket and k.page_id = s.page_id
    where s.version > 1 or s.last_fetched > s.version_since
    group by s.bucket, s.page_id, h.tld, h.site, p.depth, p.category, k.knot_hours, k.knot_dice
)
select k.class_kind, k.class, count(*) as pages, count(*) filter (where not w.changed) as unchanged,
       avg(w.hours) as hours_mean, percentile_cont(0.5) within group (order by w.hours) as hours_median,
       avg(w.dice) as dice_mean, avg(w.knot_hours) as knot_hours_mean, avg(w.knot_dice) as knot_dice_mean,
       percentile_cont(0.5) within group (order by w.dice) as dice_median,
       percentile_cont(0.5) within group (order by w.knot_hours) as knot_hours_median,
       percentile_cont(0.5) within group (order by w.knot_dice) as knot_dice_median, count(w.knot_hours) as knotted
from watched w
cross join lateral (values ('all', 'all'), ('tld', w.tld), ('site', w.site),
                           ('depth', case when w.depth >= 5 then '5+' else w.depth::text end),
                           ('category', w.category)) k(class_kind, class)
where k.class is not null
group by k.class_kind, k.class;
