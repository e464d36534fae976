package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/monitor/query"
)

var (
	// qKeywords gives the counts of snapshots first, which have no page, and then the pages.
	qKeywords = statement{all, `
		with k as materialized (
			select w.* from core.keyword_news($1, $2::text[]::tsquery[], $3, $4, $5, $10::text = 'rank') w
		), listed as (
			select o.*, row_number() over (order by o.value, o.snapshot desc, o.page_id) as place
			from (select k.*, n.snapshot, n.started_at,
			             case $10 when 'novelty' then -k.novelty::float8 when 'novelty up' then k.novelty::float8 when 'rank' then -k.rank::float8 else 0 end as value
			      from k join core.numbered_snapshot n using (snapshot_id)) o
			where ($6::text is null or o.kind = $6) and ($7::int is null or o.snapshot = $7)
			  and ($8::timestamptz is null or o.started_at >= $8) and ($9::timestamptz is null or o.started_at < $9)
			  and ($11::float8 is null or (o.value, -o.snapshot, o.page_id) > ($11, -$12::int, $13::bigint))
			order by place limit $14
		)
		select k.snapshot_id, k.kind, count(*), 0, 0::bigint, '', null::timestamptz, '', 0::float8, null::timestamptz, 0::float8, 0::bigint as place
		from k group by k.snapshot_id, k.kind
		union all
		select l.snapshot_id, l.kind, 0, l.snapshot, l.page_id, p.url, l.crawled_at, l.class, l.novelty::float8, p.first_seen, l.value, l.place
		from listed l
		join core.page p on p.bucket = l.bucket and p.page_id = l.page_id
		order by place`}
	qKeywordSnapshots = statement{all, `
		select n.snapshot_id, n.snapshot, n.started_at, n.status, s.status in ('done', 'cut short') and s.computed_at is not null and core.snapshot_indexed(s.snapshot_id), s.pages, coalesce(s.delta, 0)
		from core.numbered_snapshot n
		join core.snapshot s using (snapshot_id)
		where n.series_id = $1 order by n.snapshot`}
	qThreshold = statement{local, `select core.series_threshold($1)`}
)

// KeywordSnapshot counts the pages of a snapshot that fit a query (SCIENCE T11).
type KeywordSnapshot struct {
	ID       SnapshotID
	Snapshot int
	At       time.Time
	Status   SnapshotStatus
	// Known is false for a snapshot that failed, is not computed, or has texts that the
	// search does not know yet: the counts mean nothing.
	Known                              bool
	NewWord, Novel, Uncertain, Capture int64
	Delta                              float64 // that its novelty was computed by
}

// KeywordKind says why a page counts for a snapshot.
type KeywordKind string

// The kinds of paper T's Figure 11.
const (
	KindNewWord   KeywordKind = "new word" // an old page in which the words newly appeared
	KindNovel     KeywordKind = "novel"    // newly crawled and judged novel
	KindUncertain KeywordKind = "uncertain"
)

// KeywordOptions narrow and order the pages that KeywordNovelty returns; the counts
// hang on the threshold only.
type KeywordOptions struct {
	Threshold float64
	Kind      KeywordKind // empty: all three
	Snapshot  int         // 0: all
	From, To  time.Time   // starts of snapshots; zero: any
	Order     string      // novelty, "novelty up", rank, or time: the last snapshot first
	After     *KeywordMark
	Rows      int // without Rows no page is returned
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

	value float64 // by which the pages are ordered, rising
}

// KeywordMark is the place of a page in an order.
type KeywordMark struct {
	Value    float64
	Snapshot int
	Page     PageID
}

// Mark is the page's place in the order that it was asked for in.
func (p *KeywordPage) Mark() KeywordMark { return KeywordMark{p.value, p.Snapshot, p.Page} }

// KeywordNovelty counts for each snapshot of a series the old pages in which a query
// newly fits, and the newly crawled pages that fit, judged novel from a threshold on.
// It also returns pages behind the counts, as many as are asked for: both come from
// one reading, which is what takes the time.
func (db *DB) KeywordNovelty(ctx context.Context, series SeriesID, q query.Query, opt KeywordOptions) ([]KeywordSnapshot, []KeywordPage, error) {
	rows, err := db.pool.Query(ctx, qKeywordSnapshots.sql, series)
	if err != nil {
		return nil, nil, fmt.Errorf("count pages with words: %w", err)
	}
	at := map[SnapshotID]int{}
	counts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k KeywordSnapshot, err error) {
		var captured *int64
		if err = row.Scan(&k.ID, &k.Snapshot, &k.At, &k.Status, &k.Known, &captured, &k.Delta); k.Known && captured != nil {
			k.Capture = *captured
		}
		at[k.ID] = len(at)
		return k, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("count pages with words: %w", err)
	}
	terms, _, needed, barred := queryArgs(q)
	var snapshot *int
	if opt.Snapshot != 0 {
		snapshot = &opt.Snapshot
	}
	var value *float64
	var behind int
	var page PageID
	if m := opt.After; m != nil {
		value, behind, page = &m.Value, m.Snapshot, m.Page
	}
	if rows, err = db.pool.Query(ctx, qKeywords.sql, series, terms, needed, barred, opt.Threshold, textOrNil(string(opt.Kind)), snapshot, orNil(opt.From), orNil(opt.To),
		opt.Order, value, behind, page, opt.Rows); err != nil {
		return nil, nil, fmt.Errorf("count pages with words: %w", err)
	}
	var pages []KeywordPage
	var p KeywordPage
	var id SnapshotID
	var n, place int64
	var crawled, seen *time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &p.Kind, &n, &p.Snapshot, &p.Page, &p.URL, &crawled, &p.Class, &p.Novelty, &seen, &p.value, &place}, func() error {
		if place > 0 {
			p.At, p.FirstSeen = deref(crawled), deref(seen)
			pages = append(pages, p)
			return nil
		}
		i, ok := at[id]
		if !ok || !counts[i].Known {
			return nil
		}
		switch p.Kind {
		case KindNewWord:
			counts[i].NewWord = n
		case KindNovel:
			counts[i].Novel = n
		case KindUncertain:
			counts[i].Uncertain = n
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("count pages with words: %w", err)
	}
	return counts, pages, nil
}

// Threshold returns the novelty from which pages of a series are judged novel.
func (db *DB) Threshold(ctx context.Context, series SeriesID) (float64, error) {
	var v float64
	if err := db.pool.QueryRow(ctx, qThreshold.sql, series).Scan(&v); err != nil {
		return 0, fmt.Errorf("read the threshold of a series: %w", err)
	}
	return v, nil
}
