-- Attempts on sitemaps and feeds are fetches too, and a source that fails or is not read
-- shows in schedule_health. They are no watched pages and have no versions.

-- +goose Up
create table core.watch_source (
    watch_id      integer     not null,
    kind          text        not null,
    url           text        not null,
    read_at       timestamptz not null,
    next_due_at   timestamptz not null,
    failing_since timestamptz,
    error         text,
    primary key (watch_id, kind, url)
);
comment on table core.watch_source is 'Sitemaps and feeds that bring pages to watches, as they were last read. One that the watch no longer names keeps its row and counts for nothing.';
comment on column core.watch_source.watch_id is 'The watch.';
comment on column core.watch_source.kind is 'sitemap or feed.';
comment on column core.watch_source.url is 'As the configuration names it.';
comment on column core.watch_source.read_at is 'When it was last read, whole or not.';
comment on column core.watch_source.next_due_at is 'When it is to be read next.';
comment on column core.watch_source.failing_since is 'Since when it could not be read whole; null while it can.';
comment on column core.watch_source.error is 'Why it could not, with the address that it is about; null while it can.';
comment on column core.fetch.kind is 'Why the page was fetched: schedule, burst, pair, manual, snapshot, topic, import, or source for a sitemap or feed, which never has a version.';
comment on column api_v1.fetch_log.kind is 'Why the page was fetched: schedule, burst, pair, manual, snapshot, topic or import; source for a sitemap or feed that brings pages to a watch, whose contents make no versions.';

create view core.source_health as
select 'source' as kind, w.name, count(*) filter (where s.next_due_at <= c.now) as due,
       count(*) filter (where s.next_due_at < c.now - interval '15 minutes') as late,
       count(*) filter (where s.failing_since is not null) as failing,
       min(s.next_due_at) filter (where s.next_due_at <= c.now) as oldest_due_at,
       null::double precision as lag_p50, null::double precision as lag_p99, count(*) as sources,
       min(s.next_due_at) filter (where s.next_due_at > c.now) as next_due_at,
       min(s.error) filter (where s.failing_since is not null) as reason
from core.watch_source s
join core.watch w using (watch_id)
cross join (select core.schedule_now() as now) c
where w.paused_at is null and coalesce(w.config -> (s.kind || 's') ? s.url, false)
group by w.name;
comment on view core.source_health is 'Sitemaps and feeds of each running watch that has some: as schedule_health has it, their number, when the next is due and why one fails.';
comment on column core.source_health.kind is 'source.';
comment on column core.source_health.name is 'The watch.';
comment on column core.source_health.due is 'Sources that are to be read now.';
comment on column core.source_health.late is 'Those that have been due for more than 15 minutes.';
comment on column core.source_health.failing is 'Those that could not be read whole.';
comment on column core.source_health.oldest_due_at is 'Since when the one that has waited longest is due.';
comment on column core.source_health.lag_p50 is 'Null: lags are not counted.';
comment on column core.source_health.lag_p99 is 'Null: lags are not counted.';
comment on column core.source_health.sources is 'Number of sources.';
comment on column core.source_health.next_due_at is 'When the next is due that is not due yet.';
comment on column core.source_health.reason is 'Why one of those that fail does.';

-- The views as they were, of watches and what their pages need, are parts of the new ones.
-- +goose StatementBegin
do $$
declare
    v text[];
    a record;
begin
    foreach v slice 1 in array array[['api_v1.schedule_health', 'core.page_health'], ['core.schedule_health_slow', 'core.page_health_slow']] loop
        execute format('create view %s as %s', v[2], pg_get_viewdef(v[1]::regclass));
        execute format('create or replace view %s as select * from %s union all select s.kind, s.name, s.due, s.late, s.failing, s.oldest_due_at, s.lag_p50, s.lag_p99 from core.source_health s',
                       v[1], v[2]);
        for a in select attname, col_description(attrelid, attnum) as says from pg_attribute where attrelid = v[1]::regclass and attnum > 0 loop
            execute format('comment on column %s.%I is %L', v[2], a.attname, a.says);
        end loop;
    end loop;
end $$;
-- +goose StatementEnd
comment on view core.page_health is 'api_v1.schedule_health without sources.';
comment on view core.page_health_slow is 'core.page_health, but all of it added up anew.';
comment on view api_v1.schedule_health is 'How the schedules are kept: a row for each running watch, and one each for its rounds, its pairs and its sources (sitemaps and feeds) where it has some. A schedule that stalls shows as late pages and an old oldest_due_at.';
comment on column api_v1.schedule_health.kind is 'What is scheduled: watch for the watch''s own schedule, burst for its fast rounds, pair for its pairs of requests, source for its sitemaps and feeds.';
comment on column api_v1.schedule_health.due is 'Pages that are due and not fetched yet; of sources, those that are due.';
comment on column api_v1.schedule_health.late is 'Those of them that have been due for more than a quarter of the interval, and for a minute at least; of bursts and pairs for a minute; of sources for 15 minutes.';
comment on column api_v1.schedule_health.failing is 'Pages whose last fetch failed; of bursts and pairs those that have a fetch planned; of sources those that could not be read whole.';

-- +goose Down
delete from core.fetch where kind = 'source';
-- +goose StatementBegin
do $$ begin
    execute 'create or replace view api_v1.schedule_health as ' || pg_get_viewdef('core.page_health'::regclass);
    execute 'create or replace view core.schedule_health_slow as ' || pg_get_viewdef('core.page_health_slow'::regclass);
end $$;
-- +goose StatementEnd
drop view core.page_health, core.page_health_slow, core.source_health;
drop table core.watch_source;
