package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/pagereport"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/cmd/internal/seriesreport"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// reportCmd prints one of the papers' tables or figures.
type reportCmd struct {
	Name string `arg:"" optional:"" help:"One of ${reports}; without it they are listed."`
	Of   string `arg:"" optional:"" name:"of" help:"The URL of the page, or the name of the series or topic, for the reports of one."`
	CSV  bool   `name:"csv" help:"Print CSV; the notes go to stderr."`
	SVG  string `name:"svg" help:"Draw the figure into a file; - is stdout." placeholder:"FILE"`
}

// What reports are of.
const (
	ofAll    = ""
	ofPage   = "URL"
	ofSeries = "SERIES"
	ofTopic  = "TOPIC"
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
	series store.Series    // of a series
	topic  store.Topic     // of a topic
	page   pagereport.Page // of a page
}

func reportKinds() []reportKind {
	return []reportKind{
		{"change-by-class", ofAll, reportClasses},
		{"subhour", ofAll, reportSubhour},
		{"survival", ofAll, reportSurvival},
		{"changes", ofPage, reportPage((*pagereport.Page).Changes)},
		{"curve", ofPage, reportPage((*pagereport.Page).Curve)},
		{"terms", ofPage, reportPage((*pagereport.Page).Terms)},
		{"lifespans", ofPage, reportPage((*pagereport.Page).Lifespans)},
		{"staying-power", ofPage, reportPage((*pagereport.Page).StayingPower)},
		{"blocks", ofPage, reportPage((*pagereport.Page).Blocks)},
		{"snapshots", ofSeries, reportSeries((*seriesreport.Series).Sizes)},
		{"convergence", ofSeries, reportSeries((*seriesreport.Series).Convergence)},
		{"distribution", ofSeries, reportSeries((*seriesreport.Series).Distribution)},
		{"accuracy", ofSeries, reportSeries((*seriesreport.Series).Accuracy)},
		{"topic", ofTopic, reportTopic},
	}
}

// reportPage makes a report of a page one among all.
func reportPage(f func(*pagereport.Page, context.Context) (*report.Table, chart.Figure, error)) func(context.Context, *reported) (*report.Table, chart.Figure, error) {
	return func(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) { return f(&r.page, ctx) }
}

// reportSeries makes a report of a series one among all.
func reportSeries(f func(*seriesreport.Series) (*report.Table, chart.Figure)) func(context.Context, *reported) (*report.Table, chart.Figure, error) {
	return func(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
		s, err := seriesreport.Read(ctx, r.DB, r.series)
		if err != nil {
			return nil, nil, err
		}
		table, figure := f(s)
		return table, figure, nil
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
	if c.Name == "" {
		return a.wantsName("report", "report", reportNames())
	}
	i := slices.IndexFunc(kinds, func(k reportKind) bool { return k.name == c.Name })
	switch {
	case i < 0:
		return usagef("no report %q; there are %q", c.Name, reportNames())
	case kinds[i].of == ofPage && c.Of == "":
		return usagef("report %s wants the URL of a page", c.Name)
	case kinds[i].of == ofSeries && c.Of == "":
		return usagef("report %s wants the name of a series", c.Name)
	case kinds[i].of == ofTopic && c.Of == "":
		return usagef("report %s wants the name of a topic", c.Name)
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
	case ofTopic:
		if r.topic, err = o.TopicByName(ctx, c.Of); errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("there is no topic %q; 'strandline topic list' lists them", c.Of)
		} else if err != nil {
			return err
		}
	case ofPage:
		page, err := o.page(ctx, c.Of)
		if err != nil {
			return err
		}
		analysis, err := monitor.ReadAnalysis(ctx, o.DB, page)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%s has no version that was measured yet", page.URL)
		}
		if err != nil {
			return err
		}
		r.page = pagereport.Page{DB: o.DB, Page: page, Analysis: analysis}
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
	return table.Fit(a.stdout, a.width())
}
