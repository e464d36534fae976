package analyze

import (
	"time"

	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dice"
)

// Change is a change of the text (SCIENCE A9, C2).
type Change struct {
	Version int       `json:"version"` // that it led to, counted from 1
	Time    time.Time `json:"time"`    // of the fetch that saw it
	Hours   float64   `json:"hours"`   // since the change before, or the first fetch
	Dice    float64   `json:"dice"`
}

// changes are measured on all captures, not on the grid.
func changes(h *history, sets map[*content]dice.WordSet) []Change {
	if len(h.shown) == 0 {
		return nil
	}
	out := []Change{}
	var tracker dice.Tracker
	var before *content
	version := 0
	for _, s := range h.shown {
		if s.content == before {
			continue
		}
		before = s.content
		version++
		e, ok := tracker.Add(dice.Version{At: s.at, Text: string(s.text[:]), Words: sets[s.content]})
		if ok {
			out = append(out, Change{Version: version, Time: e.At, Hours: e.Elapsed.Hours(), Dice: e.Dice})
		}
	}
	return out
}

// Point is a point of the change curve (SCIENCE A15). Steps without any pair of
// versions are left out.
type Point struct {
	Step    int     `json:"step"`
	Hours   float64 `json:"hours"`
	Dice    float64 `json:"dice"`
	Support int     `json:"support"` // starts that have a version so much later
}

// Knot is the best pair of lines on the change curve, whatever its shape
// (SCIENCE A17, A18).
type Knot struct {
	Shape  string  `json:"shape"` // flat, sloped or knotted
	Hours  float64 `json:"hours"`
	Dice   float64 `json:"dice"`
	Slope1 float64 `json:"slope1"` // Dice an hour, before the knot
	Slope2 float64 `json:"slope2"`
}

// changeCurve gives no knot for a curve of less than three points.
func changeCurve(h *history, sets map[*content]dice.WordSet) ([]Point, *Knot) {
	n := h.window()
	if n == 0 || n > maxSlots {
		return nil, nil
	}
	versions := make([]dice.WordSet, n)
	slots := make([]int, len(h.grid))
	for i, s := range h.grid {
		versions[s.slot], slots[i] = sets[s.content], s.slot
	}
	c := curve.Of(versions, curve.Starts(h.url, slots, curve.Options{}))
	points := []Point{}
	for t, support := range c.Support {
		if support > 0 {
			points = append(points, Point{Step: t, Hours: float64(t), Dice: c.Value[t], Support: support})
		}
	}
	fit, shape := c.Shape()
	if shape == curve.Unknown {
		return points, nil
	}
	return points, &Knot{Shape: shape.String(), Hours: fit.X, Dice: fit.Y, Slope1: fit.First.Slope, Slope2: fit.Second.Slope}
}
