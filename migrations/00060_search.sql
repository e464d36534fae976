-- Full-text search over versions. A version's text is the lines of its page; a row
-- holds lines for as long as they stood, so that a version costs what it changed.

-- +goose Up
create table core.page_text (
    page_id bigint  not null,
    bucket  integer not null,
    version integer not null default 0,
    primary key (page_id, bucket)
) with (fillfactor = 70);
select core.distribute('core.page_text');
comment on table core.page_text is 'How far the text of each page is indexed. The row is dropped, with the page''s passages, when its versions are laid anew.';
comment on column core.page_text.page_id is 'The page.';
comment on column core.page_text.bucket is 'Bucket of the page''s host.';
comment on column core.page_text.version is 'Last version that is indexed; 0 before the first.';

create table core.passage (
    page_id      bigint      not null,
    bucket       integer     not null,
    from_version integer     not null,
    part         integer     not null,
    to_version   integer,
    from_at      timestamptz not null,
    to_at        timestamptz,
    lines        bytea       not null,
    words        tsvector    not null,
    primary key (page_id, bucket, from_version, part)
);
select core.distribute('core.passage');
create index passage_words on core.passage using gin (words);
comment on table core.passage is 'Lines of a page that came together and stood together, with their words. Of the text of a version are all passages that began with it or before and end after it. When some of its lines go, a passage ends and another goes on with the rest.';
comment on column core.passage.page_id is 'The page.';
comment on column core.passage.bucket is 'Bucket of the page''s host.';
comment on column core.passage.from_version is 'First version that has the lines.';
comment on column core.passage.part is 'Tells passages apart that begin with one version.';
comment on column core.passage.to_version is 'First version without some of the lines; null while the last one has them.';
comment on column core.passage.from_at is 'When from_version was first seen.';
comment on column core.passage.to_at is 'When to_version was first seen.';
comment on column core.passage.lines is 'Hashes of the lines, eight bytes each in rising order.';
comment on column core.passage.words is 'Their words, as the measures count them, with positions; ten positions lie between two lines.';

-- What is stored already is indexed by the next monitor.
insert into core.monitor_todo (page_id, bucket, version, stage, enqueued_at)
select v.page_id, v.bucket, max(v.version), 'search', now() from core.version v group by v.page_id, v.bucket;

-- The words of a text as the measures count them: NFKC, lower case, runs of letters,
-- marks and digits; Han and Kana as bigrams.
-- +goose StatementBegin
create function core.search_words(s text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
    cjk constant text := '々〇〡-〩〸-〻ぁ-ゖゝ-ゟァ-ヺー-ヿㇰ-ㇿ㐀-䶿一-鿿豈-龎𠀀-𳑿';
    marks constant text := '\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed'
        || '\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57'
        || '\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece'
        || '\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u3099\u309a\ufe20-\ufe2f';
    n text := replace(replace(lower(regexp_replace(normalize(s, NFKC) collate "und-x-icu", '[\u00ad\u034f\u061c\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]', '', 'g')), 'ß', 'ss'), 'ς', 'σ');
    run text;
    out text[] := '{}';
begin
    for run in select m[1] from regexp_matches(n collate "und-x-icu", format('([%1$s]+|(?:(?![%1$s])[[:alnum:]%2$s])+)', cjk, marks), 'g') m loop
        if run ~ format('^[%s]', cjk) and length(run) > 1 then
            for i in 1 .. length(run) - 1 loop
                out := out || substr(run, i, 2);
            end loop;
        else
            out := out || left(run, 200);
        end if;
    end loop;
    return out;
end $$;
-- +goose StatementEnd
comment on function core.search_words(text) is 'The words of a text as the measures count them: NFKC, lower case, runs of letters, marks and digits; Han and Kana as bigrams.';

-- A query is alternatives between OR; an alternative is words and "phrases", all of
-- which it needs, and those after - which it bars. Terms are numbered from 0 and
-- alternatives given as bits.
-- +goose StatementBegin
create function core.search_query(query text, out terms tsquery[], out needed bigint[], out barred bigint[])
language plpgsql immutable strict parallel safe as $$
declare
    token text[];
    parts text[];
    term tsquery;
    at integer;
    n bigint := 0;
    b bigint := 0;
    fresh boolean := true;
begin
    terms := '{}'; needed := '{}'; barred := '{}';
    if length(query) > 1000 then
        raise exception 'the query is longer than 1000 characters' using errcode = '22023';
    end if;
    if (length(query) - length(replace(query, '"', ''))) % 2 = 1 then
        raise exception 'a quotation mark is not closed' using errcode = '22023';
    end if;
    for token in select regexp_matches(query || ' OR', '(-?)(?:"([^"]*)"|([^\s"]+))', 'g') loop
        if token[3] = 'OR' and token[1] = '' then
            if fresh then
                raise exception 'the query has no words, or OR does not stand between two' using errcode = '22023';
            end if;
            if n = 0 then
                raise exception 'words after - only narrow others; at least one word has to be looked for' using errcode = '22023';
            end if;
            needed := needed || n; barred := barred || b;
            n := 0; b := 0; fresh := true;
            continue;
        end if;
        parts := core.search_words(coalesce(token[2], token[3]));
        if cardinality(parts) = 0 then
            raise exception '%', format('%s has no letter or digit', coalesce('"' || token[2] || '"', token[1] || token[3])) using errcode = '22023';
        end if;
        term := (select string_agg('''' || w || '''' || case when length(w) = 1 and w ~ '[々〇ぁ-ヿㇰ-ㇿ㐀-䶿一-鿿豈-龎𠀀-𳑿]' then ':*' else '' end, ' <-> ' order by i)
                 from unnest(parts) with ordinality u(w, i))::tsquery;
        at := array_position(terms, term);
        if at is null then
            terms := terms || term;
            at := cardinality(terms);
            if at > 32 then
                raise exception 'the query has more than 32 different words and phrases' using errcode = '22023';
            end if;
        end if;
        if token[1] = '-' then b := b | (1::bigint << (at - 1)); else n := n | (1::bigint << (at - 1)); end if;
        fresh := false;
    end loop;
end $$;
-- +goose StatementEnd
comment on function core.search_query(text) is 'Reads a query: words, "phrases", - before what must not be there, OR between alternatives. Terms that are needed and barred by each alternative come as bits.';

-- +goose StatementBegin
create function core.search_mask(words tsvector, terms tsquery[]) returns bigint
language sql immutable strict parallel safe as $$
    select coalesce(bit_or(1::bigint << (i - 1)::integer), 0) from unnest(terms) with ordinality t(q, i) where words @@ q
$$;
-- +goose StatementEnd
comment on function core.search_mask(tsvector, tsquery[]) is 'Which terms the words have, as bits.';

-- +goose StatementBegin
create function core.search_fits(mask bigint, needed bigint[], barred bigint[]) returns boolean
language sql immutable parallel safe as $$
    select exists (select 1 from unnest(needed, barred) a(n, b) where coalesce(mask, 0) & n = n and coalesce(mask, 0) & b = 0)
$$;
-- +goose StatementEnd
comment on function core.search_fits(bigint, bigint[], bigint[]) is 'Whether a text that has these terms is one that a query looks for.';

-- +goose StatementBegin
create function core.series_threshold(of_series integer) returns double precision
language plpgsql stable as $$
begin
    return (select coalesce((s.config #>> '{novelty,Threshold}')::double precision, 0.1) from core.series s where s.series_id = of_series);
end $$;
-- +goose StatementEnd
comment on function core.series_threshold(integer) is 'Novelty from which pages of a series are judged novel: as configured, or 0.1.';

-- The pages of each snapshot that fit a query, with what they are (SCIENCE T11). What
-- a snapshot saw of a page is the text at the time of its fetch.
-- +goose StatementBegin
create function core.keyword_pages(of_series integer, terms tsquery[], needed bigint[], barred bigint[], threshold double precision)
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

-- +goose StatementBegin
create function core.keyword_counts(of_series integer, terms tsquery[], needed bigint[], barred bigint[], threshold double precision)
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
    left join core.keyword_pages(of_series, terms, needed, barred, threshold) k on k.snapshot_id = n.snapshot_id
    where n.series_id = of_series
    group by n.snapshot_id, n.snapshot, n.started_at, n.status, c.ok, s.pages
    order by n.snapshot;
end $$;
-- +goose StatementEnd
comment on function core.keyword_counts(integer, tsquery[], bigint[], bigint[], double precision) is 'The pages of core.keyword_pages, counted for each snapshot; null for a snapshot that failed or is not computed.';

-- Readers have no rights on the private tables, so it runs with its owner's.
-- +goose StatementBegin
create function api_v1.keyword_novelty(series text, words text)
returns table (snapshot integer, at timestamptz, old_new_keyword bigint, novel bigint, uncertain bigint, captured bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    q record;
    id integer := (select s.series_id from core.series s where s.name = $1);
begin
    if id is null then
        raise exception '%', format('there is no series %s', $1) using errcode = '22023';
    end if;
    select * into q from core.search_query($2);
    if q.terms is null then
        raise exception 'the query has no words' using errcode = '22023';
    end if;
    return query
    select k.snapshot, k.at, k.old_new_keyword, k.novel, k.uncertain, k.captured
    from core.keyword_counts(id, q.terms, q.needed, q.barred, core.series_threshold(id)) k;
end $$;
-- +goose StatementEnd
comment on function api_v1.keyword_novelty(text, text) is
    'For each snapshot of a series: old pages in which the words newly appeared since their crawl before, newly crawled pages with the words judged novel (by the threshold of the series), those that are uncertain, and the pages captured. Words: all of them, "phrases", - before what must not be there, OR between alternatives. Null for a snapshot that failed or is not computed.';

-- +goose Down
drop function api_v1.keyword_novelty(text, text);
drop function core.keyword_counts(integer, tsquery[], bigint[], bigint[], double precision);
drop function core.keyword_pages(integer, tsquery[], bigint[], bigint[], double precision);
drop function core.series_threshold(integer);
drop function core.search_fits(bigint, bigint[], bigint[]);
drop function core.search_mask(tsvector, tsquery[]);
drop function core.search_query(text);
drop function core.search_words(text);
delete from core.monitor_todo where stage like 'search%';
drop table core.passage, core.page_text;
