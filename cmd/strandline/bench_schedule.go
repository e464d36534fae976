package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/clock"
)

// benchScheduleCmd keeps hourly schedules for weeks of virtual time by the whole
// daemon, and counts on the side of the simulated web what came.
type benchScheduleCmd struct {
	Pages int     `help:"How many pages are watched." default:"2000"`
	Days  int     `help:"How many days of virtual time." default:"35"`
	Speed float64 `help:"Virtual seconds in a second at most; time stands still while the program cannot keep up." default:"3600"`
	Size  int     `help:"Median bytes of a page." default:"4096"`
	Proxy string  `help:"Crawl the simulated web behind this proxy instead of the built-in one." placeholder:"URL"`
	Admin string  `help:"Where that web is told its time, lists its pages and counts requests." placeholder:"URL"`
	At    string  `help:"The time at which the run begins." placeholder:"TIME"`

	For time.Duration `help:"End after this time of the machine, with the days that were reached by then; 0: none."`
}

// scheduleFigures is what the command prints.
type scheduleFigures struct {
	Pages   int     `json:"pages"`
	Hours   float64 `json:"hours"`
	Seconds float64 `json:"seconds"`
	// Of the requests, as the simulated web saw them.
	Requests       int            `json:"requests"`
	SlotsOfPages   map[string]int `json:"pages_by_slots_served"` // how many pages had how many of their slots fetched
	Shortest       float64        `json:"shortest_minutes_between_fetches_of_a_page"`
	TooClose       int            `json:"fetches_within_45_minutes"`
	MostAtOnce     int            `json:"most_requests_at_once_on_a_host"`
	DelayBroken    int            `json:"requests_before_the_crawl_delay"`
	RobotsBroken   int            `json:"requests_against_robots_txt"`
	ShortestGap    float64        `json:"shortest_seconds_between_requests_of_a_host"`
	ShortestSent   float64        `json:"shortest_seconds_between_requests_of_a_host_by_the_daemons_clock"`
	Missed         int64          `json:"slots_recorded_as_missed"`
	SlotsInStore   int64          `json:"slots_with_a_fetch_in_the_store"`
	LatestMinutes  float64        `json:"longest_lag_minutes"`
	OutcomesStored map[string]int `json:"outcomes"`
}

// Run prints the figures as one JSON document.
func (c *benchScheduleCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 1 || c.Pages > 100_000 || c.Days < 1 || c.Days > 400 || c.Speed <= 0 {
		return usagef("want 1 to 100000 pages, 1 to 400 days and a speed above 0")
	}
	epoch := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if c.At != "" {
		var err error
		if epoch, err = parseTime(c.At); err != nil {
			return err
		}
	}
	clk := clock.NewDriven(epoch, c.Speed)
	web, err := c.web(ctx, clk, epoch)
	if err != nil {
		return err
	}
	urls := web.urls
	if len(urls) < c.Pages {
		return fmt.Errorf("simulated web has %d pages that may be fetched, want %d", len(urls), c.Pages)
	}
	dir, err := os.MkdirTemp("", "strandline-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if os.Geteuid() == 0 { // the account that the private PostgreSQL runs as has to pass
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: strandline-bench/1.0, workers: 32}\n"+
		"watches: [{name: bench, schedule: '@hourly', jitter: 5m, urls_file: urls.txt}]\n", dir)
	a.flags.Config = filepath.Join(dir, "strandline.yaml")
	if !a.flags.Verbose {
		a.log = slog.New(slog.DiscardHandler)
	}
	err = errors.Join(os.WriteFile(a.flags.Config, []byte(text), 0o600), os.WriteFile(filepath.Join(dir, "urls.txt"), []byte(strings.Join(urls, "\n")), 0o600))
	if err != nil {
		return err
	}
	o, err := a.create(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	seen := &visitCounter{RoundTripper: web.transport, now: clk.Now, pages: map[string]*pageVisits{}, hosts: map[string]time.Time{}, gap: 1 << 62}
	s, err := a.newService(o, clk, seen)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := c.keep(ctx, s, clk, epoch, web.follow); err != nil {
		return err
	}
	reached := clk.Now().Add(-scheduleGrace)
	if end := epoch.Add(time.Duration(c.Days) * 24 * time.Hour); reached.After(end) {
		reached = end
	}
	f := scheduleFigures{Pages: c.Pages, Hours: round3(reached.Sub(epoch).Hours()), Seconds: round3(time.Since(begin).Seconds()), Missed: s.daemon.Health().Missed}
	if err := web.count(ctx, &f); err != nil {
		return err
	}
	f.byVisits(seen, urls)
	if err := f.byStore(ctx, s, reached); err != nil {
		return err
	}
	return a.printJSON(f)
}

// scheduleGrace is how long the daemon goes on behind the time that counts, so that
// slots of the last minutes are fetched as late as any others may be.
const scheduleGrace = 45 * time.Minute

// storedWithin is how long what was fetched may take to be stored when the run ends by the machine's time.
const storedWithin = 2 * time.Minute

// keep runs the service until the time is over, and follow beside it.
func (c *benchScheduleCmd) keep(ctx context.Context, s *service, clk *clock.Driven, epoch time.Time, follow func(context.Context)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var beside sync.WaitGroup
	defer beside.Wait()
	if follow != nil {
		beside.Go(func() { follow(ctx) })
	}
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx) }()
	driven := make(chan struct{})
	end := epoch.Add(time.Duration(c.Days)*24*time.Hour + scheduleGrace)
	begin := time.Now()
	hurried := func() bool { return c.For > 0 && time.Since(begin) >= c.For }
	over := func() bool { return !clk.Now().Before(end) }
	go func() {
		defer close(driven)
		clk.Run(ctx, func() bool {
			h := s.daemon.Health()
			switch {
			case over(), hurried() && (h.Unstored+h.Fetching == 0 || time.Since(begin) >= c.For+storedWithin):
				stop()
				return true
			case hurried(): // what has been fetched is stored first
				return true
			}
			return !h.Running || h.Behind > 5*time.Minute || h.Unstored > 512
		})
	}()
	err := <-ended
	stop()
	<-driven
	if err == nil && !over() && !hurried() {
		err = context.Canceled // told to stop before the time was over
	}
	return err
}

// byVisits fills in when each page was requested.
func (f *scheduleFigures) byVisits(seen *visitCounter, urls []string) {
	least := time.Duration(1 << 62)
	for _, u := range urls {
		v := seen.pages[u]
		if v == nil {
			v = &pageVisits{least: least}
		}
		f.TooClose += v.close
		least = min(least, v.least)
	}
	f.Shortest = round3(least.Minutes())
	if len(seen.hosts) > 0 {
		f.ShortestSent = round3(seen.gap.Seconds())
	}
}

// byStore fills in what is stored of the slots before end.
func (f *scheduleFigures) byStore(ctx context.Context, s *service, end time.Time) error {
	rows, err := s.Pool().Query(ctx, `
		with page as (
			select page_id, count(distinct due_at) filter (where outcome <> 'skipped' and due_at < $1) as slots,
			       max(extract(epoch from started_at - due_at)) filter (where outcome <> 'skipped') as lag
			from api_v1.fetch_log group by page_id)
		select slots, count(*), coalesce(max(lag), 0)::float8 from page group by slots`, end)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	f.SlotsOfPages = map[string]int{}
	var slots, pages int64
	var lag, longest float64
	if _, err := pgx.ForEachRow(rows, []any{&slots, &pages, &lag}, func() error {
		f.SlotsOfPages[fmt.Sprint(slots)] = int(pages)
		f.SlotsInStore += slots * pages
		longest = max(longest, lag)
		return nil
	}); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	f.LatestMinutes = round3(longest / 60)
	f.OutcomesStored = map[string]int{}
	for k, n := range s.daemon.Health().Counts {
		f.OutcomesStored[string(k)] = int(n)
	}
	return nil
}

// visitCounter notes when pages were requested.
type visitCounter struct {
	http.RoundTripper
	now   func() time.Time
	mu    sync.Mutex // guards what follows
	pages map[string]*pageVisits
	hosts map[string]time.Time // last request, robots.txt too
	gap   time.Duration        // shortest between two requests of a host
}

type pageVisits struct {
	n, close int
	last     time.Time
	least    time.Duration // between two requests
}

// RoundTrip notes the request and passes it on.
func (l *visitCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	now := l.now()
	l.mu.Lock()
	address := r.URL.String()
	if last, ok := l.hosts[r.URL.Host]; ok {
		l.gap = min(l.gap, now.Sub(last))
	}
	l.hosts[r.URL.Host] = now
	v := l.pages[address]
	if v == nil {
		v = &pageVisits{least: time.Duration(1 << 62)}
		l.pages[address] = v
	}
	if v.n > 0 {
		gap := now.Sub(v.last)
		v.least = min(v.least, gap)
		if gap < 45*time.Minute {
			v.close++
		}
	}
	v.n++
	v.last = now
	l.mu.Unlock()
	return l.RoundTripper.RoundTrip(r)
}
