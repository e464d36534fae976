package classes

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/monitor/curve"
)

// Class is a row of paper A's Table 1 (SCIENCE A10, A19). Means and medians
// of hours and Dice are over the pages that changed and mean nothing if there
// are none.
type Class struct {
	Kind      Kind
	Name      string // "" for all pages
	Pages     int
	Unchanged int // pages without a change

	HoursMean, HoursMedian float64 // of the pages' mean times
	DiceMean, DiceMedian   float64 // of the pages' mean coefficients

	// The rates are over the pages that were visited again, changed or not, in
	// changes an hour.
	Rated                      int // pages with visits
	RegularMean, RegularMedian float64
	// LikelyMean and LikelyMedian leave out the Unbounded pages of which every
	// visit found a change, whose rate is beyond what the visits can tell.
	Unbounded                int
	LikelyMean, LikelyMedian float64

	// Curves of each shape, and the knots of the knotted ones.
	Flat, Sloped, Knotted          int
	KnotHoursMean, KnotHoursMedian float64
	KnotDiceMean, KnotDiceMedian   float64
}

// Summarise forms the rows of the classes of one kind: depths and visitors
// ascending, the others by pages, most first, then by name.
func Summarise(pages []Page, kind Kind) []Class {
	of := group(pages, kind)
	out := make([]Class, 0, len(of))
	for name, list := range of {
		out = append(out, summarise(list, kind, name))
	}
	slices.SortFunc(out, func(a, b Class) int {
		if kind == Depth || kind == Visitors {
			return cmp.Compare(order(a.Name), order(b.Name))
		}
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// Total is the row of all pages.
func Total(pages []Page) Class { return summarise(slices.Clone(pages), "", "") }

func group(pages []Page, kind Kind) map[string][]Page {
	of := map[string][]Page{}
	for _, p := range pages {
		if name := p.Of(kind); name != "" {
			of[name] = append(of[name], p)
		}
	}
	return of
}

func summarise(pages []Page, kind Kind, name string) Class {
	c := Class{Kind: kind, Name: name, Pages: len(pages)}
	var hours, coefficients, regular, likely, knotHours, knotDice []float64
	for _, p := range pages {
		if p.Changes == 0 {
			c.Unchanged++
		} else {
			hours = append(hours, p.Hours)
			coefficients = append(coefficients, p.Dice)
		}
		switch p.Shape {
		case curve.Flat:
			c.Flat++
		case curve.Sloped:
			c.Sloped++
		case curve.Knotted:
			c.Knotted++
			knotHours, knotDice = append(knotHours, p.KnotHours), append(knotDice, p.KnotDice)
		}
		if p.Visits == 0 {
			continue
		}
		c.Rated++
		regular = append(regular, p.Regular)
		if math.IsInf(p.Likely, 1) {
			c.Unbounded++
		} else {
			likely = append(likely, p.Likely)
		}
	}
	c.HoursMean, c.HoursMedian = centre(hours)
	c.DiceMean, c.DiceMedian = centre(coefficients)
	c.RegularMean, c.RegularMedian = centre(regular)
	c.LikelyMean, c.LikelyMedian = centre(likely)
	c.KnotHoursMean, c.KnotHoursMedian = centre(knotHours)
	c.KnotDiceMean, c.KnotDiceMedian = centre(knotDice)
	return c
}

// centre gives mean and median, in an order of sums that does not depend on the
// order of the pages; zeros of nothing.
func centre(x []float64) (mean, median float64) {
	if len(x) == 0 {
		return 0, 0
	}
	slices.Sort(x)
	for _, v := range x {
		mean += v
	}
	n := len(x)
	return mean / float64(n), (x[(n-1)/2] + x[n/2]) / 2
}

// names gives the classes of a grouping by their sizes, largest first.
func names(of map[string][]float64) []string {
	out := slices.Collect(maps.Keys(of))
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(of[b]), len(of[a])), cmp.Compare(a, b))
	})
	return out
}
