package store

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/monitor/query"
)

// A search is answered in one of three ways, none of which reads more than some
// thousand passages, however many there are:
//
//   - Where all words are seldom, the index of words finds their passages.
//   - Where each alternative has a seldom word, that finds the pages, and their
//     passages are read.
//   - Else passages are read from the newest on, in growing windows, until enough
//     pages fit. A stretch of versions that fits begins with a passage, so a window
//     holds all stretches that begin behind its oldest passage. Words that pages
//     always have stand there since long: then the pages of the newest passages are
//     told, whenever their stretches began.
//
// Statements are planned with their values (listMode): which index is used hangs on
// how frequent the words are.

// searchRuns finds, in the passages hit, the last run of versions of each page that
// fits. Passages give each page the moments at which its terms change: a term is there
// while more passages with it have begun than ended, so that a page with a long history
// costs its passages, not their square. A run begins where one moment fits and the one
// before did not. $1 are the terms, $2 all of them
// together, $3 and $4 the needed and the barred ones of the alternatives, $5 and $6
// the times between which a run begins, $7 and $8 the place of the last one told, $9
// asks for the order by rank, $10 is the limit, and runs begin after $11 and not
// after $12.
const searchRuns = `
	), event as (
		select h.bucket, h.page_id, h.from_version as version, h.from_at as at, h.mask, 1 as step, h.rank from hit h
		union all
		select h.bucket, h.page_id, h.to_version, h.to_at, h.mask, -1, -h.rank from hit h where h.to_version is not null
	), net as (
		select e.bucket, e.page_id, e.version, b.bit, min(e.at) as at, sum(case when (e.mask >> b.bit) & 1 = 1 then e.step else 0 end) as step, sum(e.rank)::bigint as rank
		from event e, generate_series(0, cardinality($1::text[]) - 1) b(bit)
		group by e.bucket, e.page_id, e.version, b.bit
	), stand as (
		select n.*, sum(n.step) over w as passages, sum(n.rank) over w as ranks
		from net n window w as (partition by n.bucket, n.page_id, n.bit order by n.version)
	), had as materialized (
		select a.bucket, a.page_id, a.version, min(a.at) as at, coalesce(bit_or(1::bigint << a.bit) filter (where a.passages > 0), 0) as mask,
		       max(a.ranks)::float8 / 1e9 as rank
		from stand a group by a.bucket, a.page_id, a.version
	), fit as materialized (
		select m.mask, core.search_fits(m.mask, $3::bigint[], $4::bigint[]) as fits from (select distinct h.mask from had h) m
	), state as (
		select h.*, f.fits from had h join fit f on f.mask = h.mask
	), step as (
		select t.*, lead(t.version) over w as next_version, lead(t.at) over w as next_at,
		       sum(case when t.fits then 0 else 1 end) over w as run
		from state t
		window w as (partition by t.bucket, t.page_id order by t.version)
	), run as (
		select t.bucket, t.page_id, min(t.version) as version, min(t.at) as at, max(t.rank) as rank, t.run,
		       (array_agg(t.next_version order by t.version desc))[1] as gone_version, (array_agg(t.next_at order by t.version desc))[1] as gone_at
		from step t where t.fits group by t.bucket, t.page_id, t.run
	), last as (
		select distinct on (r.bucket, r.page_id) r.*, count(*) over (partition by r.bucket, r.page_id) as runs
		from run r
		where ($5::timestamptz is null or r.at >= $5) and ($6::timestamptz is null or r.at < $6)
		order by r.bucket, r.page_id, r.version desc
	), best as (
		select l.* from last l
		where ($7::float8 is null or ((case when $9::boolean then l.rank::float8 else extract(epoch from l.at)::float8 end), l.page_id) < ($7, $8::bigint))
		  and ($11::timestamptz is null or l.at > $11) and ($12::timestamptz is null or l.at <= $12)
		order by (case when $9 then l.rank::float8 else extract(epoch from l.at)::float8 end) desc, l.page_id desc
		limit $10
	)
	select b.page_id, p.url, b.version, b.at, b.rank::float8, coalesce(b.gone_version, 0), b.gone_at, b.runs::int
	from best b
	join core.page p on p.bucket = b.bucket and p.page_id = b.page_id
	order by (case when $9 then b.rank::float8 else extract(epoch from b.at)::float8 end) desc, b.page_id desc`

// searchHits reads passages that have any of the terms, and which ones: the function
// costs more than all else, so that of up to four terms is written out. Ranks are counted
// in whole billionths: so their sums hang on no order.
const searchHits = `
	with hit as materialized (
		select p.bucket, p.page_id, p.from_version, p.to_version, p.from_at, p.to_at,
		       case when cardinality($1::text[]) = 1 then 1
		            when cardinality($1) <= 4 then (p.words @@ $1[1]::tsquery)::int::bigint | case when p.words @@ $1[2]::tsquery then 2 else 0 end
		                 | case when p.words @@ $1[3]::tsquery then 4 else 0 end | case when p.words @@ $1[4]::tsquery then 8 else 0 end
		            else core.search_mask(p.words, $1::tsquery[]) end as mask,
		       case when $9::boolean then round(ts_rank(p.words, $2::text::tsquery, 1)::float8 * 1e9)::bigint else 0 end as rank
		from core.passage p
		where p.words @@ $2::text::tsquery`

var (
	qSearchAll   = statement{all, searchHits + searchRuns}
	qSearchPages = statement{all, searchHits + ` and p.bucket = any($13::int[]) and p.page_id = any($14::bigint[])` + searchRuns}
	// qSearchSince leaves out what had ended by $11, from when on runs are looked for.
	qSearchSince = statement{all, searchHits + ` and p.bucket = any($13::int[]) and p.page_id = any($14::bigint[]) and (p.to_at is null or p.to_at >= $11)` + searchRuns}
	// qPassagesOf counts the passages of pages.
	qPassagesOf = statement{all, `
		select p.page_id, count(*)::int from core.passage p where p.bucket = any($1::int[]) and p.page_id = any($2::bigint[]) group by p.page_id`}
	// qCountPassages counts passages up to a bound.
	qCountPassages = statement{all, `
		select count(*)::int from (select 1 from core.passage p where p.words @@ $1::text::tsquery limit $2) x`}
	qPagesWith = statement{all, `
		select distinct p.page_id from core.passage p where p.words @@ $1::text::tsquery`}
	// qNewestPassages tells the pages of the newest passages with some words, how
	// many passages these are and when the oldest of them began.
	qNewestPassages = statement{all, `
		select coalesce(array_agg(distinct n.page_id), '{}'::bigint[]), count(*)::int, min(n.from_at)
		from (select p.page_id, p.from_at from core.passage p
		      where p.words @@ $1::text::tsquery and ($2::timestamptz is null or p.from_at <= $2) and ($3::timestamptz is null or p.from_at >= $3)
		      order by p.from_at desc limit $4) n`}
	qNewestPassagesOf = statement{all, `
		select coalesce(array_agg(distinct n.page_id), '{}'::bigint[]), count(*)::int, min(n.from_at)
		from (select p.page_id, p.from_at from core.passage p
		      where p.page_id = any($5::bigint[]) and p.words @@ $1::text::tsquery
		        and ($2::timestamptz is null or p.from_at <= $2) and ($3::timestamptz is null or p.from_at >= $3)
		      order by p.from_at desc limit $4) n`}
)

// Bounds of a search, in passages but for fewPages.
const (
	seldomPassages = 2000 // up to which words are seldom
	pagePassages   = 5000 // up to which a word finds pages
	firstWindow    = 64   // each window is four times the one before
	searchLook     = 600  // read from the newest on, unless another number is asked for
	fewPages       = 300  // that are read whole
	mostPassages   = 8000 // of the pages that are read whole
)

// SearchOptions narrow and order what Search finds.
type SearchOptions struct {
	From, To time.Time // when the words came to stand on the page; zero: any time
	ByRank   bool      // best first instead of newest first
	After    *SearchMark
	Limit    int
	// Look is how many passages are read where the words are frequent; 0 means 600.
	Look int
	// Seldom is up to how many passages words are looked up by their index; 0 means
	// 2,000.
	Seldom int
}

// SearchMark is the place of a hit in the order.
type SearchMark struct {
	Value float64 // rank, or seconds since 1970
	Page  PageID
}

// SearchHit is a page with the last stretch of its versions that fit.
type SearchHit struct {
	Page    PageID
	URL     string
	Version int32     // the first version of the stretch
	At      time.Time // when it was first seen
	Rank    float64   // 0 but in the order by rank
	Gone    int32     // the first version that no longer fits; 0: the last one does
	GoneAt  time.Time // zero with Gone
	Times   int32     // stretches of the page in the time asked for
}

// Found is what a search found.
type Found struct {
	Hits []SearchHit
	Next *SearchMark // where the search goes on; nil: nothing more was found
	// Partial is set where pages may be missing between those found, since the words
	// are frequent and only pages with the newest passages were looked at.
	Partial bool
}

// Mark is the hit's place in an order.
func (h SearchHit) Mark(byRank bool) SearchMark {
	if byRank {
		return SearchMark{h.Rank, h.Page}
	}
	return SearchMark{float64(h.At.UnixMicro()) / 1e6, h.Page}
}

// Search finds the pages that have a version that fits a query.
func (db *DB) Search(ctx context.Context, q query.Query, opt SearchOptions) (Found, error) {
	if opt.Look <= 0 {
		opt.Look = searchLook
	}
	if opt.Seldom <= 0 {
		opt.Seldom = seldomPassages
	}
	s := &searching{db: db, q: q, opt: opt}
	s.terms, s.wanted, s.needed, s.barred = queryArgs(q)
	out, err := s.find(ctx)
	if err != nil {
		return Found{}, fmt.Errorf("search: %w", err)
	}
	return out, nil
}

// searching is one search.
type searching struct {
	db     *DB
	q      query.Query
	opt    SearchOptions
	terms  []string
	wanted string // all terms, one of which a passage has
	needed []int64
	barred []int64
}

// find chooses the way and goes it.
func (s *searching) find(ctx context.Context) (Found, error) {
	counts, err := s.counts(ctx)
	if err != nil {
		return Found{}, err
	}
	sum := 0
	for _, n := range counts {
		sum += n
	}
	if sum <= s.opt.Seldom {
		return s.read(ctx, nil, nil, nil)
	}
	drivers, most := s.drivers(counts)
	var pages []PageID
	if most <= pagePassages {
		if pages, err = s.pagesWith(ctx, drivers); err != nil {
			return Found{}, err
		}
		if len(pages) <= min(fewPages, s.opt.Seldom) {
			some, err := s.bounded(ctx, pages)
			if err != nil {
				return Found{}, err
			}
			if len(some) == len(pages) {
				return s.read(ctx, pages, nil, nil)
			}
		}
	}
	if s.opt.ByRank {
		newest, err := s.newest(ctx, pages, orNil(s.opt.To), s.opt.Look)
		if err != nil {
			return Found{}, err
		}
		some, err := s.bounded(ctx, newest.pages)
		if err != nil {
			return Found{}, err
		}
		out, err := s.read(ctx, some, nil, nil)
		out.Partial = newest.passages == s.opt.Look || len(some) < len(newest.pages)
		return out, err
	}
	return s.windows(ctx, pages)
}

// counts counts the passages of each term, up to the bound beyond which it finds no
// pages.
func (s *searching) counts(ctx context.Context) ([]int, error) {
	out := make([]int, len(s.terms))
	for i, t := range s.terms {
		if err := s.db.pool.QueryRow(ctx, qCountPassages.sql, listMode, t, pagePassages+1).Scan(&out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// drivers returns the most seldom term that each alternative needs, as a query of
// what any of them needs, and the number of passages that these have together.
func (s *searching) drivers(counts []int) (tsquery string, passages int) {
	var chosen []int
	for _, needed := range s.needed {
		best := -1
		for rest := uint64(needed); rest != 0; rest &= rest - 1 {
			if i := bits.TrailingZeros64(rest); best < 0 || counts[i] < counts[best] {
				best = i
			}
		}
		if best >= 0 && !slices.Contains(chosen, best) {
			chosen = append(chosen, best)
			passages += counts[best]
		}
	}
	parts := make([]string, len(chosen))
	for i, t := range chosen {
		parts[i] = "(" + s.terms[t] + ")"
	}
	return strings.Join(parts, " | "), passages
}

// neededTerms is a query of all terms that some alternative needs.
func (s *searching) neededTerms() string {
	var parts []string
	for i, t := range s.terms {
		if slices.ContainsFunc(s.needed, func(n int64) bool { return n>>i&1 == 1 }) {
			parts = append(parts, "("+t+")")
		}
	}
	return strings.Join(parts, " | ")
}

func (s *searching) pagesWith(ctx context.Context, tsquery string) ([]PageID, error) {
	rows, err := s.db.pool.Query(ctx, qPagesWith.sql, listMode, tsquery)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[PageID])
}

// window is the pages of some newest passages.
type window struct {
	pages    []PageID
	passages int
	oldest   *time.Time // when the oldest of the passages began; nil without any
}

// newest reads the newest passages not after a time that have a needed term; of some
// pages, or of all where pages is nil.
func (s *searching) newest(ctx context.Context, pages []PageID, upTo *time.Time, n int) (w window, err error) {
	args := []any{listMode, s.neededTerms(), upTo, orNil(s.opt.From), n}
	q := qNewestPassages
	if pages != nil {
		q, args = qNewestPassagesOf, append(args, pages)
	}
	err = s.db.pool.QueryRow(ctx, q.sql, args...).Scan(&w.pages, &w.passages, &w.oldest)
	return w, err
}

// windows reads passages from the newest on until enough pages fit.
func (s *searching) windows(ctx context.Context, pages []PageID) (out Found, err error) {
	upTo := orNil(s.opt.To)
	if m := s.opt.After; m != nil {
		at := time.UnixMicro(int64(m.Value*1e6) + 1).UTC()
		if upTo == nil || at.Before(*upTo) {
			upTo = &at
		}
	}
	var seen []PageID
	limit, left := s.opt.Limit, s.opt.Look
	for size := firstWindow; ; size *= 4 {
		size = min(size, left)
		left -= size
		w, err := s.newest(ctx, pages, upTo, size)
		if err != nil {
			return Found{}, err
		}
		var floor *time.Time // passages from there on are not all in the window
		if w.passages == size {
			floor = w.oldest
		}
		some, err := s.read(ctx, w.pages, floor, upTo)
		if err != nil {
			return Found{}, err
		}
		out.Hits, seen = append(out.Hits, some.Hits...), append(seen, w.pages...)
		// What fits since a barred term went need not begin with a passage.
		out.Partial = slices.ContainsFunc(s.barred, func(b int64) bool { return b != 0 })
		switch {
		case len(out.Hits) >= limit && (len(out.Hits) > limit || some.Next != nil || floor != nil):
			out.Hits = out.Hits[:limit]
			m := out.Hits[limit-1].Mark(false)
			out.Next = &m
			return out, s.times(ctx, &out)
		case floor == nil:
			return out, s.times(ctx, &out)
		case left <= 0:
			slices.Sort(seen)
			some, err := s.bounded(ctx, slices.Compact(seen))
			if err != nil {
				return Found{}, err
			}
			out, err = s.read(ctx, some, nil, nil)
			out.Partial = true
			return out, err
		}
		upTo = floor
	}
}

// bounded returns the first of some pages, as many as have mostPassages together, at
// least one.
func (s *searching) bounded(ctx context.Context, pages []PageID) ([]PageID, error) {
	rows, err := s.db.pool.Query(ctx, qPassagesOf.sql, listMode, bucketsOf(pages), pages)
	if err != nil {
		return nil, err
	}
	counts := map[PageID]int{}
	var page PageID
	var n int
	if _, err = pgx.ForEachRow(rows, []any{&page, &n}, func() error { counts[page] = n; return nil }); err != nil {
		return nil, err
	}
	sum := 0
	for i, p := range pages {
		if sum += counts[p]; sum > mostPassages && i > 0 {
			return pages[:i], nil
		}
	}
	return pages, nil
}

// times counts the stretches of pages that were found in a window, of which only the
// last one is known. Where these are many pages with long histories, some keep 1.
func (s *searching) times(ctx context.Context, found *Found) error {
	pages := make([]PageID, len(found.Hits))
	for i := range found.Hits {
		pages[i] = found.Hits[i].Page
	}
	pages, err := s.bounded(ctx, pages)
	if err != nil || len(pages) == 0 {
		return err
	}
	whole, err := s.read(ctx, pages, nil, nil)
	if err != nil {
		return err
	}
	times := make(map[PageID]int32, len(whole.Hits))
	for _, h := range whole.Hits {
		times[h.Page] = h.Times
	}
	for i := range found.Hits {
		h := &found.Hits[i]
		h.Times = max(times[h.Page], 1)
	}
	return nil
}

// read finds runs in passages of some pages, or of all where pages is nil, that begin
// after one time and not after another; nil is no bound.
func (s *searching) read(ctx context.Context, pages []PageID, after, upTo *time.Time) (out Found, err error) {
	var value *float64
	var page PageID
	if m := s.opt.After; m != nil {
		value, page = &m.Value, m.Page
	}
	args := []any{
		listMode, s.terms, s.wanted, s.needed, s.barred, orNil(s.opt.From), orNil(s.opt.To), value, page, s.opt.ByRank, s.opt.Limit + 1, after, upTo,
	}
	q := qSearchAll
	if pages != nil {
		q, args = qSearchPages, append(args, bucketsOf(pages), pages)
		if after != nil {
			q = qSearchSince
		}
	}
	rows, err := s.db.pool.Query(ctx, q.sql, args...)
	if err != nil {
		return out, err
	}
	var h SearchHit
	var gone *time.Time
	_, err = pgx.ForEachRow(rows, []any{&h.Page, &h.URL, &h.Version, &h.At, &h.Rank, &h.Gone, &gone, &h.Times}, func() error {
		h.GoneAt = deref(gone)
		out.Hits = append(out.Hits, h)
		return nil
	})
	if err == nil && len(out.Hits) > s.opt.Limit {
		out.Hits = out.Hits[:s.opt.Limit]
		m := out.Hits[s.opt.Limit-1].Mark(s.opt.ByRank)
		out.Next = &m
	}
	return out, err
}

// queryArgs are the terms of a query as the functions of the database take them.
func queryArgs(q query.Query) (terms []string, wanted string, needed, barred []int64) {
	for i, t := range q.Terms {
		if i > 0 {
			wanted += " | "
		}
		terms = append(terms, t.TSQuery())
		wanted += "(" + t.TSQuery() + ")"
	}
	for _, a := range q.Alternatives {
		needed, barred = append(needed, a.Needed), append(barred, a.Barred)
	}
	return terms, wanted, needed, barred
}
