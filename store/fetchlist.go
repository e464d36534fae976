package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qFetchList = statement{routed, `
		select f.started_at, f.attempt, f.finished_at, f.due_at, f.outcome::text, f.kind, coalesce(f.status, 0), coalesce(f.version, 0), coalesce(f.bytes, 0), coalesce(f.error, '')
		from core.fetch f
		where f.bucket = $2 and f.page_id = $1 and (f.started_at, f.attempt) < ($3::timestamptz, $4::smallint)
		order by f.started_at desc, f.attempt desc limit $5`}
	qSnapshotList = statement{all, `
		select s.page_id, p.url, s.crawled_at, coalesce(v.class::text, ''), v.novelty, coalesce(v.in_links, 0), coalesce(s.status, 0)
		from core.snapshot_page s
		join core.page p on p.bucket = s.bucket and p.page_id = s.page_id
		left join core.snapshot_novelty v on v.snapshot_id = s.snapshot_id and v.bucket = s.bucket and v.page_id = s.page_id
		where s.snapshot_id = $1 and s.crawled and s.page_id > $2::bigint
		order by s.page_id limit $3`}
)

// FetchRow is an attempt on a page.
type FetchRow struct {
	At         time.Time
	Attempt    int16
	FinishedAt time.Time
	DueAt      time.Time // zero: nothing was scheduled
	Outcome    Outcome
	Kind       Kind
	Status     int
	Version    int32 // that it saw; 0: none
	Bytes      int64
	Error      string
}

// ListFetches returns up to limit attempts on a page before a place, the newest
// first.
func (db *DB) ListFetches(ctx context.Context, page PageID, before MementoMark, limit int) ([]FetchRow, error) {
	rows, err := db.pool.Query(ctx, qFetchList.sql, page, page.Bucket(), before.At, before.Attempt, limit)
	if err != nil {
		return nil, fmt.Errorf("list fetches: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f FetchRow, err error) {
		var due *time.Time
		err = row.Scan(&f.At, &f.Attempt, &f.FinishedAt, &due, &f.Outcome, &f.Kind, &f.Status, &f.Version, &f.Bytes, &f.Error)
		f.DueAt = deref(due)
		return f, err
	})
	if err != nil {
		return nil, fmt.Errorf("list fetches: %w", err)
	}
	return out, nil
}

// SnapshotRow is a page that a snapshot crawled.
type SnapshotRow struct {
	Page    PageID
	URL     string
	At      time.Time
	Class   string   // empty: not computed
	Novelty *float64 // nil: not computed
	InLinks int
	Status  int
}

// ListSnapshot returns up to limit pages of a snapshot behind a page, in the order
// of their ids.
func (db *DB) ListSnapshot(ctx context.Context, id SnapshotID, after PageID, limit int) ([]SnapshotRow, error) {
	rows, err := db.pool.Query(ctx, qSnapshotList.sql, id, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list pages of a snapshot: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[SnapshotRow])
	if err != nil {
		return nil, fmt.Errorf("list pages of a snapshot: %w", err)
	}
	return out, nil
}
