package monitor

import "github.com/strandlinehq/strandline/monitor/dice"

// vocabulary numbers words, from 0 in the order in which they came. Numbers stay
// as they are, so what was counted with them remains readable as it grows.
type vocabulary struct {
	words []numbered
	arena []byte
	table []uint32 // 1 + number; a power of two, at most half full
}

type numbered struct {
	hash     uint64
	off, end uint32
}

// number returns the number of a word.
func (v *vocabulary) number(word []byte) uint32 {
	if 2*len(v.words) >= len(v.table) {
		v.grow()
	}
	h := dice.Hash(word)
	mask := uint64(len(v.table) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		k := v.table[at]
		if k == 0 {
			off := uint32(len(v.arena))
			v.arena = append(v.arena, word...)
			v.words = append(v.words, numbered{h, off, uint32(len(v.arena))})
			v.table[at] = uint32(len(v.words))
			return uint32(len(v.words)) - 1
		}
		if w := &v.words[k-1]; w.hash == h && string(v.arena[w.off:w.end]) == string(word) {
			return k - 1
		}
	}
}

func (v *vocabulary) grow() {
	v.table = make([]uint32, max(1<<11, 2*len(v.table)))
	mask := uint64(len(v.table) - 1)
	for i := range v.words {
		at := v.words[i].hash & mask
		for v.table[at] != 0 {
			at = (at + 1) & mask
		}
		v.table[at] = uint32(i + 1)
	}
}

// bag is how often the words of a vocabulary occur in a text.
type bag struct {
	from   *vocabulary
	counts []counted
}

type counted struct{ word, count uint32 }

// each calls f for each word of the bag, as terms.State.Add asks for it.
func (b bag) each(f func(word []byte, hash uint64, count int)) {
	for _, c := range b.counts {
		w := &b.from.words[c.word]
		f(b.from.arena[w.off:w.end], w.hash, int(c.count))
	}
}

// set returns the set of the words.
func (b bag) set() dice.WordSet {
	hashes := make(dice.WordSet, len(b.counts))
	for i, c := range b.counts {
		hashes[i] = b.from.words[c.word].hash
	}
	return dice.SetOf(hashes)
}
