package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/configs"
)

// checkCmd validates a configuration.
type checkCmd struct {
	File string `arg:"" optional:"" help:"The file; default as for every command."`
}

// dueTimes is how many of the next due times the plan shows.
const dueTimes = 5

// Run prints all errors at once, or the plan.
func (c *checkCmd) Run(a *app) error {
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
	return c.plan(a, config, time.Now())
}

// plan says what the daemon would do by the configuration.
func (c *checkCmd) plan(a *app, config *configs.Config, now time.Time) error {
	type item struct {
		Kind  string      `json:"kind"`
		Name  string      `json:"name"`
		Pages int         `json:"pages"`
		Due   []time.Time `json:"due"`
		Auto  *autoPlan   `json:"auto,omitempty"`
	}
	items := []item{}
	for _, w := range config.Watches {
		items = append(items, item{"watch", string(w.Name), len(w.Pages()), due(w.Schedule, now), planAuto(w.Schedule, len(w.Pages()))})
	}
	for _, s := range config.Series {
		items = append(items, item{"series", string(s.Name), len(s.Pages()), due(s.Schedule, now), nil})
	}
	for _, t := range config.Topics {
		items = append(items, item{"topic", string(t.Name), 0, due(t.Period, now), nil})
	}
	if a.flags.JSON {
		return a.printJSON(map[string]any{"files": config.Files, "plan": items})
	}
	if len(config.Files) == 0 {
		fmt.Fprintln(a.stdout, "no configuration file found: the built-in defaults are in force")
	}
	for _, f := range config.Files {
		fmt.Fprintf(a.stdout, "%s is valid\n", f)
	}
	for _, i := range items {
		if i.Auto != nil {
			fmt.Fprintf(a.stdout, "%s %s, %d pages; due by itself: %s\n", i.Kind, i.Name, i.Pages, i.Auto)
			continue
		}
		fmt.Fprintf(a.stdout, "%s %s, %s; next due (UTC):", i.Kind, i.Name, plural(i.Pages, "page"))
		layout := "2006-01-02 15:04"
		if slices.ContainsFunc(i.Due, func(t time.Time) bool { return t.Second() != 0 }) {
			layout += ":05"
		}
		for _, t := range i.Due {
			fmt.Fprintf(a.stdout, " %s", t.UTC().Format(layout))
		}
		fmt.Fprintln(a.stdout)
	}
	if len(items) == 0 {
		fmt.Fprintln(a.stdout, "nothing is watched yet")
	}
	checkCategories(a.stdout, config)
	return nil
}

func due(s configs.Schedule, now time.Time) []time.Time {
	out := []time.Time{}
	for t := s.Next(now); len(out) < dueTimes && !t.IsZero(); t = s.Next(t) {
		out = append(out, t)
	}
	return out
}
