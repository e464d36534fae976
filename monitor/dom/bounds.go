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

// forget keeps the number of contents that are gone within most and returns how
// many there are. All that went in the same slot are forgotten together, the
// earliest first, until half of the room is free.
func (s *State) forget(now int32, most int) int {
	var times []int32
	for i := range s.elements {
		for k := range s.elements[i].contents {
			if c := &s.elements[i].contents[k]; c.gone(now) {
				times = append(times, c.when())
			}
		}
	}
	if len(times) <= most {
		return len(times)
	}
	slices.Sort(times)
	left := 0
	until := times[len(times)-most/2]
	for i := range s.elements {
		e := &s.elements[i]
		e.contents = slices.DeleteFunc(e.contents, func(c content) bool {
			if !c.gone(now) {
				return false
			}
			if c.when() > until {
				left++
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
	return left
}

func (t *tally) add(life int32) {
	t.life += uint64(life)
	t.n++
}

func (t tally) block() Block {
	if t.n == 0 {
		return Block{}
	}
	return Block{float64(t.life) / float64(t.n), int(t.n)}
}

// fit makes the state keep its limit. It forgets, in this order and only what it
// must, contents that are gone, levels of contents and of later elements, and
// levels of the first version's elements. past is how many contents are gone.
func (s *State) fit(now int32, past int) error {
	for s.bound() > s.limit && s.base > 1 {
		form, err := s.pack()
		if err != nil {
			return err
		}
		if len(form) <= s.limit {
			s.form = form
			return nil
		}
		if past > minPast {
			past = s.forget(now, past-1)
			continue
		}
		deepest, base := int32(0), int32(0)
		for i := range s.elements {
			e := &s.elements[i]
			base = max(base, e.depth)
			if e.first > 0 || len(e.contents) > 0 || e.done.n > 0 {
				deepest = max(deepest, e.depth)
			}
		}
		if deepest > 1 {
			s.depth = int(deepest) - 1
		} else {
			s.base = int(base) - 1
			s.depth = min(s.depth, s.base)
		}
		s.cut()
	}
	return nil
}

// cut drops what is too deep.
func (s *State) cut() {
	number := make([]int32, len(s.elements))
	kept := s.elements[:0]
	for i, e := range s.elements {
		if int(e.depth) > s.base || int(e.depth) > s.depth && e.first > 0 {
			continue
		}
		if int(e.depth) > s.depth {
			e.contents, e.done, e.away = nil, tally{}, tally{}
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
