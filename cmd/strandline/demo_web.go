package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

// demoPages is how many pages a demo watches.
const demoPages = 120

// demoBusy is how many of them are on a short schedule, with bursts and pairs: pages
// that change all the time, each on another host.
const demoBusy = 8

// The series and the topic of a demo.
const (
	demoSeries      = "sim-web"
	demoSeriesHosts = 5
	demoTopic       = "floods"
	demoTopicOf     = "flood" // as the simulated web calls it
	demoTopicPages  = 3       // at most, of a host
)

// demoOptions are those of a demo's web: a lively one, so that a day brings enough for pictures.
func demoOptions() simweb.Options {
	return simweb.Options{
		Epoch: time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC),
		Hosts: 24, PagesPerHost: 60, Volatile: true, FailShare: 0.01, ArticlesPerDay: 96, EventEvery: 3 * time.Hour,
	}
}

// demoPlan is what a demo watches of its web.
type demoPlan struct {
	byCategory    map[string][]string // pages for every hour
	busy          []string
	feed, sitemap string
	seeds, hosts  []string // of the series
	topic         []string // the first pages of the topic
}

// planDemo chooses pages of a web as it is at a time.
func planDemo(world *simweb.World, at time.Time) demoPlan {
	p := demoPlan{byCategory: map[string][]string{}}
	hosts := map[string]simweb.Host{}
	for _, h := range world.Hosts() {
		hosts[h.Name] = h
		quick := h.Robots < simweb.RobotsError && h.CrawlDelay == 0
		if p.feed == "" && h.Feed != "" && h.Robots < simweb.RobotsError {
			p.feed = h.Feed
		}
		if h.Sitemap != "" && quick {
			p.sitemap = h.Sitemap // of the last one
		}
		if lively := h.Kind == simweb.News || h.Kind == simweb.Blog || h.Kind == simweb.Forum; quick && lively && h.Language == "en" && len(p.hosts) < demoSeriesHosts {
			p.hosts, p.seeds = append(p.hosts, h.Name), append(p.seeds, h.Home)
		}
	}
	n := 0
	onHost, onTopic := map[string]bool{}, map[string]int{}
	for page := range world.Pages(at, at) {
		if !world.Allowed(page.URL) {
			continue
		}
		h := hosts[page.Host]
		if page.Topic == demoTopicOf && page.Kind != simweb.Home && page.Kind != simweb.Live && page.Rate >= simweb.Daily &&
			h.Language == "en" && h.CrawlDelay == 0 && page.Redirect == "" && onTopic[page.Host] < demoTopicPages {
			onTopic[page.Host]++
			p.topic = append(p.topic, page.URL)
		}
		if len(p.busy) < demoBusy && !onHost[page.Host] && page.Rate >= simweb.Minutes && h.CrawlDelay == 0 {
			onHost[page.Host] = true
			p.busy = append(p.busy, page.URL)
			continue
		}
		if n == demoPages-demoBusy || len(p.byCategory[h.Category]) >= demoPages/6 {
			continue
		}
		p.byCategory[h.Category] = append(p.byCategory[h.Category], page.URL)
		n++
	}
	return p
}

// yaml writes the plan as a configuration whose state and messages go to a directory. The demo asks for
// the first snapshots of the series by itself; the schedule has those of the later days.
func (p *demoPlan) yaml(dir string) string {
	var b strings.Builder
	list := func(indent string, urls []string) {
		for _, url := range urls {
			fmt.Fprintf(&b, "%s- %s\n", indent, url)
		}
	}
	fmt.Fprintf(&b, "state_dir: %s\ncrawler:\n  user_agent: strandline-demo/1.0\n  workers: 16\ntargets: [{name: record, file: %s}]\nwatches:\n", dir, filepath.Join(dir, "messages.ndjson"))
	for _, category := range slices.Sorted(maps.Keys(p.byCategory)) {
		name := strings.ToLower(strings.NewReplacer(" ", "-", "/", "-", "&", "-").Replace(category))
		fmt.Fprintf(&b, "  - name: %s\n    category: %q\n    schedule: \"@hourly\"\n    jitter: 5m\n    notify: {to: [record], when: {significance: 0.3}}\n    urls:\n", name, category)
		list("      ", p.byCategory[category])
	}
	if p.feed != "" {
		fmt.Fprintf(&b, "  - name: newest-articles\n    category: News\n    schedule: \"@every 2h\"\n    max_pages: 20\n    feeds: [%s]\n", p.feed)
	}
	if p.sitemap != "" {
		fmt.Fprintf(&b, "  - name: by-itself\n    schedule: {auto: {min: 10m, max: 2d, budget: 30/h}}\n    max_pages: 40\n    sitemaps: [%s]\n", p.sitemap)
	}
	fmt.Fprintf(&b, "  - name: busy\n    schedule: \"@every 10m\"\n    bursts: {}\n    pairs: on\n    urls:\n")
	list("      ", p.busy)
	fmt.Fprintf(&b, "series:\n  - name: %s\n    schedule: \"0 0 * * *\"\n    scope: {hosts: [%s], max_depth: 3, max_pages: 175, max_pages_per_host: 40}\n    seeds:\n", demoSeries, strings.Join(p.hosts, ", "))
	list("      ", p.seeds)
	fmt.Fprintf(&b, "topics:\n  - name: %s\n    query: 'flood OR river OR dam'\n    language: en\n    schedule: \"@every 30m\"\n    period: \"0 */3 * * *\"\n"+
		"    grow: {links: 15, clicks: 1, add: 3, accept: review}\n    notify: {to: [record]}\n    search:\n      seeds:\n", demoTopic)
	list("        ", p.topic)
	return b.String()
}
