package daemon_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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

// TestEditedIsNotLate edits the schedule of a watch twice while its pages are fetched, from one hour to three and on to
// eight, and back to one at last: each page keeps its last fetch, none is late by the edit, and none misses a slot.
func TestEditedIsNotLate(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	urls := pages(8, 4)
	from := epoch.Add(9*time.Hour + 26*time.Minute)
	var before map[string]time.Time // the last fetch of each page under the schedules before
	for _, stage := range []struct {
		every, run time.Duration
	}{{time.Hour, 2 * time.Hour}, {3 * time.Hour, 6 * time.Hour}, {8 * time.Hour, 15 * time.Hour}, {time.Hour, 2 * time.Hour}} {
		d := newDriver(from)
		d.until = from.Add(stage.run)
		watches := apply(t, db, from, watchSpec{"w", stage.every, urls})
		w := newWeb(d.clock)
		finish(t, start(t, d, "a", db, w, watches, nil))
		last := map[string]time.Time{}
		for _, u := range urls {
			times := w.times(u)
			if len(times) == 0 {
				t.Fatalf("%s was not fetched in %s of a schedule of %s", u, stage.run, stage.every)
			}
			if was := before[u]; times[0].Sub(was) < stage.every*3/4 {
				t.Errorf("%s: schedule of %s: fetched %s after the fetch before the edit", u, stage.every, times[0].Sub(was))
			}
			last[u] = times[len(times)-1]
		}
		// Also the fetch after one at once, which keeps its distance to it.
		if n := count(t, db, `select count(*) from core.fetch f where f.started_at >= $1
			and (f.outcome = 'skipped' or f.started_at - f.due_at > interval '1 minute')`, from); n != 0 {
			t.Errorf("%d fetches were late or missed when the schedule became %s", n, stage.every)
		}
		before, from = last, d.until
	}
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
