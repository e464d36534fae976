package dice

import (
	"slices"

	"github.com/zeebo/xxh3"
)

// WordSet is a set of words, held as the ascending 64-bit hashes (Hash) of its
// words. Two different words share a hash with probability 2^-64; a set of n
// words holds such a pair with about n²/2^65, some 10^-12 for 10,000 words,
// and one pair shifts the coefficient by about 1/n. The hash is not keyed: who
// writes pages on purpose to make words collide can hide a change of them.
type WordSet []uint64

// Hash returns the element that stands for word in a WordSet, its XXH3.
func Hash(word []byte) uint64 { return xxh3.Hash(word) }

// SetOf returns the set of the words with some hashes. It takes the slice over.
func SetOf(hashes []uint64) WordSet { return slices.Compact(sorted(hashes)) }

// Dice returns the Dice coefficient of two sets (SCIENCE A8).
func (s WordSet) Dice(t WordSet) float64 { return coefficient(s.common(t), len(s), len(t)) }

// Changes returns how many words new has that s lacks, and the other way round.
func (s WordSet) Changes(new WordSet) (added, removed int) {
	common := s.common(new)
	return len(new) - common, len(s) - common
}

// common counts the intersection by a merge without branches that the
// processor would have to guess: hashes are random.
func (s WordSet) common(t WordSet) int {
	n, i, j := 0, 0, 0
	for i < len(s) && j < len(t) {
		x, y := s[i], t[j]
		if x == y {
			n++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return n
}

// Builder collects words for a WordSet. The zero value is ready. It may be used
// for one set after another, which saves its memory; not by two goroutines.
type Builder struct {
	table []uint64 // open addressing, 0 = free, length a power of two
	zero  bool     // hash 0 is in the set
	n     int      // used places of table
}

// Add puts a word into the set. It does not keep the slice.
func (b *Builder) Add(word []byte) { b.AddHash(xxh3.Hash(word)) }

// AddHash puts a word into the set by its Hash.
func (b *Builder) AddHash(h uint64) {
	if h == 0 {
		b.zero = true
		return
	}
	if 2*b.n >= len(b.table) {
		b.grow()
	}
	mask := uint64(len(b.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch b.table[i] {
		case h:
			return
		case 0:
			b.table[i] = h
			b.n++
			return
		}
	}
}

func (b *Builder) grow() {
	old := b.table
	b.table = make([]uint64, max(1024, 2*len(old)))
	b.n = 0
	for _, h := range old {
		if h != 0 {
			b.AddHash(h)
		}
	}
}

// Set returns the words added since the last call and empties the builder.
func (b *Builder) Set() WordSet {
	set := make(WordSet, 0, b.n+1)
	if b.zero {
		set = append(set, 0)
	}
	for _, h := range b.table {
		if h != 0 {
			set = append(set, h)
		}
	}
	set = sorted(set)
	const keep = 1 << 16 // places; one giant page must not slow down all that follow
	if len(b.table) > keep {
		b.table = nil
	}
	clear(b.table)
	b.n, b.zero = 0, false
	return set
}
