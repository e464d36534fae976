package snapshot

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/store"
)

// Keeper holds leases of buckets for a crawl that runs without a daemon. It counts
// as a daemon to others on the same database.
type Keeper struct {
	db    *store.DB
	clock clock.Clock
	lease time.Duration
	id    int32
	host  string // of this machine

	mu      sync.Mutex
	buckets []int32
	owned   [store.Buckets]bool
	inUse   [store.Buckets]int32
	until   time.Time
}

// leaseFor is how long leases last without renewal.
const leaseFor = 30 * time.Second

// NewKeeper registers with the database and takes leases.
func NewKeeper(ctx context.Context, db *store.DB, c clock.Clock) (*Keeper, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	k := &Keeper{db: db, clock: c, lease: leaseFor}
	now := c.Now()
	if k.id, err = db.RegisterDaemon(ctx, host, os.Getpid(), now, now.Add(k.lease), 1); err != nil {
		return nil, err
	}
	k.host = host
	return k, k.Renew(ctx)
}

// Run renews the leases until the context is done, and then gives them back.
func (k *Keeper) Run(ctx context.Context) error {
	for {
		timer := time.NewTimer(k.lease / 3)
		select {
		case <-ctx.Done():
			timer.Stop()
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
			defer cancel()
			return k.db.StopDaemon(ctx, k.id, k.clock.Now())
		case <-timer.C:
		}
		if err := k.Renew(ctx); err != nil && ctx.Err() == nil && !store.Away(err) {
			return err
		}
	}
}

// Renew renews the leases, and gives back what is more than its share. Those of daemons of this machine whose process has ended
// are taken at once.
func (k *Keeper) Renew(ctx context.Context) error {
	now := k.clock.Now()
	r := store.BucketRequest{Daemon: k.id, Now: now, Until: now.Add(k.lease), Speed: 1}
	all, err := k.db.Daemons(ctx, now.Add(-time.Hour))
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.ID != k.id && d.Host == k.host && syscall.Kill(d.PID, 0) == syscall.ESRCH {
			r.Dead = append(r.Dead, d.ID)
		}
	}
	k.mu.Lock()
	surplus := len(k.buckets) - (store.Buckets+len(all)-len(r.Dead)-1)/max(1, len(all)-len(r.Dead))
	for i := len(k.buckets) - 1; i >= 0 && surplus > 0; i-- {
		if b := k.buckets[i]; k.inUse[b] == 0 {
			r.Give = append(r.Give, b)
			k.owned[b] = false // nothing begins there any more
			surplus--
		}
	}
	k.mu.Unlock()
	got, err := k.db.TakeBuckets(ctx, r)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.buckets, k.until, k.owned = got.Buckets, got.Until, [store.Buckets]bool{}
	for _, b := range got.Buckets {
		k.owned[b] = true
	}
	return nil
}

// Buckets implements Leases.
func (k *Keeper) Buckets() []int32 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]int32{}, k.buckets...)
}

// Hold implements Leases.
func (k *Keeper) Hold(bucket int32) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.owned[bucket] || !k.clock.Now().Before(k.until) {
		return false
	}
	k.inUse[bucket]++
	return true
}

// Free implements Leases.
func (k *Keeper) Free(bucket int32) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.inUse[bucket]--
}
