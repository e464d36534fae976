package dom

import (
	"cmp"
	"slices"
)

// Lifespans returns the lifespan of every path, ascending by path, in slots.
func (s *State) Lifespans() []Lifespan {
	paths := s.paths()
	out := make([]Lifespan, len(s.elements))
	for i, e := range s.elements {
		out[i] = Lifespan{paths[i], float64(s.first + int(e.first)), float64(s.first + int(e.last))}
	}
	slices.SortFunc(out, func(a, b Lifespan) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func (s *State) paths() []string {
	paths := make([]string, len(s.elements))
	for i, e := range s.elements {
		above := ""
		if e.parent >= 0 {
			above = paths[e.parent]
		}
		paths[i] = above + stepText(s.tags[e.tag], int(e.nth))
	}
	return paths
}

// Blocks returns the persistence of contents as the function Blocks does, in
// slots, for the paths that ever had text.
func (s *State) Blocks() (atPath, travel map[string]Block) {
	atPath, travel = map[string]Block{}, map[string]Block{}
	paths := s.paths()
	for i, e := range s.elements {
		for _, c := range e.contents {
			e.done.add(c.last - c.first)
			if c.origin {
				e.away.add(c.lastAny - c.first)
			}
		}
		if e.done.n > 0 {
			atPath[paths[i]] = e.done.block()
		}
		if e.away.n > 0 {
			travel[paths[i]] = e.away.block()
		}
	}
	return atPath, travel
}

// Regions returns the paths with text as Together takes them, ascending by path.
// Of the changes those are known whose contents are still remembered.
func (s *State) Regions() []Region {
	atPath, _ := s.Blocks()
	paths := s.paths()
	var out []Region
	for i, e := range s.elements {
		b, ok := atPath[paths[i]]
		if !ok {
			continue
		}
		r := Region{Path: paths[i], Life: b.Life}
		for _, c := range e.contents {
			if c.first > e.first {
				r.Changes = append(r.Changes, s.first+int(c.first))
			}
		}
		slices.Sort(r.Changes)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Region) int { return cmp.Compare(a.Path, b.Path) })
	return out
}
