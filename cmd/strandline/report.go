package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// reportCmd prints one of the papers' tables or figures.
type reportCmd struct {
	Name string `arg:"" help:"One of ${reports}."`
	URL  string `arg:"" optional:"" name:"url" help:"The page, for the reports of one page."`
	CSV  bool   `name:"csv" help:"Print CSV; the notes go to stderr."`
	SVG  string `name:"svg" help:"Draw the figure into a file; - is stdout." placeholder:"FILE"`
}

// reportKind is a report: its table, and its figure if it has one.
type reportKind struct {
	name   string
	ofPage bool // it wants a page
	make   func(context.Context, *reported) (*report.Table, chart.Figure, error)
}

// reported is what a report is made from.
type reported struct {
	*opened
	page     store.Page
	analysis *monitor.Analysis // of the page
}

func reportKinds() []reportKind {
	return []reportKind{
		{"change-by-class", false, reportClasses},
		{"subhour", false, reportSubhour},
		{"survival", false, reportSurvival},
		{"changes", true, reportChanges},
		{"curve", true, reportCurve},
		{"terms", true, reportTerms},
		{"lifespans", true, reportLifespans},
		{"staying-power", true, reportStayingPower},
		{"blocks", true, reportBlocks},
	}
}

func reportNames() []string {
	var out []string
	for _, k := range reportKinds() {
		if k.ofPage {
			out = append(out, k.name+" URL")
		} else {
			out = append(out, k.name)
		}
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
	case kinds[i].ofPage && c.URL == "":
		return usagef("report %s wants the URL of a page", c.Name)
	case !kinds[i].ofPage && c.URL != "":
		return usagef("report %s is over all pages and takes no URL", c.Name)
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	r := &reported{opened: o}
	if kinds[i].ofPage {
		if r.page, err = o.page(ctx, c.URL); err != nil {
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
