// Package cluster gathers the sentences of a period that say one thing in other
// words, so that one event is one item, told by as many hosts as tell it
// (SCIENCE 2.4, 3.4).
//
// Stars does it by star clustering (Aslam, Pelekhov and Rus, 2004): in the graph
// of sentences with an edge where the cosine reaches a threshold, the sentence
// told by the most hosts around it becomes the centre of a star, takes its
// neighbours, and so on with the rest. Every member is like its centre, which
// chains of likeness do not promise. The centre is the sentence that its rewrites
// have most in common with, hence the one to show.
//
// Two sentences that both give figures, and none in common, tell of two events, or
// of two states of one, however alike they are; they are no neighbours.
//
// Left out: hierarchies, and sentences on one event that share no content word.
package cluster

import (
	"cmp"
	"slices"

	"github.com/strandlinehq/strandline/summarize/feature"
)

// Threshold is the cosine from which on two sentences of a period are taken for
// rewrites of each other.
const Threshold = 0.45

// Item is a sentence to be clustered.
type Item struct {
	Host    string // who says it; popularity counts hosts, not pages
	Terms   feature.Unit
	Figures []uint64 // hashes of its amounts, rising: feature.Vector.Figures
}

// Star is a cluster.
type Star struct {
	Centre  int
	Members []int // with the centre, rising
	Hosts   int   // distinct hosts of the members
}

// Stars clusters items; each is in exactly one star, one without terms in a star
// of its own. The stars come by falling number of hosts, equal ones by their
// centre. threshold outside of (0, 1] means Threshold.
func Stars(items []Item, threshold float64) []Star {
	if !(threshold > 0 && threshold <= 1) {
		threshold = Threshold
	}
	edges := Neighbours(items, threshold)
	rank := make([]int, len(items))
	hosts := make([]int, len(items))
	weight := make([]float64, len(items))
	for i := range items {
		rank[i] = i
		hosts[i] = countHosts(items, edges[i], i)
		for _, e := range edges[i] {
			weight[i] += e.Cosine
		}
	}
	slices.SortFunc(rank, func(a, b int) int {
		return cmp.Or(hosts[b]-hosts[a], cmp.Compare(weight[b], weight[a]), a-b)
	})
	taken := make([]bool, len(items))
	var out []Star
	for _, i := range rank {
		if taken[i] {
			continue
		}
		s := Star{Centre: i, Members: []int{i}}
		taken[i] = true
		for _, e := range edges[i] {
			if !taken[e.Item] {
				taken[e.Item] = true
				s.Members = append(s.Members, e.Item)
			}
		}
		slices.Sort(s.Members)
		s.Hosts = distinctHosts(items, s.Members)
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Star) int { return cmp.Or(b.Hosts-a.Hosts, a.Centre-b.Centre) })
	return out
}

func countHosts(items []Item, edges []Edge, self int) int {
	members := make([]int, 1, len(edges)+1)
	members[0] = self
	for _, e := range edges {
		members = append(members, e.Item)
	}
	return distinctHosts(items, members)
}

func distinctHosts(items []Item, members []int) int {
	if len(members) == 1 {
		return 1
	}
	hosts := make(map[string]bool, len(members))
	for _, m := range members {
		hosts[items[m].Host] = true
	}
	return len(hosts)
}

// mostPairs bounds the comparisons of one item, so that a page of tens of
// thousands of sentences on one thing takes time in proportion.
const mostPairs = 200

// Edge leads to a like item.
type Edge struct {
	Item   int
	Cosine float64
}

// Neighbours lists for each item those with a cosine of threshold or more and no
// conflict of figures, by rising index. Candidates come from an inverted index over the heaviest terms of
// each item: if the rest of an item is shorter than threshold, an item that
// shares nothing but that rest cannot reach it. Of the items before it, an item is
// compared with at most mostPairs, those that share its rarest terms first.
func Neighbours(items []Item, threshold float64) [][]Edge {
	lists := map[uint64][]int32{}
	seen := make([]int32, len(items))
	for i := range seen {
		seen[i] = -1
	}
	common := map[uint64]int32{} // in how many items a term is
	for _, it := range items {
		for _, e := range it.Terms {
			common[e.Hash]++
		}
	}
	out := make([][]Edge, len(items))
	var prefix []feature.Entry
	for i, it := range items {
		prefix = signature(append(prefix[:0], it.Terms...), common, threshold)
		pairs := 0
		for _, e := range prefix {
			for _, j := range lists[e.Hash] {
				if seen[j] == int32(i) {
					continue
				}
				if pairs++; pairs > mostPairs {
					break
				}
				seen[j] = int32(i)
				if c := feature.Cosine(it.Terms, items[j].Terms); c >= threshold && !conflict(it.Figures, items[j].Figures) {
					out[i] = append(out[i], Edge{int(j), c})
					out[j] = append(out[j], Edge{i, c})
				}
			}
			if len(lists[e.Hash]) < mostPairs {
				lists[e.Hash] = append(lists[e.Hash], int32(i))
			}
		}
	}
	for i := range out {
		slices.SortFunc(out[i], func(a, b Edge) int { return a.Item - b.Item })
	}
	return out
}

// conflict reports two sets of figures without a common one.
func conflict(a, b []uint64) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			return false
		}
	}
	return len(a) > 0 && len(b) > 0
}

// signature orders the terms from rare to common, the same for all items, and
// drops as many of the last as are together shorter than threshold: two units
// whose kept terms are disjoint have a common part below it, as the later of
// the two cuts in that order leaves only dropped terms of one of them in common.
func signature(terms []feature.Entry, common map[uint64]int32, threshold float64) []feature.Entry {
	slices.SortFunc(terms, func(a, b feature.Entry) int {
		return cmp.Or(int(common[a.Hash])-int(common[b.Hash]), cmp.Compare(a.Hash, b.Hash))
	})
	sum := 0.0
	n := len(terms)
	for n > 0 {
		w := terms[n-1].W
		if sum += w * w; sum >= threshold*threshold-1e-9 {
			break
		}
		n--
	}
	return terms[:n]
}
