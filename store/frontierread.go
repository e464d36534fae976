package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// FrontierHost is a host of a snapshot.
type FrontierHost struct {
	ID     HostID
	Bucket int32
	Name   string
	Site   string
	Tally
	Closed string // why no more of it is fetched; empty while more is
}

// FrontierHosts returns the hosts of a snapshot in some buckets.
func (db *DB) FrontierHosts(ctx context.Context, id SnapshotID, buckets []int32) ([]FrontierHost, error) {
	rows, err := db.pool.Query(ctx, qFrontierHosts.sql, id, buckets)
	if err != nil {
		return nil, fmt.Errorf("read hosts of a frontier: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h FrontierHost, err error) {
		err = row.Scan(&h.ID, &h.Bucket, &h.Name, &h.Site, &h.Tried, &h.Crawled, &h.Traps, &h.Closed)
		return h, err
	})
	if err != nil {
		return nil, fmt.Errorf("read hosts of a frontier: %w", err)
	}
	return out, nil
}

// FrontierLevel returns the lowest depth in a frontier, that of URLs put off left
// out while there are others; ok is false when the frontier is empty.
func (db *DB) FrontierLevel(ctx context.Context, id SnapshotID) (depth int, ok bool, err error) {
	var fresh, any *int16
	if err := db.pool.QueryRow(ctx, qFrontierLevel.sql, id).Scan(&fresh, &any); err != nil {
		return 0, false, fmt.Errorf("read the level of a frontier: %w", err)
	}
	switch {
	case fresh != nil:
		return int(*fresh), true, nil
	case any != nil:
		return int(*any), true, nil
	}
	return 0, false, nil
}

// TakeRequest says which URLs of a frontier are wanted.
type TakeRequest struct {
	Hosts []HostID
	Room  []int32 // the most of each host
	Depth int     // none deeper
	Now   time.Time
	Best  bool // by priority alone; otherwise by depth first
}

// TakeFrontier returns the first URLs of hosts. It marks nothing: the caller leases
// the hosts' buckets, and knows what it has in hand. With r.Best, URLs that came into
// the frontier without a priority, while the series asked for another order, come
// when a host has no others.
func (db *DB) TakeFrontier(ctx context.Context, id SnapshotID, r TakeRequest) ([]FrontierURL, error) {
	if len(r.Hosts) == 0 {
		return nil, nil
	}
	if !r.Best {
		return db.takeFrontier(ctx, qTakeBreadth, id, r)
	}
	out, err := db.takeFrontier(ctx, qTakeBest, id, r)
	if err != nil {
		return nil, err
	}
	got := make(map[HostID]int32, len(r.Hosts))
	have := make(map[PageID]bool, len(out))
	for _, u := range out {
		got[u.Host]++
		have[u.Page] = true
	}
	rest := r
	rest.Hosts, rest.Room = nil, nil
	for i, h := range r.Hosts {
		if got[h] < r.Room[i] {
			// Those with a priority may be among them again, and are fewer than the room.
			rest.Hosts, rest.Room = append(rest.Hosts, h), append(rest.Room, r.Room[i])
		}
	}
	if len(rest.Hosts) == 0 {
		return out, nil
	}
	more, err := db.takeFrontier(ctx, qTakeBreadth, id, rest)
	if err != nil {
		return nil, err
	}
	for _, u := range more {
		if !have[u.Page] {
			out = append(out, u)
		}
	}
	return out, nil
}

func (db *DB) takeFrontier(ctx context.Context, q statement, id SnapshotID, r TakeRequest) ([]FrontierURL, error) {
	buckets := make([]int32, len(r.Hosts))
	for i, h := range r.Hosts {
		buckets[i] = h.Bucket()
	}
	rows, err := db.pool.Query(ctx, q.sql, id, r.Hosts, r.Room, distinct(buckets), int16(min(r.Depth, 1<<15-1)), r.Now)
	if err != nil {
		return nil, fmt.Errorf("take from a frontier: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (u FrontierURL, err error) {
		err = row.Scan(&u.Page, &u.Host, &u.Depth, &u.Priority, &u.Tries, &u.URL, &u.Trap, &u.Heard, &u.Version, &u.ETag, &u.LastModified, &u.Done)
		return u, err
	})
	if err != nil {
		return nil, fmt.Errorf("take from a frontier: %w", err)
	}
	return out, nil
}

// ForgetURLs takes late finds out of a frontier.
func (db *DB) ForgetURLs(ctx context.Context, id SnapshotID, pages []PageID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return (&Tx{db: db, tx: tx}).FinishURLs(ctx, id, pages) })
}

// CloseHost drops what a frontier has of a host, and says why.
func (db *DB) CloseHost(ctx context.Context, id SnapshotID, host HostID, reason string) error {
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qCloseHost.sql, id, host, []int32{host.Bucket()}, reason); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qDropHost.sql, id, host, []int32{host.Bucket()})
		return err
	})
	if err != nil {
		return fmt.Errorf("close a host: %w", err)
	}
	return nil
}

// DropFrontier empties the frontier of a snapshot.
func (db *DB) DropFrontier(ctx context.Context, id SnapshotID) error {
	if _, err := db.pool.Exec(ctx, qDropFrontier.sql, []SnapshotID{id}); err != nil {
		return fmt.Errorf("empty a frontier: %w", err)
	}
	return nil
}

// FrontierSize counts the URLs that a snapshot has still to fetch, as far as it
// knows of them.
func (db *DB) FrontierSize(ctx context.Context, id SnapshotID) (int64, error) {
	var n int64
	if err := db.pool.QueryRow(ctx, qFrontierSize.sql, id).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the frontier: %w", err)
	}
	return n, nil
}

// SnapshotTally counts what a snapshot has fetched so far, over all daemons, and
// its hosts.
func (db *DB) SnapshotTally(ctx context.Context, id SnapshotID) (t Tally, hosts, closed int64, err error) {
	if err := db.pool.QueryRow(ctx, qSnapshotTally.sql, id).Scan(&t.Tried, &t.Crawled, &t.Traps, &hosts, &closed); err != nil {
		return t, 0, 0, fmt.Errorf("count pages of a snapshot: %w", err)
	}
	return t, hosts, closed, nil
}

// HostsLeft counts the hosts of which a snapshot fetches no more, by the reason: pages,
// language or unreachable.
func (db *DB) HostsLeft(ctx context.Context, id SnapshotID) (map[string]int64, error) {
	rows, err := db.pool.Query(ctx, qSnapshotLeft.sql, id)
	if err != nil {
		return nil, fmt.Errorf("count hosts left: %w", err)
	}
	out := map[string]int64{}
	var reason string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&reason, &n}, func() error { out[reason] += n; return nil }); err != nil {
		return nil, fmt.Errorf("count hosts left: %w", err)
	}
	return out, nil
}

// SnapshotSites returns what is known of the languages of a snapshot's sites.
func (db *DB) SnapshotSites(ctx context.Context, id SnapshotID) ([]SiteTally, error) {
	rows, err := db.pool.Query(ctx, qSites.sql, id)
	if err != nil {
		return nil, fmt.Errorf("read sites of a snapshot: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[SiteTally])
	if err != nil {
		return nil, fmt.Errorf("read sites of a snapshot: %w", err)
	}
	return out, nil
}
