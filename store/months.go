package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

var (
	qEnsurePartition = statement{local, `select core.ensure_partition($1, $2)`}
	qMakeAhead       = statement{local, `
		select count(*) filter (where core.ensure_partition(t, $1::timestamptz + make_interval(months => m)))
		from unnest(array['fetch', 'version']) t, generate_series(0, 3) m`}
)

// monthSet remembers which partitions exist, so that a batch asks only once.
type monthSet struct {
	mu   sync.Mutex
	have map[int]bool
}

// MakeAhead makes the partitions of the month of at and the three after it, and
// returns how many it made. The daemon calls it daily.
func (db *DB) MakeAhead(ctx context.Context, at time.Time) (int, error) {
	var n int
	if err := db.pool.QueryRow(ctx, qMakeAhead.sql, at).Scan(&n); err != nil {
		return 0, fmt.Errorf("make partitions ahead: %w", err)
	}
	return n, nil
}

// ensurePartitions makes the partitions that captures of the given times need.
// It runs outside the batch's transaction: attaching a partition locks, and the
// partition is as good without the batch.
func (db *DB) ensurePartitions(ctx context.Context, caps []*Capture) error {
	for _, c := range caps {
		if err := db.ensurePartition(ctx, c.StartedAt); err != nil {
			return err
		}
	}
	return nil
}

// ensurePartition does so for one moment.
func (db *DB) ensurePartition(ctx context.Context, at time.Time) error {
	at = at.UTC()
	month := at.Year()*12 + int(at.Month())
	db.months.mu.Lock()
	known := db.months.have[month]
	db.months.mu.Unlock()
	if known {
		return nil
	}
	for _, table := range []string{"fetch", "version"} {
		if _, err := db.pool.Exec(ctx, qEnsurePartition.sql, table, at); err != nil {
			return fmt.Errorf("make the partition of %s for %s: %w", table, at.Format("2006-01"), err)
		}
	}
	db.months.mu.Lock()
	defer db.months.mu.Unlock()
	if db.months.have == nil {
		db.months.have = map[int]bool{}
	}
	db.months.have[month] = true
	return nil
}
