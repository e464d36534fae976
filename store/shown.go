package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// The measures that views show cost more than the states that they are computed from, and
// each fetch that sees a page again moves them. So they are computed from the states
// now and then, up to the last fetch that saw the page.
var (
	qStaleMeasures = statement{all, `
		select a.page_id
		from core.page_analysis a
		join core.page_state s on s.bucket = a.bucket and s.page_id = a.page_id
		where a.page_id > $1 and a.version > 0 and a.version = s.version
		  and (a.shown_until is null
		       or s.version_seen > a.shown_until and s.version_seen - a.shown_until >= (s.version_seen - a.origin) * $2::float8)
		order by a.page_id limit $3`}
	qPutShown = statement{routed, `
		update core.page_analysis a set shown_until = v.shown_until
		from unnest($1::bigint[], $2::timestamptz[]) v(page_id, shown_until)
		where a.bucket = any($3::int[]) and a.page_id = v.page_id`}
)

// StaleMeasures returns pages, ascending and above a given one, whose measures for the views
// are not up to date: the page was seen since, and followed for longer by at least a share of the
// time that it has been followed. Share 0 asks for all.
func (db *DB) StaleMeasures(ctx context.Context, after PageID, share float64, limit int) ([]PageID, error) {
	rows, err := db.pool.Query(ctx, qStaleMeasures.sql, after, share, limit)
	if err != nil {
		return nil, fmt.Errorf("find measures to compute: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[PageID])
	if err != nil {
		return nil, fmt.Errorf("find measures to compute: %w", err)
	}
	return out, nil
}

// Update calls f with a transaction.
func (db *DB) Update(ctx context.Context, f func(*Tx) error) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return f(&Tx{db: db, tx: tx}) })
}

// PutMeasures stores the measures of pages in place of earlier ones, and computes the
// summaries of the pages, which have some of them. The analyses have to be locked.
func (t *Tx) PutMeasures(ctx context.Context, of []*Measures) error {
	if len(of) == 0 {
		return nil
	}
	var b pgx.Batch
	pages, until := make([]PageID, len(of)), make([]time.Time, len(of))
	for i, m := range of {
		pages[i], until[i] = m.Page, m.Until
		t.queueMeasures(&b, m)
	}
	b.Queue(qPutShown.sql, pages, until, bucketsOf(pages))
	sorted := slices.Sorted(slices.Values(pages))
	b.Queue(qPutSummaries.sql, sorted, bucketsOf(sorted), summaryChanges, t.db.now())
	if err := t.tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("store measures of %d pages: %w", len(of), err)
	}
	return nil
}
