package curve

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/monitor/dice"
)

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
		sets[i] = make(dice.WordSet, 0, min(int(a.follow[i].size), len(b)/8))
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
	for i := range sets {
		sets[i] = dice.SetOf(sets[i])
		if r.bad || len(sets[i]) != int(a.follow[i].size) {
			return errState
		}
	}
	for i, s := range sets {
		a.follow[i].words = s
	}
	return nil
}
