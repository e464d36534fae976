package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/monitor/query"
)

var (
	// Passages give each page the moments at which its terms change; a run of versions
	// that fit begins where one fits and the one before did not. Of each page its last
	// run is returned.
	qSearch = statement{all, `
		with hit as materialized (
			select p.bucket, p.page_id, p.from_version, p.to_version, p.from_at, p.to_at, core.search_mask(p.words, $1::text[]::tsquery[]) as mask,
			       ts_rank(p.words, $2::text::tsquery, 1) as rank
			from core.passage p
			where p.words @@ $2::text::tsquery
			limit $5
		), edge as (
			select h.bucket, h.page_id, h.from_version as version, h.from_at as at from hit h
			union
			select h.bucket, h.page_id, h.to_version, h.to_at from hit h where h.to_version is not null
		), state as (
			select e.bucket, e.page_id, e.version, e.at, core.search_fits(bit_or(h.mask), $3, $4) as fits, sum(h.rank) as rank
			from edge e
			left join hit h on h.bucket = e.bucket and h.page_id = e.page_id and h.from_version <= e.version
			     and (h.to_version is null or h.to_version > e.version)
			group by e.bucket, e.page_id, e.version, e.at
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
			where ($6::timestamptz is null or r.at >= $6) and ($7::timestamptz is null or r.at < $7)
			order by r.bucket, r.page_id, r.version desc
		), best as (
			select l.* from last l
			where $8::float8 is null or ((case when $9 then l.rank::float8 else extract(epoch from l.at)::float8 end), l.page_id) < ($8, $10::bigint)
			order by (case when $9 then l.rank::float8 else extract(epoch from l.at)::float8 end) desc, l.page_id desc
			limit $11
		)
		select b.page_id, p.url, b.version, b.at, b.rank::float8, coalesce(b.gone_version, 0), b.gone_at, b.runs::int,
		       (select count(*) from hit)::int >= $5
		from best b
		join core.page p on p.bucket = b.bucket and p.page_id = b.page_id
		order by (case when $9 then b.rank::float8 else extract(epoch from b.at)::float8 end) desc, b.page_id desc`}
	qKeywordCounts = statement{all, `
		select k.snapshot_id, k.snapshot, k.at, k.status, k.old_new_keyword, k.novel, k.uncertain, k.captured
		from core.keyword_counts($1, $2::text[]::tsquery[], $3, $4, $5) k`}
	qKeywordPages = statement{all, `
		select n.snapshot, k.page_id, p.url, k.crawled_at, k.class, k.novelty::float8, k.kind, p.first_seen
		from core.keyword_pages($1, $2::text[]::tsquery[], $3, $4, $5) k
		join core.numbered_snapshot n using (snapshot_id)
		join core.page p on p.bucket = k.bucket and p.page_id = k.page_id
		where k.kind is not null and k.kind <> 'old' and ($6::text is null or k.kind = $6) and ($7::int is null or n.snapshot = $7)
		  and ($8::timestamptz is null or n.started_at >= $8) and ($9::timestamptz is null or n.started_at < $9)
		order by case $10::text when 'novelty' then -k.novelty when 'novelty up' then k.novelty when 'rank' then -k.rank end, n.snapshot desc, k.page_id
		offset $11 limit $12`}
	qThreshold = statement{local, `select core.series_threshold($1)`}
)

// searchPassages bounds the passages that one search looks at.
const searchPassages = 20_000

// SearchOptions narrow and order what Search finds.
type SearchOptions struct {
	From, To time.Time // when the words came to stand on the page; zero: any time
	ByRank   bool      // best first instead of newest first
	After    *SearchMark
	Limit    int
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
	Rank    float64
	Gone    int32     // the first version that no longer fits; 0: the last one does
	GoneAt  time.Time // zero with Gone
	Times   int32     // stretches of the page in the time asked for
}

// Mark is the place of a hit in an order.
func (h SearchHit) Mark(byRank bool) SearchMark {
	if byRank {
		return SearchMark{h.Rank, h.Page}
	}
	return SearchMark{float64(h.At.UnixMicro()) / 1e6, h.Page}
}

// Search finds the pages that have a version that fits a query. It reports whether it
// gave up looking through all passages, where the words are everywhere.
func (db *DB) Search(ctx context.Context, q query.Query, opt SearchOptions) (hits []SearchHit, partial bool, err error) {
	terms, wanted, needed, barred := queryArgs(q)
	var value *float64
	var page PageID
	if opt.After != nil {
		value, page = &opt.After.Value, opt.After.Page
	}
	rows, err := db.pool.Query(ctx, qSearch.sql, terms, wanted, needed, barred, searchPassages, orNil(opt.From), orNil(opt.To), value, opt.ByRank, page, opt.Limit)
	if err != nil {
		return nil, false, fmt.Errorf("search: %w", err)
	}
	var h SearchHit
	var gone *time.Time
	_, err = pgx.ForEachRow(rows, []any{&h.Page, &h.URL, &h.Version, &h.At, &h.Rank, &h.Gone, &gone, &h.Times, &partial}, func() error {
		h.GoneAt = deref(gone)
		hits = append(hits, h)
		return nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("search: %w", err)
	}
	return hits, partial, nil
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

// KeywordSnapshot counts the pages of a snapshot that fit a query (SCIENCE T11).
type KeywordSnapshot struct {
	ID       SnapshotID
	Snapshot int
	At       time.Time
	Status   SnapshotStatus
	// Known is false for a snapshot that failed or is not computed: the counts mean
	// nothing.
	Known                              bool
	NewWord, Novel, Uncertain, Capture int64
}

// KeywordNovelty counts for each snapshot of a series the old pages in which a query
// newly fits, and the newly crawled pages that fit, judged novel from a threshold on.
func (db *DB) KeywordNovelty(ctx context.Context, series SeriesID, q query.Query, threshold float64) ([]KeywordSnapshot, error) {
	terms, _, needed, barred := queryArgs(q)
	rows, err := db.pool.Query(ctx, qKeywordCounts.sql, series, terms, needed, barred, threshold)
	if err != nil {
		return nil, fmt.Errorf("count pages with words: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k KeywordSnapshot, err error) {
		var word, novel, uncertain, captured *int64
		err = row.Scan(&k.ID, &k.Snapshot, &k.At, &k.Status, &word, &novel, &uncertain, &captured)
		if k.Known = captured != nil; k.Known {
			k.NewWord, k.Novel, k.Uncertain, k.Capture = *word, *novel, *uncertain, *captured
		}
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("count pages with words: %w", err)
	}
	return out, nil
}

// KeywordKind says why a page counts for a snapshot.
type KeywordKind string

// The kinds of paper T's Figure 11.
const (
	KindNewWord   KeywordKind = "new word" // an old page in which the words newly appeared
	KindNovel     KeywordKind = "novel"    // newly crawled and judged novel
	KindUncertain KeywordKind = "uncertain"
)

// KeywordOptions narrow and order what KeywordPages returns.
type KeywordOptions struct {
	Threshold    float64
	Kind         KeywordKind // empty: all three
	Snapshot     int         // 0: all
	From, To     time.Time   // starts of snapshots; zero: any
	Order        string      // novelty, "novelty up", rank, or time: the last snapshot first
	Offset, Rows int
}

// KeywordPage is a page that counts for a snapshot.
type KeywordPage struct {
	Snapshot  int
	Page      PageID
	URL       string
	At        time.Time // of its crawl
	Class     string    // L2, O or U
	Novelty   float64
	Kind      KeywordKind
	FirstSeen time.Time // when the address was first heard of
}

// KeywordPages returns the pages behind the counts of KeywordNovelty.
func (db *DB) KeywordPages(ctx context.Context, series SeriesID, q query.Query, opt KeywordOptions) ([]KeywordPage, error) {
	terms, _, needed, barred := queryArgs(q)
	var kind *string
	if opt.Kind != "" {
		s := string(opt.Kind)
		kind = &s
	}
	var snapshot *int
	if opt.Snapshot != 0 {
		snapshot = &opt.Snapshot
	}
	rows, err := db.pool.Query(ctx, qKeywordPages.sql, series, terms, needed, barred, opt.Threshold, kind, snapshot, orNil(opt.From), orNil(opt.To),
		opt.Order, opt.Offset, opt.Rows)
	if err != nil {
		return nil, fmt.Errorf("read pages with words: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[KeywordPage])
	if err != nil {
		return nil, fmt.Errorf("read pages with words: %w", err)
	}
	return out, nil
}

// Threshold returns the novelty from which pages of a series are judged novel.
func (db *DB) Threshold(ctx context.Context, series SeriesID) (float64, error) {
	var v float64
	if err := db.pool.QueryRow(ctx, qThreshold.sql, series).Scan(&v); err != nil {
		return 0, fmt.Errorf("read the threshold of a series: %w", err)
	}
	return v, nil
}
