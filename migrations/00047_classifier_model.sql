-- The model of a classifier of categories is kept, so that pages are classified
-- by one model until labels change or a week has passed.

-- +goose Up
alter table core.classifier add column model bytea, add column largest integer not null default 0;
alter table core.page_category alter column category drop not null;
comment on column core.page_category.category is 'The category found; null where the page shares no word with any.';
comment on table core.classifier is 'Classifiers of categories that were learned from labelled pages. The last row is the one in force.';
comment on column core.classifier.trained_on is 'Hash of the labelled pages that it was trained on, so that the same ones are not learned again at once.';
comment on column core.classifier.model is 'The model; null when none was made.';
comment on column core.classifier.largest is 'Labelled pages of the largest category: who always guesses it is right that often.';

-- +goose Down
delete from core.page_category where category is null;
alter table core.page_category alter column category set not null;
alter table core.classifier drop column model, drop column largest;
