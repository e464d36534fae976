package dom

import "slices"

// gone tells whether a content was last seen before now, at its path and, if it
// came from there, anywhere.
func (c *content) gone(now int32) bool { return c.last < now && (!c.origin || c.lastAny < now) }

// when is the slot from which a content is of no use but for its return.
func (c *content) when() int32 {
	if c.origin {
		return max(c.last, c.lastAny)
	}
	return c.last
}

// forget keeps the number of contents that are gone within maxPast. All that
// went in the same slot are forgotten together, the earliest first, until half
// of the room is free.
func (s *State) forget(now int32) {
	var times []int32
	for i := range s.elements {
		for k := range s.elements[i].contents {
			if c := &s.elements[i].contents[k]; c.gone(now) {
				times = append(times, c.when())
			}
		}
	}
	if len(times) <= maxPast {
		return
	}
	slices.Sort(times)
	until := times[len(times)-maxPast/2]
	for i := range s.elements {
		e := &s.elements[i]
		e.contents = slices.DeleteFunc(e.contents, func(c content) bool {
			if !c.gone(now) || c.when() > until {
				return false
			}
			e.done.add(c.last - c.first)
			if c.origin {
				e.away.add(c.lastAny - c.first)
			}
			s.forgot = true
			return true
		})
	}
}

func (t *tally) add(life int32) {
	t.life += uint64(life)
	t.n++
}

func (t tally) block() Block { return Block{float64(t.life) / float64(t.n), int(t.n)} }

// fit forgets levels until the state keeps its limit.
func (s *State) fit() {
	for s.bound() > s.limit && s.depth > 1 {
		if form := s.append(make([]byte, 0, s.bound())); len(form) <= s.limit {
			s.form = form
			return
		}
		deepest := int32(0)
		for i := range s.elements {
			deepest = max(deepest, s.elements[i].depth)
		}
		s.depth = int(deepest) - 1
		s.cut()
	}
}

// cut drops the elements that are too deep.
func (s *State) cut() {
	number := make([]int32, len(s.elements))
	kept := s.elements[:0]
	for i, e := range s.elements {
		if int(e.depth) > s.depth {
			continue
		}
		if e.parent >= 0 {
			e.parent = number[e.parent]
		}
		number[i] = int32(len(kept))
		kept = append(kept, e)
	}
	clear(s.elements[len(kept):])
	s.elements = kept
	s.index()
}
