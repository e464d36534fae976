package dom

import (
	"iter"
	"slices"
)

// Lifespan is how long an element was seen: the times of the first version and
// of the last that have its path, whatever was in between (SCIENCE A28).
type Lifespan struct {
	Path        string
	First, Last float64 // hours, or numbers of versions
}

// Lifespans returns the lifespans of all paths, ascending by path, from lines
// sorted by FullPath and Version (paper A section 5.2).
func Lifespans(sorted iter.Seq[Line]) iter.Seq[Lifespan] {
	return func(yield func(Lifespan) bool) {
		var l Lifespan
		some := false
		for line := range sorted {
			if some && line.FullPath == l.Path {
				l.Last = line.Version
				continue
			}
			if some && !yield(l) {
				return
			}
			some = true
			l = Lifespan{line.FullPath, line.Version, line.Version}
		}
		if some {
			yield(l)
		}
	}
}

// Horizons are those of paper A's Table 4, in hours: 2 hours, a day, and 1, 2, 4
// and 5 weeks.
func Horizons() []float64 { return []float64{2, 24, 168, 336, 672, 840} }

// Survival is the share of a page's elements that survive a horizon.
type Survival struct {
	Horizon float64 // hours
	Share   float64 // of the base
	OK      bool    // false if Share is undefined
}

// settled is how long, in hours, an element has to be seen to count: those that
// go sooner are formatting, not structure (paper A section 5.2).
const settled = 1

// Survive computes a page's row of Table 4 (SCIENCE A28). The base are the paths
// of the first version that are still seen an hour or more later; those survive
// the horizon h that are last seen at h after the first version or later. A path
// that goes and comes back did not go, so survival does not rise with h.
//
// first and last are the times of the page's first and last version in hours. A
// horizon is undefined if the observation ends before it or the base is empty.
func Survive(lifespans iter.Seq[Lifespan], first, last float64, horizons []float64) []Survival {
	const rounding = 1e-9 // hours; times may be sums
	base, survivors := 0, make([]int, len(horizons))
	for l := range lifespans {
		if l.First > first+rounding || l.Last < first+settled-rounding {
			continue
		}
		base++
		for i, h := range horizons {
			if l.Last >= first+h-rounding {
				survivors[i]++
			}
		}
	}
	out := make([]Survival, len(horizons))
	for i, h := range horizons {
		out[i].Horizon = h
		if base > 0 && last >= first+h-rounding {
			out[i].Share, out[i].OK = float64(survivors[i])/float64(base), true
		}
	}
	return out
}

// SurvivalOver summarises one horizon over many pages.
type SurvivalOver struct {
	Horizon      float64
	Pages        int // for which it is defined
	Mean, Median float64
}

// SummariseSurvival forms the rows of Table 4 over pages, each as Survive returned it for
// the same horizons. Horizons that are defined for no page are left out.
func SummariseSurvival(pages [][]Survival) []SurvivalOver {
	var out []SurvivalOver
	for i := 0; ; i++ {
		var shares []float64
		o, more := SurvivalOver{}, false
		for _, p := range pages {
			if i < len(p) {
				more = true
				o.Horizon = p[i].Horizon
				if p[i].OK {
					shares = append(shares, p[i].Share)
					o.Mean += p[i].Share
				}
			}
		}
		if !more {
			return out
		}
		n := len(shares)
		if n == 0 {
			continue
		}
		slices.Sort(shares)
		o.Pages, o.Mean, o.Median = n, o.Mean/float64(n), (shares[(n-1)/2]+shares[n/2])/2
		out = append(out, o)
	}
}
