package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/frontier"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
)

// Crawler takes the snapshots of series. Its methods may be used concurrently, but
// Run only once at a time.
type Crawler struct {
	parts
	wake chan struct{} // has room for one

	mu      sync.Mutex // guards what follows
	series  map[string]*Series
	ids     map[string]store.SeriesID
	running map[store.SnapshotID]*underway
	only    bool // nothing is started by its due time
}

// underway is a snapshot that is crawled here.
type underway struct {
	*Progress
	config []byte // of its series, as it was taken up
	stop   context.CancelFunc
	done   chan struct{} // closed when it has stopped
}

// New returns a Crawler that does nothing until Run. A nil gate lets every request
// start at once.
func New(db *store.DB, f Fetcher, g Gate, r *intake.Reader, c clock.Clock, l Leases, opt Options) *Crawler {
	return &Crawler{
		parts: parts{db: db, fetch: f, gate: g, reader: r, clock: c, leases: l, opt: opt.withDefaults()},
		wake:  make(chan struct{}, 1), series: map[string]*Series{}, ids: map[string]store.SeriesID{}, running: map[store.SnapshotID]*underway{},
	}
}

// SetSeries replaces the series, all at once: new ones are planned, and those that
// are left out are paused, their running snapshots cut short. A running snapshot of a
// series whose configuration is another now goes on by that one.
func (c *Crawler) SetSeries(ctx context.Context, all []Series) error {
	now := c.clock.Now()
	byName, ids := map[string]*Series{}, map[string]store.SeriesID{}
	names := make([]string, 0, len(all))
	for i := range all {
		s := all[i]
		var first time.Time
		if s.Schedule != nil {
			first = s.Schedule(now)
		}
		row, err := c.db.PlanSeries(ctx, s.Name, s.Config, s.ScheduleText, first)
		if err != nil {
			return err
		}
		byName[s.Name], ids[s.Name] = &s, row.ID
		names = append(names, s.Name)
	}
	c.mu.Lock()
	c.series, c.ids = byName, ids
	var left []*underway
	for _, u := range c.running {
		switch s := byName[u.Series]; {
		case s == nil:
			u.stop()
			left = append(left, u)
		case !bytes.Equal(s.Config, u.config):
			u.stop() // it is taken up again with the configuration of now
		}
	}
	c.mu.Unlock()
	for _, u := range left { // what they have fetched belongs to their snapshots
		select {
		case <-u.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if _, err := c.db.PauseSeries(ctx, names, now); err != nil {
		return err
	}
	c.Wake()
	return nil
}

// Wake makes the crawler look at the database now.
func (c *Crawler) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Start starts a snapshot of a series now, or returns the one that runs.
func (c *Crawler) Start(ctx context.Context, name string) (store.SnapshotID, error) {
	id, err := c.start(ctx, name, time.Time{})
	if err == nil {
		c.Wake()
	}
	return id, err
}

func (c *Crawler) start(ctx context.Context, name string, due time.Time) (store.SnapshotID, error) {
	c.mu.Lock()
	s, id := c.series[name], c.ids[name]
	c.mu.Unlock()
	if s == nil {
		return 0, fmt.Errorf("series %s: %w", name, store.ErrNotFound)
	}
	return c.begin(ctx, id, s, due)
}

// StartOnly starts a snapshot of a series that others crawl, or returns the one
// that runs.
func (c *Crawler) StartOnly(ctx context.Context, id store.SeriesID, s Series) (store.SnapshotID, error) {
	return c.begin(ctx, id, &s, time.Time{})
}

// Only makes the crawler take snapshots of one series, and only when asked. Others,
// and when the series is due, stay as they are in the database.
func (c *Crawler) Only(ctx context.Context, s Series) error {
	row, err := c.db.EnsureSeries(ctx, s.Name, s.Config)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.series, c.ids, c.only = map[string]*Series{s.Name: &s}, map[string]store.SeriesID{s.Name: row.ID}, true
	return nil
}

func (c *Crawler) begin(ctx context.Context, id store.SeriesID, s *Series, due time.Time) (store.SnapshotID, error) {
	now := c.clock.Now()
	b := store.Begin{Series: id, At: now, Due: due}
	if !due.IsZero() && s.Schedule != nil {
		b.Next = s.Schedule(now)
	}
	sightings := make([]store.Sighting, len(s.Seeds))
	for i, u := range s.Seeds {
		sightings[i] = store.Sighting{URL: u, At: now}
	}
	pages, err := c.db.ResolvePages(ctx, sightings)
	if err != nil {
		return 0, err
	}
	for _, u := range s.Seeds {
		if p := pages[u]; p != 0 {
			f := store.Find{Page: p, Priority: turn(u)}
			if s.Novel {
				f.Priority = 1
			}
			b.Seeds = append(b.Seeds, f)
		}
	}
	if len(b.Seeds) == 0 {
		return 0, fmt.Errorf("series %s has no seeds", s.Name)
	}
	return c.db.BeginSnapshot(ctx, b)
}

// Run takes snapshots until the context is done. What was fetched is stored then,
// and what was not is still in the frontier.
func (c *Crawler) Run(ctx context.Context) error {
	var g errgroup.Group
	for ctx.Err() == nil {
		next, err := c.look(ctx, &g)
		if err != nil && ctx.Err() == nil {
			if !store.Away(err) {
				c.opt.Logger.Error("snapshots could not be looked at", "error", err)
			}
			next = c.clock.Now().Add(24 * time.Hour)
		}
		poll := time.NewTimer(c.opt.Poll)
		due := c.clock.NewTimer(max(next.Sub(c.clock.Now()), 10*time.Millisecond))
		select {
		case <-ctx.Done():
		case <-c.wake:
		case <-poll.C:
		case <-due.C:
		}
		poll.Stop()
		due.Stop()
	}
	return g.Wait()
}

// look starts what is due and takes up what runs. It returns when something is due.
func (c *Crawler) look(ctx context.Context, g *errgroup.Group) (time.Time, error) {
	now := c.clock.Now()
	next := now.Add(24 * time.Hour)
	due, err := c.due(ctx)
	if err != nil {
		return next, err
	}
	for _, d := range due {
		if d.At.After(now) {
			if d.At.Before(next) {
				next = d.At
			}
			continue
		}
		switch id, err := c.start(ctx, d.Name, d.At); {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrStarted):
			// Another daemon knows the series, or was first.
		case errors.Is(err, store.ErrClockBack):
			c.opt.Logger.Error("no snapshot was taken", "series", d.Name, "error", err)
		case err != nil:
			return next, err
		case id == 0:
			c.opt.Logger.Warn("no snapshot was taken: the one before still runs", "series", d.Name)
		default:
			c.opt.Logger.Info("snapshot started", "series", d.Name, "due", d.At)
		}
	}
	running, err := c.db.RunningCrawls(ctx)
	if err != nil {
		return next, err
	}
	for _, r := range running {
		if err := c.crawl(ctx, r, g); err != nil {
			return next, err
		}
	}
	return next, nil
}

// due returns when the series are due.
func (c *Crawler) due(ctx context.Context) ([]store.SeriesDue, error) {
	c.mu.Lock()
	only := c.only
	c.mu.Unlock()
	if only {
		return nil, nil
	}
	return c.db.DueSeries(ctx)
}

// crawl crawls a running snapshot, unless it is under way here or its series is not
// known here.
func (c *Crawler) crawl(ctx context.Context, r store.RunningCrawl, g *errgroup.Group) error {
	c.mu.Lock()
	s, busy := c.series[r.Name], c.running[r.ID] != nil
	c.mu.Unlock()
	if s == nil || busy || len(c.leases.Buckets()) == 0 {
		return nil
	}
	var y *yields
	if s.Novel {
		past, err := c.db.Yields(ctx, r.Series)
		if err != nil {
			return err
		}
		y = newYields(past)
	}
	p := &Progress{Series: r.Name, Snapshot: r.ID, StartedAt: r.StartedAt, since: time.Now()}
	cr := &crawl{
		parts: c.parts, RunningCrawl: r, series: s, scope: s.Scope.compile(s.Seeds), seen: newSeen(), sites: newSites(s), yields: y,
		events: make(chan func()), queue: frontier.New(frontier.Options{Connections: c.opt.Connections, Best: s.Novel}),
		hosts: map[store.HostID]*host{}, left: map[store.HostID]string{}, held: map[store.PageID]bool{}, finished: map[store.PageID]bool{}, progress: p,
	}
	crawling, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	c.mu.Lock()
	if c.series[r.Name] != s { // it was replaced meanwhile
		c.mu.Unlock()
		stop()
		return nil
	}
	c.running[r.ID] = &underway{p, s.Config, stop, done}
	c.mu.Unlock()
	g.Go(func() error {
		defer stop()
		err := cr.run(crawling)
		if err == nil && cr.over {
			c.opt.Logger.Info("snapshot ended", "series", r.Name, "pages", cr.crawled(), "tried", cr.base.Tried+cr.own.Tried, "traps", cr.base.Traps+cr.own.Traps)
			c.opt.Ended(ctx, r)
		}
		c.mu.Lock()
		delete(c.running, r.ID)
		c.mu.Unlock()
		close(done)
		c.Wake()
		return err
	})
	return nil
}

// Progress is how far a snapshot is, as this daemon knows.
type Progress struct {
	Series    string           `json:"series"`
	Snapshot  store.SnapshotID `json:"-"`
	StartedAt time.Time        `json:"started_at"`
	Level     int              `json:"level"` // the depth that is fetched
	Hosts     int              `json:"hosts"` // of this daemon
	Closed    int              `json:"hosts_left"`
	Fetching  int              `json:"fetching"`
	Queued    int              `json:"queued"`
	Tried     int64            `json:"tried"`
	Crawled   int64            `json:"pages"`
	Traps     int64            `json:"traps"`
	PerSecond float64          `json:"pages_per_second"` // of this daemon since it took the snapshot up

	mu    sync.Mutex
	since time.Time
}

// Running returns how far the snapshots are that are crawled here.
func (c *Crawler) Running() []*Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*Progress, 0, len(c.running))
	for _, p := range c.running {
		p.mu.Lock()
		out = append(out, &Progress{
			Series: p.Series, Snapshot: p.Snapshot, StartedAt: p.StartedAt, Level: p.Level, Hosts: p.Hosts, Closed: p.Closed, Fetching: p.Fetching,
			Queued: p.Queued, Tried: p.Tried, Crawled: p.Crawled, Traps: p.Traps, PerSecond: p.PerSecond,
		})
		p.mu.Unlock()
	}
	return out
}

// tell keeps the progress.
func (c *crawl) tell() {
	p := c.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Level, p.Hosts, p.Fetching, p.Queued = c.level, len(c.hosts)+len(c.left), c.queue.Running(), c.queue.Len()
	p.Tried, p.Crawled, p.Traps = c.base.Tried+c.own.Tried, c.crawled(), c.base.Traps+c.own.Traps
	if s := time.Since(p.since).Seconds(); s > 0 {
		p.PerSecond = float64(c.own.Crawled) / s
	}
}
