-- Several words of which one is rare were looked for on all pages that have any of them. They are
-- looked for on the pages that have the rare one, which costs half.

-- +goose Up
-- +goose StatementBegin
create or replace function core.keyword_frequent(of_series integer, terms tsquery[], needed bigint[], barred bigint[], threshold double precision)
returns table (snapshot_id integer, bucket integer, page_id bigint, crawled_at timestamptz, class text, novelty real, kind text)
language plpgsql stable set enable_nestloop = off as $$
declare
    wanted tsquery := (select string_agg('(' || q::text || ')', ' | ') from unnest(terms) q)::tsquery;
    ids integer[] := array(select s.snapshot_id from core.snapshot s where s.series_id = of_series);
    alone boolean := cardinality(terms) = 1;
    driver tsquery;
    pages bigint[];
begin
    -- Where all words are wanted, a page has each of them at some time: those of a rare one are few.
    if not alone and cardinality(needed) = 1 then
        select c.word into driver
        from (select u.word, u.i, (select count(*) from (select 1 from core.passage p where p.words @@ u.word limit 5001) x) as n
              from unnest(terms) with ordinality u(word, i) where (needed[1] >> (u.i - 1)::integer) & 1 = 1) c
        where c.n <= 5000 order by c.n, c.i limit 1;
    end if;
    if driver is null then
        pages := array(select distinct s.page_id from core.snapshot_page s where s.snapshot_id = any(ids) and s.crawled);
    else
        pages := array(select distinct p.page_id from core.passage p where p.words @@ driver);
        perform set_config('enable_nestloop', 'on', true); -- until the function ends
    end if;
    return query
    with part as materialized (
        select h.bucket, h.page_id, h.mask, range_agg(tstzrange(h.from_at, h.to_at)) as span
        from (select p.bucket, p.page_id, p.from_at, p.to_at, case when alone then 1::bigint else core.search_mask(p.words, terms) end as mask
              from core.passage p where p.page_id = any(pages) and p.words @@ wanted) h
        group by h.bucket, h.page_id, h.mask
    ), fit as materialized (
        select p.bucket, p.page_id, p.span from part p where alone
        union all
        select a.bucket, a.page_id, range_agg(a.span) from (
            select x.bucket, x.page_id, x.span - coalesce(b.span, '{}'::tstzmultirange) as span
            from (select t.bucket, t.page_id, g.i, range_intersect_agg(t.span) as span
                  from generate_subscripts(needed, 1) g(i)
                  join (select p.bucket, p.page_id, n.bit, range_agg(p.span) as span
                        from part p, generate_series(0, 62) n(bit) where not alone and (p.mask >> n.bit) & 1 = 1 group by p.bucket, p.page_id, n.bit) t
                    on (needed[g.i] >> t.bit) & 1 = 1
                  group by t.bucket, t.page_id, g.i
                  having count(*) = (select count(*) from generate_series(0, 62) n(bit) where (needed[g.i] >> n.bit) & 1 = 1)) x
            left join (select p.bucket, p.page_id, g.i, range_agg(p.span) as span
                       from part p, generate_subscripts(barred, 1) g(i) where not alone and p.mask & barred[g.i] <> 0 group by p.bucket, p.page_id, g.i) b
              on b.bucket = x.bucket and b.page_id = x.page_id and b.i = x.i) a
        group by a.bucket, a.page_id
    ), crawl as materialized (
        select s.snapshot_id, s.bucket, s.page_id, s.crawled_at, f.span @> s.crawled_at as fits
        from core.snapshot_page s join fit f on f.bucket = s.bucket and f.page_id = s.page_id
        where s.snapshot_id = any(ids) and s.crawled
    ), stepped as materialized (
        select c.*, lag(c.fits) over (partition by c.bucket, c.page_id order by c.crawled_at, c.snapshot_id) as before
        from crawl c
        join (select m.bucket, m.page_id from crawl m group by m.bucket, m.page_id
              having min(m.crawled_at) filter (where not m.fits) <= max(m.crawled_at) filter (where m.fits)) d on d.bucket = c.bucket and d.page_id = c.page_id
    )
    select t.snapshot_id, t.bucket, t.page_id, t.crawled_at, v.class::text, v.novelty, 'new word'
    from (select e.* from stepped e where e.fits and not e.before) t
    join core.snapshot_novelty v on v.snapshot_id = t.snapshot_id and v.page_id = t.page_id and v.bucket = t.bucket
    where v.snapshot_id = any(ids) and v.class <> 'U'
    union all
    select c.snapshot_id, c.bucket, c.page_id, c.crawled_at, v.class::text, v.novelty, case when v.novelty >= threshold then 'novel' else 'uncertain' end
    from core.snapshot_novelty v
    join crawl c on c.snapshot_id = v.snapshot_id and c.page_id = v.page_id and c.bucket = v.bucket
    where v.snapshot_id = any(ids) and v.class = 'U' and c.fits;
end $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
create or replace function core.keyword_frequent(of_series integer, terms tsquery[], needed bigint[], barred bigint[], threshold double precision)
returns table (snapshot_id integer, bucket integer, page_id bigint, crawled_at timestamptz, class text, novelty real, kind text)
language plpgsql stable set enable_nestloop = off as $$
declare
    wanted tsquery := (select string_agg('(' || q::text || ')', ' | ') from unnest(terms) q)::tsquery;
    ids integer[] := array(select s.snapshot_id from core.snapshot s where s.series_id = of_series);
    pages bigint[] := array(select distinct s.page_id from core.snapshot_page s where s.snapshot_id = any(ids) and s.crawled);
    alone boolean := cardinality(terms) = 1;
begin
    return query
    with part as materialized (
        select h.bucket, h.page_id, h.mask, range_agg(tstzrange(h.from_at, h.to_at)) as span
        from (select p.bucket, p.page_id, p.from_at, p.to_at, case when alone then 1::bigint else core.search_mask(p.words, terms) end as mask
              from core.passage p where p.page_id = any(pages) and p.words @@ wanted) h
        group by h.bucket, h.page_id, h.mask
    ), fit as materialized (
        select p.bucket, p.page_id, p.span from part p where alone
        union all
        select a.bucket, a.page_id, range_agg(a.span) from (
            select x.bucket, x.page_id, x.span - coalesce(b.span, '{}'::tstzmultirange) as span
            from (select t.bucket, t.page_id, g.i, range_intersect_agg(t.span) as span
                  from generate_subscripts(needed, 1) g(i)
                  join (select p.bucket, p.page_id, n.bit, range_agg(p.span) as span
                        from part p, generate_series(0, 62) n(bit) where not alone and (p.mask >> n.bit) & 1 = 1 group by p.bucket, p.page_id, n.bit) t
                    on (needed[g.i] >> t.bit) & 1 = 1
                  group by t.bucket, t.page_id, g.i
                  having count(*) = (select count(*) from generate_series(0, 62) n(bit) where (needed[g.i] >> n.bit) & 1 = 1)) x
            left join (select p.bucket, p.page_id, g.i, range_agg(p.span) as span
                       from part p, generate_subscripts(barred, 1) g(i) where not alone and p.mask & barred[g.i] <> 0 group by p.bucket, p.page_id, g.i) b
              on b.bucket = x.bucket and b.page_id = x.page_id and b.i = x.i) a
        group by a.bucket, a.page_id
    ), crawl as materialized (
        select s.snapshot_id, s.bucket, s.page_id, s.crawled_at, f.span @> s.crawled_at as fits
        from core.snapshot_page s join fit f on f.bucket = s.bucket and f.page_id = s.page_id
        where s.snapshot_id = any(ids) and s.crawled
    ), stepped as materialized (
        select c.*, lag(c.fits) over (partition by c.bucket, c.page_id order by c.crawled_at, c.snapshot_id) as before
        from crawl c
        join (select m.bucket, m.page_id from crawl m group by m.bucket, m.page_id
              having min(m.crawled_at) filter (where not m.fits) <= max(m.crawled_at) filter (where m.fits)) d on d.bucket = c.bucket and d.page_id = c.page_id
    )
    select t.snapshot_id, t.bucket, t.page_id, t.crawled_at, v.class::text, v.novelty, 'new word'
    from (select e.* from stepped e where e.fits and not e.before) t
    join core.snapshot_novelty v on v.snapshot_id = t.snapshot_id and v.page_id = t.page_id and v.bucket = t.bucket
    where v.snapshot_id = any(ids) and v.class <> 'U'
    union all
    select c.snapshot_id, c.bucket, c.page_id, c.crawled_at, v.class::text, v.novelty, case when v.novelty >= threshold then 'novel' else 'uncertain' end
    from core.snapshot_novelty v
    join crawl c on c.snapshot_id = v.snapshot_id and c.page_id = v.page_id and c.bucket = v.bucket
    where v.snapshot_id = any(ids) and v.class = 'U' and c.fits;
end $$;
-- +goose StatementEnd
