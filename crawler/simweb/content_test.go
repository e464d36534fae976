package simweb

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// replay is the slow and obvious way to an edition: apply every change from the birth on, and keep the states for
// the returns to old content.
func replay(p *page, t time.Duration) (slots []slotState, rotation int) {
	type state struct {
		slots    []slotState
		rotation int
	}
	now := state{slots: make([]slotState, p.slots)}
	shown := now
	var past []state
	ticks := allTicks(p.proc, t)
	for i, c := range ticks {
		now.slots = slices.Clone(now.slots)
		if p.moves && mix(p.seed, forMove, c.id)%4 == 0 {
			now.rotation = 1 + int(mix(p.seed, forMove, c.id, 1)%8)
		}
		d := dice{mix(p.seed, forHit, c.id)}
		hit := make(map[int]bool)
		for j, n := 0, d.between(1, 6); j < n; j++ {
			slot := (p.hotOff + d.intn(p.hot)*p.hotStep) % p.slots
			empties := j > 0 && d.chance(0.15)
			if p.kind == Product && j == 0 {
				slot = p.hotOff % p.slots
			}
			if !hit[slot] { // the first hit of a change counts
				hit[slot] = true
				now.slots[slot] = slotState{set: c, plain: j == 0, empty: empties && p.kind != Product}
			}
		}
		past = append(past, now)
		shown = now
		if p.reverts && i >= 2 && p.returning(c) && !p.returning(ticks[i-1]) && !p.returning(ticks[i-2]) {
			shown = past[i-2]
		}
	}
	return shown.slots, shown.rotation
}

func TestEditionIsTheReplayOfAllChanges(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 61, Births: 0.9, Rates: Rates{Weekly: 1, Daily: 2, Hourly: 4}}, 0)
	var moved, returned, checked int
	for i, pub := range slices.Collect(w.Pages(w.at(0), w.at(60*day))) {
		p, _ := w.find(pub.URL)
		if i%3 != 0 || p.proc.cell == 0 || p.rolling || p.born < 0 {
			continue
		}
		at := p.born + time.Duration(1+i%20)*7*time.Hour
		slots, rotation := replay(&p, at)
		e := p.edition(at)
		if diff := cmp.Diff(slots, e.slots, cmp.AllowUnexported(slotState{}, tick{})); diff != "" || rotation != e.rotation {
			t.Fatalf("%s at %s: rotation %d, want %d; slots (-replay +walk):\n%s", pub.URL, at, e.rotation, rotation, diff)
		}
		checked++
		moved += min(rotation, 1)
		if e.shown != e.last {
			returned++
		}
	}
	if checked < 50 || moved == 0 || returned == 0 {
		t.Errorf("checked %d pages, %d moved, %d returned; want some of each", checked, moved, returned)
	}
}
