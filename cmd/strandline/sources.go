package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/source"
	"github.com/strandlinehq/strandline/store"
)

const (
	// sourcesEvery is how often a sitemap or feed is read, and sourcesAgain how soon again when
	// that failed: then twice as long each time. Both are on the daemon's clock.
	sourcesEvery = time.Hour
	sourcesAgain = 5 * time.Minute
	// sourcesLook is how often, in the machine's time, those are looked at that were due while
	// another daemon had their hosts.
	sourcesLook = 500 * time.Millisecond
	// sourcesAtOnce is how many are read at a time: one on a slow host holds up no other.
	sourcesAtOnce = 8
)

// sourceKey names a sitemap or feed of a watch. One whose bound changes is read anew.
type sourceKey struct {
	watch, kind, url string
	maxPages         int
}

// followed is what a daemon knows of a source that it follows.
type followed struct {
	key      sourceKey
	tracking []string  // parameters that canonical URLs have not
	next     time.Time // when it is to be read; zero: at once
	reading  bool
	failures int       // in a row
	since    time.Time // when they began
	reason   string    // of the last
	docs     documents
	unstored []store.SourceFetch // attempts that the database did not take
}

// unstoredMost bounds them: a database that is away for long loses the oldest.
const unstoredMost = 1000

// follower keeps the watches in step with their sitemaps and feeds. Its loop alone touches it, but for
// the sources that are being read.
type follower struct {
	*service
	known map[sourceKey]*followed
	ended chan *followed
}

// follow keeps the watches in step with their sitemaps and feeds until ctx is done. Of several
// daemons the one reads a source that crawls its host.
func (s *service) follow(ctx context.Context) error {
	f := &follower{service: s, known: map[sourceKey]*followed{}, ended: make(chan *followed, sourcesAtOnce)}
	var reading errgroup.Group
	reading.SetLimit(sourcesAtOnce)
	defer func() { _ = reading.Wait() }() // none has an error
	look := time.NewTicker(sourcesLook)
	defer look.Stop()
	f.take()
	for {
		next := f.begin(ctx, &reading)
		timer := s.clock.NewTimer(max(0, next.Sub(s.clock.Now())))
		select {
		case <-timer.C:
		case <-look.C:
		case <-s.sourcesChanged:
			f.take()
		case one := <-f.ended:
			one.reading = false
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
}

// take makes the sources those of the configuration.
func (f *follower) take() {
	f.mu.Lock()
	watches, tracking := slices.Clone(f.config.Watches), f.config.Crawler.TrackingParams
	f.mu.Unlock()
	wanted := map[sourceKey]bool{}
	add := func(w *configs.Watch, kind, url string) {
		key := sourceKey{string(w.Name), kind, url, w.MaxPages}
		wanted[key] = true
		if f.known[key] == nil {
			f.known[key] = &followed{key: key}
		}
		if !f.known[key].reading {
			f.known[key].tracking = tracking
		}
	}
	for i := range watches {
		for _, url := range watches[i].Sitemaps {
			add(&watches[i], "sitemap", string(url))
		}
		for _, url := range watches[i].Feeds {
			add(&watches[i], "feed", string(url))
		}
	}
	for key := range f.known {
		if !wanted[key] {
			delete(f.known, key)
		}
	}
}

// begin begins to read those that are due, as far as this daemon may, and returns when the next is.
func (f *follower) begin(ctx context.Context, reading *errgroup.Group) time.Time {
	now := f.clock.Now()
	next := now.Add(sourcesEvery)
	for _, one := range f.known {
		switch {
		case one.reading:
			continue
		case one.next.After(now):
			if one.next.Before(next) {
				next = one.next
			}
			continue
		}
		facts, err := canonical.FactsOf(one.key.url)
		if err != nil {
			continue // the configuration takes no such URL
		}
		bucket := int32(facts.Bucket)
		if !f.daemon.Hold(bucket) {
			continue
		}
		one.reading = true
		if !reading.TryGo(func() error {
			defer f.daemon.Free(bucket)
			f.read(ctx, one)
			select {
			case f.ended <- one:
			case <-ctx.Done():
			}
			return nil
		}) {
			one.reading = false
			f.daemon.Free(bucket)
			return next // when one ends
		}
	}
	return next
}

// read reads one source, and says once that it fails and once that it does no more.
func (f *follower) read(ctx context.Context, one *followed) {
	log := f.app.log.With("watch", one.key.watch, "source", one.key.url)
	begun, watch := f.clock.Now(), int32(0)
	if w, ok := f.planOf(one.key.watch); ok {
		watch = w.ID
	}
	tried := &attempts{reader: f.reader, due: begun}
	if !one.next.IsZero() {
		tried.due = one.next
	}
	err := f.renew(ctx, one, tried)
	one.unstored = append(one.unstored, tried.rows...)
	now := f.clock.Now()
	switch {
	case ctx.Err() != nil:
		one.next = now
	case err != nil:
		if one.failures++; one.failures == 1 {
			one.since = begun
			log.Warn("source was not read whole; it is tried again", "error", err)
		}
		one.reason = strings.ReplaceAll(err.Error(), "\n", "; ")
		if !strings.Contains(one.reason, one.key.url) {
			one.reason = one.key.url + ": " + one.reason
		}
		one.next = now.Add(min(sourcesEvery, sourcesAgain<<min(one.failures-1, 8)))
	default:
		if one.failures > 0 {
			log.Warn("source is read whole again", "since", one.since)
		}
		one.failures, one.next = 0, now.Add(sourcesEvery)
	}
	state := store.SourceState{Watch: watch, Kind: one.key.kind, URL: one.key.url, ReadAt: begun, NextDueAt: one.next}
	if one.failures > 0 {
		state.FailingSince, state.Error = one.since, one.reason
	}
	f.note(ctx, one, state)
}

// note stores the attempts of a reading. What the database does not take waits for the next one.
func (f *follower) note(ctx context.Context, one *followed, state store.SourceState) {
	if state.Watch == 0 || len(one.unstored) == 0 && ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sourcesStored) // a reading that the stop of the daemon cut off, too
	defer cancel()
	if err := f.PutSource(ctx, state, one.unstored); err != nil {
		f.app.log.Warn("the reading of a source was not stored; its attempts are kept for the next one", "watch", one.key.watch, "source", one.key.url, "error", err)
		one.unstored = one.unstored[max(0, len(one.unstored)-unstoredMost):]
		return
	}
	one.unstored = nil
}

// sourcesStored is how long that may take, in the machine's time.
const sourcesStored = 5 * time.Second

// renew lists the pages of a source and puts them into its watch. Pages that it no longer names leave
// the watch, but only when it could be read whole: a broken sitemap is no sign that its pages are gone.
func (f *follower) renew(ctx context.Context, one *followed, tried *attempts) error {
	watch, ok := f.planOf(one.key.watch)
	if !ok || watch.Plan == nil {
		return errors.New("its watch has no schedule")
	}
	former := canonical.New(canonical.Options{Tracking: one.tracking})
	get, done := one.docs.reader(f.fetcher, tried)
	lister := source.New(get, former.URL, source.Options{MaxPages: one.key.maxPages})
	list := lister.Sitemap
	if one.key.kind == "feed" {
		list = lister.Feed
	}
	entries, fault := list(ctx, one.key.url)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	done()
	pages := make([]string, len(entries))
	for i, e := range entries {
		pages[i] = e.URL
	}
	if errors.Is(fault, source.ErrCut) {
		fault = nil
	}
	if fault != nil {
		known, err := f.SourcePages(ctx, watch.ID, one.key.url)
		if err != nil {
			return errors.Join(fault, err)
		}
		pages = append(pages, known...)
		slices.Sort(pages)
		pages = slices.Compact(pages)
	}
	joined, left, err := f.SetSource(ctx, watch.ID, one.key.url, pages, f.clock.Now(), firstDue(&watch, len(pages)))
	if err != nil {
		return errors.Join(fault, err)
	}
	if joined+left > 0 {
		f.app.log.Info("source changed a watch", "watch", watch.Name, "source", one.key.url, "joined", joined, "left", left)
		f.daemon.Wake()
	}
	f.hint(ctx, watch, one.key.kind, entries)
	return fault
}
