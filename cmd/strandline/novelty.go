package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/seriesreport"
	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// noveltyCmd computes classes and scores of a series again, or scores of pages in files.
type noveltyCmd struct {
	Series     string   `arg:"" optional:"" help:"The series."`
	Delta      *float64 `help:"Decay of novelty per link, from 0 to below 1; default the configuration's, else 0.1." placeholder:"D"`
	Iterations *int     `help:"Iterations; 0 until the scores have settled; default the configuration's, else 20." placeholder:"N"`
	Snapshot   int      `help:"Number of the snapshot; default the last." default:"0" placeholder:"N"`
	All        bool     `help:"All snapshots; imports are cut into snapshots anew, and links taken from the versions as they are now."`
	Rules      []string `help:"Rules that tell a page to be old: seen (known to an earlier snapshot), last-modified, linked-from-old, own-date; or none; default the configuration's." placeholder:"RULE,..."`
	CSV        bool     `name:"csv" help:"Print CSV; the notes go to stderr."`

	Files noveltyFiles `embed:""`
}

// Run computes and prints the counts of the snapshots, or the scores.
func (c *noveltyCmd) Run(ctx context.Context, a *app) error {
	switch {
	case c.Delta != nil && !(*c.Delta >= 0 && *c.Delta < 1):
		return usagef("--delta %v: from 0 to below 1", *c.Delta)
	case c.Iterations != nil && (*c.Iterations < 0 || *c.Iterations > 1000):
		return usagef("--iterations %d: from 0 to 1000", *c.Iterations)
	case c.Snapshot < 0:
		return usagef("--snapshot %d: numbers begin with 1", c.Snapshot)
	case (c.Files.Pages != "" || c.Files.Links != "") == (c.Series != ""):
		return usagef("name a series, or files with --pages and --links")
	case c.Snapshot > 0 && c.All:
		return usagef("--snapshot and --all exclude each other")
	case c.Series == "" && (a.flags.JSON || c.CSV || c.Snapshot != 0 || c.All || c.Rules != nil):
		return usagef("--json, --csv, --snapshot, --all and --rules go with a series")
	case c.Series == "":
		return c.runFiles(ctx, a)
	}
	rules, err := rulesOf(c.Rules)
	if err != nil {
		return err
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	s, err := o.seriesNamed(ctx, c.Series)
	if err != nil {
		return err
	}
	opt := o.seriesOptions(a, s.Name)
	if c.Delta != nil {
		opt.Delta = *c.Delta
	}
	if c.Iterations != nil {
		opt.Iterations = *c.Iterations
	}
	if c.Rules != nil {
		opt.Rules = rules
	}
	which := c.Snapshot
	switch {
	case c.All:
		which = series.All
	case which == 0:
		which = series.Last
	}
	all, err := series.Recompute(ctx, o.DB, s.ID, which, opt)
	switch {
	case errors.Is(err, store.ErrNotFound) && which == series.Last:
		return usagef("series %s has no finished snapshot", s.Name)
	case errors.Is(err, store.ErrNotFound):
		return usagef("series %s has no finished snapshot %d", s.Name, c.Snapshot)
	}
	if err != nil {
		return err
	}
	if err := o.between(ctx, a, s, time.Now()); err != nil {
		return err
	}
	shown := all
	if which > 0 {
		shown = slices.DeleteFunc(slices.Clone(all), func(s store.SeriesSnapshot) bool { return s.Number != which })
	}
	if which == series.Last {
		shown = slices.DeleteFunc(slices.Clone(all), func(s store.SeriesSnapshot) bool { return !s.Ended() })
		shown = shown[len(shown)-1:]
	}
	copies, err := o.CopyCounts(ctx, s.ID)
	if err != nil {
		return err
	}
	t := seriesreport.Snapshots(s.Name, shown, copies)
	t.Name = "snapshots"
	if unlike := series.Unlike(all); unlike != "" && len(shown) < len(all) {
		t.Note("%s", unlike)
	}
	if err := o.noteBetween(ctx, t, s); err != nil {
		return err
	}
	switch {
	case a.flags.JSON:
		return t.JSON(a.stdout)
	case c.CSV:
		return t.CSV(a.stdout, a.stderr)
	}
	return t.Fit(a.stdout, a.width())
}

// rulesOf reads names of rules, as the database has them.
func rulesOf(names []string) (novelty.Rules, error) {
	var out novelty.Rules
	for _, name := range names {
		rule, ok := series.RuleNamed(name)
		switch {
		case name == "none" && len(names) == 1:
		case !ok:
			return 0, usagef("--rules %s: want %s, or none", name, strings.Join(series.RuleNames(), ", "))
		}
		out |= rule
	}
	return out, nil
}

// seriesNamed finds a series, or says which there are.
func (o *opened) seriesNamed(ctx context.Context, name string) (store.Series, error) {
	s, err := o.SeriesByName(ctx, name)
	if !errors.Is(err, store.ErrNotFound) {
		return s, err
	}
	all, err := o.AllSeries(ctx)
	if err != nil {
		return s, err
	}
	if len(all) == 0 {
		return s, usagef("no series %q; there are none yet: import --series makes one", name)
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return s, usagef("no series %q; there are %s", name, strings.Join(names, ", "))
}

// seriesOptions are the parameters of the measure: those configured for the
// series, else those of the paper.
func (o *opened) seriesOptions(a *app, name string) series.Options {
	opt := series.Defaults()
	opt.Logger = a.log
	for _, s := range o.config.Series {
		if string(s.Name) != name {
			continue
		}
		opt.Delta, opt.Iterations, opt.Rules = s.Novelty.Delta, s.Novelty.Iterations, 0
		for _, r := range []struct {
			on   bool
			rule novelty.Rules
		}{
			{s.Novelty.OldByKnown, novelty.RuleKnown},
			{s.Novelty.OldByLastModified, novelty.RuleModified},
			{s.Novelty.OldByLinks, novelty.RuleLinked},
			{s.Novelty.OldByDates, novelty.RuleDated},
		} {
			if r.on {
				opt.Rules |= r.rule
			}
		}
	}
	return opt
}

// snapshotRows are the snapshots for JSON.
func snapshotRows(all []store.SeriesSnapshot) []map[string]any {
	out := make([]map[string]any, len(all))
	for i, s := range all {
		out[i] = map[string]any{
			"snapshot": s.Number, "started_at": s.StartedAt, "finished_at": s.FinishedAt, "status": s.Status,
			"pages": s.Pages, "links": s.Links, "fringe": s.Fringe, "l2": s.L2, "old_other": s.OldOther, "unidentified": s.Unidentified,
		}
	}
	return out
}

func snapshotsInWords(all []store.SeriesSnapshot) string {
	if len(all) == 0 {
		return "no snapshots"
	}
	last := all[len(all)-1]
	return fmt.Sprintf("%s; the last one, of %s, has %s, %d of them not known to be old",
		plural(len(all), "snapshot"), last.StartedAt.UTC().Format("2006-01-02"), plural(int(last.Pages), "page"), last.Unidentified)
}
