-- What hosts and folders gave in novel pages (SCIENCE T14).

-- +goose Up
create table core.series_yield (
    series_id integer not null,
    host_id   bigint not null,
    bucket    integer not null,
    folder    text not null,
    fetched   double precision not null,
    gained    double precision not null,
    primary key (series_id, host_id, folder, bucket)
) with (fillfactor = 70);
select core.distribute('core.series_yield');
comment on table core.series_yield is 'What fetches in a folder of a host gave in a series whose order is by novelty: those of pages first heard of since the snapshot before, and, under a name with a + in front, those of older pages. Counts of earlier snapshots weigh half as much with each one.';
comment on column core.series_yield.series_id is 'The series.';
comment on column core.series_yield.host_id is 'The host.';
comment on column core.series_yield.bucket is 'Bucket of the host.';
comment on column core.series_yield.folder is 'First part of the path, / for pages without one; + in front of it for pages that were known before.';
comment on column core.series_yield.fetched is 'Fetches.';
comment on column core.series_yield.gained is 'Novel pages among them; of pages that were known before, the URLs that they were the first to link to.';

-- +goose Down
drop table core.series_yield;
