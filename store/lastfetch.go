package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var qLastFetch = statement{routed, `
	select f.started_at, f.outcome::text, coalesce(f.status, 0), coalesce(f.error, '')
	from core.fetch f
	where f.bucket = $1 and f.page_id = $2
	order by f.started_at desc, f.attempt desc limit 1`}

// LastFetch is what the newest attempt on a page came to.
type LastFetch struct {
	StartedAt time.Time
	Outcome   Outcome
	Status    int    // 0: there was no answer
	Error     string // empty: nothing went wrong
}

// LastFetch returns the newest attempt on a page, or an error that wraps ErrNotFound.
func (db *DB) LastFetch(ctx context.Context, page PageID) (LastFetch, error) {
	var f LastFetch
	err := db.pool.QueryRow(ctx, qLastFetch.sql, page.Bucket(), page).Scan(&f.StartedAt, &f.Outcome, &f.Status, &f.Error)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, fmt.Errorf("fetch of page %d: %w", page, ErrNotFound)
	}
	if err != nil {
		return f, fmt.Errorf("fetch of page %d: %w", page, err)
	}
	return f, nil
}
