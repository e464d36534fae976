package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// index fetches the captures that another archive's index names, under the usual
// politeness, and stores them with their own times.
func (c *importCmd) index(ctx context.Context, a *app) error {
	if len(c.Files) != 1 {
		return usagef("--format cdxj takes one file")
	}
	if c.Series != "" {
		return usagef("--series goes with WARC files: import the index first, then `export --format warc` and import that")
	}
	if err := archive.CheckTemplate(c.Archive); err != nil {
		return usagef("--archive: %w", err)
	}
	f, err := os.Open(c.Files[0])
	if err != nil {
		return err
	}
	entries, bad, err := archive.ReadIndex(f)
	f.Close()
	if err != nil {
		return usagef("%s: %w", c.Files[0], err)
	}
	for i, b := range bad {
		if i == maxDamageLines {
			fmt.Fprintf(a.stderr, "%s: %d more lines are no entries\n", c.Files[0], len(bad)-i)
			break
		}
		fmt.Fprintf(a.stderr, "%s: %v\n", c.Files[0], b)
	}
	o, err := a.openWith(ctx, true, store.Options{CacheBytes: importCache})
	if err != nil {
		return err
	}
	defer o.Close()
	fetcher, _, err := a.newFetcher(&o.config.Crawler, clock.Real{}, nil)
	if err != nil {
		return err
	}
	defer fetcher.Close()
	progress := newProgress(a, nil)
	progress.total = int64(len(entries))
	progress.counts("captures")
	told := 0
	var mu sync.Mutex
	remote := archive.Remote{
		Template: c.Archive,
		Get: func(ctx context.Context, address string) fetch.Result {
			return fetcher.Fetch(ctx, fetch.Request{URL: address})
		},
		Progress: func(done, _ int) { progress.update(c.Files[0], int64(done), 0) },
		Failed: func(e cdxj.Entry, why string) {
			mu.Lock()
			defer mu.Unlock()
			if told++; told <= maxDamageLines {
				progress.clear()
				fmt.Fprintf(a.stderr, "%s at %s: %s\n", e.URL, e.Time.Format(cdxj.TimeLayout), why)
			}
		},
	}
	report, err := remote.ImportIndex(ctx, o.DB, o.reader, entries, archive.ImportOptions{MaxPayload: o.config.Crawler.MaxBody.Bytes()})
	progress.done()
	if (err == nil || ctx.Err() == nil) && !c.NoMeasure {
		_, merr := monitor.New(o.DB, monitor.Options{Logger: a.log}).Drain(ctx)
		err = errors.Join(err, merr)
	}
	if err == nil {
		err = o.Analyze(ctx)
	}
	if err == nil && report.Failed == report.Entries {
		err = errors.New("none of the captures could be had: is --archive the address of its raw captures")
	}
	return errors.Join(c.printIndex(a, &report, len(bad)), err)
}

func (c *importCmd) printIndex(a *app, r *archive.RemoteReport, bad int) error {
	if a.flags.JSON {
		return a.printJSON(map[string]any{
			"entries": r.Entries, "bad_lines": bad, "fetched": r.Fetched, "repeats": r.Repeats, "errors": r.Errors, "stored_before": r.Known,
			"redirects": r.Redirects, "other_captures": r.Others, "failed": r.Failed, "digests_differ": r.Differs,
			"new": r.Import.New, "changed": r.Import.Changed, "same": r.Import.Same,
		})
	}
	fmt.Fprintf(a.stdout, "%s: %s fetched, %s of these, %s, %d stored before, %d could not be had\n",
		pluralOf(r.Entries, "entry", "entries"), plural(r.Fetched, "capture"), plural(r.Repeats, "repeat"), plural(r.Errors, "error answer"), r.Known, r.Failed)
	fmt.Fprintf(a.stdout, "%s, %s, %d unchanged\n", plural(r.Import.New, "new page"), plural(r.Import.Changed, "change"), r.Import.Same)
	for _, n := range []struct {
		count int
		what  string
	}{
		{bad, "lines are no entries"},
		{r.Redirects, "captures of redirects left out: no index tells where they led"},
		{r.Others, "left out since the archive answered with a capture of another time"},
		{r.Differs, "payloads have another digest than the index tells: coded in the archive, or changed by it"},
	} {
		if n.count > 0 {
			fmt.Fprintf(a.stdout, "%d %s\n", n.count, n.what)
		}
	}
	return nil
}
