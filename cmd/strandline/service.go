package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/cmd/internal/diskwatch"
	"github.com/strandlinehq/strandline/cmd/internal/metrics"
	"github.com/strandlinehq/strandline/cmd/internal/notify"
	"github.com/strandlinehq/strandline/cmd/internal/web"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/schedule"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// service is the whole daemon: schedule and fetches, and the measures behind
// them. The commands run and demo differ in what they give it.
type service struct {
	*opened
	app     *app
	clock   clock.Clock
	gate    *gate.Gate
	fetcher *fetch.Fetcher
	daemon  *daemon.Daemon
	monitor *monitor.Monitor
	crawler *snapshot.Crawler
	// reviveAfter is how long, in the machine's time, the private PostgreSQL may be away before it
	// is started again.
	reviveAfter time.Duration

	disk    *diskwatch.Watch
	metrics *metrics.Metrics
	judge   *notify.Judge
	sender  *notify.Sender

	notice   func() string // that stands above every page; nil: none
	pages    *web.Server
	listener net.Listener // of the pages; nil where they are not served

	mu     sync.Mutex // guards config, and keeps reloads apart
	config *configs.Config

	computing sync.Mutex // held while snapshots are computed

	sourcesChanged chan struct{} // tells that a configuration was put into force; has room for one

	plansMu sync.Mutex // guards plans
	plans   map[string]daemon.Watch
}

// newService wires a service on an opened database. Transport stands in for the
// network; nil means the network.
func (a *app) newService(o *opened, clk clock.Clock, transport http.RoundTripper) (*service, error) {
	s := &service{opened: o, app: a, clock: clk, config: o.config, reviveAfter: reviveAfter, sourcesChanged: make(chan struct{}, 1), monitor: monitor.New(o.DB, monitor.Options{Logger: a.log})}
	fetcher, g, err := a.newFetcher(&o.config.Crawler, clk, transport)
	if err != nil {
		return nil, err
	}
	s.gate, s.fetcher = g, fetcher
	s.disk = a.diskOf(o)
	ready := newPausing(g, clk, func() bool { return s.disk.Paused() })
	s.metrics = s.newMetrics()
	s.daemon = daemon.New(o.DB, pageFetcher{fetcher, o.reader}, o.reader, clk, daemon.Options{
		Workers: o.config.Crawler.Workers, Gate: ready, Observe: s.metrics.Observe, Report: s.metrics.Report, GoneAfter: o.config.Crawler.GoneAfter, Logger: a.log, Journal: journalDir(o),
		Learner: monitor.MaskLearner{}, Masker: monitor.MaskLearner{}, HostLimit: hostLimit(g, clk),
		Appointment: appointments(clk),
		HostPace:    func(host string) time.Duration { return g.State(host, clk.Now()).Delay },
	})
	s.judge = notify.NewJudge(o.DB, clk.Now, a.log, baseURL(o.config))
	s.sender = notify.NewSender(o.DB, clk.Now, a.log)
	opt := a.crawlOptions(o)
	opt.Ended = s.snapshotEnded
	s.crawler = snapshot.New(o.DB, fetcher, ready, o.reader, clk, s.daemon, opt)
	return s, nil
}

// journalDir is where the daemon of a database notes what it begins; empty without a state directory.
func journalDir(o *opened) string {
	switch {
	case o.stateDir == "":
		return ""
	case o.server != nil:
		return filepath.Join(o.stateDir, "fetches")
	}
	sum := sha256.Sum256([]byte(o.url))
	return filepath.Join(o.stateDir, "fetches-"+hex.EncodeToString(sum[:4]))
}

// snapshotEnded computes classes and scores of a snapshot that was crawled.
func (s *service) snapshotEnded(ctx context.Context, c store.RunningCrawl) {
	s.computing.Lock()
	_, err := series.Update(ctx, s.DB, c.Series, s.seriesOptions(s.app, c.Name))
	s.computing.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			s.app.log.Error("snapshot could not be computed; it is tried again within the hour", "series", c.Name, "error", err)
		}
		return
	}
	// The pages found before it are in it now, or were not there any more.
	if err := s.between(ctx, s.app, store.Series{ID: c.Series, Name: c.Name}, s.clock.Now()); err != nil && ctx.Err() == nil {
		s.app.log.Error("pages found since the last snapshot could not be judged", "series", c.Name, "error", err)
	}
}

// run applies the configuration and works until ctx is done.
func (s *service) run(ctx context.Context) error {
	p, err := s.plan(s.config)
	if err != nil {
		return err
	}
	if _, err := s.apply(ctx, p); err != nil {
		return err
	}
	s.metrics.Reloaded(time.Now(), true)
	s.app.notify(sd.SdNotifyReady)
	defer s.app.notify(sd.SdNotifyStopping)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.daemon.Run(ctx) })
	g.Go(func() error { return s.crawler.Run(ctx) })
	g.Go(func() error { return s.monitor.Run(ctx) })
	g.Go(func() error { return s.judge.Run(ctx) })
	g.Go(func() error { return s.sender.Run(ctx) })
	g.Go(func() error { return s.follow(ctx) })
	g.Go(func() error { return s.categorise(ctx) })
	g.Go(func() error { return s.followTopics(ctx) })
	g.Go(func() error { return s.retain(ctx) })
	g.Go(func() error { return s.followSeries(ctx) })
	g.Go(func() error { return s.disk.Run(ctx) })
	g.Go(func() error { return s.feedWatchdog(ctx) })
	g.Go(func() error { return s.revive(ctx, s.reviveAfter) })
	if s.listener != nil {
		g.Go(func() error { return s.pages.Serve(ctx, s.listener) })
	}
	return g.Wait()
}

// newcomers is the time over which n pages that join together are spread: at once
// for a few, so that their owner sees something happen.
func newcomers(n int) time.Duration { return min(time.Duration(n)*time.Second, 5*time.Minute) }

// targets are where messages go; on a clock that is not the machine's, only files.
func (s *service) targets(c *configs.Config) (map[string]notify.Target, error) {
	if _, ok := s.clock.(clock.Real); ok {
		return buildTargets(c)
	}
	return virtualTargets(c, s.stateDir), nil
}

// planOf gives a watch as the daemon knows it.
func (s *service) planOf(name string) (daemon.Watch, bool) {
	s.plansMu.Lock()
	defer s.plansMu.Unlock()
	w, ok := s.plans[name]
	return w, ok
}

// watch translates a watch of the configuration. A schedule that cannot be kept
// sets its pages aside and stops nobody.
func (s *service) watch(w *configs.Watch) (store.WatchSpec, daemon.Watch, error) {
	shown := map[string]any{
		"schedule": w.Schedule.String(), "jitter": w.Jitter.String(), "ignore": ruleTexts(w.Ignore), "category": w.Category, "genre": w.Genre,
	}
	if b := w.Bursts; b != nil {
		shown["bursts"] = map[string]any{"when": b.When, "offsets": fmt.Sprint(b.Offsets), "rounds": b.Rounds, "every": b.Every.String()}
	}
	if w.Pairs {
		shown["pairs"] = true
	}
	if !w.Masks {
		shown["masks"] = false
	}
	if len(w.Sitemaps)+len(w.Feeds) > 0 {
		shown["sitemaps"], shown["feeds"], shown["max_pages"] = w.Sitemaps, w.Feeds, w.MaxPages
	}
	if w.Quota > 0 {
		shown["quota_bytes"] = w.Quota.Bytes()
	}
	if w.Notify != nil {
		shown["notify"] = targetNames(w.Notify.To)
	}
	config, err := json.Marshal(shown)
	if err != nil {
		return store.WatchSpec{}, daemon.Watch{}, fmt.Errorf("watch %s: %w", w.Name, err)
	}
	spec := store.WatchSpec{
		Name: string(w.Name), Category: w.Category, Genre: w.Genre, Config: config,
		Timing: fmt.Sprintf("%s jitter %s", w.Schedule, w.Jitter), Every: w.Schedule.Interval(),
	}
	pages := w.Pages()
	seen := make(map[string]bool, len(pages))
	for _, u := range pages {
		url, err := s.reader.Canonical(string(u))
		if err != nil {
			return spec, daemon.Watch{}, usagef("watch %s: %w", w.Name, err)
		}
		if !seen[url] {
			seen[url] = true
			spec.Pages = append(spec.Pages, url)
		}
	}
	if spec.Labels, err = s.labels(w); err != nil {
		return spec, daemon.Watch{}, err
	}
	watch := daemon.Watch{Name: spec.Name, Options: cookies(w.Cookies)}
	if err := askBursts(&watch, w); err != nil {
		return spec, watch, err
	}
	plan, err := schedule.New(spec.Name, w.Schedule, schedule.Options{Jitter: w.Jitter.Std(), Spread: schedule.DefaultSpread(w.Schedule.String())})
	if err != nil {
		watch.Broken = err.Error()
		spec.First = func(string, time.Time) (slot, due time.Time, err error) { return slot, due, errors.New(watch.Broken) }
		return spec, watch, nil
	}
	watch.Plan = plan
	if watch.Auto = autoOf(w.Schedule); watch.Auto != nil {
		if watch.Auto.Importance, err = s.importance(w); err != nil {
			return spec, watch, err
		}
	}
	spec.First, spec.Again = firstDue(&watch, len(spec.Pages)), dueAgain(&watch, len(spec.Pages))
	return spec, watch, nil
}

// labels gives what the configuration knows of single pages, by canonical URL.
func (s *service) labels(w *configs.Watch) (map[string]store.PageLabels, error) {
	out := make(map[string]store.PageLabels, len(w.Known))
	for _, k := range w.Known {
		url, err := s.reader.Canonical(string(k.URL))
		if err != nil {
			return nil, usagef("watch %s: %w", w.Name, err)
		}
		out[url] = store.PageLabels{Category: k.Category, Genre: k.Genre, Visitors: k.Visitors, Weight: k.Weight, Top: k.Top}
	}
	return out, nil
}

func ruleTexts(rules []configs.Rule) []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = string(r)
	}
	return out
}

// cookies are what a watch has sent with its fetches, in the order of their names.
func cookies(byName map[string]configs.Secret) []*http.Cookie {
	var out []*http.Cookie
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, &http.Cookie{Name: name, Value: byName[name].Reveal()})
	}
	return out
}

// cookiesOf are those of the watch that a fetch is made for.
func cookiesOf(j daemon.Job) []*http.Cookie {
	if j.Watch == nil {
		return nil
	}
	list, _ := j.Watch.Options.([]*http.Cookie)
	return list
}

// pageFetcher fetches for the daemon.
type pageFetcher struct {
	*fetch.Fetcher
	reader *intake.Reader
}

// Fetch translates between the daemon's words and the fetcher's.
func (f pageFetcher) Fetch(ctx context.Context, j daemon.Job) daemon.Attempt {
	req := fetch.Request{URL: j.URL, Cookies: cookiesOf(j)}
	if j.Version > 0 {
		req.ETag, req.LastModified, req.ValidatedURL = j.ETag, j.LastModified, j.ValidatedURL
	}
	res := f.Fetcher.Fetch(ctx, req)
	return f.attempt(j, &res)
}

// attempt tells of a fetch in the daemon's words: what is stored of it is what is
// stored of any fetch.
func (f pageFetcher) attempt(j daemon.Job, res *fetch.Result) daemon.Attempt {
	c := f.reader.Capture(j.URL, store.KindSchedule, res)
	out := daemon.Attempt{
		StartedAt: c.StartedAt, FinishedAt: c.FinishedAt, Outcome: c.Outcome, Status: c.Status, Error: c.Error, Detail: c.Detail, Head: c.Head,
		ETag: c.ETag, LastModified: c.LastModified, ValidatedURL: c.ValidatedURL, PermanentURL: c.PermanentURL,
		MediaType: c.MediaType, Payload: c.Payload, Source: intake.SourceOf(j.URL, res), RetryAt: res.RetryAt,
	}
	if len(res.Redirects) > 0 {
		// The page's own host has answered. It is another one that takes no requests, which is no
		// reason to hold up the pages of the first, and the attempt is one to be stored.
		out.RetryAt = time.Time{}
	}
	if c.Outcome == store.Failed && res.Reason.Missing() {
		out.Outcome = store.Gone
	}
	return out
}
