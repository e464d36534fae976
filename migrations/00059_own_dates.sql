-- Rule 4 takes all dates that a page gives itself, not the month in its URL alone.

-- +goose Up
comment on column core.snapshot.rules is 'Rules by which pages were told to be old: seen, last-modified, linked-from-old, own-date.';
comment on column core.snapshot_novelty.old_by is 'First rule that told it to be old: 1 the series knew it before, 2 its Last-Modified, 3 a page that links to it has an old Last-Modified, 4 its own date in URL, markup or text; 0 for U.';
comment on column api_v1.snapshot_page.old_by is 'First rule that told the page to be old: 1 known before, 2 Last-Modified, 3 linked from a page with an old Last-Modified, 4 its own date in URL, markup or text; 0 for U.';
update core.snapshot set rules = array_replace(rules, 'url-date', 'own-date') where 'url-date' = any(rules);

-- +goose Down
update core.snapshot set rules = array_replace(rules, 'own-date', 'url-date') where 'own-date' = any(rules);
comment on column core.snapshot.rules is 'Rules by which pages were told to be old: seen, last-modified, linked-from-old, url-date.';
comment on column core.snapshot_novelty.old_by is 'First rule that told it to be old: 1 the series knew it before, 2 its Last-Modified, 3 a page that links to it has an old Last-Modified, 4 the month in its URL; 0 for U.';
comment on column api_v1.snapshot_page.old_by is 'First rule that told the page to be old: 1 known before, 2 Last-Modified, 3 linked from a page with an old Last-Modified, 4 the month in its URL; 0 for U.';
