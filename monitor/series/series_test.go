package series_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

func update(t testing.TB, db *store.DB, id store.SeriesID, opt series.Options) []store.SeriesSnapshot {
	t.Helper()
	out, err := series.Update(t.Context(), db, id, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAgainstTheDefinition holds classes and scores of random webs against a plain
// reading of SCIENCE T2, T3 and C5.
func TestAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		db := open(t)
		r := rand.New(rand.NewPCG(seed, 1))
		snapshots := web(r, 5, 40)
		id := newSeries(t, db, "web")
		var all []sight
		for _, s := range snapshots {
			all = append(all, s...)
		}
		load(t, db, id, all, 16)
		opt := series.Defaults()
		opt.Delta = float64(seed%3) / 10
		opt.Rules = []novelty.Rules{
			novelty.DefaultRules, novelty.DefaultRules | novelty.RuleDated, novelty.RuleKnown,
			novelty.RuleModified | novelty.RuleDated, novelty.RuleLinked, 0,
		}[seed]
		have := update(t, db, id, opt)
		if len(have) != len(snapshots) {
			t.Fatalf("seed %d: %d snapshots, want %d", seed, len(have), len(snapshots))
		}
		known := map[string]bool{}
		var before *plain
		for k, s := range have {
			want := define(snapshots[k], before, known, opt)
			if diff := cmp.Diff(want.counts, s.NoveltyCounts); diff != "" {
				t.Errorf("seed %d, snapshot %d: counts (-want +got):\n%s", seed, s.Number, diff)
			}
			if s.L2+s.OldOther+s.Unidentified != s.Pages {
				t.Errorf("seed %d, snapshot %d: %d + %d + %d pages of %d", seed, s.Number, s.L2, s.OldOther, s.Unidentified, s.Pages)
			}
			compare(t, db, s.Number, want)
			for p := range want.seen {
				known[p] = true
			}
			before = want
		}
	}
}

// compare holds the rows of a snapshot's pages against what is wanted.
func compare(t *testing.T, db *store.DB, number int, want *plain) {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `select url, class, novelty, in_links from api_v1.snapshot_page where snapshot = $1`, number)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var url, class string
		var score float64
		var in int
		if err := rows.Scan(&url, &class, &score, &in); err != nil {
			t.Fatal(err)
		}
		n++
		if class != want.class[url] || in != len(want.in[url]) || math.Abs(score-want.score[url]) > 1e-5 {
			t.Errorf("snapshot %d: %s is %s with %v and %d in-links, want %s with %v and %d", number, url, class, score, in,
				want.class[url], want.score[url], len(want.in[url]))
		}
	}
	if rows.Err() != nil || n != len(want.class) {
		t.Errorf("snapshot %d: %d pages, want %d; %v", number, n, len(want.class), rows.Err())
	}
}

// TestOrderHasNoSay imports the same captures in several orders, with updates
// between: all that is derived is the same in the end, and an import or an update
// that brings nothing changes nothing.
func TestOrderHasNoSay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	var all []sight
	for _, s := range web(r, 4, 25) {
		all = append(all, s...)
	}
	var want []string
	for round := range 4 {
		db := open(t)
		id := newSeries(t, db, "web")
		opt := series.Defaults()
		if round == 3 {
			opt.LinkBytes = 1 // read from the database in each pass
		}
		half := len(all) / 2
		load(t, db, id, all[:half], 9)
		update(t, db, id, opt)
		load(t, db, id, all[half:], 9)
		update(t, db, id, opt)
		got := dump(t, db)
		if round == 0 {
			want = got
			if len(want) < 100 {
				t.Fatalf("only %d rows", len(want))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d (-want +got):\n%s", round, diff)
		}
		load(t, db, id, all, 50)
		for _, s := range update(t, db, id, opt) {
			again, err := db.Snapshot(t.Context(), s.ID)
			if err != nil || !again.ComputedAt.Equal(s.ComputedAt) {
				t.Errorf("snapshot %d was computed again: %v", s.Number, err)
			}
		}
		if diff := cmp.Diff(want, dump(t, db)); diff != "" {
			t.Fatalf("round %d, imported again (-want +got):\n%s", round, diff)
		}
		if _, err := series.Recompute(t.Context(), db, id, series.All, opt); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, dump(t, db)); diff != "" {
			t.Fatalf("round %d, computed again (-want +got):\n%s", round, diff)
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
}

// TestCaptureBetween: a capture that closes the gap between two snapshots makes
// them one, and one before all others moves the numbers.
func TestCaptureBetween(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	at := func(hours int) sight {
		return sight{url: "http://a.test/", at: epoch.Add(time.Duration(hours) * time.Hour), links: []string{"http://a.test/x"}}
	}
	starts := func() (out []int) {
		for _, s := range update(t, db, id, series.Defaults()) {
			out = append(out, int(s.StartedAt.Sub(epoch).Hours()))
		}
		return out
	}
	load(t, db, id, []sight{at(0), at(23), at(47), at(70)}, 9)
	if diff := cmp.Diff([]int{0, 47}, starts()); diff != "" {
		t.Errorf("a day apart (-want +got):\n%s", diff)
	}
	load(t, db, id, []sight{at(40)}, 9)
	if diff := cmp.Diff([]int{0}, starts()); diff != "" {
		t.Errorf("closed (-want +got):\n%s", diff)
	}
	load(t, db, id, []sight{at(-100)}, 9)
	if diff := cmp.Diff([]int{-100, 0}, starts()); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	if err := db.SetGap(t.Context(), id, time.Hour); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{-100, 0, 23, 40, 47, 70}, starts()); diff != "" {
		t.Errorf("another gap (-want +got):\n%s", diff)
	}
}

// TestCrawledSnapshots: what a crawl writes is computed as imports are, one that
// failed counts for nothing, one that runs is left alone.
func TestCrawledSnapshots(t *testing.T) {
	t.Parallel()
	db := open(t)
	s, err := db.EnsureSeries(t.Context(), "crawl", nil)
	if err != nil {
		t.Fatal(err)
	}
	crawl := func(day int, status store.SnapshotStatus, sights ...sight) store.SnapshotID {
		t.Helper()
		start := epoch.AddDate(0, 0, day)
		id, err := db.StartSnapshot(t.Context(), s.ID, time.Time{}, start)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range sights {
			x.at = start.Add(time.Duration(i) * time.Second)
			crawlInto(t, db, id, x)
		}
		if status != store.SnapshotRunning {
			if err := db.EndSnapshot(t.Context(), id, status, start.Add(time.Hour), ""); err != nil {
				t.Fatal(err)
			}
		}
		return id
	}
	home := func(links ...string) sight { return sight{url: "http://a.test/", links: links} }
	crawl(0, store.SnapshotDone, home("http://a.test/old"))
	crawl(1, store.SnapshotFailed)
	crawl(2, store.SnapshotCutShort, home("http://a.test/new"), sight{url: "http://a.test/new"}, sight{url: "http://a.test/old"})
	crawl(3, store.SnapshotRunning, home())
	got := update(t, db, s.ID, series.Defaults())
	var counts []store.NoveltyCounts
	for _, s := range got {
		counts = append(counts, s.NoveltyCounts)
	}
	want := []store.NoveltyCounts{
		{Pages: 1, Links: 1, Fringe: 1, Unidentified: 1},
		{},
		{Pages: 3, Links: 1, L2: 1, OldOther: 1, Unidentified: 1},
		{},
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if !got[1].ComputedAt.IsZero() || !got[3].ComputedAt.IsZero() {
		t.Error("a failed or running snapshot was computed")
	}
	if _, err := series.Recompute(t.Context(), db, s.ID, 4, series.Defaults()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("computing a running snapshot: %v, want ErrNotFound", err)
	}
}

// TestTraps: pages of endless spaces are no part of W, and their links none of the
// snapshot (SCIENCE T16).
func TestTraps(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	trap := "http://a.test/x/x/x/x"
	load(t, db, id, []sight{
		{url: "http://a.test/", at: epoch, links: []string{trap}},
		{url: trap, at: epoch, links: []string{"http://a.test/y"}},
	}, 9)
	got := update(t, db, id, series.Defaults())
	if diff := cmp.Diff(store.NoveltyCounts{Pages: 1, Links: 1, Fringe: 1, Traps: 1, Unidentified: 1}, got[0].NoveltyCounts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}
