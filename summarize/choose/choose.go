// Package choose picks the sentences of a summary: those that together cover the
// period and differ from each other, within a length (SCIENCE 2.4).
//
// Greedy maximises the submodular function of Lin and Bilmes (2011) for a set S of
// items by the cost-scaled greedy algorithm, lazily evaluated:
//
//	F(S) = sum over items i of v_i min(sum over j in S of c(i,j), α sum over all j of c(i,j)) / sum over all j of c(i,j)
//	     + λ sum over groups k of sqrt(sum over j in S and k of r_j)
//
// c is the cosine, v and r the value of an item, α the share of an item's
// likeness to all that is enough, groups what an item tells of. The first part
// rewards what stands for much of the period, the second one an item of a group
// that is not told yet. F is monotone and submodular, so that the better of the
// greedy set and the best single item reaches (1 - 1/e)/2 of the optimum; the
// bound does not hold for the items that MaxLikeness keeps out.
package choose

import (
	"container/heap"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/summarize/feature"
)

// Item is a candidate.
type Item struct {
	Terms feature.Unit
	Value float64 // what it is worth by itself, for instance hosts times novelty; not negative
	Group int     // what it tells of
	Cost  int     // its length, in the unit of the budget; at least 1 counts
	At    int64   // its place in time, for the order of the result
}

// Options of Greedy. The zero Options is a good default.
type Options struct {
	Budget      int     // longest total cost; 0 means no limit
	Items       int     // most items; 0 means no limit
	Alpha       float64 // α; 0 means 0.2
	Lambda      float64 // λ; 0 means 4
	Scaling     float64 // exponent of the cost by which a gain is divided; 0 means 0.3, negative means none
	MaxLikeness float64 // two chosen items are never as like as this; 0 means 0.5
	Pool        int     // only so many items of the highest value are looked at; 0 means 400
}

func (o Options) withDefaults() Options {
	set := func(p *float64, usual float64) {
		if *p == 0 {
			*p = usual
		}
	}
	set(&o.Alpha, 0.2)
	set(&o.Lambda, 4)
	set(&o.Scaling, 0.3)
	set(&o.MaxLikeness, 0.5)
	o.Scaling = max(o.Scaling, 0)
	if o.Budget <= 0 {
		o.Budget = math.MaxInt
	}
	if o.Items <= 0 {
		o.Items = math.MaxInt
	}
	if o.Pool <= 0 {
		o.Pool = 400
	}
	return o
}

// Greedy returns the indices of the chosen items in the order in which they were
// chosen, the most worthwhile first. Items without value or terms are never
// chosen. The same items give the same choice.
func Greedy(items []Item, opt Options) []int {
	opt = opt.withDefaults()
	g := newState(items, opt)
	var chosen []int
	left := opt.Budget
	heap.Init(&g.queue)
	for g.queue.Len() > 0 && len(chosen) < opt.Items {
		top := &g.queue.entries[0]
		if cost(items[g.pool[top.item]]) > left || g.tooLike(top.item) {
			heap.Pop(&g.queue)
			continue
		}
		if top.round < len(chosen) { // its gain can only have fallen since
			top.gain, top.round = g.gain(top.item), len(chosen)
			heap.Fix(&g.queue, 0)
			continue
		}
		if top.gain <= 0 {
			break
		}
		i := top.item
		heap.Pop(&g.queue)
		g.take(i)
		chosen = append(chosen, i)
		left -= cost(items[g.pool[i]])
	}
	if single := g.bestSingle(); single >= 0 && g.singleValue(single) > g.total {
		chosen = []int{single}
	}
	out := make([]int, len(chosen))
	for i, c := range chosen {
		out[i] = g.pool[c]
	}
	return out
}

// InTime orders chosen items by their place in time, equal ones as they were
// chosen.
func InTime(items []Item, chosen []int) []int {
	out := slices.Clone(chosen)
	slices.SortStableFunc(out, func(a, b int) int {
		switch {
		case items[a].At < items[b].At:
			return -1
		case items[a].At > items[b].At:
			return 1
		}
		return 0
	})
	return out
}

// Redundancy is the mean over the chosen items of the highest cosine with another
// chosen one; 0 for less than two.
func Redundancy(items []Item, chosen []int) float64 {
	if len(chosen) < 2 {
		return 0
	}
	sum := 0.0
	for _, i := range chosen {
		most := 0.0
		for _, j := range chosen {
			if i != j {
				most = max(most, feature.Cosine(items[i].Terms, items[j].Terms))
			}
		}
		sum += most
	}
	return sum / float64(len(chosen))
}

func cost(it Item) int { return max(it.Cost, 1) }
