package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/thin"
)

// dbRetainCmd gives up what is old.
type dbRetainCmd struct {
	DryRun bool `help:"Change nothing; say what would go."`
}

// Run does what the daemon does daily.
func (c *dbRetainCmd) Run(ctx context.Context, a *app) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	opt := retainOptions(o.config, o.DB)
	opt.Dry = c.DryRun
	if opt.Versions == nil && opt.Fetches == 0 && len(opt.Quotas) == 0 && !a.flags.JSON {
		fmt.Fprintln(a.stdout, "nothing is set to be given up: neither retention.versions nor retention.fetches nor the quota of a watch")
	}
	start, told := time.Now(), time.Now()
	opt.Progress = func(r store.RetainReport) {
		if now := time.Now(); now.Sub(told) >= 10*time.Second {
			told = now
			fmt.Fprintf(a.stderr, "%s given up, %d KiB freed\n", plural(int(r.Versions), "version"), r.Bytes>>10)
		}
	}
	r, err := o.Retain(ctx, opt)
	if errors.Is(err, store.ErrRetaining) {
		return fmt.Errorf("%w; try again when it is done", err)
	}
	if perr := c.print(a, r, time.Since(start)); err == nil {
		err = perr
	}
	return err
}

// retainOptions are what the configuration says is to be given up: only what it says,
// not what would be so by default.
func retainOptions(c *configs.Config, db *store.DB) store.RetainOptions {
	opt := store.RetainOptions{
		Pins: func(ctx context.Context, pages []store.PageID) (map[store.PageID][]int32, error) {
			return monitor.Pins(ctx, db, pages)
		},
	}
	if v := c.Retention.Versions; c.Given("retention.versions") {
		opt.Versions = &thin.Policy{All: v.All.Std(), Daily: v.Daily.Std(), Monthly: v.Monthly.Std()}
	}
	if f := c.Retention.Fetches; c.Given("retention.fetches") && f != configs.Forever {
		opt.Fetches = f.Std()
	}
	for i := range c.Watches {
		if w := &c.Watches[i]; w.Quota > 0 {
			opt.Quotas = append(opt.Quotas, store.WatchQuota{Watch: string(w.Name), Bytes: w.Quota.Bytes()})
		}
	}
	return opt
}

func (c *dbRetainCmd) print(a *app, r store.RetainReport, took time.Duration) error {
	if a.flags.JSON {
		watches := make([]map[string]any, 0, len(r.Watches))
		for _, w := range r.Watches {
			watches = append(watches, map[string]any{"watch": w.Watch, "quota": w.Bytes, "bytes": w.Used, "versions": w.Versions, "given_up": w.Gone})
		}
		return a.printJSON(map[string]any{
			"dry_run": c.DryRun, "versions": r.Versions, "bodies": r.Bodies, "records": r.Records, "rebased": r.Rebased, "fetches": r.Fetches,
			"partitions": r.Partitions, "bytes": r.Bytes, "waiting": r.Waiting, "longest_seconds": r.Longest.Seconds(), "seconds": took.Seconds(), "watches": watches,
		})
	}
	if c.DryRun {
		fmt.Fprintf(a.stdout, "would give up the content of %d versions, up to %d KiB as stored, and %d rows of %d partitions of the log of fetches\n",
			r.Versions, r.Bytes>>10, r.Fetches, r.Partitions)
	} else {
		fmt.Fprintf(a.stdout, "gave up the content of %d versions: %d payloads and %d records deleted, %d written anew, %d KiB freed; dropped %d rows of %d partitions of the log of fetches\n",
			r.Versions, r.Bodies, r.Records, r.Rebased, r.Bytes>>10, r.Fetches, r.Partitions)
	}
	if r.Waiting > 0 {
		fmt.Fprintf(a.stdout, "%d pages or contents were passed over, since versions are still to be measured or others were at them; the next run takes them\n", r.Waiting)
	}
	for _, w := range r.Watches {
		if w.Used > w.Bytes {
			fmt.Fprintf(a.stdout, "watch %s takes %d KiB of a quota of %d KiB, and has nothing left to give up\n", w.Watch, w.Used>>10, w.Bytes>>10)
		} else {
			fmt.Fprintf(a.stdout, "watch %s takes %d KiB of a quota of %d KiB\n", w.Watch, w.Used>>10, w.Bytes>>10)
		}
	}
	return nil
}

// retainEvery is the pause between two runs of retention, on the daemon's clock.
const retainEvery = 24 * time.Hour

// retain gives up what is old, once a day, until ctx is done. Of several daemons one
// does so; the others come, find it at work or nothing left, and pass.
func (s *service) retain(ctx context.Context) error {
	for {
		// Not at the moment of the start, when pages that came due meanwhile are fetched.
		if err := clock.Sleep(ctx, s.clock, 10*time.Minute); err != nil {
			return nil
		}
		s.retainOnce(ctx)
		if err := clock.Sleep(ctx, s.clock, retainEvery-10*time.Minute); err != nil {
			return nil
		}
	}
}

func (s *service) retainOnce(ctx context.Context) {
	s.mu.Lock()
	opt := retainOptions(s.config, s.DB)
	s.mu.Unlock()
	if opt.Versions == nil && opt.Fetches == 0 && len(opt.Quotas) == 0 {
		return
	}
	opt.Now = s.clock.Now()
	start := time.Now()
	r, err := s.Retain(ctx, opt)
	switch {
	case ctx.Err() != nil || errors.Is(err, store.ErrRetaining):
		return
	case err != nil:
		s.app.log.Warn("retention ended early; it goes on with the next run", "error", err)
	case r.Versions+r.Fetches+r.Bodies > 0:
		s.app.log.Info("retention gave up what is old", "versions", r.Versions, "payloads", r.Bodies, "rebased", r.Rebased, "fetches", r.Fetches,
			"bytes", r.Bytes, "waiting", r.Waiting, "longest", r.Longest, "took", time.Since(start))
	}
	for _, w := range r.Watches {
		if w.Used > w.Bytes {
			s.app.log.Warn("a watch takes more than its quota, though only the first and last version of its pages are kept", "watch", w.Watch,
				"bytes", w.Used, "quota", w.Bytes)
		}
	}
}
