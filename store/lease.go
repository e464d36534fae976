package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Buckets is the number of buckets that hosts are spread over.
const Buckets = 4096

// A host is crawled by one daemon only: the one that holds the lease of its
// bucket. Leases are renewed a few times in their span; those of a daemon that
// died run out and are taken by the others. All times are the daemons' own clock,
// which several daemons must have in common.
var (
	qRegisterDaemon = statement{local, `
		insert into core.daemon (host, pid, started_at, seen_at, until, real_at, speed)
		values ($1, $2, $3, $3, $4, now(), $5) returning daemon_id`}
	qDaemons = statement{local, `
		select d.daemon_id, d.host, d.pid, d.started_at, d.seen_at, d.until, d.speed,
		       (select count(*) from core.bucket_lease l where l.owner = d.daemon_id)
		from core.daemon d
		where d.stopped_at is null and d.until > $1
		order by d.daemon_id`}
	qSeeDaemon = statement{local, `
		update core.daemon set seen_at = $2, until = $3, speed = $4, real_at = now(), stopped_at = null where daemon_id = $1`}
	qKeepTime = statement{local, `
		update core.daemon set seen_at = $2, real_at = now(), speed = 0 where daemon_id = $1 and stopped_at is null`}
	qBuryDaemons = statement{local, `
		update core.daemon set stopped_at = $2 where daemon_id = any($1::int[]) and stopped_at is null`}
	qGiveBuckets = statement{local, `
		update core.bucket_lease set owner = null, until = null where owner = $1 and ($2::int[] is null or bucket = any($2))`}
	qRenewBuckets = statement{local, `
		update core.bucket_lease set until = $2 where owner = $1 returning bucket`}
	qTakeBuckets = statement{local, `
		with d as (
			select bucket from core.bucket_lease
			where owner is null or until <= $2 or owner = any($5::int[])
			order by bucket limit $4 for update skip locked
		)
		update core.bucket_lease l set owner = $1, until = $3 from d where l.bucket = d.bucket returning l.bucket`}
)

// DaemonRow is a running daemon.
type DaemonRow struct {
	ID        int32
	Host      string
	PID       int
	StartedAt time.Time // these three by its clock
	SeenAt    time.Time
	Until     time.Time
	Speed     float64
	Buckets   int // that it holds
}

// RegisterDaemon makes a daemon known and returns its number, which is new for
// every run. Speed is how many seconds its clock runs in a second of the
// machine's: 1, more on virtual time, 0 where it is moved by hand. It counts as
// alive until the given time; TakeBuckets moves that on.
func (db *DB) RegisterDaemon(ctx context.Context, host string, pid int, now, until time.Time, speed float64) (int32, error) {
	var id int32
	if err := db.pool.QueryRow(ctx, qRegisterDaemon.sql, host, pid, now, until, speed).Scan(&id); err != nil {
		return 0, fmt.Errorf("register daemon: %w", err)
	}
	return id, nil
}

// KeepTime says what time it is for a daemon whose clock runs now fast and now slow: until it is
// called again, core.schedule_now() stands there, since nobody knows how fast time passes meanwhile.
func (db *DB) KeepTime(ctx context.Context, daemon int32, now time.Time) error {
	if _, err := db.pool.Exec(ctx, qKeepTime.sql, daemon, now); err != nil {
		return fmt.Errorf("keep time: %w", err)
	}
	return nil
}

// Daemons returns the daemons that are alive at a time of their clock.
func (db *DB) Daemons(ctx context.Context, now time.Time) ([]DaemonRow, error) {
	return daemons(ctx, db.pool, now)
}

func daemons(ctx context.Context, q queryer, now time.Time) ([]DaemonRow, error) {
	rows, err := q.Query(ctx, qDaemons.sql, now)
	if err != nil {
		return nil, fmt.Errorf("read daemons: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d DaemonRow, err error) {
		err = row.Scan(&d.ID, &d.Host, &d.PID, &d.StartedAt, &d.SeenAt, &d.Until, &d.Speed, &d.Buckets)
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("read daemons: %w", err)
	}
	return out, nil
}

// BucketRequest asks for leases.
type BucketRequest struct {
	Daemon     int32
	Now, Until time.Time
	Speed      float64 // of its clock from now on, as RegisterDaemon has it
	// Dead are daemons that are known to have ended although their leases still run.
	Dead []int32
	// Give are buckets that are given back.
	Give []int32
}

// BucketLeases are the leases of a daemon.
type BucketLeases struct {
	Buckets []int32
	Until   time.Time
	Daemons int // that share the buckets
	// Surplus is how many buckets more than its share the daemon holds. It gives
	// them back, as soon as it has no fetch running there, so that others can
	// take them.
	Surplus int
}

// TakeBuckets renews the leases of a daemon and takes free ones and those that ran
// out, up to its share:
//
//	share = ceil(4096 / daemons alive)
func (db *DB) TakeBuckets(ctx context.Context, r BucketRequest) (BucketLeases, error) {
	out := BucketLeases{Until: r.Until}
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		out.Buckets = nil // the transaction may be repeated
		if len(r.Dead) > 0 {
			if _, err := tx.Exec(ctx, qBuryDaemons.sql, r.Dead, r.Now); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, qSeeDaemon.sql, r.Daemon, r.Now, r.Until, r.Speed); err != nil {
			return err
		}
		if len(r.Give) > 0 {
			if _, err := tx.Exec(ctx, qGiveBuckets.sql, r.Daemon, r.Give); err != nil {
				return err
			}
		}
		alive, err := daemons(ctx, tx, r.Now)
		if err != nil {
			return err
		}
		out.Daemons = max(1, len(alive))
		share := (Buckets + out.Daemons - 1) / out.Daemons
		held, err := collectBuckets(tx.Query(ctx, qRenewBuckets.sql, r.Daemon, r.Until))
		if err != nil {
			return err
		}
		out.Buckets = held
		if missing := share - len(held); missing > 0 {
			dead := r.Dead
			if dead == nil {
				dead = []int32{}
			}
			taken, err := collectBuckets(tx.Query(ctx, qTakeBuckets.sql, r.Daemon, r.Now, r.Until, missing, dead))
			if err != nil {
				return err
			}
			out.Buckets = append(out.Buckets, taken...)
		}
		out.Surplus = max(0, len(out.Buckets)-share)
		return nil
	})
	if err != nil {
		return BucketLeases{}, fmt.Errorf("lease buckets: %w", err)
	}
	return out, nil
}

// StopDaemon gives back all leases of a daemon that stops in good order.
func (db *DB) StopDaemon(ctx context.Context, daemon int32, now time.Time) error {
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qGiveBuckets.sql, daemon, nil); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qBuryDaemons.sql, []int32{daemon}, now)
		return err
	})
	if err != nil {
		return fmt.Errorf("stop daemon: %w", err)
	}
	return nil
}

func collectBuckets(rows pgx.Rows, err error) ([]int32, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int32])
}
