package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// fetchCmd fetches pages now.
type fetchCmd struct {
	URLs []string `arg:"" name:"url" help:"The pages."`
}

// Run fetches one page after the other under the usual politeness, stores what
// came and prints outcome and Dice. It fails when no page was seen.
func (c *fetchCmd) Run(ctx context.Context, a *app) error {
	o, err := a.create(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	urls := make([]string, len(c.URLs))
	for i, name := range c.URLs {
		if urls[i], err = o.reader.Canonical(withScheme(name)); err != nil {
			return usageError{err}
		}
	}
	fetcher, _, err := a.newFetcher(&o.config.Crawler, clock.Real{}, nil)
	if err != nil {
		return err
	}
	seen := 0
	disk := a.diskOf(o)
	for _, url := range urls {
		if reason := disk.Reason(); reason != "" { // a person waits for the answer
			return errors.New(reason)
		}
		ok, err := c.one(ctx, a, o, fetcher, url)
		if err != nil {
			return err
		}
		if ok {
			seen++
		}
	}
	if seen == 0 {
		return fmt.Errorf("none of the pages could be seen; what was met is stored in the fetch log")
	}
	return nil
}

func (c *fetchCmd) one(ctx context.Context, a *app, o *opened, fetcher *fetch.Fetcher, url string) (bool, error) {
	req := fetch.Request{URL: url}
	if page, err := o.PageByURL(ctx, url); err == nil {
		states, err := o.States(ctx, []store.PageID{page.ID})
		if err != nil {
			return false, err
		}
		if s := states[page.ID]; s != nil && s.Version > 0 {
			req.ETag, req.LastModified, req.ValidatedURL = s.ETag, s.LastModified, s.ValidatedURL
		}
	}
	res := fetcher.Fetch(ctx, req)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	stored, err := o.Write(ctx, []*store.Capture{o.reader.Capture(url, store.KindManual, &res)})
	if err != nil {
		return false, err
	}
	if _, err := monitor.New(o.DB, monitor.Options{Logger: a.log}).Drain(ctx); err != nil {
		return false, err
	}
	return stored[0].Version > 0, c.print(ctx, a, o, url, &res, stored[0])
}

func (c *fetchCmd) print(ctx context.Context, a *app, o *opened, url string, res *fetch.Result, s store.Stored) error {
	out := map[string]any{"url": url, "outcome": s.Outcome, "status": res.Status, "bytes": len(res.Body), "version": nil, "dice": nil, "error": nil}
	line := fmt.Sprintf("%s: %s", url, s.Outcome)
	if res.Status > 0 {
		line += fmt.Sprintf(", status %d", res.Status)
	}
	if s.Version > 0 {
		v, err := o.VersionNumber(ctx, s.Page, s.Version)
		if err != nil {
			return err
		}
		out["version"], out["dice"] = v.Number, v.Dice
		line += fmt.Sprintf(", version %d, %d bytes", v.Number, v.Bytes)
		if s.Outcome == store.Changed && v.Dice != nil {
			line += fmt.Sprintf(", Dice %.3f (%s)", *v.Dice, levelText(v))
		}
	} else {
		out["error"] = string(res.Reason) + ": " + res.Text
		line += fmt.Sprintf(": %s (%s)", res.Text, res.Reason)
	}
	if a.flags.JSON {
		return a.printJSON(out)
	}
	_, err := fmt.Fprintln(a.stdout, line)
	return err
}
