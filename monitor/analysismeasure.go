package monitor

import (
	"slices"

	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dom"
	"github.com/strandlinehq/strandline/store"
)

// measures returns what views show of a page.
func (s *pageState) measures() *store.Measures {
	m := &store.Measures{Page: s.page, Version: s.version, Origin: s.origin, Sampled: s.terms.Sampled(), Exact: s.elements.Exact(), Depth: s.elements.Depth()}
	m.Curve = curveMeasure(s.curve.Curve())
	for _, r := range s.terms.Rows() {
		w := store.TermMeasure{Term: r.Term, Share: r.PDoc, First: int32(r.First()), Last: int32(r.Last()), Versions: int32(r.Versions)}
		if r.HasPower {
			w.Power = &r.Power
		}
		m.Terms = append(m.Terms, w)
	}
	elements := s.elements.Elements()
	lifespans := make([]dom.Lifespan, len(elements))
	m.Elements = make([]store.ElementMeasure, len(elements))
	for i, e := range elements {
		lifespans[i] = e.Lifespan
		m.Elements[i] = store.ElementMeasure{Path: e.Path, First: int32(e.First), Last: int32(e.Last)}
		if e.AtPath.Contents > 0 {
			m.Elements[i].Life = ptr(e.AtPath.Life * slotHours)
		}
		if e.Travel.Contents > 0 {
			m.Elements[i].Travel = ptr(e.Travel.Life * slotHours)
		}
	}
	for _, v := range s.survival(lifespans) {
		if v.OK && s.elements.Complete() {
			m.Survival = append(m.Survival, ptr(v.Share))
		} else {
			m.Survival = append(m.Survival, nil)
		}
	}
	return m
}

// survival is the page's row of Table 4. Slots are hours.
func (s *pageState) survival(lifespans []dom.Lifespan) []dom.Survival {
	first := float64(s.last)
	for _, l := range lifespans {
		first = min(first, l.First)
	}
	return dom.Survive(slices.Values(lifespans), first*slotHours, float64(s.last)*slotHours, dom.Horizons())
}

// curveMeasure leaves out the gaps of a curve, of which a page that is rarely
// fetched has many, and describes its fit.
func curveMeasure(c curve.Curve) store.CurveMeasure {
	m := store.CurveMeasure{Full: int32(c.Full)}
	for t, n := range c.Support {
		if n > 0 {
			m.Steps, m.Dice, m.Support = append(m.Steps, int32(t)), append(m.Dice, c.Value[t]), append(m.Support, int32(n))
		}
	}
	f, shape := c.Shape()
	m.Shape = shape.String()
	switch shape {
	case curve.Knotted:
		m.KnotHours, m.KnotDice = ptr(f.X*slotHours), ptr(f.Y)
		m.Slope1, m.Slope2, m.SumErr = ptr(f.First.Slope/slotHours), ptr(f.Second.Slope/slotHours), ptr(f.SSE)
	case curve.Flat, curve.Sloped:
		m.Slope1, m.SumErr = ptr(f.Line.Slope/slotHours), ptr(f.Line.SSE)
	}
	return m
}

func ptr[T any](v T) *T { return &v }
