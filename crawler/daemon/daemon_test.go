package daemon_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/schedule"
	"github.com/strandlinehq/strandline/store"
)

// start makes a daemon of the driver with options that suit the tests.
func start(t *testing.T, d *driver, name string, db daemon.Store, w daemon.Fetcher, watches []daemon.Watch, change func(*daemon.Options)) func() error {
	return d.run(t, name, func(rest func(time.Time)) *daemon.Daemon {
		o := daemon.Options{AtRest: rest, Lookahead: 10 * time.Minute, Lease: 30 * time.Minute, Alive: func(int) bool { return true }}
		if change != nil {
			change(&o)
		}
		dm := daemon.New(db, w, reader{}, d.clock, o)
		dm.SetWatches(watches)
		return dm
	})
}

func finish(t testing.TB, runs ...func() error) {
	t.Helper()
	for _, r := range runs {
		if err := r(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTwoDaemons lets two daemons share hosts, in made-up groups of buckets, kills
// one in the middle, and finds no host crawled by both at once and no page lost.
func TestTwoDaemons(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	urls := pages(60, 30)
	var groups [][]int32
	for g := range int32(4) {
		var group []int32
		for b := g * 1024; b < (g+1)*1024; b++ {
			group = append(group, b)
		}
		groups = append(groups, group)
	}
	d := newDriver(epoch)
	d.until = epoch.Add(9 * time.Hour)
	watches := apply(t, db, epoch, watchSpec{"w", 30 * time.Minute, urls})
	webs := map[string]*web{}
	var runs []func() error
	kill := epoch.Add(3 * time.Hour)
	dead := &cut{DB: db}
	d.want = 2
	d.at = append(d.at, moment{kill, func() {
		// As kill -9 does: nothing is given back.
		dead.cut()
		stop := d.alive["b"]
		delete(d.alive, "b")
		delete(d.rest, "b")
		stop()
	}})
	for _, name := range []string{"a", "b"} {
		w := newWeb(d.clock)
		webs[name] = w
		var s daemon.Store = db
		if name == "b" {
			s = dead
		}
		runs = append(runs, start(t, d, name, s, w, watches, func(o *daemon.Options) { o.Groups = groups }))
	}
	finish(t, runs[0])
	if err := runs[1](); err != nil && !strings.Contains(err.Error(), "away") {
		t.Fatal(err)
	}
	shares := map[string]int{}
	for _, u := range urls {
		a, b := webs["a"].times(u), webs["b"].times(u)
		all := slices.Concat(a, b)
		slices.SortFunc(all, time.Time.Compare)
		if gap := shortest(all); gap < 45*time.Minute/2 {
			t.Errorf("%s was fetched twice within %s", u, gap)
		}
		// What the dead one had in memory waits for its lease to run out: five slots.
		if len(all) < 12 {
			t.Errorf("%s was fetched %d times in 9 hours", u, len(all))
		}
		for _, at := range b {
			if at.After(kill) {
				t.Errorf("%s was fetched by the dead daemon at %s", u, at)
			}
		}
		for _, at := range a {
			if at.After(epoch.Add(time.Hour)) && at.Before(kill) && len(b) > 4 && at.After(b[1]) {
				t.Errorf("%s was fetched by both at %s", u, at)
			}
		}
		shares["a"] += len(a)
		if len(b) > 4 {
			shares["b pages"]++
		}
	}
	if n := shares["b pages"]; n < 15 || n > 45 {
		t.Errorf("the second daemon had %d of %d pages", n, len(urls))
	}
}

// cut is a database that can be cut off.
type cut struct {
	*store.DB
	mu  sync.Mutex
	off bool
}

func (c *cut) cut() { c.set(true) }

func (c *cut) set(off bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = off
}

func (c *cut) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off {
		return fmt.Errorf("connection refused")
	}
	return nil
}

func (c *cut) TakeBuckets(ctx context.Context, r store.BucketRequest) (store.BucketLeases, error) {
	if err := c.err(); err != nil {
		return store.BucketLeases{}, err
	}
	return c.DB.TakeBuckets(ctx, r)
}

func (c *cut) Claim(ctx context.Context, r store.ClaimRequest) ([]*store.Claim, time.Time, error) {
	if err := c.err(); err != nil {
		return nil, time.Time{}, err
	}
	return c.DB.Claim(ctx, r)
}

func (c *cut) Defer(ctx context.Context, id int32, now time.Time, p []store.Deferral) error {
	if err := c.err(); err != nil {
		return err
	}
	return c.DB.Defer(ctx, id, now, p)
}

func (c *cut) StopDaemon(ctx context.Context, id int32, now time.Time) error {
	if err := c.err(); err != nil {
		return err
	}
	return c.DB.StopDaemon(ctx, id, now)
}

func (c *cut) WriteWith(ctx context.Context, caps []*store.Capture, then func(context.Context, *store.Tx, []store.Stored) error) ([]store.Stored, error) {
	if err := c.err(); err != nil {
		return nil, err
	}
	return c.DB.WriteWith(ctx, caps, then)
}

// TestDatabaseAway takes the database away for ten minutes. The daemon waits, says
// so, and goes on without having lost or repeated a fetch.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	c := &cut{DB: db}
	d := newDriver(epoch)
	d.until = epoch.Add(3 * time.Hour)
	urls := pages(40, 8)
	watches := apply(t, db, epoch, watchSpec{"w", 30 * time.Minute, urls})
	w := newWeb(d.clock)
	var dm *daemon.Daemon
	var during daemon.Health
	d.at = []moment{
		{epoch.Add(60 * time.Minute), c.cut},
		{epoch.Add(69 * time.Minute), func() { during = dm.Health() }},
		{epoch.Add(70 * time.Minute), func() { c.set(false) }},
	}
	run := d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm = daemon.New(c, w, reader{}, d.clock, daemon.Options{AtRest: rest, Lookahead: 10 * time.Minute, Lease: 30 * time.Minute, Alive: func(int) bool { return true }})
		dm.SetWatches(watches)
		return dm
	})
	finish(t, run)
	if during.Ready() || during.AwaySince.IsZero() || during.AwayReason == "" {
		t.Errorf("while the database was away: %+v", during)
	}
	if h := dm.Health(); !h.AwaySince.IsZero() {
		t.Errorf("after it came back: %+v", h)
	}
	fetched := 0
	for _, u := range urls {
		times := w.times(u)
		fetched += len(times)
		if gap := shortest(times); gap < 45*time.Minute/2 {
			t.Errorf("%s was fetched twice within %s", u, gap)
		}
		if len(times) < 5 || times[len(times)-1].Before(d.until.Add(-time.Hour)) {
			t.Errorf("%s was fetched at %v", u, times)
		}
	}
	if n := count(t, db, `select count(*) from core.fetch where outcome <> 'skipped'`); n != fetched {
		t.Errorf("%d fetches are stored of %d", n, fetched)
	}
}

// TestCatchUp stops for nine days. Every page is then fetched once, spread over
// time, and the slots in between are on record as missed.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	urls := pages(50, 50)
	first := newDriver(epoch)
	first.until = epoch.Add(2 * time.Hour)
	watches := apply(t, db, epoch, watchSpec{"w", time.Hour, urls})
	finish(t, start(t, first, "a", db, newWeb(first.clock), watches, nil))

	again := epoch.Add(9 * 24 * time.Hour)
	second := newDriver(again)
	second.until = again.Add(time.Hour)
	w := newWeb(second.clock)
	// One page in five seconds: all would take 250 s.
	finish(t, start(t, second, "a", db, w, watches, func(o *daemon.Options) { o.CatchUp, o.Lookahead = 0.2, 10*time.Second }))
	perMinute := map[int]int{}
	for _, u := range urls {
		times := w.times(u)
		if len(times) == 0 {
			t.Fatalf("%s was not fetched again", u)
		}
		perMinute[int(times[0].Sub(again)/time.Minute)]++
	}
	for m, n := range perMinute {
		if n > 35 {
			t.Errorf("%d of %d pages were fetched in minute %d after the start", n, len(urls), m)
		}
	}
	if len(perMinute) < 3 {
		t.Errorf("pages per minute after the start: %v", perMinute)
	}
	// All slots are accounted for: those fetched, those missed one by one, those in sums.
	for _, u := range urls {
		one := count(t, db, `select count(*) filter (where detail is null) + coalesce(sum((detail->>'missed')::int), 0)
			from core.fetch join core.page using (bucket, page_id) where url = $1`, u)
		if want := 9*24 + 1; one < want || one > want+1 {
			t.Errorf("%s: %d slots are on record, want %d", u, one, want)
		}
		rows := count(t, db, `select count(*) from core.fetch join core.page using (bucket, page_id) where url = $1 and outcome = 'skipped'`, u)
		if rows != 10 {
			t.Errorf("%s: %d rows of missed slots, want 10", u, rows)
		}
	}
}

// TestMisconfigured has pages that panic, whose watch is broken, and that cannot be
// read. They are set aside with the reason, and others go on.
func TestMisconfigured(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(3 * time.Hour)
	good, bad := pages(6, 2), []string{"http://bad.test/panic", "http://bad.test/selector", "http://bad.test/unreadable"}
	watches := apply(t, db, epoch, watchSpec{"good", time.Hour, good}, watchSpec{"bad", time.Hour, bad}, watchSpec{"zone", time.Hour, []string{"http://zone.test/"}})
	for i := range watches {
		if watches[i].Name == "zone" {
			watches[i].Broken, watches[i].Plan = "unknown time zone Mars/Olympus", nil
		}
	}
	w := newWeb(d.clock)
	w.answer = func(j daemon.Job, at time.Time) daemon.Attempt {
		switch {
		case strings.HasSuffix(j.URL, "/panic"):
			panic("index out of range")
		case strings.HasSuffix(j.URL, "/selector"):
			return daemon.Attempt{Outcome: store.Failed, Error: "bad selector", Misconfigured: "bad selector div[["}
		}
		return content(fmt.Sprint(j.URL, at), at)
	}
	var mu sync.Mutex
	told := map[string]string{}
	run := d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm := daemon.New(db, w, panicky{}, d.clock, daemon.Options{AtRest: rest, Lookahead: 10 * time.Minute, Lease: 3 * time.Hour, Report: func(e daemon.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Kind == daemon.SetAside {
				told[e.URL] += e.Reason
			}
		}})
		dm.SetWatches(watches)
		return dm
	})
	finish(t, run)
	for _, u := range good {
		if n := len(w.times(u)); n != 3 {
			t.Errorf("%s was fetched %d times, want 3", u, n)
		}
	}
	for url, want := range map[string]string{
		bad[0]: "index out of range", bad[1]: "bad selector div[[", bad[2]: "cannot read this", "http://zone.test/": "Mars/Olympus",
	} {
		if n := len(w.times(url)); n > 1 {
			t.Errorf("%s was fetched %d times", url, n)
		}
		if n := count(t, db, `select count(*) from core.watch_page join core.page using (bucket, page_id) where url = $1 and set_aside_reason like '%' || $2 || '%' and due_at is null`, url, want); n != 1 {
			t.Errorf("%s is not set aside for %q", url, want)
		}
		if url != "http://zone.test/" && strings.Count(told[url], want) != 1 {
			t.Errorf("%s: the operator was told %q", url, told[url])
		}
	}
	st, err := db.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	aside := map[string]int{}
	for _, s := range st.Schedule {
		aside[s.Name] = s.SetAside
	}
	if aside["bad"] != 3 || aside["zone"] != 1 || aside["good"] != 0 {
		t.Errorf("status counts as set aside: %v", aside)
	}
}

// panicky cannot read one page.
type panicky struct{ reader }

func (p panicky) Read(src intake.Source, payload []byte) store.Extract {
	if strings.HasSuffix(src.URL, "/unreadable") {
		panic("cannot read this")
	}
	return p.reader.Read(src, payload)
}

// TestSharedWatches lets three watches want one page: it is fetched as often as the
// fastest of them asks, and serves the others.
func TestSharedWatches(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(26 * time.Hour)
	const url = "http://shared.test/"
	watches := apply(t, db, epoch, watchSpec{"daily", 24 * time.Hour, []string{url}}, watchSpec{"one", time.Hour, []string{url}}, watchSpec{"two", time.Hour, []string{url}})
	w := newWeb(d.clock)
	finish(t, start(t, d, "a", db, w, watches, nil))
	times := w.times(url)
	if len(times) < 25 || len(times) > 27 {
		t.Errorf("fetched %d times in 26 hours, want 26", len(times))
	}
	if gap := shortest(times); gap < 45*time.Minute {
		t.Errorf("fetched twice within %s", gap)
	}
	if n := count(t, db, `select count(*) from core.watch_page where due_at > $1`, d.until.Add(-time.Hour)); n != 3 {
		t.Errorf("%d of 3 watches have been moved on", n)
	}
}

// TestFailures reports a failure once, its recovery once, and calls a page gone only
// after a run of failures.
func TestFailures(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(10 * time.Hour)
	const url = "http://a.test/"
	watches := apply(t, db, epoch, watchSpec{"w", time.Hour, []string{url}})
	w := newWeb(d.clock)
	n := 0
	w.answer = func(j daemon.Job, at time.Time) daemon.Attempt {
		n++
		if n >= 3 && n <= 7 {
			return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Gone, Status: 404, Error: "404 Not Found"}
		}
		return content("here", at)
	}
	var told []string
	finish(t, start(t, d, "a", db, w, watches, func(o *daemon.Options) {
		o.Report = func(e daemon.Event) { told = append(told, string(e.Kind)) }
	}))
	if got, want := strings.Join(told, " "), "failing gone recovered"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	var outcomes string
	err := db.Pool().QueryRow(t.Context(), `select string_agg(outcome::text, ' ' order by started_at) from core.fetch`).Scan(&outcomes)
	if want := "new same error error gone gone gone same same same"; err != nil || outcomes != want {
		t.Errorf("outcomes %q, want %q (%v)", outcomes, want, err)
	}
}

// TestDeniedIsTold has a page that may not be fetched, at first and again: its operator is told once
// each, as of any page that cannot be seen, and that it can be seen again.
func TestDeniedIsTold(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(8 * time.Hour)
	watches := apply(t, db, epoch, watchSpec{"w", time.Hour, []string{"http://a.test/"}})
	w := newWeb(d.clock)
	n := 0
	w.answer = func(_ daemon.Job, at time.Time) daemon.Attempt {
		if n++; n <= 3 || n >= 6 {
			return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Denied, Error: "address-refused: 10.0.0.1"}
		}
		return content("here", at)
	}
	var told []string
	finish(t, start(t, d, "a", db, w, watches, func(o *daemon.Options) {
		o.Report = func(e daemon.Event) { told = append(told, string(e.Kind)) }
	}))
	if got, want := strings.Join(told, " "), "failing recovered failing"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if n := count(t, db, `select count(*) from core.page_schedule where failing_since is not null`); n != 1 {
		t.Errorf("%d pages fail by the schedule, want 1", n)
	}
	if n := count(t, db, `select count(*) from core.fetch where outcome = 'gone'`); n != 0 {
		t.Errorf("%d fetches of a page that may not be fetched say that it is gone", n)
	}
}

// TestGoneAfterOtherFailures has a host that does not answer for hours and then says that the page
// is not there, which is told once too.
func TestGoneAfterOtherFailures(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(8 * time.Hour)
	watches := apply(t, db, epoch, watchSpec{"w", time.Hour, []string{"http://a.test/"}})
	w := newWeb(d.clock)
	n := 0
	w.answer = func(_ daemon.Job, at time.Time) daemon.Attempt {
		n++
		if n <= 4 {
			return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Failed, Error: "timeout"}
		}
		return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Gone, Status: 404, Error: "404 Not Found"}
	}
	var told []string
	finish(t, start(t, d, "a", db, w, watches, func(o *daemon.Options) {
		o.Report = func(e daemon.Event) { told = append(told, string(e.Kind)) }
	}))
	if got, want := strings.Join(told, " "), "failing gone"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

// TestJoinedIsNotLate has a page join a monthly watch long after the month's slot began: it is
// fetched at once, and was due then, not at the begin of the month.
func TestJoinedIsNotLate(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	joined := epoch.Add(400 * time.Hour)
	d := newDriver(joined)
	d.until = joined.Add(time.Hour)
	watches := apply(t, db, joined, watchSpec{"w", 720 * time.Hour, []string{"http://a.test/", "http://b.test/"}})
	finish(t, start(t, d, "a", db, newWeb(d.clock), watches, nil))
	health, err := db.ScheduleHealth(t.Context())
	if err != nil || len(health) != 1 || health[0].LagP99 > 5*time.Minute {
		t.Errorf("health is %+v, %v", health, err)
	}
	if n := count(t, db, `select count(*) from core.fetch where due_at >= $1`, joined); n != 2 {
		t.Errorf("%d pages were due after they joined, want 2", n)
	}
}

// stuck is a web that never answers.
type stuck struct{ begun chan string }

func (s stuck) Fetch(ctx context.Context, j daemon.Job) daemon.Attempt {
	s.begun <- j.URL
	<-ctx.Done()
	return daemon.Attempt{Outcome: store.Failed, Error: "stuck"}
}

// TestKilledWithClaims kills a daemon that has claimed six pages of a host and waits for the first: the
// next daemon fetches the others at once and leaves out the first, which may have been fetched.
func TestKilledWithClaims(t *testing.T) {
	t.Parallel()
	for _, journal := range []bool{true, false} {
		t.Run(fmt.Sprint("journal ", journal), func(t *testing.T) {
			t.Parallel()
			db, _ := open(t)
			now := time.Now().UTC()
			watches := apply(t, db, now, watchSpec{"w", 720 * time.Hour, pages(6, 1)})
			if _, err := db.Pool().Exec(t.Context(), `update core.page_schedule set next_due_at = $1, due_at = $1`, now); err != nil {
				t.Fatal(err)
			}
			opt := daemon.Options{Grace: 50 * time.Millisecond, Alive: func(int) bool { return false }}
			if journal {
				opt.Journal = t.TempDir()
			}
			run := func(s daemon.Store, f daemon.Fetcher) (stop func() error) {
				ctx, cancel := context.WithCancel(t.Context())
				dm := daemon.New(s, f, reader{}, clock.Real{}, opt)
				dm.SetWatches(watches)
				done := make(chan error, 1)
				go func() { done <- dm.Run(ctx) }()
				return func() error { cancel(); return <-done }
			}
			web, dead := stuck{make(chan string, 6)}, &cut{DB: db}
			stop := run(dead, web)
			first := <-web.begun
			dead.cut() // as kill -9 does: nothing is given back
			if err := stop(); err == nil {
				t.Fatal("the killed daemon stored its fetch")
			}
			next := newWeb(clock.Real{})
			stop = run(db, next)
			for count(t, db, `select count(*) from core.fetch`) < 6 {
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			skipped := count(t, db, `select count(*) from core.fetch where outcome = 'skipped'`)
			want := 6
			if journal {
				want = 1
			}
			if skipped != want || len(next.times(first)) > 0 {
				t.Errorf("%d pages were left out, want %d; the first was asked for %d times", skipped, want, len(next.times(first)))
			}
		})
	}
}

// TestStop ends a daemon on the machine's clock in the middle of fetches: what
// finishes in time is stored, what was not begun is given back.
func TestStop(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	now := time.Now().UTC()
	urls := pages(12, 12)
	watches := apply(t, db, now, watchSpec{"w", time.Hour, urls})
	if _, err := db.Pool().Exec(t.Context(), `update core.page_schedule set next_due_at = $1, due_at = $1`, now); err != nil {
		t.Fatal(err)
	}
	slow := &slowWeb{begun: make(chan struct{}, 12), finish: make(chan struct{})}
	dm := daemon.New(db, slow, reader{}, clock.Real{}, daemon.Options{Workers: 4, Grace: time.Second, Logger: slog.New(stopped{onStop: sync.OnceFunc(func() { close(slow.finish) })})})
	dm.SetWatches(watches)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- dm.Run(ctx) }()
	for range 4 {
		<-slow.begun
	}
	cancel()
	begin := time.Now()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
	if n := count(t, db, `select count(*) from core.fetch where outcome = 'new'`); n != 2 {
		t.Errorf("%d fetches are stored, want the 2 that finished", n)
	}
	if n := count(t, db, `select count(*) from core.fetch where outcome = 'skipped' and error like 'interrupted%'`); n != 2 {
		t.Errorf("%d fetches are stored as interrupted, want 2", n)
	}
	if n := count(t, db, `select count(*) from core.page_schedule where lease_owner is not null`); n != 0 {
		t.Errorf("%d pages are still leased", n)
	}
	if n := count(t, db, `select count(*) from core.bucket_lease where owner is not null`); n != 0 {
		t.Errorf("%d buckets are still leased", n)
	}
	if n := count(t, db, `select count(*) from core.page_schedule where next_due_at <= $1`, time.Now()); n != 8 {
		t.Errorf("%d pages are due, want the 8 that were not begun", n)
	}
}

// stopped is a log that acts when the daemon says that it is stopping.
type stopped struct{ onStop func() }

func (s stopped) Enabled(context.Context, slog.Level) bool { return true }
func (s stopped) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s stopped) WithGroup(string) slog.Handler            { return s }
func (s stopped) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "daemon is stopping" {
		s.onStop()
	}
	return nil
}

// slowWeb answers when it is interrupted; every second fetch has finished by then.
type slowWeb struct {
	begun  chan struct{}
	finish chan struct{}
	mu     sync.Mutex
	n      int
}

func (s *slowWeb) Fetch(ctx context.Context, j daemon.Job) daemon.Attempt {
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	at := time.Now().UTC()
	s.begun <- struct{}{}
	if n%2 == 0 {
		// Ends in the time of grace, not before.
		<-s.finish
		return content(j.URL, at)
	}
	<-ctx.Done()
	return daemon.Attempt{StartedAt: at, Outcome: store.Failed, Error: ctx.Err().Error()}
}

// TestSlowHost has one host with far more pages than it can serve, which holds up
// nobody else.
func TestSlowHost(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(4 * time.Hour)
	fast := pages(40, 20)
	var slow []string
	for i := range 300 {
		slow = append(slow, fmt.Sprintf("http://slow.test/%d", i))
	}
	watches := apply(t, db, epoch, watchSpec{"fast", time.Hour, fast}, watchSpec{"slow", time.Hour, slow})
	w := newWeb(d.clock)
	g := &pace{last: map[string]time.Time{}, gap: map[string]time.Duration{"slow.test": time.Minute}}
	w.answer = func(j daemon.Job, at time.Time) daemon.Attempt {
		g.start(j.Host, at)
		return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Failed, Error: "timeout"}
	}
	finish(t, start(t, d, "a", db, w, watches, func(o *daemon.Options) { o.Gate, o.Backlog, o.ClaimSize = g, 64, 32 }))
	for _, u := range fast {
		times := w.times(u)
		if len(times) != 4 {
			t.Errorf("%s was fetched %d times, want 4", u, len(times))
		}
	}
	if g.broken > 0 {
		t.Errorf("%d requests came too early", g.broken)
	}
	n := 0
	for _, u := range slow {
		n += len(w.times(u))
	}
	if n < 4*60*9/10 {
		t.Errorf("the slow host was asked %d times in 240 minutes", n)
	}
	var lag float64
	if err := db.Pool().QueryRow(t.Context(), `select percentile_disc(0.99) within group (order by extract(epoch from started_at - due_at))
		from core.fetch join core.page using (bucket, page_id) where url not like '%slow%' and outcome <> 'skipped'`).Scan(&lag); err != nil || lag > 60 {
		t.Errorf("99 of 100 fetches of other hosts started within %v s (%v)", lag, err)
	}
}

var _ schedule.Schedule = every(0)
