package dice

import (
	"math/bits"
	"slices"
)

// sorted returns hashes in ascending order, in the slice given or in another. Hashes are
// spread evenly, so their leading bits nearly say where they belong: n of them are laid
// out by that in 2n to 4n steps, and insertion puts right what little is left. Hashes
// that somebody has chosen to be alike are left to a sort that does not depend on them.
func sorted(hashes []uint64) []uint64 {
	const few, most, alike = 48, 1 << 16, 32
	n := len(hashes)
	if n < few || n > most {
		slices.Sort(hashes)
		return hashes
	}
	width := min(bits.Len(uint(n)), 10)
	shift := 64 - width
	var ends [1 << 10]uint32
	for _, h := range hashes {
		ends[h>>shift]++
	}
	room := uint32(alike + 2*(n>>width))
	sum := uint32(0)
	for i := range 1 << width {
		if ends[i] > room {
			slices.Sort(hashes)
			return hashes
		}
		ends[i], sum = sum, sum+ends[i]
	}
	out := make([]uint64, n)
	for _, h := range hashes {
		b := h >> shift
		out[ends[b]] = h
		ends[b]++
	}
	for i := 1; i < n; i++ {
		h, k := out[i], i
		for ; k > 0 && out[k-1] > h; k-- {
			out[k] = out[k-1]
		}
		out[k] = h
	}
	return out
}
