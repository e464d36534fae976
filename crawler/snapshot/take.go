package snapshot

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/strandlinehq/strandline/crawler/frontier"
	"github.com/strandlinehq/strandline/store"
)

// load reads how far the snapshot is.
func (c *crawl) load(ctx context.Context) error {
	for {
		err := c.loadOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return nil // nothing was begun
		case err == nil || !store.Away(err):
			return err
		}
		c.away("read the frontier", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(c.retryAt)):
		}
	}
}

func (c *crawl) loadOnce(ctx context.Context) error {
	hosts, err := c.db.FrontierHosts(ctx, c.ID, c.leases.Buckets())
	if err != nil {
		return err
	}
	if c.base, _, _, err = c.db.SnapshotTally(ctx, c.ID); err != nil {
		return err
	}
	if c.before, err = c.db.LastEnded(ctx, c.Series, c.ID); err != nil {
		return err
	}
	if c.series.Language != "" {
		tallies, err := c.db.SnapshotSites(ctx, c.ID)
		if err != nil {
			return err
		}
		c.sites.load(tallies)
	}
	c.known(hosts)
	c.allow(len(c.leases.Buckets()))
	c.looked, c.levelSince, c.level = time.Now(), c.clock.Now(), -1
	return nil
}

// known takes up hosts as the database has them.
func (c *crawl) known(hosts []store.FrontierHost) {
	for _, k := range hosts {
		h := c.hosts[k.ID]
		if h == nil && c.left[k.ID] != "" {
			if c.queue.Len() == 0 && c.underway == 0 { // another daemon may have found more of it
				c.need(c.recall(k.ID))
			}
			continue
		}
		if h == nil {
			h = &host{Host: frontier.Host{ID: int64(k.ID), Name: k.Name, Site: k.Site, Bucket: k.Bucket}}
			c.hosts[k.ID] = h
		}
		if h.unstored == 0 {
			// Counts only rise; these may have been read before our last batch was stored.
			h.Tally = store.Tally{Tried: max(h.Tried, k.Tried), Crawled: max(h.Crawled, k.Crawled), Traps: max(h.Traps, k.Traps)}
		}
		if h.closed == "" {
			h.closed = k.Closed
		}
		c.need(h)
		c.exhaust(h)
	}
}

// exhaust closes a host that has had its share.
func (c *crawl) exhaust(h *host) {
	if h.closed == "" && c.exhausted(h) {
		c.close(h, "pages")
	}
}

// take reads the first URLs of hosts that run low, and finds out whether the
// snapshot is at its end.
func (c *crawl) take(ctx context.Context) {
	spent := !c.roomFor(1) && c.underway == 0 // what is in memory is of no use until the counts are read
	if c.queue.Len() > c.opt.Backlog/2 && !spent {
		c.takeAt = time.Now().Add(c.opt.Poll)
		return
	}
	c.taking = true
	now, ownBefore := c.clock.Now(), c.own
	full := spent && c.crawled() >= int64(c.series.Scope.MaxPages)
	if full {
		for _, h := range c.hosts {
			c.queue.Drop(&h.Host)
		}
		clear(c.held)
	}
	idle := c.queue.Len() == 0 && c.underway == 0
	look := time.Since(c.looked) > 15*c.opt.Poll || idle && time.Since(c.looked) > c.opt.Poll/2 || spent && !full
	dropped := c.closing()
	level, lead := c.level, int(now.Sub(c.levelSince)/c.opt.Patience)
	buckets := c.leases.Buckets()
	c.do(func() func() {
		fail := func(what string, err error) func() {
			return func() { c.taking = false; c.again(dropped); c.away(what, err) }
		}
		var hosts []store.FrontierHost
		var total store.Tally
		if look {
			var err error
			if hosts, err = c.db.FrontierHosts(ctx, c.ID, buckets); err != nil {
				return fail("read hosts", err)
			}
			if total, _, _, err = c.db.SnapshotTally(ctx, c.ID); err != nil {
				return fail("count pages", err)
			}
			switch running, err := c.db.StillRunning(ctx, c.ID); {
			case err != nil:
				return fail("read the snapshot", err)
			case !running: // another daemon knows the series no more
				return func() { c.taking = false; c.answered(); c.over = true }
			}
		}
		for _, h := range dropped {
			if err := c.db.CloseHost(ctx, c.ID, store.HostID(h.ID), h.closed); err != nil {
				return fail("close a host", err)
			}
		}
		if full {
			if err := c.db.DropFrontier(ctx, c.ID); err != nil {
				return fail("empty the frontier", err)
			}
		}
		depth, left, err := c.db.FrontierLevel(ctx, c.ID)
		if err != nil {
			return fail("read the level", err)
		}
		if !left && idle {
			err := c.end(ctx)
			if err != nil {
				return fail("end the snapshot", err)
			}
			return func() { c.taking = false; c.answered(); c.over = true }
		}
		return func() {
			c.answered()
			c.forget(dropped)
			if look {
				c.looked = time.Now()
				c.known(hosts)
				if c.own == ownBefore {
					c.base = store.Tally{Tried: total.Tried - c.own.Tried, Crawled: total.Crawled - c.own.Crawled, Traps: total.Traps - c.own.Traps}
				}
				c.allow(len(buckets))
			}
			if left && depth != level {
				c.level, c.levelSince, lead = depth, now, 0
				c.all()
			} else if lead > c.lead {
				c.all() // hosts that are done with the level may go on
			}
			c.lead = lead
			c.fill(ctx, now, left)
		}
	})
}

// end says that the snapshot is done, or failed when it has no page at all.
func (c *crawl) end(ctx context.Context) error {
	t, _, _, err := c.db.SnapshotTally(ctx, c.ID)
	if err != nil {
		return err
	}
	status, reason := store.SnapshotDone, ""
	if t.Crawled == 0 {
		status, reason = store.SnapshotFailed, fmt.Sprintf("none of the %d URLs that were tried gave a page", t.Tried)
	}
	return c.db.EndSnapshot(ctx, c.ID, status, c.clock.Now(), reason)
}

// close lets no more of a host be fetched.
func (c *crawl) close(h *host, reason string) {
	h.closed = reason
	c.need(h)
	for _, u := range c.queue.Drop(&h.Host) {
		delete(c.held, store.PageID(u.Page))
	}
	c.opt.Logger.Info("host left", "series", c.Name, "host", h.Name, "reason", reason, "crawled", h.Crawled)
	c.takeAt = time.Time{}
}

// least and most of a host are taken at once.
const (
	least = 8
	most  = 512
)

// fill takes the first URLs of the hosts that run low.
func (c *crawl) fill(ctx context.Context, now time.Time, left bool) {
	if len(c.low) == 0 || !left {
		c.rest(0)
		return
	}
	room := c.opt.Backlog - c.queue.Len()
	each := min(max(room/len(c.low), least), most)
	if c.series.Novel {
		each = least // what is found meanwhile may be worth more than what is in memory
	}
	// Who has waited with the fewest URLs comes first, should there be more hosts than room.
	low := c.lowest(max(room/each, 1))
	if len(low) == 0 {
		c.rest(0)
		return
	}
	r := store.TakeRequest{Depth: c.level + c.lead, Now: now, Best: c.series.Novel}
	if r.Best {
		r.Depth = math.MaxInt16
	}
	asked := make([]int, len(low))
	for i, h := range low {
		h.more = false // what is added meanwhile sets it
		asked[i] = each + h.Queued() + h.unstored
		r.Hosts, r.Room = append(r.Hosts, store.HostID(h.ID)), append(r.Room, int32(asked[i]))
	}
	c.do(func() func() {
		urls, err := c.db.TakeFrontier(ctx, c.ID, r)
		return func() {
			if err != nil {
				c.taking = false
				c.again(low)
				c.away("take from the frontier", err)
				return
			}
			c.answered()
			c.accept(ctx, low, asked, urls)
		}
	})
}

// accept queues the URLs that were taken.
func (c *crawl) accept(ctx context.Context, asked []*host, rooms []int, urls []store.FrontierURL) {
	got := map[store.HostID]int{}
	var late []store.PageID
	traps := map[store.HostID]int64{}
	n := 0
	for _, u := range urls {
		got[u.Host]++
		h := c.hosts[u.Host]
		switch {
		case c.held[u.Page], c.finished[u.Page]:
			continue
		case u.Done, u.Trap && h.Traps+traps[u.Host] >= c.trapsOf(), u.Depth > 0 && !c.wanted(u.URL, u.Depth): // since the scope is another
			late = append(late, u.Page)
			continue
		case u.Trap:
			traps[u.Host]++
		}
		c.held[u.Page] = true
		n++
		c.queue.Push(&h.Host, &frontier.URL{
			Page: int64(u.Page), URL: u.URL, Depth: u.Depth, Priority: u.Priority, Tries: u.Tries, Trap: u.Trap, Heard: u.Heard,
			Version: u.Version, ETag: u.ETag, LastModified: u.LastModified,
		})
	}
	for i, h := range asked {
		if got[store.HostID(h.ID)] >= rooms[i] {
			c.need(h)
		}
	}
	if len(late) == 0 {
		c.rest(n)
		return
	}
	c.again(asked)
	c.do(func() func() {
		err := c.db.ForgetURLs(ctx, c.ID, late)
		return func() {
			if err != nil {
				c.away("drop late finds", err)
			}
			c.rest(max(n, 1))
		}
	})
}

// rest says when to look at the frontier again.
func (c *crawl) rest(n int) {
	c.taking = false
	clear(c.finished)
	c.takeAt = time.Now().Add(c.opt.Poll)
	if n > 0 {
		c.takeAt = time.Now().Add(5 * time.Millisecond)
	}
}

// away notes that a statement failed. The next ones wait, longer each time.
func (c *crawl) away(what string, err error) {
	if c.pause == 0 {
		c.pause = 250 * time.Millisecond
		c.opt.Logger.Warn("database does not answer; the crawl waits", "series", c.Name, "doing", what, "error", err)
	}
	c.pause = min(2*c.pause, 15*time.Second)
	c.retryAt = time.Now().Add(c.pause)
	c.takeAt = c.retryAt
}

// answered notes that a statement succeeded.
func (c *crawl) answered() {
	if c.pause > 0 {
		c.opt.Logger.Info("database answers again", "series", c.Name)
	}
	c.retryAt, c.pause = time.Time{}, 0
}
