package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/monitor/sample"
)

// sampleCmd draws the pages to watch from a log of visits (SCIENCE A1, A2).
type sampleCmd struct {
	Log      string          `arg:"" help:"CSV file of visits: url,user,time. A header line may name the columns in another order."`
	PerBin   int             `help:"Pages from each bin; 468, as in the study, unless --pages is given." placeholder:"N"`
	Pages    int             `help:"Pages in all, divided evenly among the bins that are not empty." placeholder:"N"`
	Top      int             `help:"Add the pages with the most visitors, as a watch of their own." default:"5000"`
	Visitors []int           `help:"Thresholds on a page's visitors." default:"2,3,7,39"`
	Revisits []float64       `help:"Thresholds on the mean number of times that a visitor returns." default:"1,2,4,8"`
	Gaps     []time.Duration `help:"Thresholds on the mean time after which a visitor returns." default:"10s,1m,1h,24h,168h"`
	Seed     uint64          `help:"Another number gives another sample."`
	Check    bool            `help:"Fetch each page and replace those that robots.txt forbids or that are not to be had." default:"true" negatable:""`
	Name     string          `help:"Name of the watch." default:"sample"`
}

// spare is how many more pages are kept for each one wanted when some may turn
// out not to be there.
const spare = 3

// studyPerBin is how many pages the study drew from each bin that was not empty (SCIENCE A2).
const studyPerBin = 468

// Run prints the watch on stdout and the table of bins on stderr.
func (c *sampleCmd) Run(ctx context.Context, a *app) error {
	bins := sample.Bins{Visitors: c.Visitors, Revisits: c.Revisits, Gaps: c.Gaps}
	if err := bins.Check(); err != nil {
		return usageError{err}
	}
	if c.PerBin == 0 && c.Pages == 0 {
		c.PerBin = studyPerBin
	}
	if (c.PerBin > 0) == (c.Pages > 0) || c.PerBin < 0 || c.Pages < 0 || c.Top < 0 {
		return usagef("say how many pages to draw: --per-bin N of each bin, or --pages N in all")
	}
	if err := checkFiles([]string{c.Log}); err != nil {
		return err
	}
	if stat, err := os.Stat(c.Log); err == nil && !stat.Mode().IsRegular() {
		return usagef("%s: the log is read twice, so it has to be a file", c.Log)
	}
	config, err := a.config()
	if err != nil {
		return err
	}
	log := visitLog{path: c.Log, former: canonical.New(canonical.Options{Tracking: config.Crawler.TrackingParams})}
	opt := sample.Options{Bins: bins, PerBin: c.PerBin, Pages: c.Pages, Top: c.Top, Seed: c.Seed}
	if c.Check {
		opt.Spare = spare
	}
	drawer, err := log.count(ctx, opt)
	if err != nil {
		return err
	}
	log.report(a.stderr)
	urls, err := log.find(ctx, drawer.Candidates())
	if err != nil {
		return err
	}
	drawn := drawer.Draw(nil)
	if c.Check {
		fetcher, _, err := a.newFetcher(&config.Crawler, clock.Real{}, nil)
		if err != nil {
			return err
		}
		defer fetcher.Close()
		if drawn, err = drawChecked(ctx, fetcher, config.Crawler.Workers, drawer, urls, a.stderr); err != nil {
			return err
		}
	}
	if err := printBins(a.stderr, bins, drawn); err != nil {
		return err
	}
	if !c.Check {
		fmt.Fprintln(a.stderr, "robots.txt and availability were not asked, as --no-check says")
	}
	if c.Check && len(drawn.Pages)+len(drawn.Top) == 0 && len(urls) > 0 {
		return fmt.Errorf("%s: no page to draw: of %d that were asked, robots.txt forbids it or they are not to be had", c.Log, len(urls))
	}
	if len(drawn.Pages)+len(drawn.Top) == 0 {
		return fmt.Errorf("%s: no page to draw: none has %d visitors", c.Log, c.Visitors[0])
	}
	return c.printWatches(a.stdout, drawn, urls)
}

// printWatches writes the configuration. The pages that were added for their
// visitors are a watch of their own, so that estimates can leave them out.
func (c *sampleCmd) printWatches(w io.Writer, drawn sample.Sample, urls map[uint64]string) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "watches:\n")
	for _, watch := range []struct {
		name, about string
		pages       []sample.Drawn
	}{
		{c.Name, "Drawn at random, evenly from the bins; weight is how many pages of the log a page stands for.", drawn.Pages},
		{c.Name + "-top", "Added for their visitors: oversampled, to be left out of estimates.", drawn.Top},
	} {
		if len(watch.pages) == 0 {
			continue
		}
		fmt.Fprintf(b, "  # %s\n  - name: %s\n    schedule: \"@hourly\"\n    pages:\n", watch.about, strconv.Quote(watch.name))
		for _, p := range watch.pages {
			fmt.Fprintf(b, "      - {url: %s, visitors: %d, ", strconv.Quote(urls[p.Page]), p.Visitors)
			if p.Weight > 0 {
				fmt.Fprintf(b, "weight: %s} # bin %d\n", strconv.FormatFloat(p.Weight, 'g', 4, 64), p.Bin)
			} else {
				fmt.Fprint(b, "top: true}\n")
			}
		}
	}
	return b.Flush()
}

// printBins writes the table of the bins that are not empty.
func printBins(w io.Writer, bins sample.Bins, drawn sample.Sample) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "bin\tvisitors\trevisits\tgap\tin log\tdrawn\t\n")
	for bin, n := range drawn.InLog {
		if n > 0 {
			visitors, revisits, gap := bins.Name(bin)
			fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%d\t%d\t\n", bin, visitors, revisits, gap, n, drawn.Drawn[bin])
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	in := sample.Summarise(drawn.InLog)
	out := sample.Summarise(drawn.Drawn)
	_, err := fmt.Fprintf(w, "%d of %d bins are not empty; pages in each: mean %.1f, median %g in the log, mean %.1f, median %g drawn\n"+
		"%s drawn, %d added for their visitors; %s too few visitors\n",
		in.Bins, bins.Len(), in.Mean, in.Median, out.Mean, out.Median, plural(len(drawn.Pages), "page"), len(drawn.Top), pluralOf(drawn.TooFew, "page has", "pages have"))
	return err
}
