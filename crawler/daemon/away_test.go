package daemon_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/store"
)

// cut is a database that can be cut off.
type cut struct {
	*store.DB
	mu  sync.Mutex
	off bool
}

func (c *cut) cut() { c.set(true) }

func (c *cut) set(off bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = off
}

func (c *cut) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off {
		return fmt.Errorf("connection refused")
	}
	return nil
}

func (c *cut) TakeBuckets(ctx context.Context, r store.BucketRequest) (store.BucketLeases, error) {
	if err := c.err(); err != nil {
		return store.BucketLeases{}, err
	}
	return c.DB.TakeBuckets(ctx, r)
}

func (c *cut) Claim(ctx context.Context, r store.ClaimRequest) ([]*store.Claim, time.Time, error) {
	if err := c.err(); err != nil {
		return nil, time.Time{}, err
	}
	return c.DB.Claim(ctx, r)
}

func (c *cut) Defer(ctx context.Context, id int32, now time.Time, p []store.Deferral) error {
	if err := c.err(); err != nil {
		return err
	}
	return c.DB.Defer(ctx, id, now, p)
}

func (c *cut) StopDaemon(ctx context.Context, id int32, now time.Time) error {
	if err := c.err(); err != nil {
		return err
	}
	return c.DB.StopDaemon(ctx, id, now)
}

func (c *cut) WriteWith(ctx context.Context, caps []*store.Capture, then func(context.Context, *store.Tx, []store.Stored) error) ([]store.Stored, error) {
	if err := c.err(); err != nil {
		return nil, err
	}
	return c.DB.WriteWith(ctx, caps, then)
}

// TestDatabaseAway takes the database away for ten minutes. The daemon waits, says
// so, and goes on without having lost or repeated a fetch.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	c := &cut{DB: db}
	d := newDriver(epoch)
	d.until = epoch.Add(3 * time.Hour)
	urls := pages(40, 8)
	watches := apply(t, db, epoch, watchSpec{"w", 30 * time.Minute, urls})
	w := newWeb(d.clock)
	var dm *daemon.Daemon
	var during daemon.Health
	d.at = []moment{
		{epoch.Add(60 * time.Minute), c.cut},
		{epoch.Add(69 * time.Minute), func() { during = dm.Health() }},
		{epoch.Add(70 * time.Minute), func() { c.set(false) }},
	}
	run := d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm = daemon.New(c, w, reader{}, d.clock, daemon.Options{AtRest: rest, Lookahead: 10 * time.Minute, Lease: 30 * time.Minute, Alive: func(int) bool { return true }})
		dm.SetWatches(watches)
		return dm
	})
	finish(t, run)
	if during.Ready() || during.AwaySince.IsZero() || during.AwayReason == "" {
		t.Errorf("while the database was away: %+v", during)
	}
	if h := dm.Health(); !h.AwaySince.IsZero() {
		t.Errorf("after it came back: %+v", h)
	}
	fetched := 0
	for _, u := range urls {
		times := w.times(u)
		fetched += len(times)
		if gap := shortest(times); gap < 45*time.Minute/2 {
			t.Errorf("%s was fetched twice within %s", u, gap)
		}
		if len(times) < 5 || times[len(times)-1].Before(d.until.Add(-time.Hour)) {
			t.Errorf("%s was fetched at %v", u, times)
		}
	}
	if n := count(t, db, `select count(*) from core.fetch where outcome <> 'skipped'`); n != fetched {
		t.Errorf("%d fetches are stored of %d", n, fetched)
	}
}
