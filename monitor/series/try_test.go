package series_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// TestTry wants what Try computes to be what is stored when the series is computed by the
// same parameters, and nothing to be stored by it.
func TestTry(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	for _, s := range web(rand.New(rand.NewPCG(3, 1)), 4, 40) {
		load(t, db, id, s, 16)
	}
	opt := series.Defaults()
	opt.Rules = novelty.DefaultRules | novelty.RuleDated
	update(t, db, id, opt)
	before := dump(t, db)
	got := map[float64]map[int]*store.NoveltyResult{}
	for _, delta := range []float64{.1, .35} {
		var err error
		if got[delta], err = series.Try(t.Context(), db, id, series.Trial{Deltas: []float64{delta}}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, dump(t, db)); diff != "" {
		t.Errorf("a trial has changed what is stored (-before +after):\n%s", diff)
	}
	opt.Deltas = []float64{.1, .35}
	if _, err := series.Recompute(t.Context(), db, id, 0, opt); err != nil {
		t.Fatal(err)
	}
	stored, err := db.Novelty(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for delta, results := range got {
		for number, res := range results {
			all := stored[number]
			if all == nil {
				all = &store.NoveltyResult{} // the first snapshot has nothing to be told from
			}
			want := &store.NoveltyResult{
				Convergence:  slices.DeleteFunc(slices.Clone(all.Convergence), func(s store.NoveltyStep) bool { return s.Delta != delta }),
				Distribution: slices.DeleteFunc(slices.Clone(all.Distribution), func(s store.NoveltyBin) bool { return s.Delta != delta }),
				Truths:       slices.DeleteFunc(slices.Clone(all.Truths), func(s store.NoveltyTruth) bool { return s.Truth != "url" }),
				Accuracy:     slices.DeleteFunc(slices.Clone(all.Accuracy), func(s store.NoveltyAccuracy) bool { return s.Delta != delta || s.Truth != "url" }),
			}
			if diff := cmp.Diff(want, res); diff != "" {
				t.Errorf("delta %v, snapshot %d (-stored +tried):\n%s", delta, number, diff)
			}
			if number > 1 && len(res.Convergence) == 0 {
				t.Errorf("delta %v, snapshot %d: nothing was tried", delta, number)
			}
		}
		if len(results) != 4 {
			t.Errorf("delta %v: %d snapshots, want 4", delta, len(results))
		}
	}
}
