-- A snapshot whose texts are not all in the index of the search is a gap.

-- +goose Up
-- What a snapshot saw of a page is its text at the time of the crawl, so later versions
-- that wait for the index are none of its business.
-- +goose StatementBegin
create function core.snapshot_indexed(of_snapshot integer) returns boolean
language plpgsql stable as $$
begin
    return not exists (
        select 1
        from core.monitor_todo t
        join core.snapshot_page s on s.bucket = t.bucket and s.page_id = t.page_id and s.snapshot_id = of_snapshot and s.crawled
        join core.version v on v.bucket = t.bucket and v.page_id = t.page_id and v.version = t.version
        where t.stage = 'search' and v.first_seen <= s.crawled_at);
end $$;
-- +goose StatementEnd
comment on function core.snapshot_indexed(integer) is 'Whether the search knows all texts that a snapshot saw.';

-- +goose StatementBegin
create or replace function core.keyword_counts(of_series integer, terms tsquery[], needed bigint[], barred bigint[], threshold double precision)
returns table (snapshot_id integer, snapshot integer, at timestamptz, status text, old_new_keyword bigint, novel bigint, uncertain bigint, captured bigint)
language plpgsql stable as $$
begin
    return query
    select n.snapshot_id, n.snapshot, n.started_at, n.status,
           case when ok then count(k.kind) filter (where k.kind = 'new word') end,
           case when ok then count(k.kind) filter (where k.kind = 'novel') end,
           case when ok then count(k.kind) filter (where k.kind = 'uncertain') end,
           case when ok then s.pages end
    from core.numbered_snapshot n
    join core.snapshot s using (snapshot_id)
    cross join lateral (select s.status in ('done', 'cut short') and s.computed_at is not null and core.snapshot_indexed(s.snapshot_id)) c(ok)
    left join core.keyword_news(of_series, terms, needed, barred, threshold, false) k on k.snapshot_id = n.snapshot_id
    where n.series_id = of_series
    group by n.snapshot_id, n.snapshot, n.started_at, n.status, c.ok, s.pages
    order by n.snapshot;
end $$;
-- +goose StatementEnd
comment on function api_v1.keyword_novelty(text, text) is
    'For each snapshot of a series: old pages in which the words newly appeared since their crawl before, newly crawled pages with the words judged novel (by the threshold of the series), those that are uncertain, and the pages captured. Words: all of them, "phrases", - before what must not be there, OR between alternatives. Null for a snapshot that failed or is not computed, or of which the search does not know all texts yet.';

-- +goose Down
comment on function api_v1.keyword_novelty(text, text) is
    'For each snapshot of a series: old pages in which the words newly appeared since their crawl before, newly crawled pages with the words judged novel (by the threshold of the series), those that are uncertain, and the pages captured. Words: all of them, "phrases", - before what must not be there, OR between alternatives. Null for a snapshot that failed or is not computed.';
-- +goose StatementBegin
create or replace function core.keyword_counts(of_series integer, terms tsquery[], needed bigint[], barred bigint[], threshold double precision)
returns table (snapshot_id integer, snapshot integer, at timestamptz, status text, old_new_keyword bigint, novel bigint, uncertain bigint, captured bigint)
language plpgsql stable as $$
begin
    return query
    select n.snapshot_id, n.snapshot, n.started_at, n.status,
           case when ok then count(k.kind) filter (where k.kind = 'new word') end,
           case when ok then count(k.kind) filter (where k.kind = 'novel') end,
           case when ok then count(k.kind) filter (where k.kind = 'uncertain') end,
           case when ok then s.pages end
    from core.numbered_snapshot n
    join core.snapshot s using (snapshot_id)
    cross join lateral (select s.status in ('done', 'cut short') and s.computed_at is not null) c(ok)
    left join core.keyword_news(of_series, terms, needed, barred, threshold, false) k on k.snapshot_id = n.snapshot_id
    where n.series_id = of_series
    group by n.snapshot_id, n.snapshot, n.started_at, n.status, c.ok, s.pages
    order by n.snapshot;
end $$;
-- +goose StatementEnd
drop function core.snapshot_indexed(integer);
