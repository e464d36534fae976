-- When the unidentified pages of a snapshot appeared (SCIENCE T17, 3.2).

-- +goose Up
alter table core.snapshot_novelty add column born_from timestamptz;
alter table core.snapshot_novelty add column born_to timestamptz;
alter table core.snapshot_novelty add column born_new real;
comment on column core.snapshot_novelty.born_from is 'The page appeared between here and born_to with a probability of 0.9; null where it was not estimated, as for old pages.';
comment on column core.snapshot_novelty.born_to is 'See born_from.';
comment on column core.snapshot_novelty.born_new is 'Probability that it appeared after the snapshot before began.';

create view api_v1.page_birth as
select n.series, n.snapshot, s.page_id, p.url, s.crawled_at, v.novelty, v.born_from, v.born_to, v.born_new as new, s.bucket
from core.snapshot_novelty v
join core.snapshot_page s using (snapshot_id, bucket, page_id)
join core.numbered_snapshot n using (snapshot_id)
join core.page p using (bucket, page_id)
where v.born_to is not null;
comment on view api_v1.page_birth is 'When unidentified pages appeared, from the crawls of the pages that link to them, with and without the link.';
comment on column api_v1.page_birth.series is 'The series.';
comment on column api_v1.page_birth.snapshot is 'Number of the snapshot in its series that crawled the page first.';
comment on column api_v1.page_birth.page_id is 'The page.';
comment on column api_v1.page_birth.url is 'Canonical URL of the page.';
comment on column api_v1.page_birth.crawled_at is 'Start of the fetch [UTC].';
comment on column api_v1.page_birth.novelty is 'How likely the page is new, by the measure of paper T.';
comment on column api_v1.page_birth.born_from is 'The page appeared between here and born_to with a probability of 0.9 [UTC].';
comment on column api_v1.page_birth.born_to is 'See born_from [UTC].';
comment on column api_v1.page_birth.new is 'Probability that it appeared after the snapshot before began.';
comment on column api_v1.page_birth.bucket is 'Bucket of the host; join page data using (bucket, page_id).';

-- +goose Down
drop view api_v1.page_birth;
alter table core.snapshot_novelty drop column born_new, drop column born_to, drop column born_from;
