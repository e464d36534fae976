package dom

import (
	"cmp"
	"slices"
)

// Element is what a State says of one path: its lifespan and, if Contents is not 0,
// the persistence of the contents that it had, at the path and anywhere.
type Element struct {
	Lifespan
	AtPath, Travel Block
}

// Elements returns what is known of every path, ascending by path, in slots.
func (s *State) Elements() []Element {
	paths := s.paths()
	out := make([]Element, len(s.elements))
	for i, e := range s.elements {
		out[i].Lifespan = Lifespan{paths[i], float64(s.first + int(e.first)), float64(s.first + int(e.last))}
		out[i].AtPath, out[i].Travel = e.blocks()
	}
	slices.SortFunc(out, func(a, b Element) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// blocks adds what is remembered of contents to the tallies of those that are not.
func (e element) blocks() (atPath, travel Block) {
	for _, c := range e.contents {
		e.done.add(c.last - c.first)
		if c.origin {
			e.away.add(c.lastAny - c.first)
		}
	}
	return e.done.block(), e.away.block()
}

// Lifespans returns the lifespan of every path, ascending by path, in slots.
func (s *State) Lifespans() []Lifespan {
	elements := s.Elements()
	out := make([]Lifespan, len(elements))
	for i, e := range elements {
		out[i] = e.Lifespan
	}
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
	for _, e := range s.Elements() {
		if e.AtPath.Contents > 0 {
			atPath[e.Path] = e.AtPath
		}
		if e.Travel.Contents > 0 {
			travel[e.Path] = e.Travel
		}
	}
	return atPath, travel
}

// Regions returns the paths with text as Together takes them, ascending by path.
// Of the changes those are known whose contents are still remembered.
func (s *State) Regions() []Region {
	paths := s.paths()
	var out []Region
	for i, e := range s.elements {
		b, _ := e.blocks()
		if b.Contents == 0 {
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
