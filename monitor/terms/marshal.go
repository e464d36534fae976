package terms

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"github.com/zeebo/xxh3"
)

var errState = errors.New("terms: state is damaged")

const stateFormat = 1

// MarshalBinary returns the state: uvarints and the terms, each term as the
// number of bytes that it shares with the one before and the rest.
//
//	format, limit, level, number of stretches of slots
//	and if there are any: first slot (zigzag), then of each: gap to the one before, length
//	|D| of the last version, versions with words, pending versions, number of groups,
//	of each group: 2 spans + (1 if the last is open), of each span: distance from
//	  the end of the one before, length unless open; tf if open; sum;
//	  number of terms, of each: shared bytes, further bytes, these
func (s *State) MarshalBinary() ([]byte, error) {
	if s.form != nil {
		return bytes.Clone(s.form), nil
	}
	return s.append(make([]byte, 0, s.bound())), nil
}

func (s *State) append(b []byte) []byte {
	b = append(b, stateFormat)
	b = binary.AppendUvarint(b, uint64(s.limit))
	b = binary.AppendUvarint(b, uint64(s.level))
	b = binary.AppendUvarint(b, uint64(len(s.slots)))
	if !s.started {
		return b
	}
	b = binary.AppendVarint(b, int64(s.slots[0].From))
	end := s.slots[0].From
	for _, sp := range s.slots {
		b = binary.AppendUvarint(b, uint64(sp.From-end))
		b = binary.AppendUvarint(b, uint64(sp.To-sp.From))
		end = sp.To
	}
	b = binary.AppendUvarint(b, uint64(s.words))
	b = binary.AppendUvarint(b, uint64(s.docs))
	b = binary.AppendUvarint(b, uint64(s.pending))
	b = binary.AppendUvarint(b, uint64(len(s.groups)))
	before, at := "", 0
	for gi := range s.groups {
		b = s.groups[gi].append(b)
		from := at
		for at < len(s.order) && s.terms[s.order[at]].group == int32(gi) {
			at++
		}
		b = binary.AppendUvarint(b, uint64(at-from))
		for _, id := range s.order[from:at] {
			text := s.terms[id].text
			k := shared(before, text)
			b = append(b, byte(k), byte(len(text)-k))
			b = append(b, text[k:]...)
			before = text
		}
	}
	return b
}

func (g *group) append(b []byte) []byte {
	n := uint64(2 * len(g.spans))
	if g.open >= 0 {
		n++
	}
	b = binary.AppendUvarint(b, n)
	end := 0
	for _, sp := range g.spans {
		b = binary.AppendUvarint(b, uint64(sp.From-end))
		b = binary.AppendUvarint(b, uint64(sp.To-sp.From))
		end = sp.To
	}
	if g.open >= 0 {
		b = binary.AppendUvarint(b, uint64(g.open-end))
		b = binary.AppendUvarint(b, uint64(g.tf))
	}
	return binary.AppendUvarint(b, g.sum)
}

func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// bound returns a length that the marshalled form does not exceed.
func (s *State) bound() int {
	const number = 10 // bytes of a uvarint
	n := (8+2*len(s.slots))*number + 5*number*len(s.groups)
	for i := range s.groups {
		n += 6 * len(s.groups[i].spans) // two numbers below 1<<21
	}
	for i := range s.terms {
		n += 2 + len(s.terms[i].text)
	}
	return n
}

// UnmarshalBinary restores the state that MarshalBinary returned.
func (s *State) UnmarshalBinary(b []byte) error {
	r := reader{b: b}
	if r.uint(math.MaxUint8) != stateFormat {
		return errState
	}
	n := State{limit: int(r.uint(math.MaxInt32)), level: int(r.uint(48))}
	if n.limit == 0 {
		return errState
	}
	if stretches := r.count(2); stretches > 0 && !r.bad {
		n.started = true
		n.read(&r, stretches)
	}
	if r.bad || len(r.b) > 0 {
		return errState
	}
	*s = n
	return nil
}

func (s *State) read(r *reader, stretches int) {
	end := int(r.int(math.MaxInt32))
	first := end
	for i := range stretches {
		gap := int(r.uint(MaxSlots))
		n := int(r.uint(MaxSlots))
		if n == 0 || (gap == 0) != (i == 0) {
			r.bad = true
			return
		}
		s.slots = append(s.slots, Span{end + gap, end + gap + n})
		end += gap + n
		s.seen += n
	}
	s.words = int(r.uint(math.MaxInt64 >> 1))
	s.docs = int(r.uint(MaxSlots))
	s.pending = int(r.uint(MaxSlots))
	groups := r.count(4)
	if end-first > MaxSlots || s.docs+s.pending > s.seen || s.pending == 0 || r.bad {
		r.bad = true
		return
	}
	s.groups = make([]group, groups)
	s.terms, s.order = make([]term, 0, len(r.b)/6), make([]int32, 0, len(r.b)/6) // some six bytes each
	var before []byte
	var texts strings.Builder // one piece of memory for all of them
	texts.Grow(2 * len(r.b))
	ends := make([]int, 0, cap(s.terms))
	var spans []Span // memory for those of many groups
	for gi := range s.groups {
		spans = s.readGroup(r, &s.groups[gi], spans)
		n := r.count(2)
		if n == 0 || r.bad {
			r.bad = true
			return
		}
		for range n {
			k, more := int(r.uint(math.MaxUint8)), int(r.uint(math.MaxUint8))
			if r.bad || k > len(before) || more > len(r.b) || k+more > MaxWord {
				r.bad = true
				return
			}
			before = append(before[:k], r.b[:more]...)
			r.b = r.b[more:]
			texts.Write(before)
			ends = append(ends, texts.Len())
			s.order = append(s.order, int32(len(s.terms)))
			s.terms = append(s.terms, term{hash: xxh3.Hash(before), group: int32(gi)})
		}
	}
	all, from := texts.String(), 0
	for i, end := range ends {
		s.terms[i].text = all[from:end]
		from = end
	}
}

// readGroup reads a group. Its spans take memory off what it is given; it returns the rest.
func (s *State) readGroup(r *reader, g *group, memory []Span) []Span {
	n := r.uint(2*MaxSlots + 1)
	goesOn := n%2 == 1
	if n == 0 || n/2 > uint64(len(r.b)/2) {
		r.bad = true
		return memory
	}
	g.open = -1
	end := 0
	if n /= 2; uint64(len(memory)) < n {
		memory = make([]Span, max(n, 256))
	}
	g.spans, memory = memory[:n:n], memory[n:]
	for i := range g.spans {
		from := end + int(r.uint(MaxSlots))
		end = from + int(r.uint(MaxSlots))
		g.spans[i] = Span{from, end}
		if from == end || end > s.seen || i > 0 && from == g.spans[i-1].To {
			r.bad = true
			return memory
		}
	}
	if goesOn {
		g.open = end + int(r.uint(MaxSlots))
		g.tf = uint32(r.uint(math.MaxInt32))
		if g.open >= s.seen || g.tf == 0 || len(g.spans) > 0 && g.open == end || int(g.tf) > s.words {
			r.bad = true
			return memory
		}
	}
	g.sum = r.uint(MaxSlots << shareBits)
	return memory
}
