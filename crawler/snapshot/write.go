package snapshot

import (
	"context"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/frontier"
	"github.com/strandlinehq/strandline/store"
)

// add queues a URL to be stored.
func (c *crawl) add(f *finished) {
	if len(c.pending) == 0 {
		c.pendingSince = time.Now()
	}
	c.pending = append(c.pending, f)
	c.pendingBytes += f.bytes
}

// flush stores batches that are full, or have waited long enough. When there is
// nothing else to wait for, a batch waits no longer.
func (c *crawl) flush(ctx context.Context) {
	for len(c.pending) > 0 && c.writing < c.opt.Writers {
		full := len(c.pending) >= c.opt.Batch || c.pendingBytes >= c.opt.BatchBytes
		idle := c.queue.Running() == 0 && c.writing == 0
		if !full && !idle && !c.stopping && time.Since(c.pendingSince) < c.opt.Flush {
			return
		}
		n, size := 0, 0
		for n < len(c.pending) && n < c.opt.Batch && (n == 0 || size+c.pending[n].bytes <= c.opt.BatchBytes) {
			size += c.pending[n].bytes
			n++
		}
		batch := c.pending[:n:n]
		c.pending = c.pending[n:]
		c.pendingBytes -= size
		c.pendingSince = time.Now()
		c.writing++
		c.do(func() func() {
			out, err := c.store(ctx, batch)
			return func() { c.stored(batch, out, err) }
		})
	}
}

// written is what storing a batch came to.
type written struct {
	added  []store.Added
	urls   map[store.PageID]string // of what was added
	found  []store.PageID          // that are in the frontier or done now
	counts map[store.HostID]store.Tally
	sites  []store.SiteTally
	yields []store.Yield
	done   int // URLs from the front that are stored
}

// store stores a batch. If the database refuses it for the sake of what a page
// holds, it is stored in halves, down to the page that is refused: of that only the
// failure is kept.
func (c *crawl) store(ctx context.Context, batch []*finished) (*written, error) {
	w, err := c.storeOnce(ctx, batch)
	switch {
	case err == nil:
		w.done = len(batch)
		return w, nil
	case ctx.Err() != nil || store.Away(err):
		return &written{}, err
	case len(batch) == 1:
		f := batch[0]
		c.opt.Logger.Error("page could not be stored", "url", f.URL.URL, "error", err)
		f.capture = &store.Capture{
			URL: f.URL.URL, Outcome: store.Failed, Kind: store.KindSnapshot, StartedAt: f.capture.StartedAt, FinishedAt: f.capture.FinishedAt,
			Status: f.row.Status, Error: "what was fetched could not be stored: " + err.Error(),
		}
		f.row.Crawled = false
		if w, err = c.storeOnce(ctx, batch); err != nil {
			return &written{}, err
		}
		w.done = 1
		return w, nil
	}
	half := len(batch) / 2
	w, err = c.store(ctx, batch[:half])
	if err != nil {
		return w, err
	}
	more, err := c.store(ctx, batch[half:])
	return w.join(more), err
}

func (w *written) join(more *written) *written {
	for h, t := range more.counts {
		w.counts[h] = plus(w.counts[h], t)
	}
	for p, u := range more.urls {
		w.urls[p] = u
	}
	w.added, w.found, w.sites = append(w.added, more.added...), append(w.found, more.found...), append(w.sites, more.sites...)
	w.yields = append(w.yields, more.yields...)
	w.done += more.done
	return w
}

func plus(a, b store.Tally) store.Tally {
	return store.Tally{Tried: a.Tried + b.Tried, Crawled: a.Crawled + b.Crawled, Traps: a.Traps + b.Traps}
}

// storeOnce stores a batch in one transaction.
func (c *crawl) storeOnce(ctx context.Context, batch []*finished) (*written, error) {
	captures := make([]*store.Capture, len(batch))
	var targets []store.Sighting
	for i, f := range batch {
		captures[i] = f.capture
		if f.alias != "" {
			targets = append(targets, store.Sighting{URL: f.alias, At: f.row.At})
		}
	}
	aliases, err := c.db.ResolvePages(ctx, targets)
	if err != nil {
		return nil, err
	}
	for _, f := range batch {
		f.row.Alias = aliases[f.alias]
	}
	var w *written
	_, err = c.db.WriteWith(ctx, captures, func(ctx context.Context, tx *store.Tx, stored []store.Stored) error {
		w = &written{urls: map[store.PageID]string{}, counts: map[store.HostID]store.Tally{}} // the transaction may be repeated
		return c.storeRows(ctx, tx, batch, stored, w)
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// storeRows stores what the snapshot keeps of a batch, beside the captures.
func (c *crawl) storeRows(ctx context.Context, tx *store.Tx, batch []*finished, stored []store.Stored, w *written) error {
	links, err := c.linksOf(ctx, tx, batch, stored)
	if err != nil {
		return err
	}
	var rows []store.SnapshotFetch
	var done []store.PageID
	var later []store.Later
	var finds []store.Find
	var from []int // index of the page that each was found on
	find := func(source int, page store.PageID, url string, depth int) {
		if page == 0 || c.seen.has(page) || !c.wanted(url, depth) {
			return
		}
		if _, twice := w.urls[page]; !twice {
			w.urls[page] = url
			finds, from = append(finds, store.Find{Page: page, Depth: depth, Priority: turn(url)}), append(from, source)
		}
	}
	for i, f := range batch {
		if !f.later.IsZero() {
			later = append(later, store.Later{Page: f.row.Page, Tries: f.Tries + 1, At: f.later})
			continue
		}
		t := store.Tally{Tried: 1}
		if stored[i].Version == 0 {
			f.row.Crawled = false // it could not be read
		}
		if f.row.Crawled {
			t.Crawled = 1
			if f.Trap {
				t.Traps = 1
			}
		}
		host := store.HostID(f.host.ID)
		w.counts[host] = plus(w.counts[host], t)
		rows, done = append(rows, f.row), append(done, f.row.Page)
		for _, l := range links[i].to {
			find(i, l.Page, l.URL, f.Depth+1)
		}
		find(i, f.row.Alias, f.alias, f.Depth)
		if language := links[i].language; f.row.Crawled && language != "" && c.sites.open(f.host.Site) {
			s := store.SiteTally{Site: f.host.Site, LookedAt: 1}
			if language == c.series.Language {
				s.Wanted = 1
			}
			w.sites = append(w.sites, s)
		}
	}
	if err := c.yields.order(ctx, tx, c, batch, finds, from, w); err != nil {
		return err
	}
	if err := tx.PutSnapshotPages(ctx, c.ID, rows); err != nil {
		return err
	}
	if w.added, err = tx.AddFrontier(ctx, c.ID, finds); err != nil {
		return err
	}
	for _, f := range finds {
		w.found = append(w.found, f.Page)
	}
	if err := tx.FinishURLs(ctx, c.ID, done); err != nil {
		return err
	}
	if err := tx.PutOffURLs(ctx, c.ID, later); err != nil {
		return err
	}
	if err := tx.TallyHosts(ctx, c.ID, w.counts); err != nil {
		return err
	}
	if err := tx.TallySites(ctx, c.ID, w.sites); err != nil {
		return err
	}
	return tx.AddYields(ctx, c.Series, w.yields)
}

// pageLinks is what a page says: its language and what it links to.
type pageLinks struct {
	language string
	to       []store.LinkedPage
}

// linksOf returns what the pages of a batch link to. A page with the content of
// before has its links in the database.
func (c *crawl) linksOf(ctx context.Context, tx *store.Tx, batch []*finished, stored []store.Stored) ([]pageLinks, error) {
	out := make([]pageLinks, len(batch))
	var unread []store.Stored
	for i, f := range batch {
		switch {
		case !f.row.Crawled || stored[i].Version == 0:
		case f.capture.Linked != nil || f.language != "":
			out[i].language = f.language
			out[i].to = f.capture.Linked
		default:
			unread = append(unread, stored[i])
		}
	}
	known, err := tx.VersionLinks(ctx, unread)
	if err != nil || len(known) == 0 {
		return out, err
	}
	var ids []store.PageID
	for _, v := range known {
		for _, t := range v.Targets {
			if !c.seen.has(t.Page) {
				ids = append(ids, t.Page)
			}
		}
	}
	slices.Sort(ids)
	urls, err := tx.PageURLs(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	byPage := make(map[store.PageID]store.KnownURL, len(urls))
	for _, u := range urls {
		byPage[u.Page] = u
	}
	for i, f := range batch {
		v, ok := known[f.row.Page]
		if !ok || f.capture.Linked != nil || f.language != "" {
			continue
		}
		out[i].language = v.Language
		for _, t := range v.Targets {
			if u, ok := byPage[t.Page]; ok {
				out[i].to = append(out[i].to, store.LinkedPage{Page: u.Page, URL: u.URL, NoFollow: t.NoFollow})
			}
		}
	}
	return out, nil
}

// stored takes up what became of a batch.
func (c *crawl) stored(batch []*finished, w *written, err error) {
	c.writing--
	if err != nil {
		c.away("store pages", err)
	} else {
		c.answered()
	}
	for _, f := range batch[:w.done] {
		f.host.unstored--
		c.underway--
		c.sites.start(f.host.Site, -1)
		c.leases.Free(f.host.Bucket)
		delete(c.held, f.row.Page)
		if c.taking {
			c.finished[f.row.Page] = true
		}
		if f.host.more || !f.later.IsZero() {
			c.need(f.host) // it may have room in its share again
		}
	}
	if rest := batch[w.done:]; len(rest) > 0 {
		c.pending = append(slices.Clone(rest), c.pending...)
		for _, f := range rest {
			c.pendingBytes += f.bytes
		}
	}
	for id, t := range w.counts {
		h := c.hosts[id]
		h.Tally, c.own = plus(h.Tally, t), plus(c.own, t)
		c.exhaust(h)
	}
	for _, p := range w.found {
		c.seen.add(p)
	}
	for _, a := range w.added {
		c.hear(a, w.urls[a.Page])
	}
	c.languages(w.sites)
	c.yields.learn(w.yields)
	for _, f := range batch[:w.done] {
		if h := f.host; h.closed == "" && h.failures >= c.opt.GiveUp {
			c.close(h, "unreachable")
		}
	}
	c.takeAt = time.Time{}
}

// hear notes that the database has a URL of a host.
func (c *crawl) hear(a store.Added, url string) {
	h := c.hosts[a.Host]
	if h == nil && c.left[a.Host] != "" {
		h = c.recall(a.Host)
	}
	if h == nil {
		facts, err := canonical.FactsOf(url)
		if err != nil {
			return
		}
		h = &host{Host: frontier.Host{ID: int64(a.Host), Name: facts.Host, Site: facts.Site, Bucket: a.Host.Bucket()}}
		if c.sites.left(h.Site) {
			h.closed = "language"
		}
		// A host of another daemon's is not asked for: its bucket is not ours.
		if !c.leases.Hold(h.Bucket) {
			return
		}
		c.leases.Free(h.Bucket)
		c.hosts[a.Host] = h
	}
	c.need(h)
}
