package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/store"
)

// benchRecrawlCmd measures how fast watched pages are crawled again: all of the
// daemon works, over real connections, and everything is stored and measured. Only
// the schedule is hurried: between two rounds the daemon's clock is moved on by an
// hour, so that every page is due, and no pause is kept between requests.
type benchRecrawlCmd struct {
	Pages   int           `help:"How many pages are watched." default:"2000"`
	Rounds  int           `help:"How many times all of them are recrawled, changed and again unchanged." default:"3"`
	Size    int           `help:"Median bytes of a page." default:"44000"`
	Workers int           `help:"How many pages are fetched at once." default:"32"`
	Proxy   string        `help:"Crawl the simulated web behind this proxy instead of the built-in one." placeholder:"URL"`
	Admin   string        `help:"Where that web is told its time and lists its pages." placeholder:"URL"`
	At      string        `help:"The time at which that web begins." placeholder:"TIME"`
	Server  int           `help:"Process of that web, whose processor time is told too." placeholder:"PID"`
	Step    time.Duration `help:"How far that web's time moves from round to round." default:"2h"`
	Profile string        `help:"Write a processor profile of the rounds with changes to this file." placeholder:"FILE"`
}

// recrawlFigures is what the command prints.
type recrawlFigures struct {
	Cores       int           `json:"cores"`
	Pages       int           `json:"pages"`
	MeanBytes   int64         `json:"mean_bytes,omitempty"`
	MeanGzip    int64         `json:"mean_gzip_bytes,omitempty"`
	First       benchFigures  `json:"first_crawl"`
	Changed     benchFigures  `json:"changed"`
	NotModified benchFigures  `json:"not_modified"`
	Baseline    baselineRates `json:"baseline"`
	BytesStored int64         `json:"stored_bytes_per_changed_version"`
}

// baselineRates are of plain net/http that inflates and throws away.
type baselineRates struct {
	Changed     benchFigures `json:"changed"`
	NotModified benchFigures `json:"not_modified"`
}

// benchFigures are the figures of one phase.
type benchFigures struct {
	Fetches   int64          `json:"fetches"`
	Seconds   float64        `json:"seconds"`
	PerSecond float64        `json:"pages_per_second"`
	CPU       map[string]any `json:"cpu_seconds_per_1000_pages"`
	// Idle is the share of the machine's processor time that nobody used meanwhile; null: not known.
	Idle     *float64         `json:"idle_share"`
	Outcomes map[string]int64 `json:"outcomes,omitempty"`
}

// Run prints the figures as one JSON document.
func (c *benchRecrawlCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 1 || c.Pages > 50_000 || c.Rounds < 1 || c.Rounds > 50 || c.Workers < 1 {
		return usagef("want 1 to 50000 pages, 1 to 50 rounds and at least one worker")
	}
	site, at, err := c.site(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = site.stop() }()
	dir, err := os.MkdirTemp("", "strandline-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := c.configure(a, dir, site); err != nil {
		return err
	}
	o, err := a.create(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	b, err := newRecrawl(ctx, a, o, site, at)
	if err != nil {
		return err
	}
	figures, err := c.measure(ctx, b)
	if err != nil {
		return err
	}
	return a.printJSON(figures)
}

func (c *benchRecrawlCmd) site(ctx context.Context) (*benchSite, time.Time, error) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if c.At != "" {
		var err error
		if at, err = parseTime(c.At); err != nil {
			return nil, at, err
		}
	}
	if c.Proxy == "" {
		s, err := ownSite(ctx, c.Pages, c.Rounds+1, c.Size)
		return s, at, err
	}
	if c.Admin == "" {
		return nil, at, usagef("--proxy wants --admin too")
	}
	s, err := foreignSite(ctx, c.Proxy, strings.TrimSuffix(c.Admin, "/"), c.Pages, at, c.Step)
	if err == nil {
		s.pid = c.Server
	}
	return s, at, err
}

// configure writes the configuration and makes the program use it. The state
// directory is temporary, unless --state-dir or --database name another.
func (c *benchRecrawlCmd) configure(a *app, dir string, site *benchSite) error {
	if os.Geteuid() == 0 { // the account that the private PostgreSQL runs as has to pass
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: strandline-bench/1.0, workers: %d, host: {delay: 0s}, proxy: %q, allow_networks: ['0.0.0.0/0', '::/0']}\n"+
		"watches: [{name: bench, schedule: '@hourly', jitter: 0s, urls_file: urls.txt}]\n", dir, c.Workers, site.proxy)
	a.flags.Config = filepath.Join(dir, "strandline.yaml")
	if !a.flags.Verbose {
		a.log = slog.New(slog.DiscardHandler)
	}
	return errors.Join(os.WriteFile(a.flags.Config, []byte(text), 0o600),
		os.WriteFile(filepath.Join(dir, "urls.txt"), []byte(strings.Join(site.urls, "\n")), 0o600))
}

// measure goes through the phases.
func (c *benchRecrawlCmd) measure(ctx context.Context, b *recrawl) (*recrawlFigures, error) {
	out := &recrawlFigures{Cores: runtime.GOMAXPROCS(0), Pages: len(b.site.urls), MeanBytes: b.site.sizes[0], MeanGzip: b.site.sizes[1]}
	stop, ended := b.start(ctx)
	defer func() {
		stop()
		if err := <-ended; err != nil {
			b.app.log.Warn("the service ended with an error", "error", err)
		}
	}()
	var err error
	phase := func(f *benchFigures, rounds int, turn bool) {
		if err == nil {
			*f, err = b.phase(ctx, ended, rounds, turn)
		}
	}
	err = b.await(ctx, ended, func() (bool, error) {
		var n int
		err := b.Pool().QueryRow(ctx, `select count(*) from core.page_schedule`).Scan(&n)
		return n == len(b.site.urls), err
	})
	phase(&out.First, 1, false)
	before, berr := b.storedBytes(ctx)
	endProfile, perr := startProfile(c.Profile)
	if err = errors.Join(err, berr, perr); err != nil {
		return nil, err
	}
	phase(&out.Changed, c.Rounds, true)
	if err = errors.Join(err, endProfile()); err != nil {
		return nil, err
	}
	after, err := b.storedBytes(ctx)
	if n := out.Changed.Outcomes[string(store.Changed)]; n > 0 {
		out.BytesStored = (after - before) / n
	}
	phase(&out.NotModified, c.Rounds, false)
	if err != nil {
		return nil, err
	}
	out.Baseline, err = b.baseline(ctx, c.Workers, c.Rounds)
	return out, err
}

// recrawl is a daemon whose time is moved by hand, and the processes around it.
type recrawl struct {
	*service
	site     *benchSite
	clk      *clock.Driven
	cpu      bench.CPU
	postgres int // process of the server; 0: not of this machine
	round    int
}

func newRecrawl(ctx context.Context, a *app, o *opened, site *benchSite, at time.Time) (*recrawl, error) {
	b := &recrawl{site: site, clk: clock.NewDriven(at, 1), cpu: bench.Processes()}
	var err error
	if b.service, err = a.newService(o, b.clk, nil); err != nil {
		return nil, err
	}
	return b, b.findServer(ctx, o)
}

// findServer finds the process of the database, if it is of this machine.
func (b *recrawl) findServer(ctx context.Context, o *opened) error {
	var backend int
	if err := o.Pool().QueryRow(ctx, `select pg_backend_pid()`).Scan(&backend); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if pid, err := b.cpu.Parent(backend); err == nil && pid > 1 {
		b.postgres = pid
	}
	return nil
}

// start runs the daemon and its clock.
func (b *recrawl) start(ctx context.Context) (context.CancelFunc, chan error) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 2)
	go b.clk.Run(ctx, nil)
	go func() { ended <- b.run(ctx); close(ended) }()
	return stop, ended
}

// phase lets all pages become due a number of times and waits until everything
// that came of it is stored and measured.
func (b *recrawl) phase(ctx context.Context, ended <-chan error, rounds int, turn bool) (benchFigures, error) {
	begin, cpu, counted := time.Now(), b.used(), b.counts()
	for range rounds {
		if turn {
			b.round++
			if err := b.site.turn(ctx, b.round); err != nil {
				return benchFigures{}, err
			}
		}
		want := sum(b.counts()) + int64(len(b.site.urls))
		b.clk.Advance(time.Hour)
		b.daemon.Wake()
		err := b.await(ctx, ended, func() (bool, error) { return sum(b.counts()) >= want, nil })
		if err != nil {
			return benchFigures{}, err
		}
	}
	err := b.await(ctx, ended, func() (bool, error) {
		var waits bool
		err := b.Pool().QueryRow(ctx, `select exists (select from core.monitor_todo)`).Scan(&waits)
		return !waits, err
	})
	if err != nil {
		return benchFigures{}, err
	}
	outcomes := b.counts()
	for k := range outcomes {
		if outcomes[k] -= counted[k]; outcomes[k] == 0 {
			delete(outcomes, k)
		}
	}
	return b.figures(begin, cpu, sum(outcomes), outcomes), nil
}

// await waits for a condition that the daemon brings about.
func (b *recrawl) await(ctx context.Context, ended <-chan error, done func() (bool, error)) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * time.Minute)
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the daemon ended: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("the round has not ended within two minutes: %v", b.counts())
		case <-tick.C:
		}
	}
}

func (b *recrawl) counts() map[string]int64 {
	out := map[string]int64{}
	for k, n := range b.daemon.Health().Counts {
		out[string(k)] = n
	}
	return out
}

func sum(counts map[string]int64) int64 {
	var n int64
	for _, c := range counts {
		n += c
	}
	return n
}

// The machine's own times among those of used.
const idleTime, allTime = "idle", "machine"

// used returns the processor time of all parties, and of the machine; those that cannot be told are missing.
func (b *recrawl) used() map[string]time.Duration {
	out := map[string]time.Duration{}
	if d, err := b.cpu.Process(os.Getpid()); err == nil {
		out["program"] = d
	}
	if d, err := b.cpu.Family(b.postgres); err == nil && b.postgres > 0 {
		out["postgresql"] = d
	}
	if d, err := b.cpu.Process(b.site.pid); err == nil && b.site.pid > 0 {
		out["server"] = d
	}
	if idle, all, err := b.cpu.Machine(); err == nil {
		out[idleTime], out[allTime] = idle, all
	}
	return out
}

func (b *recrawl) figures(begin time.Time, before map[string]time.Duration, n int64, outcomes map[string]int64) benchFigures {
	seconds := time.Since(begin).Seconds()
	f := benchFigures{Fetches: n, Seconds: round3(seconds), PerSecond: round3(float64(n) / seconds), CPU: map[string]any{}, Outcomes: outcomes}
	all := 0.0
	after := b.used()
	for _, name := range []string{"program", "postgresql", "server"} {
		f.CPU[name] = nil
		if used, ok := after[name]; ok && n > 0 {
			per := (used - before[name]).Seconds() * 1000 / float64(n)
			all += per
			f.CPU[name] = round3(per)
		}
	}
	f.CPU["all"] = round3(all)
	if passed := after[allTime] - before[allTime]; passed > 0 {
		idle := round3(float64(after[idleTime]-before[idleTime]) / float64(passed))
		f.Idle = &idle
	}
	return f
}

// round3 keeps three digits after the point.
func round3(x float64) float64 { return float64(int64(x*1000+0.5)) / 1000 }

// storedBytes is what bodies and records take.
func (b *recrawl) storedBytes(ctx context.Context) (int64, error) {
	var n int64
	if err := b.Pool().QueryRow(ctx, `select coalesce(sum(bytes), 0)::bigint from api_v1.storage where raw_bytes > 0`).Scan(&n); err != nil {
		return 0, fmt.Errorf("bench: %w", err)
	}
	return n, nil
}

// baseline fetches the same pages by plain net/http, which inflates and throws away.
func (b *recrawl) baseline(ctx context.Context, workers, rounds int) (baselineRates, error) {
	var out baselineRates
	proxy, err := url.Parse(b.site.proxy)
	if err != nil {
		return out, err
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), MaxIdleConnsPerHost: workers, DisableCompression: true}}
	defer client.CloseIdleConnections()
	tags := make([]string, len(b.site.urls))
	run := func(conditional bool) (benchFigures, error) {
		begin, cpu := time.Now(), b.used()
		for range rounds {
			g, ctx := errgroup.WithContext(ctx)
			g.SetLimit(workers)
			for i, address := range b.site.urls {
				g.Go(func() error {
					tag, err := plainFetch(ctx, client, address, tags[i], conditional)
					tags[i] = tag
					return err
				})
			}
			if err := g.Wait(); err != nil {
				return benchFigures{}, err
			}
		}
		return b.figures(begin, cpu, int64(rounds*len(tags)), nil), nil
	}
	if out.Changed, err = run(false); err != nil {
		return out, err
	}
	out.NotModified, err = run(true)
	return out, err
}

// plainFetch fetches one page and returns its ETag.
func plainFetch(ctx context.Context, client *http.Client, address, tag string, conditional bool) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return tag, err
	}
	req.Header.Set("Accept-Encoding", "gzip")
	if conditional && tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	resp, err := client.Do(req)
	if err != nil {
		return tag, err
	}
	defer resp.Body.Close()
	var body io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" && resp.StatusCode == http.StatusOK {
		if body, err = gzip.NewReader(body); err != nil {
			return tag, fmt.Errorf("%s: %w", address, err)
		}
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return tag, fmt.Errorf("%s: %w", address, err)
	}
	return resp.Header.Get("Etag"), nil
}
