-- The measures that views show go up to the last fetch that saw the page, as reports do.

-- +goose Up
alter table core.page_analysis add column shown_until timestamptz;
comment on column core.page_analysis.shown_until is 'The last fetch that the measures for the views count; null: they are to be computed from this state for the first time.';

drop view api_v1.change_knot;
create view api_v1.change_knot as
select c.page_id, p.url, c.shape, c.knot_hours as hours, c.knot_dice as dice, c.slope1, c.slope2, c.sse, c.version as versions, a.shown_until as seen_until, c.bucket
from core.page_curve c
join core.page p using (bucket, page_id)
left join core.page_analysis a using (bucket, page_id);
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
comment on column api_v1.change_knot.seen_until is 'The last fetch that the measures of the page count, here and in change_curve, term, element_life and element_survival; null while they wait to be computed anew [UTC].';
comment on view api_v1.change_curve is 'How much of a page''s words is left some time after one of up to five starts. Distances without a pair of versions have no row. Computed anew when an import ends, and by a daemon once the page was followed for longer by a 32nd.';

-- +goose Down
drop view api_v1.change_knot;
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
alter table core.page_analysis drop column shown_until;
