package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize"
)

// To the schedule a topic is two watches: of its best pages, which are fetched as
// the topic says, and of all others, fetched once a day so that their scores go on
// and they can return (SCIENCE J9). No configured watch can have these names.
const (
	topicWatch  = "topic:"
	topicOthers = "/others"
	othersEvery = "@daily"
	topicSource = "topic"
)

const (
	// topicsEvery is how often topics are looked at, on the daemon's clock, and topicsPause what
	// passes of the machine's time between two looks at least.
	topicsEvery = time.Minute
	topicsPause = 250 * time.Millisecond
	// mostMissed bounds the missed periods that are made up for.
	mostMissed = 100
)

// topicWatches makes the watches of a topic, without pages: these come and go with
// the collection.
func (s *service) topicWatches(t *configs.Topic) ([]store.WatchSpec, []daemon.Watch, error) {
	others, err := configs.ParseSchedule(othersEvery)
	if err != nil {
		return nil, nil, err
	}
	var specs []store.WatchSpec
	var watches []daemon.Watch
	for _, w := range []configs.Watch{
		{Name: configs.Name(topicWatch + t.Name), Schedule: t.Schedule, Jitter: configs.Duration(5 * time.Minute)},
		{Name: configs.Name(topicWatch+t.Name) + topicOthers, Schedule: others, Jitter: configs.Duration(time.Hour)},
	} {
		spec, watch, err := s.watch(&w)
		if err != nil {
			return nil, nil, fmt.Errorf("topic %s: %w", t.Name, err)
		}
		specs, watches = append(specs, spec), append(watches, watch)
	}
	return specs, watches, nil
}

// setTopics makes the topics of a configuration those that are followed.
func (s *service) setTopics(ctx context.Context, c *configs.Config, now time.Time) error {
	rows := make([]store.Topic, len(c.Topics))
	for i := range c.Topics {
		rows[i] = topicRow(&c.Topics[i])
	}
	_, err := s.SetTopics(ctx, now, rows)
	return err
}

// followTopics forms the topics, sums up their periods as they end, and tells the
// schedule which pages they want, until ctx is done.
func (s *service) followTopics(ctx context.Context) error {
	runner := summarize.New(s.DB, summarize.Options{Now: s.clock.Now, Logger: s.app.log})
	said := map[string]string{}
	for {
		s.lookAtTopics(ctx, runner, said)
		if err := clock.Sleep(ctx, s.clock, max(topicsEvery, machineTime(s.clock, topicsPause))); err != nil {
			return nil
		}
	}
}

// lookAtTopics does what is due of all topics. One that fails holds up no other; said has what was last
// logged of each, so that it is said once.
func (s *service) lookAtTopics(ctx context.Context, runner *summarize.Runner, said map[string]string) {
	s.mu.Lock()
	topics, base := slices.Clone(s.config.Topics), baseURL(s.config)
	s.mu.Unlock()
	for i := range topics {
		name := string(topics[i].Name)
		err := s.followTopic(ctx, runner, &topics[i], base)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, store.ErrBusy), store.Away(err):
		case err != nil:
			if said[name] != err.Error() {
				said[name] = err.Error()
				s.app.log.Error("topic could not be followed; it is tried again", "topic", name, "error", err)
			}
		default:
			delete(said, name)
		}
	}
}

// followTopic does what is due of one topic.
func (s *service) followTopic(ctx context.Context, runner *summarize.Runner, c *configs.Topic, base string) error {
	t, err := s.TopicByName(ctx, string(c.Name))
	if err != nil {
		return err
	}
	if !t.PausedAt.IsZero() {
		return nil // a reload is on its way
	}
	set, err := s.topicSettings(c)
	if err != nil {
		return err
	}
	if t, err = runner.Form(ctx, t, set); err != nil {
		return err
	}
	n, err := runner.CatchUp(ctx, t, set, mostMissed)
	if n > 0 {
		s.app.log.Info("topic summed up", "topic", t.Name, "periods", n)
	}
	if err != nil {
		return err
	}
	if err := s.tellTopic(ctx, t, c, base); err != nil {
		return err
	}
	return s.wantPages(ctx, t)
}

// wantPages tells the schedule which pages a topic wants.
func (s *service) wantPages(ctx context.Context, t store.Topic) error {
	pages, err := s.TopicPages(ctx, t.ID)
	if err != nil {
		return err
	}
	ids := make([]store.PageID, len(pages))
	for i, p := range pages {
		ids[i] = p.Page
	}
	places, err := s.Places(ctx, ids)
	if err != nil {
		return err
	}
	var best, others []string
	for i := range pages {
		switch p := &pages[i]; {
		case p.State() != "member":
		case p.Tracked:
			best = append(best, places[p.Page].URL)
		default:
			others = append(others, places[p.Page].URL)
		}
	}
	changed := 0
	for _, list := range []struct {
		name  string
		pages []string
	}{{topicWatch + t.Name, best}, {topicWatch + t.Name + topicOthers, others}} {
		watch, ok := s.planOf(list.name)
		if !ok || watch.Plan == nil {
			continue
		}
		known, err := s.SourcePages(ctx, watch.ID, topicSource)
		if err != nil {
			return err
		}
		slices.Sort(known)
		slices.Sort(list.pages)
		if slices.Equal(known, list.pages) {
			continue
		}
		joined, left, err := s.SetSource(ctx, watch.ID, topicSource, list.pages, s.clock.Now(), firstDue(&watch, len(list.pages)))
		if err != nil {
			return err
		}
		changed += joined + left
	}
	if changed > 0 {
		s.daemon.Wake()
	}
	return nil
}
