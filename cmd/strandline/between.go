package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// betweenEvery is how often a daemon looks for pages that were found since the last
// snapshots.
const betweenEvery = time.Hour

// followSeries keeps the novelty of pages that the recrawl finds between snapshots. It
// begins with snapshots that have ended and were not computed, since the daemon was
// killed or the database away then.
func (s *service) followSeries(ctx context.Context) error {
	for {
		s.mu.Lock()
		all := slices.Clone(s.config.Series)
		s.mu.Unlock()
		for i := range all {
			row, err := s.SeriesByName(ctx, string(all[i].Name))
			if err == nil {
				err = s.computeLate(ctx, row)
			}
			if err == nil {
				err = s.between(ctx, s.app, row, s.clock.Now())
			}
			switch {
			case ctx.Err() != nil:
				return nil
			case err != nil && !store.Away(err) && !errors.Is(err, store.ErrNotFound):
				s.app.log.Error("series could not be followed; it is tried again", "series", all[i].Name, "error", err)
			}
		}
		if err := clock.Sleep(ctx, s.clock, betweenEvery); err != nil {
			return nil
		}
	}
}

// computeLate computes the snapshots of a series that have ended and are not computed.
func (s *service) computeLate(ctx context.Context, row store.Series) error {
	s.computing.Lock() // what ends now is computed by whom saw the end
	defer s.computing.Unlock()
	all, err := s.Snapshots(ctx, row.ID)
	if err != nil {
		return err
	}
	late := slices.ContainsFunc(all, func(x store.SeriesSnapshot) bool { return x.Ended() && x.ComputedAt.IsZero() })
	if !late {
		return nil
	}
	_, err = series.Update(ctx, s.DB, row.ID, s.seriesOptions(s.app, row.Name))
	return err
}

// between computes the novelty of pages that were found since the last snapshot of
// a series.
func (o *opened) between(ctx context.Context, a *app, s store.Series, now time.Time) error {
	opt := series.BetweenOptions{Options: o.seriesOptions(a, s.Name), Until: now}
	i := slices.IndexFunc(o.config.Series, func(c configs.Series) bool { return string(c.Name) == s.Name })
	if i >= 0 {
		crawled, err := o.crawlSeries(&o.config.Series[i])
		if err != nil {
			return err
		}
		opt.Scope = crawled.Scope.Holds(crawled.Seeds)
	}
	return series.Between(ctx, o.DB, s.ID, opt)
}

// noteBetween tells of pages that were found since the last snapshot.
func (o *opened) noteBetween(ctx context.Context, t *report.Table, s store.Series) error {
	threshold := 0.1
	for i := range o.config.Series {
		if c := &o.config.Series[i]; string(c.Name) == s.Name {
			threshold = c.Novelty.Threshold
		}
	}
	n, err := o.Between(ctx, s.ID, threshold)
	if err != nil || n.Pages == 0 {
		return err
	}
	t.Note("Found since %s by other fetches: %s, %d of them in U, %d of novelty %g or more (view api_v1.novelty_between).",
		n.After.UTC().Format("2006-01-02 15:04"), plural(int(n.Pages), "page"), n.Unidentified, n.Novel, threshold)
	return nil
}
