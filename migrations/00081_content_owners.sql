-- Which versions name a content. Retention asks it inside the transactions that delete
-- frames; without an index each of them read all versions of its bucket.

-- +goose Up
-- A hash index holds four bytes of the content's hash in place of 32. Thinned versions
-- name nothing any more and leave it.
create index version_body on core.version using hash (sha256) where thinned_at is null;
create index version_record on core.version using hash (record) where thinned_at is null;

-- +goose Down
drop index core.version_record, core.version_body;
