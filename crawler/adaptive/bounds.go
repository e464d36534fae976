package adaptive

import (
	"cmp"
	"math"
	"slices"
)

// RandomVisits is the optimum if visits come at random instead of evenly (Azar
// et al., PNAS 2018): a page is fresh for r/(r+d) of the time, and
//
//	r = max(0, sqrt(m d / lambda) - d),
//	sqrt(lambda) = sum sqrt(m d) / (budget + sum d)  over the pages with m/d > lambda
//
// found by going through the pages by falling m/d. The freshness is NaN if no
// page has importance.
func RandomVisits(pages []Page, budget float64) (rates []float64, freshness float64) {
	rates = make([]float64, len(pages))
	budget = positive(budget)
	order := byPeak(pages)
	root, change, s := 0.0, 0.0, 0.0 // sqrt lambda and the two sums
	for _, i := range order {
		p := pages[i].clean()
		if p.peak() <= s*s || budget == 0 {
			break
		}
		root += math.Sqrt(p.Importance * p.Rate)
		change += p.Rate
		s = root / (budget + change)
	}
	if s > 0 {
		for _, i := range order {
			p := pages[i].clean()
			rates[i] = max(0, math.Sqrt(p.Importance*p.Rate)/s-p.Rate)
		}
	}
	return rates, weighted(pages, func(i int, p Page) float64 {
		if p.Rate == 0 {
			return 1
		}
		return rates[i] / (rates[i] + p.Rate)
	})
}

// Uniform visits all pages equally often, evenly spaced.
func Uniform(pages []Page, budget float64) (rates []float64, freshness float64) {
	rates = make([]float64, len(pages))
	for i := range rates {
		rates[i] = positive(budget) / float64(len(pages))
	}
	return rates, Freshness(pages, rates)
}

// Proportional visits pages as often as they change, up to one factor, evenly
// spaced: what seems right and is worse than Uniform.
func Proportional(pages []Page, budget float64) (rates []float64, freshness float64) {
	rates = make([]float64, len(pages))
	sum := 0.0
	for _, p := range pages {
		sum += p.clean().Rate
	}
	if sum > 0 {
		for i, p := range pages {
			rates[i] = positive(budget) * p.clean().Rate / sum
		}
	}
	return rates, Freshness(pages, rates)
}

// PerfectSignals is the freshness that could be had if every change were told at
// once and rightly: the share of changes that are fetched, best taken by falling
// m/d until the budget is used.
func PerfectSignals(pages []Page, budget float64) (rates []float64, freshness float64) {
	rates = make([]float64, len(pages))
	left := positive(budget)
	for _, i := range byPeak(pages) {
		rates[i] = min(left, pages[i].clean().Rate)
		left -= rates[i]
	}
	return rates, weighted(pages, func(i int, p Page) float64 {
		if p.Rate == 0 {
			return 1
		}
		return rates[i] / p.Rate
	})
}

// byPeak returns the indices of the pages worth a visit by falling m/d.
func byPeak(pages []Page) []int {
	var order []int
	for i, p := range pages {
		if p.clean().peak() > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(pages[b].clean().peak(), pages[a].clean().peak())
	})
	return order
}
