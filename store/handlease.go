package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A page that is fetched without a daemon is leased like one that a daemon has claimed, but to nobody:
// should the fetch be killed, the page is claimed as if nobody had had it, once the lease has run out.
var (
	qBucketOwner = statement{local, `
		select d.daemon_id, d.host, d.pid, d.started_at, d.seen_at, l.until, d.speed
		from core.bucket_lease l join core.daemon d on d.daemon_id = l.owner
		where l.bucket = $1 and l.until > $2 and d.stopped_at is null`}
	qLeaseByHand = statement{routed, `
		update core.page_schedule s set lease_owner = null, lease_until = $4
		where s.bucket = $2 and s.page_id = $1 and (s.lease_until is null or s.lease_until <= $3 or s.lease_owner = any($5::int[]))`}
	qPageLease = statement{routed, `
		select coalesce(s.lease_owner, 0), s.lease_until from core.page_schedule s
		where s.bucket = $2 and s.page_id = $1 and s.lease_until > $3`}
	qEndByHand = statement{routed, `
		update core.page_schedule s set lease_until = null
		where s.bucket = $2 and s.page_id = $1 and s.lease_owner is null and s.lease_until = $3`}
)

// BucketOwner returns the daemon that crawls the hosts of a bucket, with Until as the end of that lease;
// its error wraps ErrNotFound if none does.
func (db *DB) BucketOwner(ctx context.Context, bucket int32, now time.Time) (DaemonRow, error) {
	var d DaemonRow
	err := db.pool.QueryRow(ctx, qBucketOwner.sql, bucket, now).Scan(&d.ID, &d.Host, &d.PID, &d.StartedAt, &d.SeenAt, &d.Until, &d.Speed)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return d, fmt.Errorf("owner of bucket %d: %w", bucket, err)
	}
	return d, nil
}

// PageLease is a lease of a page that is in somebody else's hands.
type PageLease struct {
	Daemon int32 // 0: no daemon's
	Until  time.Time
}

// LeaseByHand leases a page to whoever fetches it without a daemon, up to a time that EndByHand is to be given. The leases
// of dead daemons do not count. Held is the lease that keeps it from that; nil: the page is leased, or no watch
// has ever wanted it, and it needs no lease.
func (db *DB) LeaseByHand(ctx context.Context, page PageID, now, until time.Time, dead []int32) (held *PageLease, err error) {
	if dead == nil {
		dead = []int32{}
	}
	tag, err := db.pool.Exec(ctx, qLeaseByHand.sql, page, page.Bucket(), now, until, dead)
	if err != nil || tag.RowsAffected() > 0 {
		return nil, leaseFault(page, err)
	}
	var l PageLease
	err = db.pool.QueryRow(ctx, qPageLease.sql, page, page.Bucket(), now).Scan(&l.Daemon, &l.Until)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &l, leaseFault(page, err)
}

// EndByHand ends a lease of LeaseByHand.
func (db *DB) EndByHand(ctx context.Context, page PageID, until time.Time) error {
	_, err := db.pool.Exec(ctx, qEndByHand.sql, page, page.Bucket(), until)
	return leaseFault(page, err)
}

func leaseFault(page PageID, err error) error {
	if err != nil {
		return fmt.Errorf("lease page %d: %w", page, err)
	}
	return nil
}
