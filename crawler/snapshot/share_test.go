package snapshot_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/store"
)

// TestTwoCrawlersShare: two crawlers on one database fetch every page once.
func TestTwoCrawlersShare(t *testing.T) {
	t.Parallel()
	db, url := open(t)
	w := &web{page: tree(12, 5)}
	s := snapshot.Series{Seeds: []string{"http://h0.test/", "http://h1.test/"}, Scope: snapshot.Scope{Sites: []string{"test"}}}
	got := takeTogether(t, db, url, w, s, setup{})
	want := walk(w.page, s.Seeds, func(string, int) bool { return true })
	asked := w.log()
	slices.Sort(asked)
	if got.Status != store.SnapshotDone || len(slices.Compact(slices.Clone(asked))) != len(want) || len(asked) != len(want) {
		t.Errorf("snapshot %s; %d requests for %d pages, want %d once each", got.Status, len(asked), len(slices.Compact(slices.Clone(asked))), len(want))
	}
	depths := map[string]int{}
	for u, r := range rows(t, db, got.ID) {
		depths[u] = r.Depth
	}
	if diff := cmp.Diff(want, depths); diff != "" {
		t.Errorf("depths (-want +got):\n%s", diff)
	}
}

// takeTogether lets two crawlers, half of the buckets each, take a snapshot.
func takeTogether(t *testing.T, db *store.DB, url string, w *web, s snapshot.Series, how setup) store.SeriesSnapshot {
	t.Helper()
	a, b := newLab(t, db, w, how), newLab(t, connect(t, url), w, how)
	a.series(t, s)
	b.series(t, s)
	for _, l := range []*lab{a, b} { // the first gives half of its buckets back
		if err := l.Keeper.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n, m := len(a.Keeper.Buckets()), len(b.Keeper.Buckets()); n != store.Buckets/2 || m != store.Buckets/2 {
		t.Fatalf("%d and %d buckets, want half each", n, m)
	}
	id, err := a.Start(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	other := make(chan error, 1)
	go func() { other <- b.Run(ctx) }()
	got := a.await(t, id)
	stop()
	if err := <-other; err != nil {
		t.Fatal(err)
	}
	return got
}

// crawlVar names the database that TestCrawlHelper crawls on.
const crawlVar = "STRANDLINE_TEST_CRAWL"

// TestCrawlHelper is the process that TestKilled kills. Nobody kills it when it runs
// as a test: the crawl that is to be cut short comes to its end by itself.
func TestCrawlHelper(t *testing.T) {
	url := os.Getenv(crawlVar)
	if url == "" {
		_, url = open(t)
	}
	w := &web{page: tree(6, 5)}
	l := newLab(t, connect(t, url), w, setup{options: snapshot.Options{Batch: 16}})
	l.series(t, killedSeries())
	s := l.take(t)
	if want := len(walk(w.page, killedSeries().Seeds, func(string, int) bool { return true })); s.Status != store.SnapshotDone || len(rows(t, l.db, s.ID)) != want {
		t.Errorf("snapshot is %s with %d pages, want %d", s.Status, len(rows(t, l.db, s.ID)), want)
	}
}

func killedSeries() snapshot.Series {
	return snapshot.Series{Seeds: []string{"http://h0.test/"}, Scope: snapshot.Scope{Sites: []string{"test"}}}
}

// TestKilled kills a crawl at several moments and lets the next one go on.
func TestKilled(t *testing.T) {
	t.Parallel()
	db, url := open(t)
	killed := 0
	for _, at := range []int{1, 40, 120, 200} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrawlHelper$")
		cmd.Env = append(os.Environ(), crawlVar+"="+url)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for count(t, db, `select count(*) from core.snapshot_page`) < at && len(ended) == 0 {
		}
		if err := cmd.Process.Kill(); err == nil {
			killed++
		} else if !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		<-ended
	}
	if killed < 3 {
		t.Errorf("only %d crawls were killed", killed)
	}
	w := &web{page: tree(6, 5)}
	l := newLab(t, db, w, setup{})
	l.series(t, killedSeries())
	s := l.take(t)
	want := walk(w.page, killedSeries().Seeds, func(string, int) bool { return true })
	got := map[string]int{}
	for u, r := range rows(t, db, s.ID) {
		got[u] = r.Depth
	}
	if diff := cmp.Diff(want, got); diff != "" || s.Number != 1 || s.Status != store.SnapshotDone {
		t.Errorf("snapshot %d is %s, pages (-want +got):\n%s", s.Number, s.Status, diff)
	}
	// What is counted is what was stored, and only what was in flight was fetched twice.
	if n := count(t, db, `select sum(crawled) from core.snapshot_host`); n != len(want) {
		t.Errorf("%d pages counted, want %d", n, len(want))
	}
	if n := count(t, db, `select count(*) from core.fetch`); n != len(want) {
		t.Errorf("%d fetches stored of %d pages", n, len(want))
	}
}

// TestDatabaseAway cuts the connections in the middle of a crawl, several times.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	db, url := open(t)
	var n atomic.Int32
	cutter := connect(t, url)
	w := &web{page: func(u string) answer {
		if n.Add(1)%60 == 0 {
			_, _ = cutter.Pool().Exec(context.Background(), `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
		}
		return tree(6, 5)(u)
	}}
	l := newLab(t, db, w, setup{})
	l.series(t, killedSeries())
	id, err := l.Start(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	l.patient = true
	s := l.await(t, id)
	want := walk(tree(6, 5), killedSeries().Seeds, func(string, int) bool { return true })
	if got := rows(t, cutter, s.ID); len(got) != len(want) || s.Status != store.SnapshotDone {
		t.Errorf("%d pages, snapshot %s; want %d, done", len(got), s.Status, len(want))
	}
}

// TestDue: a series is crawled by its schedule, once, and not by a clock that went back.
func TestDue(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	clk := clock.NewManual(epoch)
	w := &web{page: tree(1, 1)}
	l := newLab(t, db, w, setup{clock: clk})
	every := func(t time.Time) time.Time { return t.Truncate(time.Hour).Add(time.Hour) }
	s := snapshot.Series{Seeds: []string{"http://h0.test/"}, Schedule: every, ScheduleText: "@hourly"}
	l.series(t, s)
	l.series(t, s) // as at a restart
	due, err := db.DueSeries(t.Context())
	if err != nil || len(due) != 1 || !due[0].At.Equal(epoch.Add(time.Hour)) {
		t.Fatalf("due %v, %v; want in an hour", due, err)
	}
	clk.Advance(65 * time.Minute)
	l = newLab(t, db, w, setup{clock: clk}) // the leases of the first one have run out
	l.series(t, s)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	for count(t, db, `select count(*) from core.snapshot where status = 'done'`) == 0 {
		runtime.Gosched()
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	all, err := db.Snapshots(t.Context(), due[0].ID)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d snapshots, %v; want one", len(all), err)
	}
	if due, err = db.DueSeries(t.Context()); err != nil || !due[0].At.Equal(epoch.Add(2*time.Hour)) {
		t.Errorf("next due %v, %v; want in the third hour", due, err)
	}
	back := newLab(t, db, w, setup{clock: clock.NewManual(epoch.Add(-24 * time.Hour))})
	back.series(t, s)
	if _, err := back.Start(t.Context(), "s"); !errors.Is(err, store.ErrClockBack) {
		t.Errorf("by a clock that went back: %v, want ErrClockBack", err)
	}
	// A series that leaves the configuration is paused, and its crawl cut short.
	clk.Advance(time.Minute)
	if _, err := l.Start(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if err := l.SetSeries(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	all, err = db.Snapshots(t.Context(), due[0].ID)
	if err != nil || len(all) != 2 || all[1].Status != store.SnapshotCutShort || !strings.Contains(all[1].Error, "configuration") {
		t.Errorf("snapshots %+v, %v; want the second one cut short", all, err)
	}
}

// TestSeriesLeaves: a series that leaves the configuration in the middle of its
// snapshot is asked for no more, here and by another daemon, and one whose
// configuration changes goes on by the new one.
func TestSeriesLeaves(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	w := &web{page: tree(10, 6)}
	l := newLab(t, db, w, setup{})
	s := snapshot.Series{Name: "s", Seeds: []string{"http://h0.test/"}, Scope: snapshot.Scope{Sites: []string{"test"}}, Config: []byte(`{"a":1}`)}
	if err := l.SetSeries(t.Context(), []snapshot.Series{s}); err != nil {
		t.Fatal(err)
	}
	id, err := l.Start(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	asked := func(n int) {
		for len(w.log()) < n && ctx.Err() == nil {
			runtime.Gosched()
		}
	}
	asked(30)
	s.Config, s.Scope.Exclude = []byte(`{"a":2}`), []string{"l2p1"}
	if err := l.SetSeries(t.Context(), []snapshot.Series{s}); err != nil {
		t.Fatal(err)
	}
	changed := len(w.log()) + 8 // and what is under way
	asked(changed + 100)
	if err := l.SetSeries(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	n := len(w.log())
	got, err := db.Snapshot(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	pages := len(rows(t, db, id))
	if got.Status != store.SnapshotCutShort || pages != n {
		t.Errorf("snapshot %s, %d URLs of %d requests; want it cut short with each of them", got.Status, pages, n)
	}
	if left := count(t, db, `select count(*) from core.snapshot_frontier`); left != 0 || len(l.Running()) != 0 {
		t.Errorf("%d URLs are left in the frontier, %d snapshots run", left, len(l.Running()))
	}
	for _, u := range w.log()[changed:] {
		if strings.Contains(u, "l2p1") {
			t.Errorf("%s was fetched after it was excluded", u)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if more := len(w.log()); more != n {
		t.Errorf("%d requests after the series had left", more-n)
	}
}

// TestMostIsShared: two crawlers keep together to the most pages of a snapshot.
func TestMostIsShared(t *testing.T) {
	t.Parallel()
	db, url := open(t)
	w := &web{page: tree(40, 7)}
	s := snapshot.Series{Seeds: []string{"http://h0.test/", "http://h1.test/"}, Scope: snapshot.Scope{Sites: []string{"test"}, MaxPages: 300}}
	// A daemon has up to its workers, four batches to be stored and two that are, under way.
	const workers, batch = 8, 4
	const inFlight = workers + workers + 6*batch
	got := takeTogether(t, db, url, w, s, setup{options: snapshot.Options{Poll: 2 * time.Second, Workers: workers, Batch: batch}})
	if n := count(t, db, `select count(*) from core.snapshot_page where snapshot_id = $1 and crawled`, got.ID); got.Status != store.SnapshotDone || n < 300 || n > 300+inFlight {
		t.Errorf("snapshot %s with %d pages, want 300, and what is in flight at the most", got.Status, n)
	}
}
