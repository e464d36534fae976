-- How long until a page settles, by category?
-- At the knot of its change curve a page has lost what it will lose.
select class, pages, knotted, round(knot_hours_mean::numeric, 1) as knot_hours_mean, knot_hours_median, round(knot_dice_mean::numeric, 2) as knot_dice_mean
from api_v1.change_by_class
where class_kind in ('all', 'category')
order by class_kind, class;
