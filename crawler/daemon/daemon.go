// Package daemon keeps the schedule: it takes due pages out of the database, has
// them fetched, and stores what came of it together with the next due times.
//
// A [Daemon] runs one loop. The loop alone holds the state and never waits for
// anything but events: fetches and statements run beside it and report back, and
// one timer on the clock wakes it for whatever comes next. Nothing polls.
//
//	claim    pages due within Options.Lookahead are leased in batches and lie in
//	         memory, a short queue for each host, until they are due
//	fetch    a worker takes the first page of the next host that is ready; a host
//	         has one worker at most
//	write    finished fetches are stored in batches; the transaction that stores
//	         them also moves the pages on to their next due times
//
// The due times are in the database (core.page_schedule, core.watch_page), so a
// stop of any kind loses none. What was claimed and not completed comes back when
// its lease runs out. Since the page may have been fetched under the lost lease, it
// is not fetched again for that slot: the slot is recorded as skipped.
//
// Several daemons share a database by leasing buckets of hosts (lease.go). A page
// that cannot be scheduled or fetched for a fault of its own, down to a panic, is
// set aside with the reason and stops nobody. While the database is away, the loop
// keeps what it has, asks again with growing pauses, and says so in [Daemon.Health].
//
// Left out: how a page is fetched (the [Fetcher]), when a page is due
// (crawler/schedule), the configuration (store.SetWatches).
package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
)

// Store is what the daemon asks of the database; store.DB is one.
type Store interface {
	RegisterDaemon(ctx context.Context, host string, pid int, now, until time.Time, speed float64) (int32, error)
	Daemons(ctx context.Context, now time.Time) ([]store.DaemonRow, error)
	TakeBuckets(ctx context.Context, r store.BucketRequest) (store.BucketLeases, error)
	StopDaemon(ctx context.Context, daemon int32, now time.Time) error
	Claim(ctx context.Context, r store.ClaimRequest) ([]*store.Claim, time.Time, error)
	CountDue(ctx context.Context, at time.Time, limit int) (int, error)
	Defer(ctx context.Context, daemon int32, now time.Time, pages []store.Deferral) error
	WriteWith(ctx context.Context, caps []*store.Capture, then func(context.Context, *store.Tx, []store.Stored) error) ([]store.Stored, error)
	MakeAhead(ctx context.Context, at time.Time) (int, error)
	DropLags(ctx context.Context, before time.Time) error
	UpdatePace(ctx context.Context, watch int32, now, waiting time.Time, every time.Duration, renew func(store.Pace) bool, f func(*store.Pace, store.Observed) error) (store.Pace, error)
	SampleRates(ctx context.Context, watch int32, n int, f func(host, url string, state []byte)) error
	Hasten(ctx context.Context, watch int32, now time.Time, due func(store.Waiting) time.Time) (int, error)
	PaceApplied(ctx context.Context, watch int32, threshold float64) error
	SetHints(ctx context.Context, watch int32, kind string, claims []store.Claimed, judge func(store.Rate, []byte, store.WatchDue, time.Time) store.Hint) (int, error)
}

// Gate says when a host takes the next request; gate.Gate is one. It is only
// asked: the fetcher starts and ends requests there.
type Gate interface {
	Ready(host string, now time.Time) (time.Time, gate.Why)
}

// Reader reads payloads; intake.Reader is one.
type Reader interface {
	Read(src intake.Source, payload []byte) store.Extract
}

// Daemon crawls watched pages. Its methods may be used concurrently, but Run only
// once at a time.
type Daemon struct {
	db     Store
	fetch  Fetcher
	pairs  PairFetcher // nil: the fetcher makes none
	reader Reader
	clock  clock.Clock
	opt    Options

	wake   chan struct{} // has room for one
	shared shared

	mu      sync.Mutex // guards what follows
	watches map[int32]*Watch
	paces   map[int32]pace // of watches with an Auto
	health  Health
}

// New returns a daemon that does nothing until Run. A nil reader keeps no extracts.
func New(db Store, f Fetcher, r Reader, c clock.Clock, opt Options) *Daemon {
	d := &Daemon{db: db, fetch: f, reader: r, clock: c, opt: opt.withDefaults(c), wake: make(chan struct{}, 1), watches: map[int32]*Watch{}}
	if r != nil {
		d.pairs, _ = f.(PairFetcher)
	}
	d.health.Counts = map[store.Outcome]int64{}
	return d
}

// SetWatches replaces the watches, all at once, and looks at the schedule anew. It
// is called before Run and after every store.SetWatches.
func (d *Daemon) SetWatches(watches []Watch) {
	byID := make(map[int32]*Watch, len(watches))
	for i := range watches {
		w := watches[i]
		byID[w.ID] = &w
	}
	d.mu.Lock()
	d.watches = byID
	d.mu.Unlock()
	d.Wake()
}

// Wake makes the daemon look at the schedule now, because somebody else changed it.
func (d *Daemon) Wake() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func (d *Daemon) watch(id int32) *Watch {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.watches[id]
}

// Health is what a readiness check and the metrics want to know.
type Health struct {
	Running bool // Run is in its loop and holds leases
	// AwaySince is when the database stopped answering, by the daemon's clock; zero
	// while it answers. AwayReason is what it said last.
	AwaySince  time.Time
	AwayReason string

	Daemon   int32 // number of this run
	Buckets  int   // leased
	Daemons  int   // that share the work
	Hosts    int   // with pages in memory, or being fetched from
	Queued   int   // pages in memory that wait for their time or their host
	Fetching int
	Unstored int // finished fetches that are not stored yet
	// Behind is for how long a page has been ready to be fetched, or pages to be claimed.
	Behind time.Duration
	// Turned is when the loop last turned, by the machine's clock; it does so every few
	// seconds whatever the database does. Zero before Run holds its leases.
	Turned time.Time
	next   time.Time // from when on that is so; zero: nothing is planned

	Counts   map[store.Outcome]int64 // stored since New
	Missed   int64                   // slots that were missed, since New
	SetAside int64                   // pages set aside, since New
}

// Ready reports whether the daemon crawls.
func (h Health) Ready() bool { return h.Running && h.AwaySince.IsZero() }

// Health returns how the daemon is. It does not touch the database.
func (d *Daemon) Health() Health {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.health
	if !h.next.IsZero() {
		h.Behind = max(0, d.clock.Now().Sub(h.next))
	}
	h.Counts = make(map[store.Outcome]int64, len(d.health.Counts))
	for k, v := range d.health.Counts {
		h.Counts[k] = v
	}
	return h
}

// tell changes the health.
func (d *Daemon) tell(f func(*Health)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(&d.health)
}
