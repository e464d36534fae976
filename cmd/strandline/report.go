package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// reportCmd prints one of the papers' tables or figures.
type reportCmd struct {
	Name string `arg:"" help:"One of ${reports}."`
	Of   string `arg:"" optional:"" name:"of" help:"The URL of the page, or the name of the series, for the reports of one."`
	CSV  bool   `name:"csv" help:"Print CSV; the notes go to stderr."`
	SVG  string `name:"svg" help:"Draw the figure into a file; - is stdout." placeholder:"FILE"`
}

// What reports are of.
const (
	ofAll    = ""
	ofPage   = "URL"
	ofSeries = "SERIES"
)

// reportKind is a report: its table, and its figure if it has one.
type reportKind struct {
	name string
	of   string // what it is of: a page, a series, or all pages
	make func(context.Context, *reported) (*report.Table, chart.Figure, error)
}

// reported is what a report is made from.
type reported struct {
	*opened
	series   store.Series // of a series
	page     store.Page
	analysis *monitor.Analysis // of the page
}

func reportKinds() []reportKind {
	return []reportKind{
		{"change-by-class", ofAll, reportClasses},
		{"subhour", ofAll, reportSubhour},
		{"survival", ofAll, reportSurvival},
		{"changes", ofPage, reportChanges},
		{"curve", ofPage, reportCurve},
		{"terms", ofPage, reportTerms},
		{"lifespans", ofPage, reportLifespans},
		{"staying-power", ofPage, reportStayingPower},
		{"blocks", ofPage, reportBlocks},
		{"snapshots", ofSeries, reportSnapshots},
		{"convergence", ofSeries, reportConvergence},
		{"distribution", ofSeries, reportDistribution},
		{"accuracy", ofSeries, reportAccuracy},
	}
}

func reportNames() []string {
	var out []string
	for _, k := range reportKinds() {
		out = append(out, strings.TrimSpace(k.name+" "+k.of))
	}
	return out
}

// Run makes the report and prints it as was asked.
func (c *reportCmd) Run(ctx context.Context, a *app) error {
	kinds := reportKinds()
	i := slices.IndexFunc(kinds, func(k reportKind) bool { return k.name == c.Name })
	switch {
	case i < 0:
		return usagef("no report %q; there are %q", c.Name, reportNames())
	case kinds[i].of == ofPage && c.Of == "":
		return usagef("report %s wants the URL of a page", c.Name)
	case kinds[i].of == ofSeries && c.Of == "":
		return usagef("report %s wants the name of a series", c.Name)
	case kinds[i].of == ofAll && c.Of != "":
		return usagef("report %s is over all pages and takes no URL", c.Name)
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	r := &reported{opened: o}
	switch kinds[i].of {
	case ofSeries:
		if r.series, err = o.seriesNamed(ctx, c.Of); err != nil {
			return err
		}
	case ofPage:
		if r.page, err = o.page(ctx, c.Of); err != nil {
			return err
		}
		r.analysis, err = monitor.ReadAnalysis(ctx, o.DB, r.page)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%s has no version that was measured yet", r.page.URL)
		}
		if err != nil {
			return err
		}
	}
	table, figure, err := kinds[i].make(ctx, r)
	if err != nil {
		return err
	}
	table.Name = c.Name
	switch {
	case c.SVG != "" && figure == nil:
		return usagef("report %s is a table without a figure; use --csv or --json", c.Name)
	case c.SVG == "-":
		_, err := a.stdout.Write(figure.SVG(chart.Options{}))
		return err
	case c.SVG != "":
		return os.WriteFile(c.SVG, figure.SVG(chart.Options{}), 0o644)
	case a.flags.JSON:
		return table.JSON(a.stdout)
	case c.CSV:
		return table.CSV(a.stdout, a.stderr)
	}
	return table.Text(a.stdout)
}

// noteCover says what the measures of a page rest on.
func (r *reported) noteCover(t *report.Table) {
	a := r.analysis
	t.Note("%d versions; %d of %d hourly slots from %s have one.", a.Versions, len(a.Observed), a.Slots, stamp(a.Origin))
	if a.Damaged > 0 {
		t.Note("%d versions are left out: what was extracted from them cannot be read.", a.Damaged)
	}
	if a.Beyond > 0 {
		t.Note("%d versions are left out: they lie more than seven years after the first.", a.Beyond)
	}
}
