package dom

import (
	"math"
	"slices"
)

// Region is a block as Together needs it.
type Region struct {
	Path    string
	Life    float64 // mean life of its contents, in slots
	Changes []int   // numbers of the versions that brought a new content, ascending
}

const (
	lifeRatio   = 1.5 // up to which lives are alike (SCIENCE A31)
	correlation = .5  // from which change times are
	shortest    = .5  // slots: a life that no version saw is not longer than this
)

// Together groups siblings that live equally long and change at the same times:
// the posts of a blog, the places of an advertisement, a feed (SCIENCE A31). Two
// siblings are linked if the ratio of their lives is below 1.5 and their change
// times correlate by at least one half (phi coefficient over the versions);
// groups are what links connect. versions is how many the page has. The groups
// of two or more come as ascending indices, ordered by the first.
func Together(regions []Region, versions int) [][]int {
	family := map[string][]int{}
	var parents []string
	for i, r := range regions {
		p := parentOf(r.Path)
		if _, ok := family[p]; !ok {
			parents = append(parents, p)
		}
		family[p] = append(family[p], i)
	}
	var out [][]int
	for _, p := range parents {
		out = append(out, linked(regions, family[p], versions)...)
	}
	slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
	return out
}

// linked forms the groups within one family by single link.
func linked(regions []Region, family []int, versions int) [][]int {
	group := make([]int, len(family)) // root of each member, a forest
	for i := range group {
		group[i] = i
	}
	root := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	// In the order of life only neighbours within the ratio need a look.
	order := make([]int, len(family))
	for i := range order {
		order[i] = i
	}
	life := func(i int) float64 { return max(regions[family[i]].Life, shortest) }
	slices.SortStableFunc(order, func(a, b int) int { return cmpFloat(life(a), life(b)) })
	for i, a := range order {
		for _, b := range order[i+1:] {
			if life(b) >= lifeRatio*life(a) {
				break
			}
			if root(a) != root(b) && Phi(regions[family[a]].Changes, regions[family[b]].Changes, versions) >= correlation {
				group[max(root(a), root(b))] = min(root(a), root(b))
			}
		}
	}
	members := make([][]int, len(family))
	for i := range family {
		r := root(i)
		members[r] = append(members[r], family[i])
	}
	var out [][]int
	for _, m := range members {
		if len(m) > 1 {
			out = append(out, m)
		}
	}
	return out
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Phi is the correlation of two sets of versions, given ascending, among n:
//
//	(n n_ab - n_a n_b) / sqrt(n_a (n-n_a) n_b (n-n_b))
//
// Sets that leave it undefined (none or all of the versions) correlate by 1 if
// they are equal, else by 0.
func Phi(a, b []int, n int) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	na, nb, all := float64(len(a)), float64(len(b)), float64(n)
	d := na * (all - na) * nb * (all - nb)
	if d <= 0 {
		if len(a) == len(b) && both == len(a) {
			return 1
		}
		return 0
	}
	return (all*float64(both) - na*nb) / math.Sqrt(d)
}
