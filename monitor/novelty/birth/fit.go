package birth

import (
	"math"
	"time"
)

// maxFitted bounds the pages that a fit looks at: more change the estimate by less
// than it matters.
const maxFitted = 300

// Fit estimates the share of immediate links and the mean delay of the others by
// maximum likelihood, the times of birth integrated out; the rest of the model is
// taken from start. Only pages with two links or more tell anything, as it is the
// spread of a page's links that does. It gives start back if there are none.
func Fit(pages []Evidence, start Model) (Model, error) {
	if err := start.Check(); err != nil {
		return start, err
	}
	var telling []known
	for _, e := range pages {
		if len(e.Links) < 2 {
			continue
		}
		k, err := prepare(e, start.rates())
		if err != nil {
			return start, err
		}
		if telling = append(telling, k); len(telling) == maxFitted {
			break
		}
	}
	if len(telling) == 0 {
		return start, nil
	}
	at := start.rates()
	likelihood := func(r rates) float64 {
		sum := 0.0
		for _, k := range telling {
			sum += math.Log(max(r.evidence(k), 1e-300))
		}
		return sum
	}
	for range 3 {
		at.immediate = maximize(0.01, 0.99, func(w float64) float64 {
			r := at
			r.immediate = w
			return likelihood(r)
		})
		logRate := math.Log(at.perHour)
		at.perHour = math.Exp(maximize(logRate-2.5, logRate+2.5, func(x float64) float64 {
			r := at
			r.perHour = math.Exp(x)
			return likelihood(r)
		}))
	}
	out := start
	out.Immediate, out.Delay = at.immediate, time.Duration(float64(time.Hour)/at.perHour)
	return out, nil
}

// evidence is the density integrated over all times of birth.
func (r rates) evidence(k known) float64 {
	edges := r.cells(k)
	sum := 0.0
	for i := 1; i < len(edges); i++ {
		sum += r.density(k, (edges[i-1]+edges[i])/2) * (edges[i] - edges[i-1])
	}
	return sum
}

// maximize finds the place of the greatest value of a function with one peak, by
// the golden section.
func maximize(a, b float64, f func(float64) float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	x, y := b-ratio*(b-a), a+ratio*(b-a)
	fx, fy := f(x), f(y)
	for range 9 {
		if fx < fy {
			a, x, fx = x, y, fy
			y = a + ratio*(b-a)
			fy = f(y)
		} else {
			b, y, fy = y, x, fx
			x = b - ratio*(b-a)
			fx = f(x)
		}
	}
	return (a + b) / 2
}
