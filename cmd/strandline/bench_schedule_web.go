package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/simweb"
)

// scheduleWeb is the simulated web that a schedule is kept on.
type scheduleWeb struct {
	urls      []string
	transport http.RoundTripper
	// follow, unless nil, keeps the web's time with the daemon's until the context is done.
	follow func(context.Context)
	// count fills in what the web saw.
	count func(context.Context, *scheduleFigures) error
}

// web returns the built-in web, or the one that the flags name.
func (c *benchScheduleCmd) web(ctx context.Context, clk *clock.Driven, epoch time.Time) (*scheduleWeb, error) {
	if c.Proxy != "" {
		return c.foreignWeb(ctx, clk, epoch)
	}
	world, err := simweb.New(clk.Now, simweb.Options{Hosts: c.Pages/schedulePerHost*3/2 + 4, PagesPerHost: 60, Size: c.Size, Epoch: epoch, Births: -1, Deaths: -1})
	if err != nil {
		return nil, err
	}
	count := func(_ context.Context, f *scheduleFigures) error {
		gap := time.Duration(1 << 62)
		for _, h := range world.Stats().Hosts {
			f.Requests += h.Requests
			f.MostAtOnce = max(f.MostAtOnce, h.MaxConcurrent)
			f.DelayBroken += h.DelayViolations
			f.RobotsBroken += h.RobotsViolations
			if h.MinStartGap >= 0 {
				gap = min(gap, h.MinStartGap)
			}
		}
		f.ShortestGap = round3(gap.Seconds())
		return nil
	}
	return &scheduleWeb{urls: schedulePages(world, c.Pages, epoch), transport: world.Transport(), count: count}, nil
}

// schedulePerHost is how many pages of a host are watched. A host has one request
// at a time, each of which takes minutes of the virtual time on a busy machine.
const schedulePerHost = 10

// schedulePages takes pages that robots.txt allows, of hosts that answer.
func schedulePages(world *simweb.World, n int, at time.Time) []string {
	hosts := map[string]simweb.Host{}
	for _, h := range world.Hosts() {
		hosts[h.Name] = h
	}
	var out []string
	taken := map[string]int{}
	for p := range world.Pages(at, at.Add(time.Second)) {
		if h := hosts[p.Host]; len(out) < n && taken[p.Host] < schedulePerHost && h.Robots < simweb.RobotsError && p.Redirect == "" && world.Allowed(p.URL) {
			taken[p.Host]++
			out = append(out, p.URL)
		}
	}
	return out
}

// followEvery is how often, in the machine's time, a web of somebody else is told the time.
const followEvery = 20 * time.Millisecond

// foreignWeb uses a simulated web that somebody else runs, as foreignSite does. Its time is
// the daemon's. It measures gaps by the machine's time, where requests arrive; what is printed
// is Speed times as much, and so is the little by which the ways of two requests differ: at high
// speeds the shortest gap says little. It does not know of crawl delays.
func (c *benchScheduleCmd) foreignWeb(ctx context.Context, clk *clock.Driven, epoch time.Time) (*scheduleWeb, error) {
	if c.Admin == "" {
		return nil, usagef("--proxy wants --admin too")
	}
	proxy, err := url.Parse(c.Proxy)
	if err != nil {
		return nil, usagef("--proxy: %w", err)
	}
	admin := strings.TrimSuffix(c.Admin, "/")
	site, err := foreignSite(ctx, c.Proxy, admin, c.Pages, epoch, 0)
	if err != nil {
		return nil, err
	}
	if _, err := askSite(ctx, http.MethodGet, admin+"/stats?reset=1"); err != nil {
		return nil, err
	}
	tell := func(ctx context.Context) error {
		_, err := askSite(ctx, http.MethodGet, admin+"/clock?speed=0&set="+url.QueryEscape(clk.Now().UTC().Format(time.RFC3339)))
		return err
	}
	follow := func(ctx context.Context) {
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for tell(ctx) == nil {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
	count := func(ctx context.Context, f *scheduleFigures) error {
		text, err := askSite(ctx, http.MethodGet, admin+"/stats")
		if err != nil {
			return err
		}
		var stats struct {
			Total struct {
				Requests int   `json:"requests"`
				AtOnce   int   `json:"max_host_concurrency"`
				Gap      int64 `json:"min_host_start_gap_ns"`
				Robots   int   `json:"robots_violations"`
			} `json:"total"`
		}
		if err := json.Unmarshal([]byte(text), &stats); err != nil {
			return fmt.Errorf("%s/stats: %w", admin, err)
		}
		f.Requests, f.MostAtOnce, f.RobotsBroken = stats.Total.Requests, stats.Total.AtOnce, stats.Total.Robots
		f.ShortestGap = round3(time.Duration(stats.Total.Gap).Seconds() * c.Speed)
		return nil
	}
	return &scheduleWeb{urls: site.urls, transport: &http.Transport{Proxy: http.ProxyURL(proxy), MaxIdleConnsPerHost: 64, DisableCompression: true}, follow: follow, count: count}, nil
}
