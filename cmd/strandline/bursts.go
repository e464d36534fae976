package main

import (
	"context"
	"math"
	"time"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/burst"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/fetch"
)

// askBursts translates what a watch asks for below the hour. Pairs are for pages
// that rounds showed to change within two minutes, so that asking for pairs alone
// asks for the default rounds too.
func askBursts(out *daemon.Watch, w *configs.Watch) error {
	out.Pairs, out.Masks = w.Pairs, w.Masks
	if w.Bursts == nil && !w.Pairs {
		return nil
	}
	out.Bursts = &burst.Options{}
	if b := w.Bursts; b != nil {
		out.Bursts.When = b.When
		if b.When == 0 { // all pages; to the options zero is their default
			out.Bursts.When = math.SmallestNonzeroFloat64
		}
		out.Bursts.Rounds, out.Bursts.Every = b.Rounds, b.Every.Std()
		for _, o := range b.Offsets {
			out.Bursts.Offsets = append(out.Bursts.Offsets, o.Std())
		}
	}
	if err := out.Bursts.Check(); err != nil {
		return usagef("watch %s: bursts: %w", w.Name, err)
	}
	return nil
}

// switchMasks makes the masks of all watches count as configured.
func (s *service) switchMasks(ctx context.Context, watches []daemon.Watch) error {
	var on, off []int32
	for _, w := range watches {
		if w.Masks {
			on = append(on, w.ID)
		} else {
			off = append(off, w.ID)
		}
	}
	return s.SwitchMasks(ctx, on, off)
}

// FetchPair fetches a page twice at one moment for the daemon.
func (f pageFetcher) FetchPair(ctx context.Context, j daemon.Job) daemon.Pair {
	p := f.Fetcher.FetchPair(ctx, fetch.Request{URL: j.URL, Cookies: cookiesOf(j)})
	sent := func(r fetch.Result) time.Time {
		if r.SentAt.IsZero() {
			return r.StartedAt
		}
		return r.SentAt
	}
	return daemon.Pair{A: f.attempt(j, &p.A), B: f.attempt(j, &p.B), SentA: sent(p.A), SentB: sent(p.B), Skew: p.Skew, Accepted: p.Accepted}
}

// appointments lets a clock that can be slowed down wait for the snapshots of rounds; nil: the clock
// waits for nobody.
func appointments(c clock.Clock) func(at time.Time) {
	v, ok := c.(*clock.Varying)
	if !ok {
		return nil
	}
	return func(at time.Time) { v.SlowFrom(at, paceRound) }
}
