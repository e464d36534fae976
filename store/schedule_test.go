package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// watching makes a watch whose pages are due the given time after they join.
func watching(name string, due time.Duration, urls ...string) store.WatchSpec {
	return store.WatchSpec{
		Name: name, Timing: due.String(), Every: time.Hour, Pages: urls,
		First: func(_ string, now time.Time) (time.Time, time.Time, error) {
			return now.Truncate(time.Hour), now.Add(due), nil
		},
	}
}

func apply(t testing.TB, db *store.DB, now time.Time, specs ...store.WatchSpec) store.Applied {
	t.Helper()
	got, err := db.SetWatches(t.Context(), now, specs)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// dues returns when each page is due, in minutes after the epoch; -1 for never.
func dues(t testing.TB, db *store.DB) map[string]int {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `select url, next_due_at from core.page_schedule join core.page using (bucket, page_id)`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var url string
		var at *time.Time
		if err := rows.Scan(&url, &at); err != nil {
			t.Fatal(err)
		}
		out[url] = -1
		if at != nil {
			out[url] = int(at.Sub(epoch) / time.Minute)
		}
	}
	return out
}

func wantDues(t testing.TB, db *store.DB, what string, want map[string]int) {
	t.Helper()
	if diff := cmp.Diff(want, dues(t, db)); diff != "" {
		t.Errorf("%s: pages due (-want +got):\n%s", what, diff)
	}
}

const (
	pageA = "http://a.test/"
	pageB = "http://b.test/"
	pageC = "http://c.test/"
)

// TestSetWatches applies one configuration after the other and looks when the pages
// are due: always at the earliest of the watches that want them.
func TestSetWatches(t *testing.T) {
	t.Parallel()
	db := open(t)
	minute := time.Minute
	got := apply(t, db, epoch, watching("x", 10*minute, pageA, pageB), watching("y", 5*minute, pageB, pageC))
	if diff := cmp.Diff([]any{[]string{"x", "y"}, 4, 0, 2}, []any{got.Added, got.Joined, got.Left, len(got.Watches)}); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}
	wantDues(t, db, "first", map[string]int{pageA: 10, pageB: 5, pageC: 5})

	got = apply(t, db, epoch.Add(time.Minute), watching("x", 10*minute, pageA, pageB), watching("y", 5*minute, pageB, pageC))
	if len(got.Added)+len(got.Changed)+len(got.Paused)+got.Joined+got.Left != 0 {
		t.Errorf("the same again changes %+v", got)
	}
	wantDues(t, db, "the same again", map[string]int{pageA: 10, pageB: 5, pageC: 5})

	got = apply(t, db, epoch.Add(2*minute), watching("x", 10*minute, pageA, pageC), watching("y", 30*minute, pageB, pageC))
	if diff := cmp.Diff([]any{[]string{"x", "y"}, 1, 1}, []any{got.Changed, got.Joined, got.Left}); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	wantDues(t, db, "changed", map[string]int{pageA: 10, pageB: 32, pageC: 12})

	got = apply(t, db, epoch.Add(3*minute), watching("y", 30*minute, pageB, pageC))
	if !slices.Equal(got.Paused, []string{"x"}) {
		t.Errorf("paused: %v", got.Paused)
	}
	wantDues(t, db, "paused", map[string]int{pageA: -1, pageB: 32, pageC: 32})

	got = apply(t, db, epoch.Add(4*minute), watching("x", 10*minute, pageA, pageC), watching("y", 30*minute, pageB, pageC))
	if !slices.Equal(got.Added, []string{"x"}) || len(got.Watches) != 2 {
		t.Errorf("taken up again: %+v", got)
	}
	wantDues(t, db, "taken up again", map[string]int{pageA: 14, pageB: 32, pageC: 14})
}

// TestEditKeepsLastFetch edits a schedule twice: pages that were fetched are due by their last fetch, those of a source
// too, and the others at once. So it is with a watch that is taken up again.
func TestEditKeepsLastFetch(t *testing.T) {
	t.Parallel()
	db := open(t)
	minute := time.Minute
	const sourced = "http://d.test/"
	edited := func(after time.Duration) store.WatchSpec {
		w := watching("x", 10*minute, pageA, pageB)
		w.Timing = after.String()
		w.Again = func(_ string, last, _ time.Time) (time.Time, time.Time, error) { return last, last.Add(after), nil }
		return w
	}
	id := apply(t, db, epoch, edited(30*minute)).Watches[0].ID
	if _, _, err := db.SetSource(t.Context(), id, "http://d.test/map.xml", []string{sourced}, epoch, edited(0).First); err != nil {
		t.Fatal(err)
	}
	wantDues(t, db, "joined", map[string]int{pageA: 10, pageB: 10, sourced: 10})
	ids, err := db.ResolvePages(t.Context(), []store.Sighting{{URL: pageA, At: epoch}, {URL: sourced, At: epoch}})
	if err != nil {
		t.Fatal(err)
	}
	for url, at := range map[string]time.Duration{pageA: 11 * minute, sourced: 12 * minute} {
		if _, err := db.Pool().Exec(t.Context(), `insert into core.page_state (page_id, bucket, last_fetched) values ($1, $2, $3)`, ids[url], ids[url].Bucket(), epoch.Add(at)); err != nil {
			t.Fatal(err)
		}
	}
	now := epoch.Add(20 * minute)
	apply(t, db, now, edited(60*minute))
	wantDues(t, db, "edited", map[string]int{pageA: 71, pageB: 30, sourced: 72})
	apply(t, db, now, edited(600*minute))
	wantDues(t, db, "edited again", map[string]int{pageA: 611, pageB: 30, sourced: 612})
	apply(t, db, now)
	wantDues(t, db, "paused", map[string]int{pageA: -1, pageB: -1, sourced: -1})
	apply(t, db, now, edited(600*minute))
	wantDues(t, db, "taken up again", map[string]int{pageA: 611, pageB: 30, sourced: 612})
}

// TestSetWatchesAllOrNothing has a fault in the last watch, which leaves everything
// as it was.
func TestSetWatchesAllOrNothing(t *testing.T) {
	t.Parallel()
	db := open(t)
	apply(t, db, epoch, watching("x", 10*time.Minute, pageA))
	bad := watching("z", time.Minute, pageC)
	bad.Config = []byte("{no json")
	if _, err := db.SetWatches(t.Context(), epoch, []store.WatchSpec{watching("x", time.Minute, pageA, pageB), bad}); err == nil {
		t.Fatal("a watch that cannot be stored makes no error")
	}
	wantDues(t, db, "after the fault", map[string]int{pageA: 10})
}

// TestFirstFails sets a page aside whose schedule cannot be computed, until the
// configuration is applied again.
func TestFirstFails(t *testing.T) {
	t.Parallel()
	db := open(t)
	broken := watching("x", time.Minute, pageA)
	first := broken.First
	broken.First = func(string, time.Time) (a, b time.Time, err error) { return a, b, errors.New("unknown time zone") }
	if got := apply(t, db, epoch, broken); got.SetAside != 1 {
		t.Errorf("%d pages set aside, want 1", got.SetAside)
	}
	wantDues(t, db, "broken", map[string]int{pageA: -1})
	health, err := db.ScheduleHealth(t.Context())
	if err != nil || len(health) != 1 || health[0].SetAside != 1 || health[0].Reason != "unknown time zone" {
		t.Errorf("health %+v, %v", health, err)
	}
	broken.First = first
	apply(t, db, epoch, broken)
	wantDues(t, db, "mended", map[string]int{pageA: 1})
}

func TestSetSource(t *testing.T) {
	t.Parallel()
	db := open(t)
	w := watching("x", time.Minute, pageA)
	id := apply(t, db, epoch, w).Watches[0].ID
	for i, step := range []struct {
		urls         []string
		joined, left int
		want         map[string]int
	}{
		{[]string{pageA, pageB}, 1, 0, map[string]int{pageA: 1, pageB: 1}},
		{[]string{pageC}, 1, 1, map[string]int{pageA: 1, pageB: -1, pageC: 3}},
		{[]string{pageC, pageB}, 1, 0, map[string]int{pageA: 1, pageB: 5, pageC: 3}},
	} {
		joined, left, err := db.SetSource(t.Context(), id, "feed", step.urls, epoch.Add(time.Duration(2*i)*time.Minute), w.First)
		if err != nil || joined != step.joined || left != step.left {
			t.Errorf("step %d: %d joined, %d left, %v; want %d and %d", i, joined, left, err, step.joined, step.left)
		}
		wantDues(t, db, fmt.Sprint("step ", i), step.want)
	}
}

// TestClaim leases each due page once, to one of two daemons, and again only when
// the lease ran out or its holder is known to be dead.
func TestClaim(t *testing.T) {
	t.Parallel()
	db := open(t)
	apply(t, db, epoch, watching("x", time.Minute, pageA, pageB), watching("y", time.Hour, pageC))
	now := epoch.Add(2 * time.Minute)
	claim := func(daemon int32, at time.Time, dead ...int32) []*store.Claim {
		t.Helper()
		got, next, err := db.Claim(t.Context(), store.ClaimRequest{Daemon: daemon, Now: at, Horizon: at, Until: at.Add(time.Minute), Limit: 10, Dead: dead})
		if err != nil {
			t.Fatal(err)
		}
		if want := epoch.Add(time.Hour); !next.Equal(want) {
			t.Errorf("next due at %s, want %s", next, want)
		}
		return got
	}
	first := claim(1, now)
	if len(first) != 2 || first[0].URL == "" || first[0].Host == "" || len(first[0].Watches) != 1 || first[0].Before != 0 {
		t.Fatalf("first claim: %+v", first)
	}
	if got := claim(2, now); len(got) != 0 {
		t.Errorf("leased pages were claimed: %+v", got[0])
	}
	if got := claim(2, now, 1); len(got) != 2 || got[0].Before != 1 {
		t.Errorf("of the dead daemon's 2 pages %d were claimed", len(got))
	}
	if got := claim(3, now.Add(2*time.Minute)); len(got) != 2 || got[0].Before != 2 {
		t.Errorf("%d of 2 pages whose lease ran out were claimed", len(got))
	}
	// The first daemon wakes up: it has lost its leases and moves nothing in the schedule.
	complete := func(daemon int32) {
		t.Helper()
		var done []store.Completion
		for _, c := range first {
			w := c.Watches[0]
			w.Slot, w.Due = w.Slot.Add(time.Hour), w.Due.Add(2*time.Hour)
			done = append(done, store.Completion{Page: c.Page, Watches: []store.WatchDue{w}})
		}
		_, err := db.WriteWith(t.Context(), nil, func(ctx context.Context, tx *store.Tx, _ []store.Stored) error {
			return tx.Complete(ctx, daemon, now, done)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	complete(1)
	wantDues(t, db, "completed by who lost the lease", map[string]int{pageA: 1, pageB: 1, pageC: 60})
	complete(3)
	wantDues(t, db, "completed", map[string]int{pageA: 121, pageB: 121, pageC: 60})
}

// TestWriteWithFails stores nothing of a batch when what goes with it fails.
func TestWriteWithFails(t *testing.T) {
	t.Parallel()
	db := open(t)
	_, err := db.WriteWith(t.Context(), []*store.Capture{capture(pageA, 0, "content")}, func(context.Context, *store.Tx, []store.Stored) error {
		return errors.New("no")
	})
	if err == nil {
		t.Fatal("no error")
	}
	var n int
	if err := db.Pool().QueryRow(t.Context(), `select count(*) from core.fetch`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d fetches are stored (%v)", n, err)
	}
}

// TestBuckets shares the buckets among daemons that come and go.
func TestBuckets(t *testing.T) {
	t.Parallel()
	db := open(t)
	ids := map[string]int32{}
	held := map[string][]int32{}
	renew := func(name string, at time.Time, give []int32, dead ...int32) store.BucketLeases {
		t.Helper()
		if ids[name] == 0 {
			id, err := db.RegisterDaemon(t.Context(), "h", 1, at, at.Add(time.Minute), 1)
			if err != nil {
				t.Fatal(err)
			}
			ids[name] = id
		}
		got, err := db.TakeBuckets(t.Context(), store.BucketRequest{Daemon: ids[name], Now: at, Until: at.Add(time.Minute), Speed: 1, Give: give, Dead: dead})
		if err != nil {
			t.Fatal(err)
		}
		held[name] = got.Buckets
		return got
	}
	if got := renew("a", epoch, nil); len(got.Buckets) != store.Buckets || got.Surplus != 0 {
		t.Errorf("alone: %d buckets, %d too many", len(got.Buckets), got.Surplus)
	}
	if got := renew("b", epoch, nil); len(got.Buckets) != 0 || got.Daemons != 2 {
		t.Errorf("second: %d buckets of %d daemons", len(got.Buckets), got.Daemons)
	}
	got := renew("a", epoch, nil)
	if got.Surplus != store.Buckets/2 {
		t.Errorf("first: %d too many", got.Surplus)
	}
	renew("a", epoch, held["a"][:got.Surplus])
	renew("b", epoch, nil)
	if len(held["a"]) != store.Buckets/2 || len(held["b"]) != store.Buckets/2 {
		t.Errorf("shared: %d and %d", len(held["a"]), len(held["b"]))
	}
	for _, b := range held["b"] {
		if slices.Contains(held["a"], b) {
			t.Fatalf("bucket %d is held twice", b)
		}
	}
	// A daemon that is known to be dead is inherited at once, another when its leases run out.
	if got := renew("a", epoch, nil, ids["b"]); len(got.Buckets) != store.Buckets {
		t.Errorf("after the other died: %d buckets", len(got.Buckets))
	}
	if got := renew("c", epoch.Add(2*time.Minute), nil); len(got.Buckets) != store.Buckets {
		t.Errorf("after leases ran out: %d buckets", len(got.Buckets))
	}
	if err := db.StopDaemon(t.Context(), ids["c"], epoch.Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if all, err := db.Daemons(t.Context(), epoch.Add(2*time.Minute)); err != nil || len(all) != 0 {
		t.Errorf("daemons alive at the end: %+v, %v", all, err)
	}
}

// TestClockSlows asks what time it is for the schedule after a daemon's clock became slower
// than it was at the start, as that of a demo on a busy machine does.
func TestClockSlows(t *testing.T) {
	t.Parallel()
	db := open(t)
	id, err := db.RegisterDaemon(t.Context(), "h", 1, epoch, epoch.Add(time.Hour), 1e6)
	if err != nil {
		t.Fatal(err)
	}
	at := epoch.Add(time.Minute)
	if _, err := db.TakeBuckets(t.Context(), store.BucketRequest{Daemon: id, Now: at, Until: at.Add(time.Hour), Speed: 0}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Work(t.Context())
	if err != nil || !s.Now.Equal(at) {
		t.Errorf("the schedule has %s, want %s: %v", s.Now, at, err)
	}
}
