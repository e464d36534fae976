package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/source"
)

// sourcesEvery is how often sitemaps and feeds are read, on the daemon's clock.
const sourcesEvery = time.Hour

// follow keeps the watches in step with their sitemaps and feeds until ctx is done.
func (s *service) follow(ctx context.Context) error {
	for {
		s.mu.Lock()
		watches := slices.Clone(s.config.Watches)
		s.mu.Unlock()
		for i := range watches {
			for _, url := range watches[i].Sitemaps {
				s.followOne(ctx, &watches[i], "sitemap", string(url), (*source.Lister).Sitemap)
			}
			for _, url := range watches[i].Feeds {
				s.followOne(ctx, &watches[i], "feed", string(url), (*source.Lister).Feed)
			}
		}
		if err := clock.Sleep(ctx, s.clock, sourcesEvery); err != nil {
			return nil
		}
	}
}

// followOne reads one source. Pages that it no longer names leave the watch, but
// only when it could be read whole: a broken sitemap is no sign that its pages
// are gone.
func (s *service) followOne(ctx context.Context, w *configs.Watch, kind, url string, list func(*source.Lister, context.Context, string) ([]source.Entry, error)) {
	watch, ok := s.planOf(string(w.Name))
	if !ok || watch.Plan == nil {
		return
	}
	former := canonical.New(canonical.Options{Tracking: s.config.Crawler.TrackingParams})
	entries, err := list(source.New(s.document, former.URL, source.Options{MaxPages: w.MaxPages}), ctx, url)
	if ctx.Err() != nil {
		return
	}
	pages := make([]string, len(entries))
	for i, e := range entries {
		pages[i] = e.URL
	}
	if err != nil && !errors.Is(err, source.ErrCut) {
		s.app.log.Warn("source was not read whole", "watch", w.Name, "source", url, "error", err)
		known, kerr := s.SourcePages(ctx, watch.ID, url)
		if kerr != nil {
			s.app.log.Warn("source could not be applied", "watch", w.Name, "source", url, "error", kerr)
			return
		}
		pages = append(pages, known...)
		slices.Sort(pages)
		pages = slices.Compact(pages)
	}
	joined, left, err := s.SetSource(ctx, watch.ID, url, pages, s.clock.Now(), firstDue(&watch, len(pages)))
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.app.log.Warn("source could not be applied", "watch", w.Name, "source", url, "error", err)
	case joined+left > 0:
		s.app.log.Info("source changed a watch", "watch", w.Name, "source", url, "joined", joined, "left", left)
		s.daemon.Wake()
	}
	if err == nil {
		s.hint(ctx, watch, kind, entries)
	}
}

// document fetches a sitemap or feed under the usual politeness.
func (s *service) document(ctx context.Context, url string) (source.Document, error) {
	res := s.fetcher.Fetch(ctx, fetch.Request{URL: url})
	if res.Kind != fetch.Content {
		return source.Document{}, fmt.Errorf("%s: %s", res.Reason, res.Text)
	}
	return source.Document{URL: res.FinalURL, Body: res.Body}, nil
}
