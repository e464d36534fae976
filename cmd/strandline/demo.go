package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/store"
)

// demoCmd is the daemon against a simulated web, to be looked at.
type demoCmd struct {
	Speed  float64       `help:"Virtual seconds that pass in a second, at most: a machine that cannot keep up gets fewer." default:"3600"`
	Listen string        `help:"Address of the web pages; empty for none." default:"127.0.0.1:8080" placeholder:"ADDRESS"`
	For    time.Duration `help:"Stop after this time; default when told to." placeholder:"DURATION"`
	Dir    string        `help:"Keep everything in this directory; default a temporary one that is removed." placeholder:"DIR"`
}

// demoPages is how many pages a demo watches.
const demoPages = 160

// demoBusy is how many of them are on a short schedule, with bursts and pairs: pages
// that change all the time, each on another host. At an hour a second the tolerance of 15 s on the snapshot
// after 2 minutes is 4 ms of the machine's time: a busy one loses snapshots, which are recorded as lost.
const demoBusy = 12

// A demo has a series of snapshots and a topic, so that every page has something to show
// within some minutes: a snapshot and a summary each few hours of the simulated web.
const (
	demoSeries = "harbour-towns"
	demoTopic  = "harbours"
	demoEvery  = 4   // hours
	demoSites  = 4   // from whose front pages the snapshots start
	demoCrawl  = 150 // pages of a snapshot at most
)

// Run starts a private PostgreSQL and a simulated web in a temporary directory
// and watches it in virtual time, telling what happens.
func (c *demoCmd) Run(ctx context.Context, a *app) error {
	if c.Speed <= 0 {
		return usagef("--speed must be above 0")
	}
	dir := c.Dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "strandline-demo-"); err != nil {
			return err
		}
		defer func() { removeDemo(dir) }()
	}
	options := simweb.Options{Hosts: 24, PagesPerHost: 60, Volatile: true, FailShare: 0.01}
	probe, err := simweb.New(time.Now, options)
	if err != nil {
		return err
	}
	clk := clock.NewVarying(probe.Options().Epoch, c.Speed)
	world, err := simweb.New(clk.Now, options)
	if err != nil {
		return err
	}
	a.flags.Config = filepath.Join(dir, "strandline.yaml")
	a.flags.Database = ""
	if !a.flags.Verbose {
		a.log = slog.New(slog.DiscardHandler) // failures are part of the simulated web, and shown as counts
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(a.flags.Config, []byte(demoConfig(world, dir, probe.Options().Epoch)), 0o644); err != nil {
		return err
	}
	o, err := a.create(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	s, err := a.newService(o, clk, world.Transport())
	if err != nil {
		return err
	}
	s.notice = func() string { return demoNotice(clk.Speed(), c.Speed) }
	if c.Listen != "" {
		address, err := s.serve(ctx, c.Listen)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "Look at it: %s\n", address)
	}
	fmt.Fprintf(a.stdout, "Watching %d pages of a simulated web, %s of its time every second, or less while this machine cannot keep up; stop with Ctrl-C.\n", demoPages,
		spanOf(c.Speed))
	fmt.Fprintln(a.stdout, "Failures are part of it: hosts that break off, throttle or lead in circles, as the real web has them.")
	fmt.Fprintf(a.stdout, "Ask it from another terminal: strandline --config %s status (or sql, history, diff).\n", a.flags.Config)
	fmt.Fprintf(a.stdout, "Messages go to %s; nothing is sent anywhere else.\n", filepath.Join(dir, "messages.ndjson"))
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.run(ctx) })
	g.Go(func() error { return control.Listen(ctx, o.stateDir, s) })
	g.Go(func() error { return c.tell(ctx, a, s, clk) })
	g.Go(func() error {
		return newPacer(c.Speed).run(ctx, clk, s.lateShare)
	})
	err = g.Wait()
	if c.Dir == "" {
		fmt.Fprintln(a.stdout, "\nStopped; everything is removed (--dir keeps it).")
	} else {
		fmt.Fprintf(a.stdout, "\nStopped; the database is kept in %s.\n", dir)
	}
	return err
}

// demoConfig is the configuration of a demo: pages by category, every hour, and a
// few busy ones more often.
func demoConfig(world *simweb.World, dir string, at time.Time) string {
	byCategory := map[string][]string{}
	hosts := map[string]simweb.Host{}
	for _, h := range world.Hosts() {
		hosts[h.Name] = h
	}
	n := 0
	var busy []string
	onHost := map[string]bool{}
	for p := range world.Pages(at, at) {
		if !world.Allowed(p.URL) {
			continue
		}
		h := hosts[p.Host]
		if len(busy) < demoBusy && !onHost[p.Host] && p.Rate >= simweb.Minutes && h.CrawlDelay == 0 {
			onHost[p.Host] = true
			busy = append(busy, p.URL)
			continue
		}
		if n == demoPages-demoBusy {
			continue
		}
		category := h.Category
		if len(byCategory[category]) >= demoPages/6 {
			continue
		}
		byCategory[category] = append(byCategory[category], p.URL)
		n++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "state_dir: %s\ncrawler:\n  user_agent: strandline-demo/1.0\n  workers: 16\ntargets: [{name: record, file: %s}]\nwatches:\n", dir, filepath.Join(dir, "messages.ndjson"))
	categories := make([]string, 0, len(byCategory))
	for category := range byCategory {
		categories = append(categories, category)
	}
	slices.Sort(categories)
	for _, category := range categories {
		name := strings.ToLower(strings.Map(func(r rune) rune {
			if r == ' ' || r == '/' || r == '&' {
				return '-'
			}
			return r
		}, category))
		fmt.Fprintf(&b, "  - name: %s\n    category: %q\n    schedule: \"@hourly\"\n    jitter: 5m\n    notify: {to: [record], when: {significance: 0.3}}\n    urls:\n", name, category)
		for _, url := range byCategory[category] {
			fmt.Fprintf(&b, "      - %s\n", url)
		}
	}
	for _, h := range world.Hosts() {
		if h.Feed != "" && h.Robots < simweb.RobotsError {
			fmt.Fprintf(&b, "  - name: newest-articles\n    category: News\n    schedule: \"@every 2h\"\n    max_pages: 20\n    feeds: [%s]\n", h.Feed)
			break
		}
	}
	for _, h := range slices.Backward(world.Hosts()) {
		if h.Sitemap != "" && h.Robots < simweb.RobotsError && h.CrawlDelay == 0 {
			fmt.Fprintf(&b, "  - name: by-itself\n    schedule: {auto: {min: 10m, max: 2d, budget: 30/h}}\n    max_pages: 40\n    sitemaps: [%s]\n", h.Sitemap)
			break
		}
	}
	fmt.Fprintf(&b, "  - name: busy\n    schedule: \"@every 10m\"\n    bursts: {}\n    pairs: on\n    urls:\n")
	for _, url := range busy {
		fmt.Fprintf(&b, "      - %s\n", url)
	}
	fmt.Fprintf(&b, "series:\n  - name: %s\n    schedule: \"0 */%d * * *\"\n    scope: {max_pages: %d}\n    seeds:\n", demoSeries, demoEvery, demoCrawl)
	seeds := 0
	for _, h := range world.Hosts() {
		if h.Robots < simweb.RobotsError && h.CrawlDelay == 0 && seeds < demoSites {
			seeds++
			fmt.Fprintf(&b, "      - http://%s/\n", h.Name)
		}
	}
	fmt.Fprintf(&b, `topics:
  - name: %s
    query: harbour OR port OR ferry
    language: en
    period: "30 */%d * * *"
    grow: {links: 20, clicks: 1, top: 5, parents: 50, add: 3, accept: review}
    summary: {sentences: 5, context: 1}
`, demoTopic, demoEvery)
	return b.String()
}

// tell prints what happened every few seconds.
func (c *demoCmd) tell(ctx context.Context, a *app, s *service, clk *clock.Varying) error {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	since := s.clock.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := s.clock.Now()
		h := s.daemon.Health()
		seen := h.Counts[store.New] + h.Counts[store.Changed] + h.Counts[store.Same] + h.Counts[store.NotModified]
		fmt.Fprintf(a.stdout, "\n%s  %d fetches: %d new, %d changed, %d unchanged, %d failed or denied\n", stamp(now),
			seen+h.Counts[store.Failed]+h.Counts[store.Denied]+h.Counts[store.Gone], h.Counts[store.New], h.Counts[store.Changed],
			h.Counts[store.Same]+h.Counts[store.NotModified], h.Counts[store.Failed]+h.Counts[store.Denied]+h.Counts[store.Gone])
		if speed := clk.Speed(); speed < c.Speed {
			fmt.Fprintf(a.stdout, "  this machine is busy: %s of the simulated web pass in a second, not %s\n", spanOf(speed), spanOf(c.Speed))
		}
		bursts, err := s.CountBursts(ctx)
		if err == nil && bursts.Enrolled > 0 {
			fmt.Fprintf(a.stdout, "  %d pages in bursts: %d rounds, %d snapshots compared; %d pairs; noise known of %d pages\n", bursts.Enrolled,
				bursts.Rounds, bursts.Snapshots, bursts.Pairs, bursts.Masked)
		}
		changes, err := s.LatestChanges(ctx, since, 4)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, ch := range changes {
			fmt.Fprintf(a.stdout, "  Dice %.2f  %s\n", ch.Dice, ch.URL)
			if line, err := compare.Headline(ctx, s.DB, ch.Page, ch.Version); err == nil && line != "" {
				fmt.Fprintf(a.stdout, "             + %s\n", shorten(line, 110))
			}
		}
		since = now
	}
}

// removeDemo removes the directory of a demo. Another command that was asked about the
// demo may be the last to leave its private PostgreSQL, which then still writes: so it is
// tried for a while.
func removeDemo(dir string) {
	for range 25 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
