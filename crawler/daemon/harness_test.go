package daemon_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/schedule"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/store"
)

var epoch = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func open(t testing.TB) (*store.DB, string) {
	t.Helper()
	url := testdb.URL(t)
	return testdb.Connect(t, url), url
}

// every is a schedule with a fixed interval.
type every time.Duration

func (e every) Next(t time.Time) time.Time { return t.Add(time.Duration(e)) }
func (e every) Interval() time.Duration    { return time.Duration(e) }

// watchSpec is a watch of a test.
type watchSpec struct {
	name  string
	every time.Duration
	urls  []string
}

// apply applies watches to the database and returns what daemons have to know.
func apply(t testing.TB, db *store.DB, now time.Time, specs ...watchSpec) []daemon.Watch {
	t.Helper()
	plans := map[string]*schedule.Plan{}
	var in []store.WatchSpec
	for _, s := range specs {
		p, err := schedule.New(s.name, every(s.every), schedule.Options{Jitter: s.every / 12})
		if err != nil {
			t.Fatal(err)
		}
		plans[s.name] = p
		in = append(in, store.WatchSpec{
			Name: s.name, Timing: s.every.String(), Every: s.every, Pages: s.urls,
			First: func(url string, now time.Time) (time.Time, time.Time, error) { return p.First(url, now, time.Minute) },
			Again: func(url string, last, now time.Time) (time.Time, time.Time, error) {
				return p.Again(url, last, now, time.Minute)
			},
		})
	}
	got, err := db.SetWatches(t.Context(), now, in)
	if err != nil {
		t.Fatal(err)
	}
	var out []daemon.Watch
	for _, w := range got.Watches {
		out = append(out, daemon.Watch{ID: w.ID, Name: w.Name, Plan: plans[w.Name]})
	}
	return out
}

// pages makes URLs, some a host.
func pages(n, hosts int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("http://h%d.test/p%d", i%hosts, i)
	}
	return out
}

// web is a fetcher that answers at once and remembers what it was asked.
type web struct {
	clock clock.Clock
	// answer, if set, says what a fetch comes to; nil means that nothing has changed
	// since the first answer.
	answer func(j daemon.Job, at time.Time) daemon.Attempt

	mu   sync.Mutex
	seen map[string][]time.Time
}

func newWeb(c clock.Clock) *web {
	return &web{clock: c, seen: map[string][]time.Time{}}
}

func (w *web) Fetch(_ context.Context, j daemon.Job) daemon.Attempt {
	at := w.clock.Now()
	w.mu.Lock()
	w.seen[j.URL] = append(w.seen[j.URL], at)
	w.mu.Unlock()
	if w.answer != nil {
		return w.answer(j, at)
	}
	if j.Version > 0 {
		return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.NotModified, Status: 304}
	}
	return content("page "+j.URL, at)
}

func (w *web) times(url string) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]time.Time(nil), w.seen[url]...)
}

func content(text string, at time.Time) daemon.Attempt {
	return daemon.Attempt{StartedAt: at, FinishedAt: at, Status: 200, Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), MediaType: "text/html", Source: intake.Source{ContentType: "text/html"}, Payload: []byte(text)}
}

// reader reads nothing but how long a payload is.
type reader struct{}

func (reader) Read(_ intake.Source, p []byte) store.Extract {
	return store.Extract{Words: len(p), Record: p, Rules: 1}
}

// driver moves a manual clock whenever all of its daemons are at rest. It ends them
// when the time is over.
type driver struct {
	clock *clock.Manual
	until time.Time

	// want is how many daemons there must be before the clock moves; zero means one.
	// Like at, it is set before the first daemon is run.
	want int

	mu    sync.Mutex
	going bool
	rest  map[string]time.Time // daemons at rest, until when; zero: not at rest
	alive map[string]context.CancelFunc
	at    []moment // what happens when
}

type moment struct {
	at time.Time
	do func()
}

func newDriver(start time.Time) *driver {
	return &driver{clock: clock.NewManual(start), rest: map[string]time.Time{}, alive: map[string]context.CancelFunc{}}
}

// atRest returns the hook of one daemon.
func (d *driver) atRest(name string) func(time.Time) {
	return func(next time.Time) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.rest[name] = next
		d.move()
	}
}

// move moves the clock to the first thing that happens if all daemons are at rest.
func (d *driver) move() {
	if d.going = d.going || len(d.alive) >= d.want; !d.going {
		return
	}
	first := time.Time{}
	for name := range d.alive {
		at := d.rest[name]
		if at.IsZero() {
			return
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	if len(d.alive) == 0 {
		return
	}
	for len(d.at) > 0 && !d.at[0].at.After(first) {
		m := d.at[0]
		d.at = d.at[1:]
		d.clock.AdvanceTo(m.at)
		m.do()
	}
	if first.After(d.until) {
		d.clock.AdvanceTo(d.until)
		for _, stop := range d.alive {
			stop()
		}
		return
	}
	for name, at := range d.rest {
		if !at.After(first) {
			d.rest[name] = time.Time{}
		}
	}
	d.clock.AdvanceTo(first)
}

// remove takes a daemon out of the game.
func (d *driver) remove(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.alive, name)
	delete(d.rest, name)
	d.move()
}

// run runs a daemon until the driver's time is over.
func (d *driver) run(t testing.TB, name string, make func(rest func(time.Time)) *daemon.Daemon) func() error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d.mu.Lock()
	d.alive[name] = cancel
	d.mu.Unlock()
	dm := make(d.atRest(name))
	done := makeDone(dm, ctx, func() { d.remove(name) })
	return func() error { return <-done }
}

func makeDone(dm *daemon.Daemon, ctx context.Context, after func()) chan error {
	done := make(chan error, 1)
	go func() {
		err := dm.Run(ctx)
		after()
		done <- err
	}()
	return done
}

// gaps returns the shortest time between two moments.
func shortest(times []time.Time) time.Duration {
	least := time.Duration(math.MaxInt64)
	for i := 1; i < len(times); i++ {
		least = min(least, times[i].Sub(times[i-1]))
	}
	return least
}

func count(t testing.TB, db *store.DB, sql string, args ...any) int {
	t.Helper()
	var n int
	if err := db.Pool().QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// soak reports whether the long forms of tests are asked for; the short ones show the same.
func soak() bool { return os.Getenv("STRANDLINE_SOAK") != "" }
