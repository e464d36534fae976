package adaptive

import (
	"math"
	"time"
)

// Host is a set of pages under one limit of politeness.
type Host struct {
	Pages []Page
	Limit float64 // fetches an hour that the host takes; zero: any number
}

// Plan is a threshold and what it leads to.
type Plan struct {
	Threshold float64
	Hosts     []float64 // of each host its own threshold: the common one or, if its limit binds, a higher one
	Demand    float64   // fetches an hour, all hosts
	Limits    Limits    // as given; Max is longer if Stretched
	AtMin     int       // pages held up by Limits.Min
	AtMax     int       // pages fetched only because of Limits.Max: the threshold alone would let them starve
	Limited   int       // hosts whose limit binds

	// Stretched tells that the budget or the limit of a host does not
	// allow a fetch of every page within the Max asked for. Limits.Max is then
	// the shortest that fits, and the operator should hear of it.
	Stretched bool
}

// MakePlan finds the threshold with which the hosts' pages use the budget
// (fetches an hour) and no host gets more than its limit. That is the optimum under
// these limits: a bound host has a multiplier of its own, above the common one
// (Kolobov et al., SIGIR 2019).
//
// The time grows with the number of pages, some 10 µs for each; for very many a
// random sample with the budget in proportion does as well.
func MakePlan(hosts []Host, budget float64, lim Limits) Plan {
	plan := Plan{Hosts: make([]float64, len(hosts)), Limits: lim.withDefaults()}
	budget = positive(budget)
	plan.stretch(hosts, budget)
	low, high := 1/hours(plan.Limits.Max), 1/hours(plan.Limits.Min)

	demand := func(pages []Page, threshold float64) float64 {
		sum := 0.0
		for _, p := range pages {
			sum += min(max(1/p.clean().wait(threshold), low), high)
		}
		return sum
	}
	top := math.SmallestNonzeroFloat64
	for _, h := range hosts {
		for _, p := range h.Pages {
			top = max(top, p.clean().peak())
		}
	}
	for i, h := range hosts {
		if limit := positive(h.Limit); limit > 0 && demand(h.Pages, 0) > limit {
			plan.Hosts[i] = lowest(top, func(t float64) bool { return demand(h.Pages, t) <= limit })
			plan.Limited++
		}
	}
	plan.Threshold = lowest(top, func(t float64) bool {
		sum := 0.0
		for i, h := range hosts {
			sum += demand(h.Pages, max(t, plan.Hosts[i]))
		}
		return sum <= budget
	})
	for i, h := range hosts {
		if plan.Hosts[i] <= plan.Threshold {
			if plan.Hosts[i] > 0 {
				plan.Limited--
			}
			plan.Hosts[i] = plan.Threshold
		}
		for _, p := range h.Pages {
			switch r := 1 / p.clean().wait(plan.Hosts[i]); {
			case r <= low:
				plan.AtMax++
			case r >= high:
				plan.AtMin++
			}
		}
		plan.Demand += demand(h.Pages, plan.Hosts[i])
	}
	return plan
}

// stretch lengthens Max until it can be kept for all pages.
func (p *Plan) stretch(hosts []Host, budget float64) {
	n, need := 0, 0.0
	for _, h := range hosts {
		n += len(h.Pages)
		if limit := positive(h.Limit); limit > 0 {
			need = max(need, float64(len(h.Pages))/limit)
		}
	}
	if budget > 0 {
		need = max(need, float64(n)/budget)
	}
	if need > hours(p.Limits.Max) {
		p.Stretched = true
		p.Limits.Max = time.Duration(min(need*float64(time.Hour)+1, math.MaxInt64/2))
		p.Limits.Min = min(p.Limits.Min, p.Limits.Max)
	}
}

// lowest returns the lowest threshold up to top that is enough, or top. Enough
// holds from some threshold on.
func lowest(top float64, enough func(float64) bool) float64 {
	if enough(0) {
		return 0
	}
	low, high := uint64(0), math.Float64bits(top)
	for high-low > 1 && high-low > high>>40 { // 1e-8 of the threshold
		if mid := low + (high-low)/2; enough(math.Float64frombits(mid)) {
			high = mid
		} else {
			low = mid
		}
	}
	return math.Float64frombits(high)
}
