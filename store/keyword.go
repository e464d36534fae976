package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/monitor/query"
)

var (
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
