package main

import (
	"context"
	"net/url"
	"time"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

// benchSnapshotsCmd holds snapshots of a simulated web against the times at which
// its pages appeared.
type benchSnapshotsCmd struct {
	Hosts     int       `help:"Hosts of the web." default:"100"`
	Pages     int       `help:"Pages of each host." default:"60"`
	Snapshots int       `help:"How many snapshots are taken." default:"6"`
	Every     int       `help:"Days between them." default:"14"`
	Away      float64   `help:"Share of the hosts that do not answer, others in each snapshot." default:"0.3"`
	Deltas    []float64 `help:"Decays of novelty per link that the measure is taken with." default:"0,0.1,0.2,0.3,0.5"`
	Budgets   []float64 `help:"Parts of the pages that the snapshots of the comparison of orders may fetch." default:"0.25,0.5"`
	Orders    bool      `help:"Compare the orders too." default:"true" negatable:""`
	Seed      uint64    `help:"Another number gives another web." default:"1"`
	Proxy     string    `help:"Crawl the simulated web behind this proxy instead of the built-in one." placeholder:"URL"`
	Admin     string    `help:"Where that web tells its home pages and when its pages appeared, and takes the time." placeholder:"URL"`
	Start     time.Time `help:"When the first snapshot of that web is taken; default 2025-01-01T00:00:00Z." placeholder:"TIME"`
}

// snapshotsFigures is what the command prints.
type snapshotsFigures struct {
	*bornTruth
	Orders []*orderTruth `json:"orders,omitempty"`
}

// Run prints the figures as one JSON document.
func (c *benchSnapshotsCmd) Run(ctx context.Context, a *app) error {
	switch {
	case c.Hosts < 1 || c.Hosts > 10_000 || c.Pages < 40 || c.Pages > 100_000:
		return usagef("want 1 to 10000 hosts of 40 to 100000 pages")
	case c.Snapshots < 3 || c.Snapshots > 100 || c.Every < 1 || c.Every > 1000:
		return usagef("want 3 to 100 snapshots, 1 to 1000 days apart")
	case !(c.Away >= 0 && c.Away < 1):
		return usagef("--away %v: from 0 to below 1", c.Away)
	case (c.Proxy == "") != (c.Admin == ""):
		return usagef("--proxy wants --admin too, and the other way round")
	}
	for _, d := range c.Deltas {
		if !(d >= 0 && d < 1) {
			return usagef("--deltas %v: from 0 to below 1", d)
		}
	}
	for _, b := range c.Budgets {
		if !(b > 0 && b <= 1) {
			return usagef("--budgets %v: above 0, at most 1", b)
		}
	}
	opt := bornOptions{
		Snapshots: c.Snapshots, Every: time.Duration(c.Every) * 24 * time.Hour,
		Deltas: c.Deltas, Thresholds: []float64{anyPositive, .01, .1, .3, .5, .7, .9},
	}
	var out snapshotsFigures
	err := c.onEmpty(ctx, a, func(o *opened, web *bornWeb) (err error) {
		out.bornTruth, err = measureBorn(ctx, o.DB, web, opt)
		return err
	})
	if err != nil {
		return err
	}
	if !c.Orders {
		c.Budgets = nil
	}
	for _, budget := range c.Budgets {
		for _, novel := range []bool{false, true} {
			if err := c.onEmpty(ctx, a, func(o *opened, web *bornWeb) error {
				one, err := measureOrder(ctx, o.DB, web, opt, budget, novel)
				out.Orders = append(out.Orders, one)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return a.printJSON(out)
}

// onEmpty does something with a database and a web that is at its beginning.
func (c *benchSnapshotsCmd) onEmpty(ctx context.Context, a *app, do func(*opened, *bornWeb) error) error {
	web, err := c.web(ctx)
	if err != nil {
		return err
	}
	web.away = awayShare(c.Away, c.Seed)
	o, err := a.benchDatabase(ctx, "")
	if err != nil {
		return err
	}
	defer o.Close()
	return do(o.opened, web)
}

func (c *benchSnapshotsCmd) web(ctx context.Context) (*bornWeb, error) {
	if c.Proxy == "" {
		return ownBornWeb(bornWorld(c.Seed, c.Hosts, c.Pages, time.Duration(c.Snapshots*c.Every)*24*time.Hour))
	}
	start := c.Start
	if start.IsZero() {
		start = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return foreignBornWeb(ctx, c.Proxy, c.Admin, start)
}

// bornWorld is a web with births and deaths.
func bornWorld(seed uint64, hosts, pages int, span time.Duration) simweb.Options {
	return simweb.Options{
		Seed: seed, Hosts: hosts, PagesPerHost: pages, Size: 2 << 10, Epoch: time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC),
		Span: span, Births: 0.4, PlainRobots: true, EnglishOnly: true, ArticlesPerDay: 1,
	}
}

// hostOf is the host name of a URL.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
