package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/schedule"
	"github.com/strandlinehq/strandline/store"
)

// dueTimes is how many of the next due times the plan shows.
const dueTimes = 5

// planPatience is how long the database may take to say what is in force.
const planPatience = 20 * time.Second

// inForce is what the database knows of a plan: what would change, and when things are due.
type inForce struct {
	now     time.Time // of the schedule
	unasked string    // why the database was not asked; empty when it was
	none    bool      // there is no database yet

	changes []configs.Change
	steps   map[string]store.WatchStep
	dues    map[string][]store.PageDue // of the watches that keep their due times
	series  map[string]store.SeriesPlan
	topics  map[string]store.Topic
}

// planned compares a plan with what is in force. A database that is not there, or does not
// answer, is no error: the configuration is as valid without.
func (a *app) planned(ctx context.Context, p *plan) (*inForce, error) {
	f := &inForce{now: time.Now(), changes: []configs.Change{}}
	ctx, cancel := context.WithTimeout(ctx, planPatience)
	defer cancel()
	url, server, err := a.database(ctx, p.config, false)
	if server != nil {
		defer server.Close() // nothing is lost by a server that runs on
	}
	var absent noState
	switch {
	case errors.As(err, &absent):
		f.none, f.unasked = true, "there is no database yet"
		return f, nil
	case err != nil:
		f.unasked = err.Error()
		return f, nil
	}
	db, err := store.Open(ctx, url, store.Options{Logger: a.log, MaxConns: 1})
	if err != nil {
		f.unasked = unreachable(err).Error()
		return f, nil
	}
	defer db.Close()
	if err := f.read(ctx, db, p); err != nil {
		return nil, err
	}
	return f, nil
}

// read asks the database.
func (f *inForce) read(ctx context.Context, db *store.DB, p *plan) error {
	var err error
	if f.now, err = db.ScheduleNow(ctx); err != nil {
		return err
	}
	steps, err := db.PlanWatches(ctx, p.specs)
	if err != nil {
		return err
	}
	f.steps, f.dues = make(map[string]store.WatchStep, len(steps)), map[string][]store.PageDue{}
	configured := make(map[string][]byte, len(p.specs))
	for i := range p.specs {
		configured[p.specs[i].Name] = p.specs[i].Config
	}
	for _, s := range steps {
		f.steps[s.Name] = s
		if strings.HasPrefix(s.Name, topicWatch) {
			continue // what topics ask of the schedule, not what somebody wrote
		}
		if s.Action != store.WatchPaused && !s.Anew {
			if f.dues[s.Name], err = db.NextDues(ctx, s.Before.ID, dueTimes); err != nil {
				return err
			}
		}
		change := configs.Change{Action: configs.Action(s.Action), Kind: "watch", Name: s.Name}
		if s.Action == store.WatchChanged || s.Action == store.WatchResumed {
			change.Values = jsonChanges(s.Before.Config, configured[s.Name])
			if s.Joins > 0 {
				change.Values = append(change.Values, configs.ValueChange{Key: "pages that join", New: fmt.Sprint(s.Joins)})
			}
			if s.Leaves > 0 {
				change.Values = append(change.Values, configs.ValueChange{Key: "pages that leave", New: fmt.Sprint(s.Leaves)})
			}
		}
		f.change(change)
	}
	if err := f.readSeries(ctx, db, p); err != nil {
		return err
	}
	return f.readTopics(ctx, db, p)
}

// change notes what would become of something, unless it stays as it is.
func (f *inForce) change(c configs.Change) {
	if c.Action != configs.Action(store.WatchKept) {
		f.changes = append(f.changes, c)
	}
}

// compare finds what becomes of a series or topic that is configured, by how it was before.
func (f *inForce) compare(kind, name string, known, paused bool, values []configs.ValueChange) {
	c := configs.Change{Action: configs.Action(store.WatchKept), Kind: kind, Name: name, Values: values}
	switch {
	case !known:
		c.Action, c.Values = configs.Added, nil
	case paused:
		c.Action = configs.Action(store.WatchResumed)
	case len(values) > 0:
		c.Action = configs.Changed
	}
	f.change(c)
}

func (f *inForce) readSeries(ctx context.Context, db *store.DB, p *plan) error {
	rows, err := db.SeriesPlans(ctx)
	if err != nil {
		return err
	}
	f.series = make(map[string]store.SeriesPlan, len(rows))
	for _, r := range rows {
		f.series[r.Name] = r
	}
	wanted := map[string]bool{}
	for _, s := range p.series {
		wanted[s.Name] = true
		old, known := f.series[s.Name]
		f.compare("series", s.Name, known, old.Paused, jsonChanges(old.Config, s.Config))
	}
	for _, r := range rows {
		if !wanted[r.Name] && !r.Paused {
			f.change(configs.Change{Action: configs.Action(store.WatchPaused), Kind: "series", Name: r.Name})
		}
	}
	return nil
}

func (f *inForce) readTopics(ctx context.Context, db *store.DB, p *plan) error {
	rows, err := db.Topics(ctx)
	if err != nil {
		return err
	}
	f.topics = make(map[string]store.Topic, len(rows))
	for _, t := range rows {
		f.topics[t.Name] = t
	}
	wanted := map[string]bool{}
	for i := range p.config.Topics {
		t := topicRow(&p.config.Topics[i])
		wanted[t.Name] = true
		old, known := f.topics[t.Name]
		values := jsonChanges(old.Config, t.Config)
		for _, v := range []configs.ValueChange{
			{Key: "query", Old: old.Query, New: t.Query},
			{Key: "language", Old: old.Language, New: t.Language},
			{Key: "search.provider", Old: old.Provider, New: t.Provider},
			{Key: "summary.rank", Old: old.Rank, New: t.Rank},
		} {
			if v.Old != v.New {
				values = append(values, v)
			}
		}
		f.compare("topic", t.Name, known, !old.PausedAt.IsZero(), values)
	}
	for _, t := range rows {
		if !wanted[t.Name] && t.PausedAt.IsZero() {
			f.change(configs.Change{Action: configs.Action(store.WatchPaused), Kind: "topic", Name: t.Name})
		}
	}
	return nil
}

// print says what would change.
func (f *inForce) print(a *app) {
	switch {
	case f.none:
		fmt.Fprintln(a.stdout, "there is no database yet: all of this would be added")
		return
	case f.unasked != "":
		fmt.Fprintf(a.stdout, "what would be added, changed and paused is not known, and due times are those of pages that join now, since the database cannot be asked: %s\n", f.unasked)
		return
	case len(f.changes) == 0:
		fmt.Fprintln(a.stdout, "nothing would be added, changed or paused")
	}
	for _, c := range f.changes {
		fmt.Fprintln(a.stdout, c)
	}
}

// watchDue gives the next due times of a watch over its pages, as the daemon would have them. A page that
// joins, or all where the timing changes, are taken to do so now.
func (f *inForce) watchDue(p *plan, name string, spec *store.WatchSpec) ([]time.Time, error) {
	watch := p.watches[name]
	starts := f.dues[name]
	if step, asked := f.steps[name]; watch.Plan != nil && (!asked || step.Anew) {
		if watch.Auto != nil {
			return []time.Time{}, nil // decided page by page, when they join
		}
		for _, url := range spec.Pages {
			slot, due, err := spec.First(url, f.now)
			if err != nil {
				return nil, fmt.Errorf("watch %s: %w", name, err)
			}
			starts = append(starts, store.PageDue{URL: url, Slot: slot, Due: due})
		}
	}
	slices.SortFunc(starts, func(a, b store.PageDue) int { return a.Due.Compare(b.Due) })
	starts = starts[:min(len(starts), dueTimes)]
	out := []time.Time{}
	for _, s := range starts {
		if watch.Auto != nil {
			out = append(out, s.Due) // what comes after it depends on what the fetch finds
			continue
		}
		out = append(out, pageDues(watch.Plan, s, f.now)...)
	}
	slices.SortFunc(out, time.Time.Compare)
	return out[:min(len(out), dueTimes)], nil
}

// pageDues gives the next due times of one page, should each fetch start when it is due.
func pageDues(plan *schedule.Plan, at store.PageDue, now time.Time) []time.Time {
	out := []time.Time{}
	for plan != nil && len(out) < dueTimes {
		out = append(out, at.Due)
		started := at.Due
		if started.Before(now) {
			started = now
		}
		n, err := plan.After(at.URL, at.Slot, at.Due, started)
		if err != nil {
			break // it never comes again
		}
		at.Slot, at.Due = n.Slot, n.NextDue
	}
	return out
}

// seriesDue gives when the next snapshots of a series are due.
func (f *inForce) seriesDue(s *configs.Series) []time.Time {
	old, known := f.series[string(s.Name)]
	if !known || old.Paused || old.Due.IsZero() || old.Schedule != s.Schedule.String() {
		return due(s.Schedule, f.now)
	}
	out := append([]time.Time{old.Due}, due(s.Schedule, later(old.Due, f.now))...)
	return out[:min(len(out), dueTimes)]
}

// topicDue gives when the next periods of a topic end.
func (f *inForce) topicDue(t *configs.Topic) []time.Time {
	old, known := f.topics[string(t.Name)]
	if !known || old.StartsAt.IsZero() {
		return due(t.Period, f.now)
	}
	return due(t.Period, old.StartsAt)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// jsonChanges lists the keys of two JSON objects whose values differ, by name.
func jsonChanges(old, new []byte) []configs.ValueChange {
	var before, after map[string]any
	if json.Unmarshal(old, &before) != nil || json.Unmarshal(new, &after) != nil {
		return nil
	}
	all := maps.Clone(before)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, after)
	var out []configs.ValueChange
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if b, a := shownJSON(before[key]), shownJSON(after[key]); a != b {
			out = append(out, configs.ValueChange{Key: key, Old: b, New: a})
		}
	}
	return out
}

// shownJSON prints a value of JSON: texts as they are, what is not there as nothing.
func shownJSON(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, _ := json.Marshal(v) // it came from JSON
	return string(text)
}
