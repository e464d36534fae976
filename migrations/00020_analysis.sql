-- How pages change: the state that each page's measures are continued from, and
-- the measures as packed arrays, a row a page, which the views unpack.

-- +goose Up
create table core.page_analysis (
    page_id     bigint      not null,
    bucket      integer     not null,
    version     integer     not null default 0,
    origin      timestamptz,
    curve       bytea,
    sets        bytea,
    terms       bytea,
    elements    bytea,
    damaged     integer     not null default 0,
    beyond      integer     not null default 0,
    computed_at timestamptz,
    primary key (page_id, bucket)
) with (fillfactor = 70);
alter table core.page_analysis alter column curve set storage external;
alter table core.page_analysis alter column sets set storage external;
alter table core.page_analysis alter column terms set storage external;
alter table core.page_analysis alter column elements set storage external;
select core.distribute('core.page_analysis');
comment on table core.page_analysis is 'What the measures of a page are continued from when a version arrives. It covers the hourly slots before that of the last version, which a later version of the same slot may still replace.';
comment on column core.page_analysis.page_id is 'The page.';
comment on column core.page_analysis.bucket is 'Bucket of the page''s host.';
comment on column core.page_analysis.version is 'The last version that was taken into account; 0: none.';
comment on column core.page_analysis.origin is 'Middle of the first slot: when the first version was first seen. Slots are an hour.';
comment on column core.page_analysis.curve is 'State of the change curve.';
comment on column core.page_analysis.sets is 'Word sets of the versions that the curve starts from; null where they have no room and are read from the records.';
comment on column core.page_analysis.terms is 'State of the terms.';
comment on column core.page_analysis.elements is 'State of the elements.';
comment on column core.page_analysis.damaged is 'Versions left out because their record cannot be read.';
comment on column core.page_analysis.beyond is 'Versions left out because they lie beyond the longest history that is followed.';
comment on column core.page_analysis.computed_at is 'When this was computed.';

create table core.page_curve (
    page_id     bigint             not null,
    bucket      integer            not null,
    version     integer            not null,
    steps       integer[]          not null,
    dice        real[]             not null,
    support     integer[]          not null,
    full_step   integer            not null,
    shape       text               not null,
    knot_hours  double precision,
    knot_dice   double precision,
    slope1      double precision,
    slope2      double precision,
    sse         double precision,
    computed_at timestamptz        not null,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_curve');
comment on table core.page_curve is 'The change curve of a page and what was fitted to it.';
comment on column core.page_curve.page_id is 'The page.';
comment on column core.page_curve.bucket is 'Bucket of the page''s host.';
comment on column core.page_curve.version is 'The last version that it covers.';
comment on column core.page_curve.steps is 'Distances from a start, in slots of an hour, for which the curve has a value.';
comment on column core.page_curve.dice is 'The curve there.';
comment on column core.page_curve.support is 'Number of starts that it is the mean of.';
comment on column core.page_curve.full_step is 'The last distance that is inside of the history for every start; the fit uses no later ones.';
comment on column core.page_curve.shape is 'flat, sloped, knotted or unknown.';
comment on column core.page_curve.knot_hours is 'Hours to the knot; null where the curve has none.';
comment on column core.page_curve.knot_dice is 'The curve at the knot.';
comment on column core.page_curve.slope1 is 'Slope up to the knot, or of the one line, in Dice an hour.';
comment on column core.page_curve.slope2 is 'Slope beyond the knot.';
comment on column core.page_curve.sse is 'Squared error of the lines.';
comment on column core.page_curve.computed_at is 'When this was computed.';

create table core.page_terms (
    page_id     bigint      not null,
    bucket      integer     not null,
    version     integer     not null,
    origin      timestamptz not null,
    sampled     real        not null,
    terms       text[]      not null,
    power       real[]      not null,
    p_doc       real[]      not null,
    first_slot  integer[]   not null,
    last_slot   integer[]   not null,
    versions    integer[]   not null,
    computed_at timestamptz not null,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_terms');
comment on table core.page_terms is 'The terms of a page with their measures.';
comment on column core.page_terms.page_id is 'The page.';
comment on column core.page_terms.bucket is 'Bucket of the page''s host.';
comment on column core.page_terms.version is 'The last version that it covers.';
comment on column core.page_terms.origin is 'Middle of the first slot.';
comment on column core.page_terms.sampled is 'Share of the page''s terms that are kept: 1 or a power of one half.';
comment on column core.page_terms.terms is 'The terms.';
comment on column core.page_terms.power is 'Staying power of each; null where there are not two versions.';
comment on column core.page_terms.p_doc is 'Mean share of the words of a version that each is.';
comment on column core.page_terms.first_slot is 'First slot that has it.';
comment on column core.page_terms.last_slot is 'Last slot that has it.';
comment on column core.page_terms.versions is 'Number of slots that have it.';
comment on column core.page_terms.computed_at is 'When this was computed.';

create table core.page_elements (
    page_id     bigint      not null,
    bucket      integer     not null,
    version     integer     not null,
    origin      timestamptz not null,
    exact       boolean     not null,
    depth       integer     not null,
    paths       text[]      not null,
    life        real[]      not null,
    travel      real[]      not null,
    first_slot  integer[]   not null,
    last_slot   integer[]   not null,
    survival    real[]      not null,
    computed_at timestamptz not null,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_elements');
comment on table core.page_elements is 'The elements of a page with how long they and their contents lasted.';
comment on column core.page_elements.page_id is 'The page.';
comment on column core.page_elements.bucket is 'Bucket of the page''s host.';
comment on column core.page_elements.version is 'The last version that it covers.';
comment on column core.page_elements.origin is 'Middle of the first slot.';
comment on column core.page_elements.exact is 'No bound on the size of the state was reached.';
comment on column core.page_elements.depth is 'Number of levels of elements that are followed.';
comment on column core.page_elements.paths is 'Full paths.';
comment on column core.page_elements.life is 'Mean life of a content at the path, in hours; null without text.';
comment on column core.page_elements.travel is 'Mean life of a content that first appeared at the path, wherever it went; null where none did.';
comment on column core.page_elements.first_slot is 'First slot that has the path.';
comment on column core.page_elements.last_slot is 'Last slot that has it.';
comment on column core.page_elements.survival is 'Share of the first elements that were seen at or after 2, 24, 168, 336, 672 and 840 hours; null where the history is shorter.';
comment on column core.page_elements.computed_at is 'When this was computed.';

create view api_v1.change_curve as
select c.page_id, p.url, u.step, u.step::double precision as hours, u.dice, u.support, u.step <= c.full_step as fitted, c.bucket
from core.page_curve c
join core.page p using (bucket, page_id)
cross join lateral unnest(c.steps, c.dice, c.support) u(step, dice, support);
comment on view api_v1.change_curve is 'How much of a page''s words is left some time after one of up to five starts. Distances without a pair of versions have no row. Computed anew with each version of the first 31, later with every one of about 20.';
comment on column api_v1.change_curve.page_id is 'The page.';
comment on column api_v1.change_curve.url is 'Canonical URL of the page.';
comment on column api_v1.change_curve.step is 'Distance from the start, in slots of an hour.';
comment on column api_v1.change_curve.hours is 'The same [hours].';
comment on column api_v1.change_curve.dice is 'Mean Dice coefficient with the version at the start.';
comment on column api_v1.change_curve.support is 'Number of starts that it is the mean of.';
comment on column api_v1.change_curve.fitted is 'All starts reach this far, so the fit uses it.';
comment on column api_v1.change_curve.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.change_knot as
select c.page_id, p.url, c.shape, c.knot_hours as hours, c.knot_dice as dice, c.slope1, c.slope2, c.sse, c.version as versions, c.bucket
from core.page_curve c
join core.page p using (bucket, page_id);
comment on view api_v1.change_knot is 'The shape of each page''s change curve and its knot, where the page has lost what it will lose.';
comment on column api_v1.change_knot.page_id is 'The page.';
comment on column api_v1.change_knot.url is 'Canonical URL of the page.';
comment on column api_v1.change_knot.shape is 'flat, sloped, knotted, or unknown where fewer than three points have a value.';
comment on column api_v1.change_knot.hours is 'Time to the knot; null unless knotted [hours].';
comment on column api_v1.change_knot.dice is 'The curve at the knot; null unless knotted.';
comment on column api_v1.change_knot.slope1 is 'Slope up to the knot, or of the one line of another shape [1/hour].';
comment on column api_v1.change_knot.slope2 is 'Slope beyond the knot; null unless knotted [1/hour].';
comment on column api_v1.change_knot.sse is 'Sum of squared errors of the lines.';
comment on column api_v1.change_knot.versions is 'Number of versions that it covers.';
comment on column api_v1.change_knot.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.term as
select t.page_id, p.url, u.term, u.power as staying_power, null::double precision as divergence,
       t.origin + u.first_slot * interval '1 hour' as first_seen, t.origin + u.last_slot * interval '1 hour' as last_seen, u.versions,
       u.p_doc as share, t.sampled, t.bucket
from core.page_terms t
join core.page p using (bucket, page_id)
cross join lateral unnest(t.terms, t.power, t.p_doc, t.first_slot, t.last_slot, t.versions) u(term, power, p_doc, first_slot, last_slot, versions);
comment on view api_v1.term is 'The terms of each page: how lasting they are and how long they were seen.';
comment on column api_v1.term.page_id is 'The page.';
comment on column api_v1.term.url is 'Canonical URL of the page.';
comment on column api_v1.term.term is 'The word.';
comment on column api_v1.term.staying_power is 'Probability that two versions of the page, a random distance apart, both have it; null where there are not two versions.';
comment on column api_v1.term.divergence is 'How the term sets the page apart from the collection; null: this version of the program does not compute it.';
comment on column api_v1.term.first_seen is 'Hour of the first version that has it [UTC].';
comment on column api_v1.term.last_seen is 'Hour of the last version that has it [UTC].';
comment on column api_v1.term.versions is 'Number of hourly versions that have it.';
comment on column api_v1.term.share is 'Mean share of the words of a version that it is.';
comment on column api_v1.term.sampled is 'Share of the page''s terms that are kept: 1 or a power of one half.';
comment on column api_v1.term.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.element_life as
select e.page_id, p.url, u.path, u.life as life_hours, u.travel as travel_hours,
       e.origin + u.first_slot * interval '1 hour' as first_seen, e.origin + u.last_slot * interval '1 hour' as last_seen, e.exact, e.bucket
from core.page_elements e
join core.page p using (bucket, page_id)
cross join lateral unnest(e.paths, e.life, e.travel, e.first_slot, e.last_slot) u(path, life, travel, first_slot, last_slot);
comment on view api_v1.element_life is 'The elements of each page: how long they were seen, and how long their contents lasted.';
comment on column api_v1.element_life.page_id is 'The page.';
comment on column api_v1.element_life.url is 'Canonical URL of the page.';
comment on column api_v1.element_life.path is 'Full path, with indices from 0 among siblings of the same tag.';
comment on column api_v1.element_life.life_hours is 'Mean life of a content at this path; null without text [hours].';
comment on column api_v1.element_life.travel_hours is 'Mean life of the contents that first appeared here, wherever they went; null where none did [hours].';
comment on column api_v1.element_life.first_seen is 'Hour of the first version that has the path [UTC].';
comment on column api_v1.element_life.last_seen is 'Hour of the last version that has it [UTC].';
comment on column api_v1.element_life.exact is 'Computed from all that was seen; false where the page is too big or too lively for that.';
comment on column api_v1.element_life.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

create view api_v1.element_survival as
select (array[2, 24, 168, 336, 672, 840])[u.i] as horizon, count(u.share) as pages, avg(u.share) as mean,
       percentile_cont(0.5) within group (order by u.share) as median
from core.page_elements e
cross join lateral unnest(e.survival) with ordinality u(share, i)
group by u.i;
comment on view api_v1.element_survival is 'The share of the elements of a page''s first version that were still seen some time later, over pages. Elements seen for less than an hour do not count, nor do pages whose history ends before the horizon.';
comment on column api_v1.element_survival.horizon is 'Time after the first version [hours].';
comment on column api_v1.element_survival.pages is 'Number of pages with a history of that length.';
comment on column api_v1.element_survival.mean is 'Mean share; null without pages.';
comment on column api_v1.element_survival.median is 'Median share.';

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
comment on view api_v1.change_by_class is 'How the pages of a class change: means over pages of their own means. Pages count that have a version and were fetched after it was first seen.';
comment on column api_v1.change_by_class.class_kind is 'all, tld, site, depth or category.';
comment on column api_v1.change_by_class.class is 'The class; depths of 5 and more are one.';
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

-- +goose Down
drop view api_v1.change_by_class, api_v1.element_survival, api_v1.element_life, api_v1.term, api_v1.change_knot, api_v1.change_curve;
drop table core.page_elements, core.page_terms, core.page_curve, core.page_analysis;
