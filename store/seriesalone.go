package store

import (
	"context"
	"fmt"
	"time"
)

var (
	qComputeLock   = statement{local, `select pg_try_advisory_lock(7305826, $1)`}
	qComputeUnlock = statement{local, `select pg_advisory_unlock(7305826, $1)`}
)

// aloneEvery is how often who waits for another program asks again, in real time.
const aloneEvery = 500 * time.Millisecond

// SeriesAlone calls f while no other caller of SeriesAlone, in whatever program, is at
// work on the series; it waits for that, and calls busy once if it has to. The lock goes
// with the session of a program that is killed.
func (db *DB) SeriesAlone(ctx context.Context, series SeriesID, busy func(), f func() error) error {
	for waited := false; ; waited = true {
		conn, err := db.pool.Acquire(ctx)
		if err != nil {
			return fmt.Errorf("series %d alone: %w", series, err)
		}
		var mine bool
		if err := conn.QueryRow(ctx, qComputeLock.sql, series).Scan(&mine); err != nil {
			conn.Release()
			return fmt.Errorf("series %d alone: %w", series, err)
		}
		if mine {
			defer conn.Release()
			defer func() {
				after := context.WithoutCancel(ctx)
				if _, err := conn.Exec(after, qComputeUnlock.sql, series); err != nil {
					_ = conn.Conn().Close(after) // the lock goes with the session
				}
			}()
			return f()
		}
		conn.Release() // who waits keeps no connection from who works
		if !waited {
			busy()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(aloneEvery):
		}
	}
}
