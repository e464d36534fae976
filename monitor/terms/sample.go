package terms

import "math"

// fit samples the terms until the state keeps its limit.
func (s *State) fit() {
	for s.bound() > s.limit && s.level < 48 {
		if form := s.append(make([]byte, 0, s.bound())); len(form) <= s.limit {
			s.form = form
			return
		}
		s.level++
		s.drop()
	}
}

// drop forgets the terms that are not in the sample.
func (s *State) drop() {
	mask := uint64(1)<<s.level - 1
	number := make([]int32, len(s.terms)) // 1+new index
	kept := make([]term, 0, len(s.terms)/2)
	for i, t := range s.terms {
		if t.hash&mask == 0 {
			kept = append(kept, t)
			number[i] = int32(len(kept))
		}
	}
	order := make([]int32, 0, len(kept))
	renamed := make([]int32, len(s.groups)) // 1+new number
	var groups []group
	for _, id := range s.order {
		if number[id] == 0 {
			continue
		}
		t := &kept[number[id]-1]
		if renamed[t.group] == 0 {
			groups = append(groups, s.groups[t.group])
			renamed[t.group] = int32(len(groups))
		}
		t.group = renamed[t.group] - 1
		order = append(order, number[id]-1)
	}
	s.terms, s.order, s.groups = kept, order, groups
	s.index()
}

// Sampled returns the share of all terms that the state keeps, 1 or a power of
// one half.
func (s *State) Sampled() float64 { return math.Ldexp(1, -s.level) }
