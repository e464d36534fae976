package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// benchCrawlCmd measures a snapshot crawl: pages over real connections without a
// pause, stored with their text and links, behind the durable frontier; and what comes
// behind the crawl: the stages that measure and index each version, and the computation
// of the snapshot with its copies. A last phase fills a frontier and takes from it.
type benchCrawlCmd struct {
	Pages    int    `help:"How many pages are crawled." default:"4000"`
	Size     int    `help:"Median bytes of a page." default:"44000"`
	Workers  int    `help:"How many pages are fetched at once." default:"64"`
	Frontier int    `help:"How many URLs the frontier of the second phase holds; 0: no such phase." default:"1000000"`
	Proxy    string `help:"Crawl the simulated web behind this proxy instead of the built-in one, from its home pages." placeholder:"URL"`
	Admin    string `help:"Where that web lists its home pages, under /seeds." placeholder:"URL"`
	Hosts    int    `help:"How many hosts those URLs are spread over." default:"1000"`
	Profile  string `help:"Write a processor profile of the crawl to this file." placeholder:"FILE"`
	Behind   string `name:"profile-behind" help:"Write a processor profile of what comes behind the crawl to this file." placeholder:"FILE"`
}

// crawlFigures is what the command prints.
type crawlFigures struct {
	Cores     int             `json:"cores"`
	MeanBytes int64           `json:"mean_bytes,omitempty"`
	MeanGzip  int64           `json:"mean_gzip_bytes,omitempty"`
	Crawl     benchFigures    `json:"crawl"`
	Stages    benchFigures    `json:"stages"`    // changes and the search, of the same pages
	Computing benchFigures    `json:"computing"` // classes, novelty and copies, of the same pages
	Links     int64           `json:"links_per_page"`
	MemoryMB  float64         `json:"memory_mb"` // of the program, at its highest
	Baseline  benchFigures    `json:"baseline"`
	Frontier  *frontierFigure `json:"frontier,omitempty"`
}

// frontierFigure is of the second phase.
type frontierFigure struct {
	URLs         int     `json:"urls"`
	Hosts        int     `json:"hosts"`
	AddPerSecond float64 `json:"added_per_second"`
	TakeMillis   float64 `json:"take_256_milliseconds"`
	MemoryMB     float64 `json:"memory_mb"` // of the program while it crawls with this frontier
}

// Run prints the figures as one JSON document.
func (c *benchCrawlCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 1 || c.Pages > 1_000_000 || c.Workers < 1 || c.Frontier < 0 || c.Frontier > 100_000_000 || c.Hosts < 1 {
		return usagef("want 1 to 1000000 pages, at least one worker and host, and at most 100 million URLs")
	}
	site, err := c.site(ctx)
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
	b := &crawlBench{recrawl: &recrawl{site: site, cpu: bench.Processes()}, app: a, opened: o}
	if err := b.findServer(ctx, o); err != nil {
		return err
	}
	figures, err := c.measure(ctx, b)
	if err != nil {
		return err
	}
	return a.printJSON(figures)
}

func (c *benchCrawlCmd) site(ctx context.Context) (*benchSite, error) {
	if c.Proxy == "" {
		return ownSite(ctx, c.Pages, 1, c.Size)
	}
	if c.Admin == "" {
		return nil, usagef("--proxy wants --admin too")
	}
	list, err := askSite(ctx, http.MethodGet, strings.TrimSuffix(c.Admin, "/")+"/seeds")
	if err != nil {
		return nil, err
	}
	return &benchSite{proxy: c.Proxy, urls: strings.Fields(list), stop: func() error { return nil }}, nil
}

// configure writes the configuration and makes the program use it.
func (c *benchCrawlCmd) configure(a *app, dir string, site *benchSite) error {
	if os.Geteuid() == 0 { // the account that the private PostgreSQL runs as has to pass
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: strandline-bench/1.0, workers: %d, host: {delay: 0s}, proxy: %q, allow_networks: ['0.0.0.0/0', '::/0']}\n"+
		"series: [{name: bench, seeds_file: seeds.txt, scope: {sites: [test], max_pages: %d, max_pages_per_host: 0, max_depth: 0}}]\n", dir, c.Workers, site.proxy, c.Pages)
	a.flags.Config = filepath.Join(dir, "strandline.yaml")
	if !a.flags.Verbose {
		a.log = slog.New(slog.DiscardHandler)
	}
	return errors.Join(os.WriteFile(a.flags.Config, []byte(text), 0o600),
		os.WriteFile(filepath.Join(dir, "seeds.txt"), []byte(strings.Join(site.urls, "\n")), 0o600))
}

// crawlBench is a crawl and the processes around it.
type crawlBench struct {
	*recrawl
	*opened
	app *app
}

// measure goes through the phases.
func (c *benchCrawlCmd) measure(ctx context.Context, b *crawlBench) (*crawlFigures, error) {
	out := &crawlFigures{Cores: runtime.GOMAXPROCS(0), MeanBytes: b.site.sizes[0], MeanGzip: b.site.sizes[1]}
	endProfile, err := startProfile(c.Profile)
	if err != nil {
		return nil, err
	}
	var id store.SnapshotID
	begin, cpu := time.Now(), b.used()
	id, err = b.crawl(ctx, "bench", nil)
	if err = errors.Join(err, endProfile()); err != nil {
		return nil, err
	}
	tally, _, _, err := b.SnapshotTally(ctx, id)
	if err != nil {
		return nil, err
	}
	out.Crawl = b.figures(begin, cpu, tally.Crawled, map[string]int64{"pages": tally.Crawled, "failed": tally.Tried - tally.Crawled})
	out.MemoryMB = round3(float64(peakMemory()) / (1 << 20))
	if err := c.behind(ctx, b, tally.Crawled, out); err != nil {
		return nil, err
	}
	err = b.Pool().QueryRow(ctx, `select coalesce(avg(l.links), 0)::bigint from core.snapshot_page s join core.link_set l using (links_hash, bucket) where s.snapshot_id = $1`, id).Scan(&out.Links)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	if c.Proxy == "" {
		if out.Baseline, err = b.plainRound(ctx, c.Workers); err != nil {
			return nil, err
		}
	}
	if c.Frontier > 0 {
		out.Frontier, err = c.frontier(ctx, b)
	}
	return out, err
}

// behind measures what is done with the pages of a snapshot when they are stored.
func (c *benchCrawlCmd) behind(ctx context.Context, b *crawlBench, pages int64, out *crawlFigures) error {
	row, err := b.SeriesByName(ctx, "bench")
	if err != nil {
		return err
	}
	endProfile, err := startProfile(c.Behind)
	if err != nil {
		return err
	}
	begin, cpu := time.Now(), b.used()
	if _, err = monitor.New(b.DB, monitor.Options{}).Drain(ctx); err == nil {
		out.Stages = b.figures(begin, cpu, pages, nil)
		begin, cpu = time.Now(), b.used()
		_, err = series.Update(ctx, b.DB, row.ID, series.Defaults())
		out.Computing = b.figures(begin, cpu, pages, nil)
	}
	return errors.Join(err, endProfile())
}

// crawl takes a snapshot of a series of the configuration; then is called when it runs.
func (b *crawlBench) crawl(ctx context.Context, name string, then func(store.SnapshotID) error) (store.SnapshotID, error) {
	s, err := b.crawlSeries(&b.config.Series[0])
	if err != nil {
		return 0, err
	}
	s.Name = name
	clk := clock.Real{}
	f, g, err := b.app.newFetcher(&b.config.Crawler, clk, nil)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	keeper, err := snapshot.NewKeeper(ctx, b.DB, clk)
	if err != nil {
		return 0, err
	}
	crawler := snapshot.New(b.DB, f, g, b.reader, clk, keeper, b.app.crawlOptions(b.opened))
	if err := crawler.Only(ctx, s); err != nil {
		return 0, err
	}
	id, err := crawler.Start(ctx, s.Name)
	if err != nil {
		return 0, err
	}
	if then != nil {
		if err := then(id); err != nil {
			return 0, err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group errgroup.Group
	group.Go(func() error { return keeper.Run(ctx) })
	group.Go(func() error { return crawler.Run(ctx) })
	err = (&crawlCmd{Series: name}).wait(ctx, b.opened, id, nil)
	stop()
	return id, errors.Join(err, group.Wait())
}
