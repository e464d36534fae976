-- The pages of snapshots that fit a query, without reading what is in no snapshot of
-- the series: frequent words are looked for in the pages of the series only, and
-- passages with the same words that stood one after the other count as one.

-- +goose Up
-- +goose StatementBegin
create or replace function core.keyword_pages(of_series integer, terms tsquery[], needed bigint[], barred bigint[], threshold double precision)
returns table (snapshot_id integer, bucket integer, page_id bigint, crawled_at timestamptz, class text, novelty real, kind text, rank real)
language plpgsql stable as $$
declare
    wanted tsquery := (select string_agg('(' || q::text || ')', ' | ') from unnest(terms) q)::tsquery;
    ids integer[] := array(select s.snapshot_id from core.snapshot s where s.series_id = of_series);
    alone boolean := cardinality(terms) = 1;
    seldom boolean := (select count(*) <= 5000 from (select 1 from core.passage p where p.words @@ wanted limit 5001) x);
begin
    return query
    with part as materialized (
        select s.snapshot_id, s.bucket, s.page_id, s.crawled_at from core.snapshot_page s
        where not seldom and s.snapshot_id = any(ids) and s.crawled
    ), hit as materialized (
        select p.bucket, p.page_id, p.from_at, p.to_at, case when alone then 1 else core.search_mask(p.words, terms) end as mask, ts_rank(p.words, wanted, 1) as rank
        from core.passage p where seldom and p.words @@ wanted
        union all
        select p.bucket, p.page_id, p.from_at, p.to_at, case when alone then 1 else core.search_mask(p.words, terms) end, ts_rank(p.words, wanted, 1)
        from (select distinct c.bucket, c.page_id from part c) d
        join core.passage p on p.bucket = d.bucket and p.page_id = d.page_id
        where p.words @@ wanted
    ), begun as (
        select h.*, h.from_at > coalesce(max(coalesce(h.to_at, 'infinity')) over (partition by h.bucket, h.page_id, h.mask order by h.from_at
                                         rows between unbounded preceding and 1 preceding), '-infinity') as fresh
        from hit h
    ), counted as (
        select b.*, count(*) filter (where b.fresh) over (partition by b.bucket, b.page_id, b.mask order by b.from_at) as island
        from begun b
    ), stretch as materialized (
        select c.bucket, c.page_id, c.mask, min(c.from_at) as from_at, max(coalesce(c.to_at, 'infinity')) as to_at, max(c.rank) as rank
        from counted c group by c.bucket, c.page_id, c.mask, c.island
    ), crawl as (
        select p.snapshot_id, p.bucket, p.page_id, p.crawled_at
        from (select distinct h.bucket, h.page_id from stretch h) d join part p on p.bucket = d.bucket and p.page_id = d.page_id
        union all
        select s.snapshot_id, s.bucket, s.page_id, s.crawled_at
        from (select distinct h.bucket, h.page_id from hit h where seldom) d
        join core.snapshot_page s on s.bucket = d.bucket and s.page_id = d.page_id
        where s.snapshot_id = any(ids) and s.crawled
    ), had as materialized (
        select c.snapshot_id, c.bucket, c.page_id, c.crawled_at, coalesce(bit_or(h.mask), 0) as mask, sum(h.rank) as rank
        from crawl c
        left join stretch h on h.bucket = c.bucket and h.page_id = c.page_id and h.from_at <= c.crawled_at and h.to_at > c.crawled_at
        group by c.snapshot_id, c.bucket, c.page_id, c.crawled_at
    ), fit as materialized (
        select m.mask, core.search_fits(m.mask, needed, barred) as fits from (select distinct h.mask from had h) m
    ), seen as (
        select h.snapshot_id, h.bucket, h.page_id, h.crawled_at, h.rank, f.fits from had h join fit f on f.mask = h.mask
    ), stepped as (
        select e.*, lag(e.fits) over (partition by e.bucket, e.page_id order by e.crawled_at, e.snapshot_id) as before
        from seen e
    )
    select t.snapshot_id, t.bucket, t.page_id, t.crawled_at, v.class::text, v.novelty,
           case when v.class = 'U' and v.novelty >= threshold then 'novel'
                when v.class = 'U' then 'uncertain'
                when v.class is not null and not t.before then 'new word'
                when v.class is not null then 'old' end,
           t.rank
    from stepped t
    left join core.snapshot_novelty v on v.snapshot_id = t.snapshot_id and v.bucket = t.bucket and v.page_id = t.page_id
    where t.fits;
end $$;
-- +goose StatementEnd
comment on function core.keyword_pages(integer, tsquery[], bigint[], bigint[], double precision) is
    'Pages of the snapshots of a series whose text fits a query. Kind is novel or uncertain for pages of U, new word for an old page whose text at its crawl before did not fit, old for the others. The rank is that of the best passages.';

-- +goose Down
-- +goose StatementBegin
create or replace function core.keyword_pages(of_series integer, terms tsquery[], needed bigint[], barred bigint[], threshold double precision)
returns table (snapshot_id integer, bucket integer, page_id bigint, crawled_at timestamptz, class text, novelty real, kind text, rank real)
language plpgsql stable as $$
declare
    wanted tsquery := (select string_agg('(' || q::text || ')', ' | ') from unnest(terms) q)::tsquery;
    ids integer[] := array(select s.snapshot_id from core.snapshot s where s.series_id = of_series);
begin
    return query
    with hit as materialized (
        select p.bucket, p.page_id, p.from_at, p.to_at, core.search_mask(p.words, terms) as mask, ts_rank(p.words, wanted, 1) as rank
        from core.passage p where p.words @@ wanted
    ), crawl as (
        select s.snapshot_id, s.bucket, s.page_id, s.crawled_at
        from (select distinct h.bucket, h.page_id from hit h) d
        join core.snapshot_page s on s.bucket = d.bucket and s.page_id = d.page_id
        where s.snapshot_id = any(ids) and s.crawled
    ), seen as (
        select c.snapshot_id, c.bucket, c.page_id, c.crawled_at, core.search_fits(bit_or(h.mask), needed, barred) as fits, sum(h.rank) as rank
        from crawl c
        left join hit h on h.bucket = c.bucket and h.page_id = c.page_id and h.from_at <= c.crawled_at and (h.to_at is null or h.to_at > c.crawled_at)
        group by c.snapshot_id, c.bucket, c.page_id, c.crawled_at
    ), stepped as (
        select e.*, lag(e.fits) over (partition by e.bucket, e.page_id order by e.crawled_at, e.snapshot_id) as before
        from seen e
    )
    select t.snapshot_id, t.bucket, t.page_id, t.crawled_at, v.class::text, v.novelty,
           case when v.class = 'U' and v.novelty >= threshold then 'novel'
                when v.class = 'U' then 'uncertain'
                when v.class is not null and not t.before then 'new word'
                when v.class is not null then 'old' end,
           t.rank
    from stepped t
    left join core.snapshot_novelty v on v.snapshot_id = t.snapshot_id and v.bucket = t.bucket and v.page_id = t.page_id
    where t.fits;
end $$;
-- +goose StatementEnd
comment on function core.keyword_pages(integer, tsquery[], bigint[], bigint[], double precision) is
    'Pages of the snapshots of a series whose text fits a query. Kind is novel or uncertain for pages of U, new word for an old page whose text at its crawl before did not fit, old for the others.';
