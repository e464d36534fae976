package trend

import "math"

// Count is how often something was seen in how many cases.
type Count struct {
	Hits int // hosts that used the term
	Of   int // hosts that could have; at least Hits
}

// G2 returns Dunning's statistic for a term in a period against the history
// before (SCIENCE 2.7), positive if the term is more frequent now, negative if
// less:
//
//	G2 = 2 · sum over the cells of O ln(O/E)
//
// over hits and misses in both, E being what the shares of the two together give.
// It is distributed as chi-squared with one degree of freedom when nothing changed:
// 10.83 is exceeded once in a thousand. Without cases on a side it is 0. Hits
// beyond the cases, and negative ones, are cut to them.
func G2(now, before Count) float64 {
	now, before = now.valid(), before.valid()
	if now.Of == 0 || before.Of == 0 {
		return 0
	}
	all := float64(now.Of + before.Of)
	share := float64(now.Hits+before.Hits) / all
	g := 0.0
	for _, c := range []Count{now, before} {
		g += cell(float64(c.Hits), share*float64(c.Of))
		g += cell(float64(c.Of-c.Hits), (1-share)*float64(c.Of))
	}
	g = max(2*g, 0)
	if float64(now.Hits)/float64(now.Of) < float64(before.Hits)/float64(before.Of) {
		return -g
	}
	return g
}

func (c Count) valid() Count {
	c.Of = max(c.Of, 0)
	return Count{min(max(c.Hits, 0), c.Of), c.Of}
}

// cell is O ln(O/E), whose limit for O = 0 is 0.
func cell(o, e float64) float64 {
	if o == 0 || e == 0 {
		return 0
	}
	return o * math.Log(o/e)
}
