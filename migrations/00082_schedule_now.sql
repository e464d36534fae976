-- The view schedule_health asks what time it is for the schedule. A function in a view
-- runs as who asks, and analysts have no right to read core.daemon.

-- +goose Up
alter function core.schedule_now() security definer set search_path = pg_catalog;

-- +goose Down
alter function core.schedule_now() security invoker reset search_path;
