package adaptive

import (
	"math"
	"time"
)

// Prior is what is known of a rate before the first visit, in the form of
// visits: as if Changes changes had been counted in Over. Rate starts at
// Changes/Over and leaves it the sooner the smaller both are. In the usual terms
// it is a Gamma density of shape 1+Changes and inverse scale Over.
type Prior struct {
	Changes float64       // zero: 1
	Over    time.Duration // zero: 24 hours
}

func (p Prior) terms() (changes, over float64) {
	changes, over = positive(p.Changes), hours(p.Over)
	if changes == 0 {
		changes = 1
	}
	if over <= 0 {
		over = 24
	}
	return changes, over
}

// memory is the number of visits that an Estimator effectively looks back on:
// visit k from the last counts (1-1/memory)^k.
const memory = 500

// The rates that an Estimator gives, changes an hour.
const (
	minRate = 1e-6 // one in a century
	maxRate = 3600
)

// Estimator learns the rate of one page's changes from visits at any distance,
// of which each tells only whether the page changed since the one before. The
// zero Estimator has seen nothing.
//
// The posterior mode r of the rate solves (Cho and Garcia-Molina, TOIT 2003,
// with a Gamma prior)
//
//	sum over changed t/(e^{rt}-1) + Changes/r = sum over unchanged t + Over
//
// The right side needs one number. For the left one the intervals of changed
// visits are gathered in bins whose edges are a factor of sqrt 2 apart, each with
// its weight and its sum of intervals. What is lost is the spread within a
// bin: nothing at all on a regular schedule, below 2 % of the rate at worst.
type Estimator struct {
	visits    float32 // weight of all visits
	unchanged float32 // hours
	bins      []bin   // ascending by index
}

// bin gathers visits with a change whose interval in seconds lies in
// [2^(index/2), 2^((index+1)/2)).
type bin struct {
	index  uint8
	weight float32
	sum    float32 // hours
}

const (
	minInterval = time.Second
	maxInterval = 10 * 365 * 24 * time.Hour
)

func binOf(interval time.Duration) uint8 {
	return uint8(2 * math.Log2(interval.Seconds()))
}

// Observe adds a visit that came interval after the last one and found the page
// changed or not. Intervals are held between one second and ten years; one that
// is not positive is no visit.
func (e *Estimator) Observe(interval time.Duration, changed bool) {
	if interval <= 0 {
		return
	}
	interval = min(max(interval, minInterval), maxInterval)
	const keep = float32(1 - 1./memory)
	e.visits = e.visits*keep + 1
	e.unchanged *= keep
	for i := range e.bins {
		e.bins[i].weight *= keep
		e.bins[i].sum *= keep
	}
	t := float32(hours(interval))
	if !changed {
		e.unchanged += t
		return
	}
	b := e.bin(binOf(interval))
	b.weight++
	b.sum += t
}

// bin returns the bin of an index, which may be new.
func (e *Estimator) bin(index uint8) *bin {
	i := 0
	for i < len(e.bins) && e.bins[i].index < index {
		i++
	}
	if i == len(e.bins) || e.bins[i].index != index {
		e.bins = append(e.bins, bin{})
		copy(e.bins[i+1:], e.bins[i:])
		e.bins[i] = bin{index: index}
	}
	return &e.bins[i]
}

// Visits is the number of visits seen, where those long past count less.
func (e *Estimator) Visits() float64 { return float64(e.visits) }

// Rate is the estimate in changes an hour, between one in a century and one a second.
func (e *Estimator) Rate(prior Prior) float64 {
	changes, over := prior.terms()
	// t/(e^{rt}-1) >= 1/r - t/2 gives a start below the root; the left side is
	// convex and falls, so Newton's steps stay below and only grow.
	n, sum := changes, over+float64(e.unchanged)
	for _, b := range e.bins {
		n += float64(b.weight)
		sum += float64(b.sum) / 2
	}
	r := n / sum
	for range 100 {
		f, slope := e.score(r, changes, over)
		step := -f / slope
		if !(step > r*1e-12) {
			break
		}
		r += step
	}
	return min(max(r, minRate), maxRate)
}

// Error is the standard error of ln Rate, from the curvature of the posterior
// at its mode: 0.5 means that two thirds of such estimates are within a factor
// of e^0.5.
func (e *Estimator) Error(prior Prior) float64 {
	changes, over := prior.terms()
	r := e.Rate(prior)
	_, slope := e.score(r, changes, over)
	return 1 / (r * math.Sqrt(-slope))
}

// score is the derivative of the log posterior at rate r, and its derivative.
func (e *Estimator) score(r, changes, over float64) (f, slope float64) {
	f = changes/r - over - float64(e.unchanged)
	slope = -changes / (r * r)
	for _, b := range e.bins {
		w := float64(b.weight)
		t := float64(b.sum) / w
		m := math.Expm1(r * t)
		f += w * t / m
		if m < math.MaxFloat64/2 {
			slope -= w * (t / m) * (t + t/m) // t² e^{rt}/(e^{rt}-1)²
		}
	}
	return f, slope
}

// RegularRate is the estimate for n visits at equal distance of which changed
// found a change, without a prior and without the bias of changed/n:
//
//	-ln((n-X+0.5)/(n+0.5)) / I    (Cho and Garcia-Molina, TOIT 2003)
//
// in changes an hour; 0 for arguments that make no sense.
func RegularRate(n, changed int, interval time.Duration) float64 {
	if n <= 0 || changed < 0 || changed > n || interval <= 0 {
		return 0
	}
	return -math.Log((float64(n-changed)+0.5)/(float64(n)+0.5)) / hours(interval)
}
