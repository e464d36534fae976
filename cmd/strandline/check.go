package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/monitor/text"
)

// checkCmd validates a configuration.
type checkCmd struct {
	File string `arg:"" optional:"" help:"The file; default as for every command."`
}

// checkItem is what the daemon would do about one watch, series or topic.
type checkItem struct {
	Kind  string      `json:"kind"`
	Name  string      `json:"name"`
	Pages int         `json:"pages"`
	Due   []time.Time `json:"due"`
	Auto  *autoPlan   `json:"auto,omitempty"`

	later string // where further pages come from, and when they are known; empty for nowhere
}

// Run prints all errors at once, or the plan.
func (c *checkCmd) Run(ctx context.Context, a *app) error {
	if c.File != "" {
		a.flags.Config = c.File
	}
	config, err := a.config(a.verify)
	if err != nil {
		return err
	}
	for _, w := range config.Warnings {
		fmt.Fprintf(a.stderr, "warning: %s\n", w.Error())
	}
	for _, w := range refusedAddresses(config) {
		fmt.Fprintf(a.stderr, "warning: %s\n", w.Error())
	}
	for i := range config.Topics {
		if t := &config.Topics[i]; t.Language != "" && text.Base(string(t.Language)) != "ja" && !text.HasStopList(string(t.Language)) {
			fmt.Fprintf(a.stderr, "warning: topic %s: language %s has no stop list and no stemmer here; pages that are known to be in another one leave\n", t.Name, t.Language)
		}
	}
	// Translated as the daemon does it, so that what it would refuse is refused here.
	o := &opened{config: config, reader: intake.New(canonical.New(canonical.Options{Tracking: config.Crawler.TrackingParams}))}
	s := &service{opened: o, app: a, clock: clock.Real{}, config: config}
	p, err := s.plan(config)
	if err != nil {
		return err
	}
	return c.plan(ctx, a, p)
}

// plan says what the daemon would do by the configuration.
func (c *checkCmd) plan(ctx context.Context, a *app, p *plan) error {
	config := p.config
	state, err := a.planned(ctx, p)
	if err != nil {
		return err
	}
	items := []checkItem{}
	for i, w := range config.Watches {
		due, err := state.watchDue(p, p.specs[i].Name, &p.specs[i])
		if err != nil {
			return err
		}
		items = append(items, checkItem{"watch", string(w.Name), len(w.Pages()), due, planAuto(w.Schedule, len(w.Pages())), sourcesOf(&w)})
	}
	for _, s := range config.Series {
		items = append(items, checkItem{"series", string(s.Name), len(s.Pages()), state.seriesDue(&s), nil, ""})
	}
	for _, t := range config.Topics {
		items = append(items, checkItem{"topic", string(t.Name), 0, state.topicDue(&t), nil, "its search: known once it is asked"})
	}
	if a.flags.JSON {
		out := map[string]any{"files": config.Files, "plan": items, "changes": state.changes}
		if state.unasked != "" {
			out["changes"], out["database"] = nil, state.unasked
		}
		return a.printJSON(out)
	}
	if len(config.Files) == 0 {
		fmt.Fprintln(a.stdout, "no configuration file found: the built-in defaults are in force")
	}
	for _, f := range config.Files {
		fmt.Fprintf(a.stdout, "%s is valid\n", f)
	}
	for i := range items {
		items[i].print(a)
	}
	if len(items) == 0 {
		fmt.Fprintln(a.stdout, "nothing is watched yet")
	}
	state.print(a)
	checkCategories(a.stdout, config)
	return nil
}

// print prints one line.
func (i *checkItem) print(a *app) {
	fmt.Fprintf(a.stdout, "%s %s, %s", i.Kind, i.Name, i.pages())
	if i.Auto != nil {
		fmt.Fprintf(a.stdout, "; due by itself: %s", i.Auto)
	}
	layout := "2006-01-02 15:04"
	if slices.ContainsFunc(i.Due, func(t time.Time) bool { return t.Second() != 0 }) {
		layout += ":05"
	}
	between := "; next due (UTC): "
	for _, t := range i.Due {
		fmt.Fprint(a.stdout, between, t.UTC().Format(layout))
		between = ", "
	}
	fmt.Fprintln(a.stdout)
}

// pages counts the pages that the configuration lists, and names where others come from.
func (i *checkItem) pages() string {
	switch {
	case i.later == "":
		return plural(i.Pages, "page")
	case i.Pages == 0:
		return "pages of " + i.later
	}
	return plural(i.Pages, "page") + ", and those of " + i.later
}

// sourcesOf names what brings a watch its pages beside those listed, and says when they are known.
func sourcesOf(w *configs.Watch) string {
	named := func(n int, what string) string {
		if n > 1 {
			what += "s"
		}
		return what
	}
	var of []string
	if n := len(w.Sitemaps); n > 0 {
		of = append(of, named(n, "sitemap"))
	}
	if n := len(w.Feeds); n > 0 {
		of = append(of, named(n, "feed"))
	}
	switch len(w.Sitemaps) + len(w.Feeds) {
	case 0:
		return ""
	case 1:
		return "its " + of[0] + ": known once it is read"
	}
	return "its " + strings.Join(of, " and ") + ": known once they are read"
}

// due gives the next due times of a schedule after a time.
func due(s configs.Schedule, after time.Time) []time.Time {
	out := []time.Time{}
	for t := s.Next(after); len(out) < dueTimes && !t.IsZero(); t = s.Next(t) {
		out = append(out, t)
	}
	return out
}
