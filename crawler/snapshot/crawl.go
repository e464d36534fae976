package snapshot

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/frontier"
	"github.com/strandlinehq/strandline/store"
)

// crawl is one running snapshot. Its loop alone touches it; fetches and statements
// run beside it and report back.
type crawl struct {
	parts
	store.RunningCrawl
	series *Series
	scope  within
	seen   *seen
	sites  *sites
	yields *yields // nil without Series.Novel
	before time.Time

	events   chan func()
	ops      int
	stopping bool
	over     bool // the database says that the snapshot has ended

	queue *frontier.Queue
	hosts map[store.HostID]*host
	left  map[store.HostID]string // hosts that are closed and have nothing in memory, with the reason
	low   lowHosts                // of which the database may have URLs
	shut  []*host                 // closed hosts of which it may
	held  map[store.PageID]bool   // in memory: queued, being fetched, or not stored yet
	// finished were stored since the frontier was last asked for URLs: the answer may
	// have been read before that.
	finished map[store.PageID]bool
	// base is what others have counted, and what this daemon had before it began; own
	// is what it counted since.
	base, own store.Tally
	allowed   int64 // own.Crawled may come to this, where the series has a most
	underway  int   // URLs that are being fetched or not stored yet

	level      int
	lead       int // levels that hosts may be ahead
	levelSince time.Time
	taking     bool
	takeAt     time.Time // machine's time; when to look at the database again
	looked     time.Time // machine's time of the last look at the hosts

	pending      []*finished
	pendingBytes int
	pendingSince time.Time // machine's time
	writing      int
	retryAt      time.Time // machine's time; the database is away until then
	pause        time.Duration
	progress     *Progress
}

// host is a host of the frontier.
type host struct {
	frontier.Host
	store.Tally
	closed   string
	more     bool // the database may have URLs of it that are not in memory
	inLow    bool // it is in the crawl's low
	inShut   bool // it is in the crawl's shut
	failures int  // in a row, without an answer
	unstored int  // URLs that are fetched or not stored yet
}

// run crawls until the snapshot has ended or the context is done. What was fetched
// by then is stored.
func (c *crawl) run(ctx context.Context) error {
	statements := context.WithoutCancel(ctx)
	fetching, stopFetches := context.WithCancel(statements)
	defer stopFetches()
	if err := c.load(ctx); err != nil {
		return err
	}
	done := ctx.Done()
	var hurry, giveUp <-chan time.Time
	for {
		c.step(fetching, statements)
		if c.ops == 0 && (c.over || c.stopping) && len(c.pending) == 0 {
			return nil
		}
		if c.stopping && c.ops == 0 && !c.retryAt.IsZero() {
			return fmt.Errorf("%d fetched URLs of series %s could not be stored: the database is away; they are fetched again", len(c.pending), c.Name)
		}
		wake := time.NewTimer(c.pollIn())
		virtual := c.clock.NewTimer(c.hostIn())
		select {
		case f := <-c.events:
			f()
			c.drain()
		case <-wake.C:
		case <-virtual.C:
		case <-done:
			done = nil
			c.stopping = true
			hurry, giveUp = time.After(5*time.Second), time.After(8*time.Second)
		case <-hurry:
			stopFetches()
		case <-giveUp:
			return fmt.Errorf("series %s: the crawl did not come to rest", c.Name)
		}
		wake.Stop()
		virtual.Stop()
	}
}

// drain runs what else has been reported.
func (c *crawl) drain() {
	for range 64 {
		select {
		case f := <-c.events:
			f()
		default:
			return
		}
	}
}

// do runs a statement beside the loop. What it returns is run by the loop.
func (c *crawl) do(f func() func()) {
	c.ops++
	go func() {
		report := f()
		c.events <- func() { c.ops--; report() }
	}()
}

// step starts everything that can be started now.
func (c *crawl) step(fetching, statements context.Context) {
	machine := time.Now()
	away := machine.Before(c.retryAt)
	if !c.stopping && !c.over {
		if !away && !c.taking && !machine.Before(c.takeAt) {
			c.take(statements)
		}
		c.dispatch(fetching)
	}
	if !away {
		c.flush(statements)
	}
	c.tell()
}

// pollIn is the machine's time until something is due that nobody reports.
func (c *crawl) pollIn() time.Duration {
	at := time.Now().Add(c.opt.Poll)
	sooner := func(t time.Time) {
		if !t.IsZero() && t.Before(at) {
			at = t
		}
	}
	if !c.taking && !c.stopping && !c.over {
		sooner(c.takeAt)
	}
	if len(c.pending) > 0 && c.writing < c.opt.Writers {
		sooner(c.pendingSince.Add(c.opt.Flush))
	}
	if c.retryAt.After(at) {
		at = c.retryAt
	}
	return max(time.Until(at), time.Millisecond)
}

// hostIn is the clock's time until a host takes a request.
func (c *crawl) hostIn() time.Duration {
	now := c.clock.Now()
	at, ok := c.queue.WakeAt(now)
	if !ok || !c.mayStart() {
		return 24 * time.Hour
	}
	return max(at.Sub(now), time.Millisecond)
}

// mayStart reports whether there is room for another fetch. While the database is
// away, what was fetched piles up, within bounds.
func (c *crawl) mayStart() bool {
	return !c.stopping && !c.over && c.queue.Running() < c.opt.Workers && len(c.pending) < 4*c.opt.Batch && c.pendingBytes < 6*c.opt.BatchBytes &&
		c.roomFor(1)
}

// roomFor reports whether n more pages fit into what this daemon may fetch of the most
// pages of a snapshot, should all that is under way give content.
func (c *crawl) roomFor(n int) bool {
	return c.series.Scope.MaxPages == 0 || c.own.Crawled+int64(c.underway+n) <= c.allowed
}

// allow gives this daemon its part of the pages that the snapshot lacks to its most,
// by the buckets that it holds; it comes back for more. So daemons that do not see
// each other's fetches go over the most by what is in flight at the end only.
func (c *crawl) allow(buckets int) {
	lacking := max(int64(c.series.Scope.MaxPages)-c.crawled(), 0)
	c.allowed = c.own.Crawled + (lacking*int64(buckets)+store.Buckets-1)/store.Buckets
}

// crawled is how many pages gave content, over all daemons.
func (c *crawl) crawled() int64 { return c.base.Crawled + c.own.Crawled }

// dispatch gives workers the URLs that come next.
func (c *crawl) dispatch(ctx context.Context) {
	for c.mayStart() {
		now := c.clock.Now()
		qh, u := c.queue.Next(now)
		if qh == nil {
			return
		}
		h := c.hosts[store.HostID(qh.ID)]
		page := store.PageID(u.Page)
		if h.more && h.Queued() < least/2 {
			c.need(h)
		}
		if h.closed != "" || !c.hasShare(h) || !c.leases.Hold(h.Bucket) {
			c.queue.End(&h.Host, now)
			delete(c.held, page)
			c.need(h)
			continue
		}
		if !c.sites.mayStart(h.Site) {
			c.queue.End(&h.Host, now.Add(languagePause))
			c.queue.Push(&h.Host, u)
			c.leases.Free(h.Bucket)
			continue
		}
		if c.gate != nil {
			if at, why := c.gate.Ready(h.Name, now); why != "" {
				c.queue.End(&h.Host, max1ms(at, now))
				c.queue.Push(&h.Host, u)
				c.leases.Free(h.Bucket)
				continue
			}
		}
		c.sites.start(h.Site, 1)
		h.unstored++
		c.underway++
		c.ops++
		go func() {
			res := c.visit(ctx, u)
			c.events <- func() { c.ops--; c.fetched(h, u, res) }
		}()
	}
}

func max1ms(at, now time.Time) time.Time {
	if soonest := now.Add(time.Millisecond); at.Before(soonest) {
		return soonest
	}
	return at
}

// visit fetches a URL; a panic is a fault of its own.
func (c *crawl) visit(ctx context.Context, u *frontier.URL) (res fetch.Result) {
	started := c.clock.Now()
	defer func() {
		if p := recover(); p != nil {
			c.opt.Logger.Error("fetch panicked", "url", u.URL, "panic", p)
			res = fetch.Result{Kind: fetch.Failed, Reason: fetch.Malformed, Text: fmt.Sprintf("panic: %v", p), StartedAt: started, FinishedAt: c.clock.Now(), FinalURL: u.URL}
		}
	}()
	req := fetch.Request{URL: u.URL, NoFollow: true}
	if u.Version > 0 {
		req.ETag, req.LastModified = u.ETag, u.LastModified
	}
	return c.fetch.Fetch(ctx, req)
}

// fetched takes up what a worker reports.
func (c *crawl) fetched(h *host, u *frontier.URL, res fetch.Result) {
	now := c.clock.Now()
	ready := now
	if c.gate != nil {
		ready, _ = c.gate.Ready(h.Name, now)
	}
	if res.Kind == fetch.Skipped || res.Reason == fetch.Cancelled {
		// No request was sent, or none that counts: the URL is still in the frontier.
		c.sites.start(h.Site, -1)
		h.unstored--
		c.underway--
		if h.more {
			c.need(h)
		}
		c.leases.Free(h.Bucket)
		if res.RetryAt.After(ready) {
			ready = res.RetryAt
		}
		c.queue.End(&h.Host, ready)
		if c.stopping {
			delete(c.held, store.PageID(u.Page))
		} else {
			c.queue.Push(&h.Host, u)
		}
		return
	}
	c.queue.End(&h.Host, ready)
	c.add(c.judge(h, u, res))
}
