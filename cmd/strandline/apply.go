package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/notify"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/store"
)

// exchangeLimit is how long the old configuration may take to be put back.
const exchangeLimit = 2 * time.Minute

// plan is a configuration translated for all who act on it; nothing of it is in force yet.
type plan struct {
	config  *configs.Config
	specs   []store.WatchSpec
	watches map[string]daemon.Watch
	series  []snapshot.Series
	targets map[string]notify.Target
}

// plan finds what is wrong with a configuration beside its form. It writes nothing.
func (s *service) plan(c *configs.Config) (*plan, error) {
	p := &plan{config: c, watches: map[string]daemon.Watch{}, series: make([]snapshot.Series, len(c.Series))}
	for i := range c.Watches {
		spec, watch, err := s.watch(&c.Watches[i])
		if err != nil {
			return nil, err
		}
		p.specs = append(p.specs, spec)
		p.watches[spec.Name] = watch
	}
	for i := range c.Topics {
		own, watches, err := s.topicWatches(&c.Topics[i])
		if err != nil {
			return nil, err
		}
		for j := range own {
			p.specs, p.watches[own[j].Name] = append(p.specs, own[j]), watches[j]
		}
	}
	for i := range c.Series {
		var err error
		if p.series[i], err = s.crawlSeries(&c.Series[i]); err != nil {
			return nil, err
		}
	}
	var err error
	p.targets, err = s.targets(c)
	return p, err
}

// apply puts a plan into force, step by step; each step can be taken again. When one
// fails, those before it stand, and whoever asked puts the plan before into force again.
func (s *service) apply(ctx context.Context, p *plan) (store.Applied, error) {
	now := s.clock.Now()
	applied, err := s.SetWatches(ctx, now, p.specs)
	if err != nil {
		return applied, err
	}
	if err := s.setTopics(ctx, p.config, now); err != nil {
		return applied, err
	}
	var watches []daemon.Watch
	for _, row := range applied.Watches {
		w := p.watches[row.Name]
		w.ID = row.ID
		watches = append(watches, w)
	}
	telling, err := tellingWatches(p.config, applied.Watches)
	if err != nil {
		return applied, err
	}
	s.daemon.SetWatches(watches)
	s.judge.SetWatches(telling)
	s.sender.SetTargets(p.targets)
	if err := s.switchMasks(ctx, watches); err != nil {
		return applied, err
	}
	byName := make(map[string]daemon.Watch, len(watches))
	for _, w := range watches {
		byName[w.Name] = w
	}
	s.plansMu.Lock()
	s.plans = byName
	s.plansMu.Unlock()
	return applied, s.crawler.SetSeries(ctx, p.series)
}

// exchange puts a configuration into force in the place of the one that is, or leaves that
// one in force.
func (s *service) exchange(ctx context.Context, c *configs.Config) error {
	next, err := s.plan(c)
	if err != nil {
		return err
	}
	if _, err = s.apply(ctx, next); err == nil {
		return nil
	}
	// Also when whoever asked has gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exchangeLimit)
	defer cancel()
	back, berr := s.plan(s.config)
	if berr == nil {
		_, berr = s.apply(ctx, back)
	}
	if berr != nil {
		return fmt.Errorf("%w; the old configuration could not be put back: %w; a part of the new one is in force until the next reload that succeeds", err, berr)
	}
	return err
}
