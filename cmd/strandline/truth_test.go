package main

import (
	"math"
	"testing"

	"github.com/strandlinehq/strandline/store"
)

// TestTruth visits pages of every rate of change, and holds what is measured of them
// against what the simulated web says (SCIENCE A7, A8, A9).
func TestTruth(t *testing.T) {
	t.Parallel()
	web, err := newOwnWeb(3)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), newDatabase(t), store.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	rows, err := measureTruth(t.Context(), db, web, web.world.Options().Epoch, 72, 6)
	if err != nil {
		t.Fatal(err)
	}
	near := func(rate, what string, c truthCell, errors float64) {
		if c.Off == nil {
			return
		}
		allowed := 1e-9
		if c.Error != nil {
			allowed += errors * *c.Error
		}
		if math.Abs(*c.Off) > allowed {
			t.Errorf("%s: %s is %v, want %v: off by more than %v", rate, what, *c.Measured, *c.Truth, allowed)
		}
	}
	for _, r := range rows {
		t.Logf("%s: %d pages", r.Rate, r.Pages)
		if r.Pages < 3 {
			t.Errorf("%s: only %d pages", r.Rate, r.Pages)
		}
		// At the same hours both see the same changes: nothing is left to chance.
		near(r.Rate, "share unchanged", r.Unchanged, 0)
		near(r.Rate, "time between changes", r.Hours, 0)
		near(r.Rate, "Dice", r.Dice, 3)
		for _, p := range r.Pairs {
			near(r.Rate, "any pair", p.Any, 0)
			near(r.Rate, "nearly all pairs", p.NearlyAll, 0)
			near(r.Rate, "all pairs", p.All, 0)
		}
		if r.Rate == "daily" || r.Rate == "weekly" { // far apart beside the visits
			near(r.Rate, "changes a day", r.PerDay, 3)
		}
	}
}
