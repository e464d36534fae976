package adaptive

import "math"

// Optimum returns the visits an hour for each page, evenly spaced, that make the
// importance-weighted freshness greatest, and that freshness (SCIENCE 2.1; Cho
// and Garcia-Molina, TODS 2003). With x = d/r changes between visits
//
//	F = sum m (1-e^{-x})/x / sum m
//	m/d (1 - e^{-x} (1+x)) = lambda  for all visited pages,  sum r = budget
//
// Rates and budget share one unit of time, here the hour. Pages that change too
// often for what they are worth get no visits. A page that never changes is
// fresh without. The freshness is NaN if no page has importance. The rates add up to
// the budget as far as any page profits from a visit.
func Optimum(pages []Page, budget float64) (rates []float64, freshness float64) {
	rates = make([]float64, len(pages))
	budget = positive(budget)
	top := 0.0
	for _, p := range pages {
		top = max(top, p.clean().peak())
	}
	if top > 0 && budget > 0 {
		evenRates(pages, budget, top, rates)
	}
	return rates, Freshness(pages, rates)
}

// evenRates halves the range of lambda, in the order of floating-point numbers,
// down to two neighbours. At lambda = m/d of a page its visits jump, in
// floating point, from d/37 or so to 0, so that the two may differ by more than
// rounding. The pages at the jump share the same x; what the upper lambda leaves of
// the budget goes to them in proportion to their jump, and so to their d.
func evenRates(pages []Page, budget, top float64, rates []float64) {
	visits := func(lambda float64, out []float64) float64 {
		sum := 0.0
		for i, p := range pages {
			w := p.clean().wait(lambda)
			r := 0.0
			if !math.IsInf(w, 1) {
				r = 1 / w
			}
			if out != nil {
				out[i] = r
			}
			sum += r
		}
		return sum
	}
	low, high := uint64(1), math.Float64bits(top)
	for high-low > 1 {
		mid := low + (high-low)/2
		if visits(math.Float64frombits(mid), nil) > budget {
			low = mid
		} else {
			high = mid
		}
	}
	less := visits(math.Float64frombits(high), rates)
	more := make([]float64, len(pages))
	if gap := visits(math.Float64frombits(low), more) - less; gap > 0 {
		share := min(1, (budget-less)/gap)
		for i := range rates {
			rates[i] += (more[i] - rates[i]) * share
		}
	}
}

// Freshness is the importance-weighted share of time in which pages are as last
// fetched, if page i is visited rates[i] times an hour, evenly spaced. It is NaN
// if no page has importance.
func Freshness(pages []Page, rates []float64) float64 {
	return weighted(pages, func(i int, p Page) float64 {
		switch r := positive(rates[i]); {
		case p.Rate == 0:
			return 1
		case r == 0:
			return 0
		default:
			return fresh(p.Rate / r)
		}
	})
}

// weighted is the mean of f weighted by importance.
func weighted(pages []Page, f func(i int, p Page) float64) float64 {
	sum, total := 0.0, 0.0
	for i, p := range pages {
		p = p.clean()
		if p.Importance > 0 {
			sum += p.Importance * f(i, p)
			total += p.Importance
		}
	}
	return sum / total
}
