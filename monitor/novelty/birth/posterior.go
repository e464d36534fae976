package birth

import (
	"math"
	"slices"
	"sort"
	"time"
)

// Posterior is the distribution of the time at which a page appeared.
type Posterior struct {
	latest time.Time // hour 0
	edges  []float64 // of cells, ascending, in hours
	below  []float64 // probability below each edge: 0 .. 1
}

// Posterior gives the distribution of a page's birth. It is an error if the model
// does not hold (Check), if the page was never seen, or if an interval is empty.
func (m Model) Posterior(e Evidence) (*Posterior, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	r := m.rates()
	k, err := prepare(e, r)
	if err != nil {
		return nil, err
	}
	p := &Posterior{latest: k.latest, edges: r.cells(k)}
	p.below = make([]float64, len(p.edges))
	sum := 0.0
	for i := 1; i < len(p.edges); i++ {
		a, b := p.edges[i-1], p.edges[i]
		sum += r.density(k, (a+b)/2) * (b - a)
		p.below[i] = sum
	}
	if !(sum > 0) {
		// Without a link made at once and with all others out of reach of the delay:
		// the page is as old as it was seen.
		p.edges, p.below = []float64{0, 0}, []float64{0, 1}
		return p, nil
	}
	for i := range p.below {
		p.below[i] /= sum
	}
	return p, nil
}

// halfCells is the number of cells of half a segment.
const halfCells = 12

// cells divides time into cells within which the density hardly changes. It jumps at
// the ends of links' intervals and has its peak at the page's date; between these it
// falls off exponentially from either end, so that cells become finer there.
func (r rates) cells(k known) []float64 {
	breaks := []float64{0}
	falling := r.growth
	for _, l := range k.links {
		if !math.IsNaN(l.without) {
			falling += r.perHour
			if l.without < 0 {
				breaks = append(breaks, l.without)
			}
		}
	}
	if k.since < 0 {
		breaks = append(breaks, k.since)
	}
	if k.made <= 0 {
		for _, errors := range [...]float64{-15, -4, -1} {
			breaks = append(breaks, k.made+errors*clockError)
		}
	}
	for _, errors := range [...]float64{-15, -4, 0, 4, 15} { // the peak of a date is narrow
		if b := k.dated + errors*r.error; b < 0 {
			breaks = append(breaks, b)
		}
	}
	slices.Sort(breaks)
	breaks = slices.Compact(breaks)
	const enough = 30 // exp(-30) is nothing
	breaks = slices.Insert(breaks, 0, breaks[0]-enough/falling)
	if r.growth < falling/10 { // a date can keep the tail of the prior alive
		breaks = slices.Insert(breaks, 0, breaks[0]-enough/r.growth)
	}
	edges := make([]float64, 0, len(breaks)*2*halfCells)
	for i := 1; i < len(breaks); i++ {
		a, half := breaks[i-1], (breaks[i]-breaks[i-1])/2
		for c := range halfCells {
			edges = append(edges, a+half*cube(float64(c)/halfCells))
		}
		for c := halfCells; c > 0; c-- {
			edges = append(edges, breaks[i]-half*cube(float64(c)/halfCells))
		}
	}
	return append(edges, 0)
}

func cube(x float64) float64 { return x * x * x }

// Quantile gives the time before which the page appeared with a probability.
func (p *Posterior) Quantile(probability float64) time.Time {
	i := sort.SearchFloat64s(p.below, probability)
	return p.time(p.between(i, probability))
}

// time is an hour as a time, as far back as durations reach.
func (p *Posterior) time(hour float64) time.Time {
	return p.latest.Add(time.Duration(max(hour*float64(time.Hour), math.MinInt64)))
}

// Interval gives the shortest time within which the page appeared with a probability
// such as 0.9; of several the last. A page is often most likely to have appeared at
// the latest time that is possible, which quantiles on both sides would leave out.
func (p *Posterior) Interval(probability float64) (from, to time.Time) {
	last := len(p.edges) - 1
	best := [2]float64{p.edges[0], p.edges[last]}
	take := func(a, b float64) {
		if b-a <= best[1]-best[0] {
			best = [2]float64{a, b}
		}
	}
	// The shortest one begins or ends at an edge, as the density is even between edges.
	j := 0
	for i := range p.edges { // begins
		for j < last && p.below[j]-p.below[i] < probability {
			j++
		}
		if p.below[j]-p.below[i] >= probability {
			take(p.edges[i], p.between(j, p.below[i]+probability))
		}
	}
	i := 0
	for j := range p.edges { // ends
		for i < j && p.below[j]-p.below[i+1] >= probability {
			i++
		}
		if p.below[j]-p.below[i] >= probability {
			take(p.between(i+1, p.below[j]-probability), p.edges[j])
		}
	}
	return p.time(best[0]), p.time(best[1])
}

// between gives the hour of a probability between edges i-1 and i.
func (p *Posterior) between(i int, probability float64) float64 {
	if i == 0 || i >= len(p.edges) || p.below[i] <= p.below[i-1] {
		return p.edges[min(i, len(p.edges)-1)]
	}
	part := (probability - p.below[i-1]) / (p.below[i] - p.below[i-1])
	return p.edges[i-1] + part*(p.edges[i]-p.edges[i-1])
}

// After gives the probability that the page appeared after a time: its novelty as a
// probability, for a window that begins then.
func (p *Posterior) After(t time.Time) float64 {
	hour := t.Sub(p.latest).Hours()
	i := sort.SearchFloat64s(p.edges, hour)
	switch i {
	case 0:
		return 1
	case len(p.edges):
		return 0
	}
	part := (hour - p.edges[i-1]) / (p.edges[i] - p.edges[i-1])
	return 1 - (p.below[i-1] + part*(p.below[i]-p.below[i-1]))
}
