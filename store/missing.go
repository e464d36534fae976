package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var qMissing = statement{all, `
	select f.page_id, f.started_at, f.attempt, p.url, f.finished_at, coalesce(f.status, 0), f.kind, coalesce(f.watch_id, 0), f.sha256, f.head, f.detail
	from core.fetch f
	join core.page p on p.bucket = f.bucket and p.page_id = f.page_id
	where f.outcome = 'error' and f.error = $1 and (f.page_id, f.started_at, f.attempt) > ($2, $3, $4)
	order by f.page_id, f.started_at, f.attempt
	limit $5`}

// missingBatch is how many captures Missing has in memory.
const missingBatch = 200

// Missing calls f with the stored captures that name a payload which was not at
// hand when they came, some at a time, until f fails. A capture given to Write
// again, with Extract and what else its head says filled in, becomes what it
// would have been had the payload come first; one whose payload is still missing
// changes nothing.
func (db *DB) Missing(ctx context.Context, f func([]*Capture) error) error {
	var page PageID
	var at time.Time
	var attempt int16
	for {
		rows, err := db.pool.Query(ctx, qMissing.sql, missingPayload, page, at, attempt, missingBatch)
		if err != nil {
			return fmt.Errorf("read captures without payload: %w", err)
		}
		caps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Capture, error) {
			var c Capture
			var hash, head, detail []byte
			err := row.Scan(&page, &at, &attempt, &c.URL, &c.FinishedAt, &c.Status, &c.Kind, &c.WatchID, &hash, &head, &detail)
			if err != nil {
				return nil, err
			}
			c.StartedAt = at
			copy(c.PayloadHash[:], hash)
			c.PayloadSHA1, c.RefersTo = missingOf(detail)
			c.Head, err = unpackHead(head)
			return &c, err
		})
		if err != nil {
			return fmt.Errorf("read captures without payload: %w", err)
		}
		if len(caps) == 0 {
			return nil
		}
		if err := f(caps); err != nil {
			return err
		}
	}
}
