package terms

import (
	"slices"
	"strings"
)

// change is what a version does to the terms of a group.
type change struct {
	group int32
	tf    uint32
}

// regroup moves every term to the group of those that were used alike up to and
// including the new version. Terms from index known on are new.
//
// The groups are numbered in the order in which their first term is met, going
// by the old order and then by the names of the new terms; so the outcome
// depends on nothing but the history.
func (s *State) regroup(version, known int) {
	for i := known; i < len(s.terms); i++ {
		s.order = append(s.order, int32(i))
	}
	slices.SortFunc(s.order[known:], func(a, b int32) int { return strings.Compare(s.terms[a].text, s.terms[b].text) })

	absent := make([]int32, len(s.groups)) // 1+new number of what a group becomes
	same := make([]int32, len(s.groups))   // likewise for its terms that occur as often as before
	other := map[change]int32{}
	groups := make([]group, 0, len(s.groups)+8)
	for _, id := range s.order {
		t, tf := &s.terms[id], s.tf[id]
		switch {
		case t.group >= 0 && tf == 0:
			if absent[t.group] == 0 {
				groups = append(groups, s.groups[t.group].without(version))
				absent[t.group] = int32(len(groups))
			}
			t.group = absent[t.group] - 1
		case t.group >= 0 && tf == s.groups[t.group].tf:
			if same[t.group] == 0 {
				groups = append(groups, s.groups[t.group])
				same[t.group] = int32(len(groups))
			}
			t.group = same[t.group] - 1
		default:
			k := change{t.group, tf}
			n, ok := other[k]
			if !ok {
				g := group{open: -1}
				if t.group >= 0 {
					g = s.groups[t.group]
				}
				n = int32(len(groups))
				groups = append(groups, g.with(version, tf))
				other[k] = n
			}
			t.group = n
		}
	}
	s.groups = groups
	s.sort()
}

// without returns the group of terms that are not in the given version.
func (g group) without(version int) group {
	if g.open >= 0 {
		g.spans = append(slices.Clip(slices.Clone(g.spans)), Span{g.open, version})
		g.open, g.tf = -1, 0
	}
	return g
}

// with returns the group of terms that occur tf times in the given version.
func (g group) with(version int, tf uint32) group {
	if g.open < 0 {
		g.open = version
	}
	g.tf = tf
	return g
}

// sort orders the terms by group, keeping their order within.
func (s *State) sort() {
	at := make([]int32, len(s.groups)+1)
	for _, id := range s.order {
		at[s.terms[id].group+1]++
	}
	for i := range s.groups {
		at[i+1] += at[i]
	}
	s.touched = slices.Grow(s.touched[:0], len(s.order))[:len(s.order)]
	for _, id := range s.order {
		g := s.terms[id].group
		s.touched[at[g]] = id
		at[g]++
	}
	s.order, s.touched = s.touched, s.order
}
