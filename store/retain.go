package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/strandlinehq/strandline/store/thin"
)

// Retention gives up what is old, in this order: contents of versions (retainversions.go),
// stored frames that are nobody's any more (retainblobs.go), rows of the log of fetches
// (retainfetches.go), and what a watch has over its quota (retainquota.go).
//
// It works beside everything else and may be killed at any moment: each step is a
// transaction of its own, and what one step leaves for the next is a row. No lock is
// waited for longer than lockWait, and transactions that hold one are kept short.
const (
	// lockWait bounds the waits for locks. Whoever waits for a lock on a table makes
	// all wait who come after, so this is also the longest stop of a writer.
	lockWait = "300ms"
	// retainAim is how long a transaction should take; batches are sized by it.
	retainAim = 60 * time.Millisecond
	// retainTries bounds how often a step is tried whose locks are held by others.
	retainTries = 5
)

var (
	qRetainLock   = statement{local, `select pg_try_advisory_lock(7305823)`}
	qRetainUnlock = statement{local, `select pg_advisory_unlock(7305823)`}
	qLockWait     = statement{local, `select set_config('lock_timeout', $1, true)`}
	qBeginRun     = statement{local, `insert into core.retention_run (started_at) values ($1) returning run_id`}
	qPutRun       = statement{local, `
		update core.retention_run
		set finished_at = $2, versions = $3, bodies = $4, records = $5, rebased = $6, fetches = $7, partitions = $8, bytes = $9,
		    longest_seconds = $10, error = $11
		where run_id = $1`}
)

// ErrRetaining means that another program is at it on this database.
var ErrRetaining = errors.New("retention is at work already, by another program")

// RetainOptions say what is to be given up; of what is left out nothing is.
type RetainOptions struct {
	// Now is the time that ages are counted to; zero means the store's clock.
	Now time.Time
	// Versions says which versions keep their content; nil: all.
	Versions *thin.Policy
	// Fetches is how long attempts are kept in the log; 0: for ever. Those that first
	// saw a version whose content is kept stay with it.
	Fetches time.Duration
	// Quotas bound what the pages of watches take.
	Quotas []WatchQuota
	// Pins returns, of each page, versions whose content others still need; nil: none.
	Pins func(ctx context.Context, pages []PageID) (map[PageID][]int32, error)
	// Dry changes nothing and reports what would go.
	Dry bool
	// Progress is told now and then what was done so far; nil means nobody is.
	Progress func(RetainReport)
}

// RetainReport counts what was given up, or would be.
type RetainReport struct {
	Versions   int64 // whose content was given up
	Bodies     int64 // stored payloads deleted
	Records    int64 // stored records deleted
	Rebased    int64 // frames written anew because their base went
	Fetches    int64 // rows dropped from the log of fetches
	Partitions int64 // of the log that were dropped or made smaller
	Bytes      int64 // of stored content freed; of a dry run that of the frames that would be nobody's
	// Waiting are pages that were passed over, since versions of them are still to be
	// measured, and pages and contents that others were at for too long.
	Waiting int64
	Longest time.Duration // the longest transaction
	Watches []WatchUsage  // of the watches with a quota
}

// Retain gives up what the options say. Only one does so at a time on a database; for
// others the error is ErrRetaining.
func (db *DB) Retain(ctx context.Context, opt RetainOptions) (RetainReport, error) {
	if opt.Versions != nil {
		if err := opt.Versions.Check(); err != nil {
			return RetainReport{}, err
		}
	}
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return RetainReport{}, fmt.Errorf("retention: %w", err)
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, qRetainLock.sql).Scan(&mine); err != nil {
		return RetainReport{}, fmt.Errorf("retention: %w", err)
	}
	if !mine {
		return RetainReport{}, ErrRetaining
	}
	defer func() {
		if _, err := conn.Exec(context.WithoutCancel(ctx), qRetainUnlock.sql); err != nil {
			_ = conn.Conn().Close(context.WithoutCancel(ctx)) // the lock goes with the session
		}
	}()
	// A cache of its own, so that old contents do not push out those of now.
	fresh := *db
	fresh.blobs = newBlobCache(16 << 20)
	r := retention{db: &fresh, opt: opt, now: opt.Now, size: 64}
	if opt.Now.IsZero() {
		r.now = db.now()
	}
	if opt.Dry {
		err := r.run(ctx)
		return r.report, wrapRetain(err)
	}
	var run int32
	if err := conn.QueryRow(ctx, qBeginRun.sql, db.now()).Scan(&run); err != nil {
		return RetainReport{}, fmt.Errorf("retention: %w", err)
	}
	err = r.run(ctx)
	var reason *string
	if err != nil {
		reason = textOrNil(err.Error())
	}
	p := r.report
	_, perr := conn.Exec(context.WithoutCancel(ctx), qPutRun.sql, run, db.now(), p.Versions, p.Bodies, p.Records, p.Rebased, p.Fetches, p.Partitions,
		p.Bytes, p.Longest.Seconds(), reason)
	if err == nil {
		err = perr
	}
	return p, wrapRetain(err)
}

func wrapRetain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("retention: %w", err)
}

// retention is one Retain on its way.
type retention struct {
	db     *DB
	opt    RetainOptions
	now    time.Time
	report RetainReport
	size   int // versions a transaction, which follows how long they take
	// would holds when versions were first seen that a dry run would thin: their first
	// fetches would go too.
	would []time.Time
}

func (r *retention) run(ctx context.Context) error {
	if r.opt.Versions != nil {
		if err := r.thinVersions(ctx); err != nil {
			return err
		}
	}
	// Also without a policy: what a run left that was killed.
	if err := r.sweepBlobs(ctx); err != nil {
		return err
	}
	if err := r.keepQuotas(ctx); err != nil {
		return err
	}
	if r.opt.Fetches > 0 {
		return r.dropFetches(ctx)
	}
	return nil
}

func (r *retention) tell() {
	if r.opt.Progress != nil {
		r.opt.Progress(r.report)
	}
}

// short runs f in a transaction that waits for no lock longer than lockWait, several
// times if it must, and reports whether it was done; when others hold the locks all
// the time it was not.
func (r *retention) short(ctx context.Context, f func(pgx.Tx) error) (time.Duration, bool, error) {
	for try := 1; ; try++ {
		start := time.Now()
		err := r.db.inTx(ctx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, qLockWait.sql, lockWait); err != nil {
				return err
			}
			return f(tx)
		})
		took := time.Since(start)
		if err == nil {
			r.report.Longest = max(r.report.Longest, took)
			return took, true, nil
		}
		busy := isBusy(err)
		if !busy && !worthRetry(err) {
			return took, false, err
		}
		if try == retainTries {
			return took, false, nil
		}
		pause := time.NewTimer(time.Duration(try) * 200 * time.Millisecond)
		select {
		case <-ctx.Done():
			pause.Stop()
			return took, false, ctx.Err()
		case <-pause.C:
		}
	}
}

// isBusy reports whether a lock could not be had in time.
func isBusy(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "55P03"
}

// resize takes the size of batches nearer to what takes retainAim.
func (r *retention) resize(took time.Duration) {
	switch {
	case took > 2*retainAim:
		r.size = max(r.size/2, 8)
	case took < retainAim:
		r.size = min(r.size+r.size/4+1, 2000)
	}
}
