package curve

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/monitor/dice"
)

// errState says that bytes are no state of an Accumulator.
var errState = errors.New("curve: state is damaged")

const (
	stateFormat = 1
	maxFollowed = 256 // in a state that is read; far above what the choice of starts leaves
)

// MarshalBinary returns the state without the sets of words, some 7 bytes for
// each slot that brought a change. All numbers but the seed are uvarints:
//
//	format, seed (8 bytes), Starts, Week,
//	0 if there is no version, else 1, first (zigzag), last-first, early,
//	number of followed slots, then of each: slot-first, words
//	runs of equal comparisons until last, of each: slots,
//	  words+1 or 0 for missing, zigzag against the last run,
//	  and if not missing, of each slot followed at the run's first slot:
//	  words of the start that are not in the later version, zigzag against the last run
func (a *Accumulator) MarshalBinary() ([]byte, error) {
	b := []byte{stateFormat}
	b = binary.LittleEndian.AppendUint64(b, a.seed)
	b = binary.AppendUvarint(b, uint64(a.opt.Starts))
	b = binary.AppendUvarint(b, uint64(a.opt.Week))
	if !a.started {
		return append(b, 0), nil
	}
	b = append(b, 1)
	b = binary.AppendVarint(b, int64(a.first))
	b = binary.AppendUvarint(b, uint64(a.last-a.first))
	b = binary.AppendUvarint(b, uint64(a.early))
	b = binary.AppendUvarint(b, uint64(len(a.follow)))
	for i := range a.follow {
		b = binary.AppendUvarint(b, uint64(a.follow[i].slot-a.first))
		b = binary.AppendUvarint(b, uint64(a.follow[i].size))
	}
	if len(a.follow) == 0 {
		return b, nil
	}
	size, lost := int64(0), make([]int64, len(a.follow))
	for slot := a.follow[0].slot; slot <= a.last; {
		n := a.run(slot)
		b = binary.AppendUvarint(b, uint64(n))
		p := a.follow[0].at(slot)
		b = binary.AppendVarint(b, int64(p.size)+1-size)
		size = int64(p.size) + 1
		for i := range a.follow {
			if f := &a.follow[i]; f.slot <= slot && p.size >= 0 {
				l := int64(f.size - f.at(slot).common)
				b = binary.AppendVarint(b, l-lost[i])
				lost[i] = l
			}
		}
		slot += n
	}
	return b, nil
}

func (f *followed) at(slot int) pair { return f.pairs[slot-f.slot] }

// run returns how many slots from slot on compare equally with every start.
func (a *Accumulator) run(slot int) int {
	for n := 1; ; n++ {
		next := slot + n
		if next > a.last {
			return n
		}
		for i := range a.follow {
			f := &a.follow[i]
			if f.slot == next || f.slot <= slot && f.at(next) != f.at(slot) {
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
	switch r.byte() {
	case 0:
	case 1:
		n.started = true
		n.read(&r)
	default:
		return errState
	}
	if r.bad || len(r.b) > 0 {
		return errState
	}
	*a = n
	return nil
}

func (a *Accumulator) read(r *reader) {
	a.first = int(r.int(math.MaxInt32))
	a.last = a.first + int(r.uint(MaxSlots))
	a.early = int(r.uint(MaxSlots))
	a.follow = make([]followed, r.uint(maxFollowed))
	for i := range a.follow {
		f := &a.follow[i]
		f.candidate = newCandidate(a.seed, a.first+int(r.uint(MaxSlots)), a.first, a.opt.Week)
		f.size = int32(r.uint(math.MaxInt32))
		if f.slot > a.last || i > 0 && f.slot <= a.follow[i-1].slot {
			r.bad = true
		}
	}
	if r.bad || len(a.follow) == 0 {
		return
	}
	size, lost := int64(0), make([]int64, len(a.follow))
	for slot := a.follow[0].slot; slot <= a.last; {
		n := int(r.uint(MaxSlots))
		if size += r.int(math.MaxInt32); r.bad || n == 0 || slot+n-1 > a.last || size < 0 || size > math.MaxInt32 {
			r.bad = true
			return
		}
		for i := range a.follow {
			f := &a.follow[i]
			if f.slot > slot {
				if f.slot < slot+n {
					r.bad = true
					return
				}
				continue
			}
			p := pair{size: int32(size) - 1}
			if p.size >= 0 {
				if lost[i] += r.int(math.MaxInt32); lost[i] < 0 || lost[i] > int64(f.size) {
					r.bad = true
					return
				}
				if p.common = f.size - int32(lost[i]); p.common > p.size {
					r.bad = true
					return
				}
			}
			for range n {
				f.pairs = append(f.pairs, p)
			}
		}
		slot += n
	}
}

// MarshalSets returns the sets of words of the followed slots, 8 bytes for each
// word that is in any of them. It returns nil if some are missing, if there are
// more than 64, or if the result would be longer than limit bytes: the sets then
// have to be supplied from where the versions are kept.
//
// The words come in groups, ascending by mask: a mask of the slots that have
// them (bit i is the i-th followed slot), their number, both as uvarints, and
// their hashes ascending, 8 bytes each in little endian.
func (a *Accumulator) MarshalSets(limit int) []byte {
	if len(a.follow) > 64 || len(a.Needs()) > 0 {
		return nil
	}
	groups := map[uint64][]uint64{}
	var masks []uint64
	at := make([]int, len(a.follow))
	words := 0
	for {
		low, mask := uint64(math.MaxUint64), uint64(0)
		for i := range a.follow {
			if w := a.follow[i].words; at[i] < len(w) {
				switch {
				case w[at[i]] < low || mask == 0:
					low, mask = w[at[i]], 1<<i
				case w[at[i]] == low:
					mask |= 1 << i
				}
			}
		}
		if mask == 0 {
			break
		}
		for i := range a.follow {
			at[i] += int(mask >> i & 1)
		}
		if words++; 8*words > limit {
			return nil
		}
		if _, ok := groups[mask]; !ok {
			masks = append(masks, mask)
		}
		groups[mask] = append(groups[mask], low)
	}
	slices.Sort(masks)
	b := make([]byte, 0, 8*words+4*len(masks))
	for _, mask := range masks {
		b = binary.AppendUvarint(b, mask)
		b = binary.AppendUvarint(b, uint64(len(groups[mask])))
		for _, w := range groups[mask] {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	if len(b) > limit {
		return nil
	}
	return b
}

// UnmarshalSets supplies the sets that MarshalSets returned for the same state.
func (a *Accumulator) UnmarshalSets(b []byte) error {
	r := reader{b: b}
	sets := make([]dice.WordSet, len(a.follow))
	for i := range sets {
		sets[i] = dice.WordSet{}
	}
	for len(r.b) > 0 && !r.bad {
		mask := r.uint(math.MaxUint64)
		n := r.uint(uint64(len(r.b) / 8))
		if r.bad || n > uint64(len(r.b)/8) || len(sets) < 64 && mask>>len(sets) != 0 {
			return errState
		}
		for range n {
			w := binary.LittleEndian.Uint64(r.b)
			r.b = r.b[8:]
			for i := range sets {
				if mask>>i&1 != 0 {
					sets[i] = append(sets[i], w)
				}
			}
		}
	}
	for i, s := range sets {
		slices.Sort(s)
		if r.bad || len(s) != int(a.follow[i].size) {
			return errState
		}
	}
	for i, s := range sets {
		a.follow[i].words = s
	}
	return nil
}
