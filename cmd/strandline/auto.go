package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/adaptive"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/source"
	"github.com/strandlinehq/strandline/store"
)

// autoOf translates schedule auto; nil for a schedule with times of its own.
func autoOf(s configs.Schedule) *daemon.Auto {
	if s.Auto == nil {
		return nil
	}
	return &daemon.Auto{
		Limits: adaptive.Limits{Min: s.Auto.Min.Std(), Max: s.Auto.Max.Std()},
		Budget: float64(s.Auto.Budget.Count) / s.Auto.Budget.Per.Hours(),
	}
}

// importance gives what freshness of a page is worth, by canonical URL.
func (s *service) importance(w *configs.Watch) (func(url string) float64, error) {
	own := map[string]float64{}
	for _, k := range w.Known {
		if k.Importance == 0 {
			continue
		}
		url, err := s.reader.Canonical(string(k.URL))
		if err != nil {
			return nil, usagef("watch %s: %w", w.Name, err)
		}
		own[url] = k.Importance
	}
	return func(url string) float64 {
		if m, ok := own[url]; ok {
			return m
		}
		return w.Importance
	}, nil
}

// firstDue gives the first due times of n pages that join a watch together.
func firstDue(w *daemon.Watch, n int) func(url string, now time.Time) (slot, due time.Time, err error) {
	if w.Auto != nil {
		return daemon.Newcomers(w.Auto.Budget)
	}
	plan := w.Plan
	return func(url string, now time.Time) (slot, due time.Time, err error) {
		return plan.First(url, now, newcomers(n))
	}
}

// dueAgain gives the due times of pages that were fetched before their watch got the schedule that it has now, as
// firstDue does of n pages that join; nil for one without times of its own, which its pages follow at the pace of the budget.
func dueAgain(w *daemon.Watch, n int) func(url string, last, now time.Time) (slot, due time.Time, err error) {
	if w.Auto != nil {
		return nil
	}
	plan := w.Plan
	return func(url string, last, now time.Time) (slot, due time.Time, err error) {
		return plan.Again(url, last, now, newcomers(n))
	}
}

// hostShare is the part of what a host's delay allows that the pages of a watch may
// plan for: answers take time, and robots.txt, sitemaps and other watches have their share.
const hostShare = 0.8

// hostLimit tells how many fetches an hour the rules for a host allow, as far as the gate
// has met it.
func hostLimit(g *gate.Gate, clk clock.Clock) func(host string) float64 {
	return func(host string) float64 {
		delay := g.State(host, clk.Now()).Delay
		if delay <= 0 {
			return 0
		}
		return hostShare * float64(time.Hour) / float64(delay)
	}
}

// hint tells the daemon the dates that a source gives to pages.
func (s *service) hint(ctx context.Context, w daemon.Watch, kind string, entries []source.Entry) {
	if w.Auto == nil {
		return
	}
	var claims []store.Claimed
	for _, e := range entries {
		if !e.Claimed.IsZero() {
			claims = append(claims, store.Claimed{URL: e.URL, At: e.Claimed})
		}
	}
	n, err := s.daemon.TakeHints(ctx, w.ID, kind, claims)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.app.log.Warn("hints could not be taken", "watch", w.Name, "kind", kind, "error", err)
	case n > 0:
		s.app.log.Info("hints brought pages forward", "watch", w.Name, "kind", kind, "pages", n)
	}
}

// autoPlan is what check tells of a watch with schedule auto.
type autoPlan struct {
	Min    configs.Duration `json:"min"`
	Max    configs.Duration `json:"max"`
	Budget string           `json:"budget"`
	// Mean is the mean interval of the pages listed if the budget is used, and Reach the
	// longest one that it allows, at least Max.
	Mean  configs.Duration `json:"mean"`
	Reach configs.Duration `json:"reach"`
}

func planAuto(s configs.Schedule, pages int) *autoPlan {
	a := autoOf(s)
	if a == nil {
		return nil
	}
	round := time.Second
	mean := min(time.Duration(float64(pages)/a.Budget*float64(time.Hour)).Round(round), maxMean)
	return &autoPlan{
		Min: s.Auto.Min, Max: s.Auto.Max, Budget: s.Auto.Budget.String(),
		Mean:  configs.Duration(min(max(mean, a.Limits.Min), max(mean, a.Limits.Max))),
		Reach: configs.Duration(max(mean, a.Limits.Max)),
	}
}

// maxMean bounds what is told of budgets that allow next to nothing.
const maxMean = 100 * 365 * 24 * time.Hour

func (p *autoPlan) String() string {
	out := fmt.Sprintf("from how each page changes, between %s and %s, %s on average with %s in all", p.Min, p.Max, p.Mean, p.Budget)
	if p.Reach > p.Max {
		out += fmt.Sprintf("; the budget is too small for max: no page waits longer than %s", p.Reach)
	}
	return out
}
