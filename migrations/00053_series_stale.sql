-- From when on the snapshots of a series have to be cut and computed anew.

-- +goose Up
alter table core.series add column stale_from timestamptz;
comment on column core.series.stale_from is 'Earliest capture that was imported since the snapshots were last cut; null when none was.';

-- +goose Down
alter table core.series drop column stale_from;
