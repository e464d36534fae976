package curve

import (
	"encoding/binary"
	"errors"
	"math"
)

// errState says that bytes are no state of an Accumulator.
var errState = errors.New("curve: state is damaged")

const (
	stateFormat = 1
	maxFollowed = 256 // in a state that is read; far above what the choice of starts leaves
)

// MarshalBinary returns the state without the sets of words, some 7 bytes for
// each version that brought a change. All numbers but the seed are uvarints:
//
//	format, seed (8 bytes), Starts, Week, number of stretches of slots,
//	and if there are any: first slot (zigzag), of each: gap to the one before, length;
//	versions in the first week, number of followed slots, of each: version, words
//	runs of versions from the first followed one on that compare equally, of each:
//	  length, words (zigzag against the last run), and of each start followed
//	  at the run's first version: its words that are not in the later ones,
//	  zigzag against the last run
func (a *Accumulator) MarshalBinary() ([]byte, error) {
	b := []byte{stateFormat}
	b = binary.LittleEndian.AppendUint64(b, a.seed)
	b = binary.AppendUvarint(b, uint64(a.opt.Starts))
	b = binary.AppendUvarint(b, uint64(a.opt.Week))
	b = a.appendSlots(b)
	if !a.started {
		return b, nil
	}
	b = binary.AppendUvarint(b, uint64(a.early))
	b = binary.AppendUvarint(b, uint64(len(a.follow)))
	for i := range a.follow {
		b = binary.AppendUvarint(b, uint64(a.follow[i].from))
		b = binary.AppendUvarint(b, uint64(a.follow[i].size))
	}
	if len(a.follow) == 0 {
		return b, nil
	}
	size, lost := int64(0), make([]int64, len(a.follow))
	for v := a.follow[0].from; v < len(a.slots); {
		n := a.run(v)
		b = binary.AppendUvarint(b, uint64(n))
		p := a.follow[0].at(v)
		b = binary.AppendVarint(b, int64(p.size)-size)
		size = int64(p.size)
		for i := range a.follow {
			if f := &a.follow[i]; f.from <= v {
				l := int64(f.size - f.at(v).common)
				b = binary.AppendVarint(b, l-lost[i])
				lost[i] = l
			}
		}
		v += n
	}
	return b, nil
}

// appendSlots appends the slots as stretches without a gap.
func (a *Accumulator) appendSlots(b []byte) []byte {
	var ends []int // index after each stretch
	for i := range a.slots {
		if i+1 == len(a.slots) || a.slots[i+1] != a.slots[i]+1 {
			ends = append(ends, i+1)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(ends)))
	if len(ends) == 0 {
		return b
	}
	b = binary.AppendVarint(b, int64(a.first))
	from, after := 0, 0
	for _, end := range ends {
		b = binary.AppendUvarint(b, uint64(a.slots[from]-after))
		b = binary.AppendUvarint(b, uint64(end-from))
		from, after = end, a.slots[end-1]+1
	}
	return b
}

func (s *series) at(version int) pair { return s.pairs[version-s.from] }

// run returns how many versions from v on compare equally with every start.
func (a *Accumulator) run(v int) int {
	for n := 1; ; n++ {
		next := v + n
		if next == len(a.slots) {
			return n
		}
		for i := range a.follow {
			f := &a.follow[i]
			if f.from == next || f.from <= v && f.at(next) != f.at(v) {
				return n
			}
		}
	}
}

// UnmarshalBinary restores the state that MarshalBinary returned. Before the
// next Add the sets of words that Needs names have to be supplied; Curve, Starts
// and Repeat work without them.
func (a *Accumulator) UnmarshalBinary(b []byte) error {
	r := reader{b: b}
	if r.byte() != stateFormat || len(r.b) < 8 {
		return errState
	}
	n := Accumulator{seed: binary.LittleEndian.Uint64(r.b)}
	r.b = r.b[8:]
	n.opt.Starts = int(r.uint(maxFollowed))
	n.opt.Week = int(r.uint(MaxSlots))
	if n.opt.Starts == 0 || n.opt.Week == 0 {
		return errState
	}
	if stretches := r.uint(uint64(len(r.b) / 2)); stretches > 0 {
		n.started = true
		n.readSlots(&r, stretches)
		n.read(&r)
	}
	if r.bad || len(r.b) > 0 {
		return errState
	}
	*a = n
	return nil
}

func (a *Accumulator) readSlots(r *reader, stretches uint64) {
	a.first = int(r.int(math.MaxInt32))
	at := 0
	for i := range stretches {
		at += int(r.uint(MaxSlots))
		n := int(r.uint(MaxSlots))
		if r.bad || n == 0 || at+n > MaxSlots || (i == 0) != (at == 0) || i > 0 && at == a.slots[len(a.slots)-1]+1 {
			r.bad = true
			return
		}
		for range n {
			a.slots = append(a.slots, at)
			at++
		}
	}
}

func (a *Accumulator) read(r *reader) {
	a.early = int(r.uint(MaxSlots))
	a.follow = make([]followed, r.uint(maxFollowed))
	for i := range a.follow {
		f := &a.follow[i]
		f.from = int(r.uint(MaxSlots))
		if r.bad || f.from >= len(a.slots) || i > 0 && f.from <= a.follow[i-1].from {
			r.bad = true
			return
		}
		f.candidate = newCandidate(a.seed, a.first+a.slots[f.from], a.first, a.opt.Week)
		f.size = int32(r.uint(math.MaxInt32))
		f.pairs = make([]pair, 0, len(a.slots)-f.from+1)
	}
	if r.bad || len(a.follow) == 0 {
		return
	}
	size, lost := int64(0), make([]int64, len(a.follow))
	for v := a.follow[0].from; v < len(a.slots); {
		n := int(r.uint(MaxSlots))
		if size += r.int(math.MaxInt32); r.bad || n == 0 || v+n > len(a.slots) || size < 0 || size > math.MaxInt32 {
			r.bad = true
			return
		}
		for i := range a.follow {
			f := &a.follow[i]
			if f.from > v {
				r.bad = r.bad || f.from < v+n
				continue
			}
			lost[i] += r.int(math.MaxInt32)
			if r.bad || lost[i] < 0 || lost[i] > int64(f.size) || int64(f.size)-lost[i] > size {
				r.bad = true
				return
			}
			p := pair{common: f.size - int32(lost[i]), size: int32(size)}
			for range n {
				f.pairs = append(f.pairs, p)
			}
		}
		v += n
	}
}
