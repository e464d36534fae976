package series_test

import (
	"testing"

	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

func TestUnlike(t *testing.T) {
	t.Parallel()
	computed := func(number int, delta float64, rules ...string) store.SeriesSnapshot {
		return store.SeriesSnapshot{Number: number, Delta: delta, Rules: rules, ComputedAt: epoch, NoveltyCounts: store.NoveltyCounts{Pages: 1}}
	}
	for _, test := range []struct {
		name string
		all  []store.SeriesSnapshot
		want string
	}{
		{"none", nil, ""},
		{"the first has no novelty", []store.SeriesSnapshot{computed(1, .3, "seen"), computed(2, .1, "seen"), computed(3, .1, "seen")}, ""},
		{"not computed, and without pages", []store.SeriesSnapshot{computed(1, .1), computed(2, .1), {Number: 3}, {Number: 4, ComputedAt: epoch}, computed(5, .1)}, ""},
		{
			"deltas",
			[]store.SeriesSnapshot{computed(1, .1, "seen"), computed(2, .1, "seen"), computed(3, .1, "seen"), computed(4, .2, "seen")},
			"Novelty is not computed alike in all snapshots: 4 by delta 0.2; the others by delta 0.1. A threshold does not mean the same in them ('strandline novelty --all' makes them alike).",
		},
		{
			"rules",
			[]store.SeriesSnapshot{
				computed(1, 0), computed(2, 0), computed(3, 0, "seen", "own-date"), computed(4, 0), computed(5, 0), computed(6, 0), computed(7, 0, "seen", "own-date"), computed(8, 0, "seen", "own-date"),
				computed(9, 0, "seen", "own-date"), computed(10, 0),
			},
			"Novelty is not computed alike in all snapshots: 3, 7 to 9 by rules seen, own-date; the others by rules none. A threshold does not mean the same in them ('strandline novelty --all' makes them alike).",
		},
	} {
		if got := series.Unlike(test.all); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
