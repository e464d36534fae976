package eval

import (
	"slices"

	"github.com/strandlinehq/strandline/monitor/novelty"
)

// Accuracy is how well a threshold tells novel pages (SCIENCE T7): a page is judged
// novel if its score is the threshold or more. Threshold 0 judges all novel: the baseline.
type Accuracy struct {
	Threshold float64
	Judged    uint64 // pages judged novel
	Hits      uint64 // those of them that are
	Novel     uint64 // pages that are novel
}

// Precision = Hits / Judged; ok is false if nothing was judged novel.
func (a Accuracy) Precision() (p float64, ok bool) { return ratio(a.Hits, a.Judged) }

// Recall = Hits / Novel; ok is false if no page is novel.
func (a Accuracy) Recall() (r float64, ok bool) { return ratio(a.Hits, a.Novel) }

func ratio(a, b uint64) (float64, bool) {
	if b == 0 {
		return 0, false
	}
	return float64(a) / float64(b), true
}

// Thresholds are those of the paper's figures: 0, .1 .. 1, and .01, a small
// positive one.
func Thresholds() []float64 {
	return []float64{0, .01, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}
}

// Judge gives the accuracy of each threshold, in their order. Truth says of each
// scored page whether it is novel. Scores and thresholds are compared as float32,
// so that the last bit of a sum does not keep a score of 0.9 from threshold 0.9.
// It panics if the slices are not equally long.
func Judge[F novelty.Float](scores []F, truth []bool, thresholds []float64) []Accuracy {
	if len(scores) != len(truth) {
		panic("eval: as many truths as scores are needed")
	}
	var novel, old []float32
	for i, n := range scores {
		if truth[i] {
			novel = append(novel, float32(n))
		} else {
			old = append(old, float32(n))
		}
	}
	slices.Sort(novel)
	slices.Sort(old)
	out := make([]Accuracy, len(thresholds))
	for i, t := range thresholds {
		hits := from(novel, float32(t))
		out[i] = Accuracy{Threshold: t, Hits: hits, Judged: hits + from(old, float32(t)), Novel: uint64(len(novel))}
	}
	return out
}

// from counts the sorted scores that are t or more.
func from(scores []float32, t float32) uint64 {
	i, _ := slices.BinarySearch(scores, t)
	return uint64(len(scores) - i)
}

// Misses is the miss rate (SCIENCE T9): of pages of U that are known to be old,
// those judged novel all the same. The scores have to come from classes made
// without rules 2 and 3, which else would keep such pages out of U.
type Misses struct {
	Old      uint64 // pages of U known to be old
	Positive uint64 // of those, pages with a score above 0
	Tenth    uint64 // of those, pages with a score of 0.1 or more
}

// Miss counts the scores of pages known to be old.
func Miss[F novelty.Float](old []F) Misses {
	m := Misses{Old: uint64(len(old))}
	for _, n := range old {
		if n > 0 {
			m.Positive++
		}
		if float32(n) >= 0.1 {
			m.Tenth++
		}
	}
	return m
}

// Rates gives the shares of pages with a score above 0 and of 0.1 or more; ok is
// false if no page is known to be old.
func (m Misses) Rates() (positive, tenth float64, ok bool) {
	positive, ok = ratio(m.Positive, m.Old)
	tenth, _ = ratio(m.Tenth, m.Old)
	return positive, tenth, ok
}
