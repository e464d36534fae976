package main

import (
	"testing"
	"time"

	"github.com/strandlinehq/strandline/store"
)

func emptyDatabase(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), newDatabase(t), store.Options{MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func bornTestWeb(t *testing.T, seed uint64, hosts int) *bornWeb {
	t.Helper()
	web, err := ownBornWeb(bornWorld(seed, hosts, 60, 84*24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	web.away = awayShare(.3, seed)
	return web
}

// TestNoveltyAgainstTruth crawls a simulated web with births and deaths six times,
// each time without another 30 % of its hosts, and holds the pages judged novel, and
// the intervals of birth, against when the pages appeared (SCIENCE T7, 3.2).
func TestNoveltyAgainstTruth(t *testing.T) {
	t.Parallel()
	out, err := measureBorn(t.Context(), emptyDatabase(t), bornTestWeb(t, 5, 20), bornOptions{
		Snapshots: 6, Every: 14 * 24 * time.Hour, Deltas: []float64{0, .1, .3}, Thresholds: []float64{anyPositive, .01, .1, .3, .5},
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range out.Snapshots {
		if s.L2+s.OldOther+s.Unidentified != s.Pages || s.Pages == 0 {
			t.Errorf("snapshot %d: %d + %d + %d of %d pages", k+1, s.L2, s.OldOther, s.Unidentified, s.Pages)
		}
	}
	for _, r := range out.Accuracy {
		t.Logf("%s: %d of %d pages first seen are new, precision %.3f", r.Rules, r.New, r.Unidentified, r.Baseline)
		for _, j := range r.Judged {
			if j.Precision == nil {
				t.Errorf("delta %g, threshold %g judges nothing", j.Delta, j.Threshold)
				continue
			}
			t.Logf("  delta %g, threshold %g: %d judged, precision %.3f, recall %.3f", j.Delta, j.Threshold, j.Judged, *j.Precision, j.Recall)
			// "First seen is new" calls new whatever was not known; the rules may have told some of it already.
			if first := out.Accuracy[0].Baseline; *j.Precision < first+.1 || *j.Precision <= r.Baseline {
				t.Errorf("%s, delta %g, threshold %g: precision %.3f, want .1 more than %.3f, and more than %.3f", r.Rules, j.Delta, j.Threshold, *j.Precision, first, r.Baseline)
			}
		}
		if r.Unidentified < 100 || r.Judged[1].Judged < 30 {
			t.Errorf("%d pages, %d of them judged novel: too few to say anything", r.Unidentified, r.Judged[1].Judged)
		}
	}
	b := out.Births
	t.Logf("births: %+v", b)
	if b.Pages < 100 || b.Covered < .87 || b.Covered > .97 || b.Brier >= b.Baseline {
		t.Errorf("intervals of birth: %+v", b)
	}
}

// TestOrderAgainstTruth holds the order by novelty against breadth-first order on
// the same webs, with a quarter of the fetches that they would take. What a crawl
// of many workers comes to by then varies, so that several are added up.
func TestOrderAgainstTruth(t *testing.T) {
	t.Parallel()
	var fresh, fetches [2]float64
	for seed := range uint64(3) {
		for i, novel := range []bool{false, true} {
			got, err := measureOrder(t.Context(), emptyDatabase(t), bornTestWeb(t, 5+seed, 16), bornOptions{Snapshots: 4, Every: 14 * 24 * time.Hour}, .25, novel)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", *got)
			fresh[i] += float64(got.New)
			fetches[i] += float64(got.Fetches)
		}
	}
	first, novel := 1000*fresh[0]/fetches[0], 1000*fresh[1]/fetches[1]
	if novel < 1.5*first || fresh[0] == 0 {
		t.Errorf("%.0f new pages in 1,000 fetches by novelty, %.0f breadth-first: want 1.5 times as many", novel, first)
	}
}
