package classes

import "slices"

// Histogram counts pages by a number (paper A Figure 3; SCIENCE A14).
type Histogram struct {
	Edges        []float64 // ascending, one more than Counts; bins hold their lower edge, the last one both
	Counts       []int
	Below, Above int // outside of the edges
}

// NewHistogram counts values in the bins between edges, which ascend. Fewer than
// two edges make no bin.
func NewHistogram(values, edges []float64) Histogram {
	h := Histogram{Edges: edges, Counts: make([]int, max(len(edges)-1, 0))}
	if len(h.Counts) == 0 {
		return h
	}
	for _, v := range values {
		i, equal := slices.BinarySearch(edges, v)
		switch {
		case equal && i == len(edges)-1:
			h.Counts[i-1]++
		case equal:
			h.Counts[i]++
		case i == 0:
			h.Below++
		case i == len(edges):
			h.Above++
		default:
			h.Counts[i-1]++
		}
	}
	return h
}

// HistogramOf counts the pages that changed by their mean hours or Dice, with
// edges of HourEdges or DiceEdges.
func HistogramOf(pages []Page, m Measured) Histogram {
	edges := DiceEdges()
	if m == Hours {
		edges = HourEdges()
	}
	var values []float64
	for _, p := range pages {
		if p.Changes > 0 {
			values = append(values, m.of(p))
		}
	}
	return NewHistogram(values, edges)
}

// HourEdges are steps of a day over the paper's five weeks, the first day cut at
// 1, 2, 4, 8 and 16 hours, where the fast pages are.
func HourEdges() []float64 {
	edges := []float64{0, 1, 2, 4, 8, 16}
	for day := 1; day <= 35; day++ {
		edges = append(edges, float64(day)*24)
	}
	return edges
}

// DiceEdges are steps of 0.05.
func DiceEdges() []float64 {
	var edges []float64
	for i := 0; i <= 20; i++ {
		edges = append(edges, float64(i)/20)
	}
	return edges
}
