package classes

import (
	"math"
	"time"

	"github.com/strandlinehq/strandline/crawler/adaptive"
	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dice"
)

// Page is what is known of one page.
type Page struct {
	Labels
	Changes int
	// Hours and Dice are the means over the changes of the time that the version
	// before had been there and of the Dice coefficient. They mean nothing if
	// Changes is 0.
	Hours, Dice float64
	// Visits is how many visits the rates are estimated from.
	Visits int
	// Regular is the estimate of the rate for visits at equal distance, in changes
	// an hour, which is finite even if all visits found a change:
	//
	//	-ln((n-X+0.5)/(n+0.5)) / I,  I the mean distance
	Regular float64
	// Likely is the maximum-likelihood estimate at the distances that there were,
	// in changes an hour; infinite if all visits found a change.
	Likely float64
	// Shape is that of the change curve, Unknown until the caller sets it, and with
	// it the knot of a Knotted one.
	Shape     curve.Shape
	KnotHours float64
	KnotDice  float64
}

// Visit is a visit to a page after the first one.
type Visit struct {
	After   time.Duration // since the visit before
	Changed bool
}

// Measure sums up a page. events are its changes as dice.Events gives them, of
// which the first is counted from the first fetch: its time is too short by what
// was before, as in the paper.
func Measure(labels Labels, events []dice.Event, visits []Visit) Page {
	p := Page{Labels: labels, Changes: len(events)}
	for _, e := range events {
		p.Hours += e.Elapsed.Hours()
		p.Dice += e.Dice
	}
	if n := float64(len(events)); n > 0 {
		p.Hours /= n
		p.Dice /= n
	}
	changed := 0
	var total time.Duration
	for _, v := range visits {
		if v.After <= 0 {
			continue
		}
		p.Visits++
		total += v.After
		if v.Changed {
			changed++
		}
	}
	if p.Visits > 0 {
		p.Regular = adaptive.RegularRate(p.Visits, changed, total/time.Duration(p.Visits))
		p.Likely = LikelyRate(visits)
	}
	return p
}

// LikelyRate is the maximum-likelihood estimate of the rate of a Poisson process
// of changes of which each visit tells only whether there was any since the one
// before, in changes an hour. It is the r that solves (Cho and Garcia-Molina,
// TOIT 2003)
//
//	Σ_changed t/(e^{rt}-1) = Σ_unchanged t
//
// 0 if no visit found a change, infinite if all did. Distances that are not
// positive are passed over.
func LikelyRate(visits []Visit) float64 {
	unchanged, changed, n := 0., 0., 0.
	for _, v := range visits {
		switch t := v.After.Hours(); {
		case t <= 0:
		case v.Changed:
			changed += t
			n++
		default:
			unchanged += t
		}
	}
	if n == 0 {
		return 0
	}
	if unchanged == 0 {
		return math.Inf(1)
	}
	// With 1/r - t/2 <= t/(e^{rt}-1) <= 1/r the root lies between these two.
	low, high := n/(unchanged+changed/2), n/unchanged
	for range 200 {
		r := (low + high) / 2
		if r <= low || r >= high {
			break
		}
		sum := 0.
		for _, v := range visits {
			if t := v.After.Hours(); v.Changed && t > 0 {
				sum += t / math.Expm1(r*t)
			}
		}
		if sum > unchanged {
			low = r
		} else {
			high = r
		}
	}
	return (low + high) / 2
}
