package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// dbRebuildCmd reads all stored payloads again: after the rules of extraction have
// changed, or when what was extracted is damaged.
type dbRebuildCmd struct {
	Old       bool  `help:"Only versions that were read by other rules than those of this program."`
	After     int64 `help:"Go on behind this page id, which a stopped rebuild has printed." placeholder:"ID"`
	NoMeasure bool  `help:"Leave the measures to a later run."`
}

// Run rebuilds, and measures all changes anew.
func (c *dbRebuildCmd) Run(ctx context.Context, a *app) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	start, told := time.Now(), time.Now()
	done := store.PageID(c.After)
	opt := store.RebuildOptions{
		After: done,
		Lost:  func(err error) { fmt.Fprintln(a.stderr, err) },
		Progress: func(page store.PageID, r store.RebuildReport) {
			done = page
			if now := time.Now(); now.Sub(told) >= 10*time.Second {
				told = now
				fmt.Fprintf(a.stderr, "%d versions read again, done up to page %d\n", r.Versions, page)
			}
		},
	}
	if c.Old {
		opt.Rules = intake.Rules
	}
	r, err := intake.Rebuild(ctx, o.DB, o.reader, opt)
	if err != nil && done > 0 {
		fmt.Fprintf(a.stderr, "stopped; go on with 'strandline db rebuild --after %d'\n", done)
	}
	took := time.Since(start)
	if err == nil && !c.NoMeasure {
		_, err = monitor.New(o.DB, monitor.Options{Logger: a.log}).Drain(ctx)
	}
	if perr := c.print(a, r, took); err == nil {
		err = perr
	}
	return err
}

func (*dbRebuildCmd) print(a *app, r store.RebuildReport, took time.Duration) error {
	if a.flags.JSON {
		return a.printJSON(map[string]any{
			"versions": r.Versions, "changed": r.Changed, "records_stored": r.Records, "records_repaired": r.Repaired,
			"records_deleted": r.Deleted, "payloads_lost": r.Lost, "payloads_thinned": r.Thinned, "seconds": took.Seconds(),
		})
	}
	_, err := fmt.Fprintf(a.stdout, "%d versions in %s (%.0f/s): %d say something else now, %d records stored, %d repaired, %d deleted, %d payloads lost\n",
		r.Versions, took.Round(10*time.Millisecond), float64(r.Versions)/max(took.Seconds(), 1e-3), r.Changed, r.Records, r.Repaired, r.Deleted, r.Lost)
	if err == nil && r.Thinned > 0 {
		_, err = fmt.Fprintf(a.stdout, "%d versions were thinned by retention: they and their changes stay as they were measured; curves, terms and elements of their pages are made of what is left\n",
			r.Thinned)
	}
	return err
}
