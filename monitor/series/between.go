package series

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/birth"
	"github.com/strandlinehq/strandline/monitor/novelty/window"
	"github.com/strandlinehq/strandline/store"
)

// BetweenOptions are the parameters of Between.
type BetweenOptions struct {
	Options
	// Until is the end of the window: now.
	Until time.Time
	// Tolerance is how long before the last snapshot began a page may have been
	// fetched without a link for the link to count as younger; 0 means a day.
	Tolerance time.Duration
	// Scope reports whether a URL belongs to the series; nil: those on hosts of which
	// the last snapshot has pages.
	Scope func(url string) bool
}

// Between computes the novelty of pages that were found since the last snapshot of a
// series began, whatever fetched them, and stores it (SCIENCE T17). The window begins
// with that snapshot, so that where all fetches lie on snapshots it is the measure of
// the next one; what the snapshot itself found while it was taken was known before, as
// the next one would say. It takes time and memory in proportion to the versions that began in
// the window. Redirects between pages are not followed.
func Between(ctx context.Context, db *store.DB, id store.SeriesID, opt BetweenOptions) error {
	opt.Options = opt.withDefaults()
	if opt.Tolerance == 0 {
		opt.Tolerance = 24 * time.Hour
	}
	all, err := db.Snapshots(ctx, id)
	if err != nil {
		return err
	}
	w := window.Window{Until: opt.Until, Tolerance: opt.Tolerance}
	var last store.SnapshotID
	for _, s := range all {
		if s.Ended() && s.Pages > 0 && s.StartedAt.Before(opt.Until) {
			w.After, last = s.StartedAt, s.ID
		}
	}
	if w.After.IsZero() {
		return db.PutBetween(ctx, id, w.Until, w.Until, nil)
	}
	if opt.Scope == nil {
		if opt.Scope, err = hostsOf(ctx, db, last); err != nil {
			return err
		}
	}
	found, err := findBetween(ctx, db, w, last, opt.Scope)
	if err != nil {
		return err
	}
	pages, err := found.compute(ctx, opt)
	if err != nil {
		return err
	}
	return db.PutBetween(ctx, id, w.After, w.Until, pages)
}

// hostsOf reports whether a URL is on a host of which a snapshot has pages.
func hostsOf(ctx context.Context, db *store.DB, id store.SnapshotID) (func(url string) bool, error) {
	hosts := map[string]bool{}
	err := db.SnapshotPages(ctx, id, func(p store.SnapshotPage) error {
		if p.Crawled {
			hosts[hostIn(p.URL)] = true
		}
		return nil
	})
	return func(url string) bool { return hosts[hostIn(url)] }, err
}

// between is the pages of a window that matter to those found in it: they
// themselves, and those that link to them. They are numbered as they come.
type between struct {
	window  window.Window
	numbers map[store.PageID]uint32
	ids     []store.PageID
	pages   []window.Page
	fetched []time.Time // first fetch in the window
	links   []window.Link
	found   []uint32
}

func findBetween(ctx context.Context, db *store.DB, w window.Window, last store.SnapshotID, scope func(string) bool) (*between, error) {
	b := &between{window: w, numbers: map[store.PageID]uint32{}}
	heard := map[store.PageID]bool{} // whether it belongs to the series
	// A crawl takes time, so that the window holds what the snapshot heard of itself.
	named := map[store.PageID]bool{}
	err := db.HeardBetween(ctx, w.After, w.Until, func(p store.HeardPage) {
		if !p.Trap {
			heard[p.Page] = scope(p.URL)
		}
	})
	if err != nil {
		return nil, err
	}
	err = db.KnownPages(ctx, []store.SnapshotID{last}, func(p store.PageID) {
		if _, ok := heard[p]; ok {
			named[p] = true
			delete(heard, p)
		}
	})
	if err != nil {
		return nil, err
	}
	err = db.SnapshotPages(ctx, last, func(p store.SnapshotPage) error { // traps among them
		delete(heard, p.Page)
		return nil
	})
	if err != nil {
		return nil, err
	}
	before, known := store.PageID(0), map[uint32]int{} // index of the page's links to others
	err = db.VersionsBetween(ctx, w.After, w.Until, func(v *store.VersionLinksBetween) error {
		if v.Page != before {
			before = v.Page
			clear(known)
		}
		source := b.number(v.Page)
		p := &b.pages[source]
		p.Seen, p.Fetched = v.Heard, true
		if named[v.Page] {
			p.Seen = w.After
		}
		p.Modified = modifiedIn(v.Head, v.First)
		if b.fetched[source].IsZero() {
			b.fetched[source] = v.First
			if heard[v.Page] {
				b.found = append(b.found, source)
			}
		}
		for packed, page := v.Targets, store.PageID(0); len(packed) > 0; {
			var ok bool
			if page, packed, ok = store.NextLink(packed, page); !ok {
				return errDamaged
			}
			if _, new := heard[page]; !new {
				continue
			}
			target := b.number(page)
			i, linked := known[target]
			if !linked {
				i = len(b.links)
				known[target] = i
				b.links = append(b.links, window.Link{Source: source, Target: target, Without: v.Before, With: v.First})
			}
			b.links[i].Last = minTime(v.Last, w.Until)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range b.pages {
		if b.pages[i].Seen.IsZero() {
			b.pages[i].Seen = w.Until // linked to, not fetched: its class is the fringe's
		}
	}
	return b, nil
}

// number is the number of a page.
func (b *between) number(id store.PageID) uint32 {
	n, ok := b.numbers[id]
	if !ok {
		n = uint32(len(b.ids))
		b.numbers[id] = n
		b.ids, b.pages, b.fetched = append(b.ids, id), append(b.pages, window.Page{}), append(b.fetched, time.Time{})
	}
	return n
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// modifiedIn is the valid Last-Modified of an answer; zero if it has none.
func modifiedIn(head []byte, fetched time.Time) time.Time {
	_, fields, ok := bytes.Cut(head, []byte("\n"))
	if !ok {
		return time.Time{}
	}
	header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader()
	if err != nil && len(header) == 0 {
		return time.Time{}
	}
	modified, err := http.ParseTime(header.Get("Last-Modified"))
	if err != nil {
		return time.Time{}
	}
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		date = time.Time{}
	}
	if !novelty.LastModified(modified, date, fetched) {
		return time.Time{}
	}
	return modified
}

// compute gives the classes and scores of the pages found.
func (b *between) compute(ctx context.Context, opt BetweenOptions) ([]store.BetweenPage, error) {
	links := slices.Values(b.links)
	// A month in the URL is no rule here: it would have to be that of a window.
	classes, err := window.Classify(ctx, b.window, b.pages, links, opt.Rules&^novelty.RuleDated)
	if err != nil {
		return nil, fmt.Errorf("classes between snapshots: %w", err)
	}
	graph, err := window.Build(ctx, b.window, classes, links, novelty.BuildOptions{Workers: 1, Distinct: true})
	if err != nil {
		return nil, fmt.Errorf("links between snapshots: %w", err)
	}
	run, err := novelty.Score[float32](ctx, graph, novelty.ScoreOptions{Delta: opt.Delta, Iterations: opt.Iterations})
	if err != nil {
		return nil, fmt.Errorf("novelty between snapshots: %w", err)
	}
	in := make([]int32, len(b.pages))
	dates := make([]dated, len(b.pages))
	for _, l := range b.links {
		in[l.Target]++
		until := minTime(l.Last, b.window.Until)
		dates[l.Target].add(birth.Link{Without: l.Without, With: l.With, Until: until})
	}
	var unknown []dated
	out := make([]store.BetweenPage, 0, len(b.found))
	for _, n := range b.found {
		p := store.BetweenPage{Page: b.ids[n], Class: classes[n].String(), InLinks: in[n], Found: b.fetched[n]}
		if index, ok := graph.Index(n); ok {
			p.Novelty = run.N[index]
			d := dates[n]
			d.number, d.evidence.Seen, d.evidence.Modified = n, b.fetched[n], b.pages[n].Modified
			unknown = append(unknown, d)
		}
		out = append(out, p)
	}
	born, err := estimate(ctx, birth.Default(), unknown, b.window.After)
	if err != nil {
		return nil, err
	}
	for i, n := range b.found {
		out[i].Birth = born[n]
	}
	return out, nil
}
