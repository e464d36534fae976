package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// crawlCmd takes one snapshot of a configured series now.
type crawlCmd struct {
	Series string `arg:"" optional:"" help:"The series, as configured; without it the configured ones are listed."`
}

// Run leaves the crawl to the daemons on the database, if there are any, and waits;
// otherwise it crawls by itself. A crawl that was stopped or killed goes on where
// it was.
func (c *crawlCmd) Run(ctx context.Context, a *app) error {
	if c.Series == "" {
		config, err := a.config()
		if err != nil {
			return err
		}
		var names []string
		for _, s := range config.Series {
			names = append(names, string(s.Name))
		}
		return a.wantsName("crawl", "series", names)
	}
	o, err := a.create(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	i := slices.IndexFunc(o.config.Series, func(s configs.Series) bool { return string(s.Name) == c.Series })
	if i < 0 {
		return usagef("no series %q in the configuration", c.Series)
	}
	clk := clock.Real{}
	daemons, err := o.liveDaemons(ctx, clk.Now())
	if err != nil {
		return err
	}
	var id store.SnapshotID
	if daemons > 0 {
		if id, err = c.ask(ctx, a, o, i); err != nil {
			return err
		}
		if !a.flags.JSON {
			fmt.Fprintf(a.stdout, "the daemon crawls series %s\n", c.Series)
		}
		progress := newCrawlProgress(a, c.Series)
		err := c.wait(ctx, o, id, progress)
		progress.done()
		if err != nil {
			return err
		}
	} else if id, err = c.alone(ctx, a, o, i, clk); err != nil {
		return err
	}
	return c.print(ctx, a, o, id)
}

// ask starts the snapshot in the database, where the daemons find it.
func (c *crawlCmd) ask(ctx context.Context, a *app, o *opened, i int) (store.SnapshotID, error) {
	s, err := o.crawlSeries(&o.config.Series[i])
	if err != nil {
		return 0, err
	}
	row, err := o.SeriesByName(ctx, s.Name)
	if errors.Is(err, store.ErrNotFound) {
		return 0, fmt.Errorf("the daemon does not know series %s yet: 'strandline reload' makes it take the configuration anew", s.Name)
	}
	if err != nil {
		return 0, err
	}
	starter := snapshot.New(o.DB, nil, nil, o.reader, clock.Real{}, nil, snapshot.Options{Logger: a.log})
	return starter.StartOnly(ctx, row.ID, s)
}

// alone crawls without a daemon.
func (c *crawlCmd) alone(ctx context.Context, a *app, o *opened, i int, clk clock.Clock) (store.SnapshotID, error) {
	s, err := o.crawlSeries(&o.config.Series[i])
	if err != nil {
		return 0, err
	}
	f, g, err := a.newFetcher(&o.config.Crawler, clk, nil)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	keeper, err := snapshot.NewKeeper(ctx, o.DB, clk)
	if err != nil {
		return 0, err
	}
	disk := a.diskOf(o)
	crawler := snapshot.New(o.DB, f, newPausing(g, clk, disk.Paused), o.reader, clk, keeper, a.crawlOptions(o))
	run, stop := context.WithCancel(ctx)
	defer stop()
	group, run := errgroup.WithContext(run)
	group.Go(func() error { return keeper.Run(run) })
	group.Go(func() error { return disk.Run(run) })
	var id store.SnapshotID
	progress := newCrawlProgress(a, c.Series)
	defer progress.done()
	group.Go(func() error {
		defer stop()
		if err := crawler.Only(run, s); err != nil {
			return err
		}
		var err error
		if id, err = crawler.Start(run, s.Name); err != nil {
			return err
		}
		ended := make(chan error, 1)
		crawling, rest := context.WithCancel(run)
		defer rest()
		go func() { ended <- crawler.Run(crawling) }()
		err = c.wait(run, o, id, progress)
		rest()
		return errors.Join(err, <-ended)
	})
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			return id, fmt.Errorf("series %s: stopped; crawl it again to go on where it is", c.Series)
		}
		return id, err
	}
	progress.tell("crawled; what is new in the pages is measured and indexed")
	// Nobody else measures and indexes what was fetched: without that the search does not know it.
	if _, err := monitor.New(o.DB, monitor.Options{Logger: a.log}).Drain(ctx); err != nil {
		return id, err
	}
	row, err := o.SeriesByName(ctx, s.Name)
	if err != nil {
		return id, err
	}
	progress.tell("which pages are new is computed")
	_, err = series.Update(ctx, o.DB, row.ID, o.seriesOptions(a, s.Name))
	return id, err
}

// wait waits for the end of a snapshot. Progress, which may be nil, tells how far it is.
func (c *crawlCmd) wait(ctx context.Context, o *opened, id store.SnapshotID, progress *crawlProgress) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := o.Snapshot(ctx, id)
		if err != nil && !store.Away(err) {
			return err
		}
		if err == nil && s.Status != store.SnapshotRunning {
			return nil
		}
		if err == nil && progress != nil {
			if err := progress.look(ctx, o, id); err != nil && !store.Away(err) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// print says what the snapshot came to.
func (c *crawlCmd) print(ctx context.Context, a *app, o *opened, id store.SnapshotID) error {
	s, err := o.Snapshot(ctx, id)
	if err != nil {
		return err
	}
	t, hosts, closed, err := o.SnapshotTally(ctx, id)
	if err != nil {
		return err
	}
	left, err := o.HostsLeft(ctx, id)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		return a.printJSON(map[string]any{
			"series": c.Series, "snapshot": s.Number, "status": s.Status, "error": s.Error, "started_at": s.StartedAt, "finished_at": s.FinishedAt,
			"tried": t.Tried, "pages": t.Crawled, "traps": t.Traps, "hosts": hosts, "hosts_left": closed, "hosts_left_by": left,
		})
	}
	fmt.Fprintf(a.stdout, "series %s, snapshot %d: %s; %s tried on %s, %d gave a page", c.Series, s.Number, s.Status, plural(int(t.Tried), "URL"), plural(int(hosts), "host"), t.Crawled)
	if t.Traps > 0 {
		fmt.Fprintf(a.stdout, ", %d of them (%.1f %%) look like crawler traps", t.Traps, 100*float64(t.Traps)/float64(max(t.Crawled, 1)))
	}
	if words := leftInWords(left); words != "" {
		fmt.Fprint(a.stdout, "; ", words)
	}
	fmt.Fprintln(a.stdout)
	if s.Status == store.SnapshotFailed {
		return fmt.Errorf("series %s: %s", c.Series, s.Error)
	}
	return nil
}

// crawlOptions are what the configuration says of crawls.
func (a *app) crawlOptions(o *opened) snapshot.Options {
	return snapshot.Options{Workers: o.config.Crawler.Workers, Connections: o.config.Crawler.Host.Connections, Logger: a.log}
}

// liveDaemons counts the daemons on the database.
func (o *opened) liveDaemons(ctx context.Context, now time.Time) (int, error) {
	all, err := o.Daemons(ctx, now)
	if err != nil {
		return 0, err
	}
	n := 0
	self, _ := os.Hostname() // without a name every daemon counts as another machine's
	for _, d := range all {
		// The leases of one that was killed run on for a while.
		if d.Host != self || !errors.Is(syscall.Kill(d.PID, 0), syscall.ESRCH) {
			n++
		}
	}
	return n, nil
}

// crawlSeries translates a series of the configuration.
func (o *opened) crawlSeries(s *configs.Series) (snapshot.Series, error) {
	out := snapshot.Series{
		Name: string(s.Name), Schedule: s.Schedule.Next, ScheduleText: s.Schedule.String(), Novel: s.Order == "novelty",
		Language: string(s.Language.Want), FirstPages: s.Language.FirstPages,
		Scope: snapshot.Scope{Paths: s.Scope.Paths, Exclude: s.Scope.Exclude, MaxDepth: s.Scope.MaxDepth, MaxPages: s.Scope.MaxPages, MaxPagesPerHost: s.Scope.MaxPagesPerHost},
	}
	for _, h := range s.Scope.Sites {
		out.Scope.Sites = append(out.Scope.Sites, string(h))
	}
	for _, h := range s.Scope.Hosts {
		out.Scope.Hosts = append(out.Scope.Hosts, string(h))
	}
	seen := map[string]bool{}
	for _, u := range s.Pages() {
		url, err := o.reader.Canonical(string(u))
		if err != nil {
			return out, usagef("series %s: %w", s.Name, err)
		}
		if !seen[url] {
			seen[url] = true
			out.Seeds = append(out.Seeds, url)
		}
	}
	var err error
	out.Config, err = json.Marshal(map[string]any{
		"schedule": out.ScheduleText, "seeds": len(out.Seeds), "scope": out.Scope, "language": out.Language, "order": s.Order, "novelty": s.Novelty,
	})
	if err != nil {
		return out, fmt.Errorf("series %s: %w", s.Name, err)
	}
	return out, nil
}
