package neardup

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// keyShingles is how many of the smallest shingles are keys. Those of two texts
// with a Jaccard coefficient J have none in common with a probability of about
// (1-J)^8: .0007 at .6.
const keyShingles = 8

// MostKeys is how many keys a text of a dozen words and more has.
const MostKeys = 1 + keyShingles + bands

// Keys are hashes of which two texts that are alike share some, for an index in
// which a text is looked up: the text, its eight smallest shingles, and the four
// bands of its simhash, of which two that differ in at most 3 bits share one. The
// same text has other keys with another salt. A text without words has none.
func (k Sketch) Keys(salt uint64) []int64 {
	if k.all == 0 {
		return nil
	}
	out := make([]int64, 0, MostKeys)
	add := func(kind byte, v uint64) {
		var b [17]byte
		binary.LittleEndian.PutUint64(b[:], salt)
		b[8] = kind
		binary.LittleEndian.PutUint64(b[9:], v)
		out = append(out, int64(xxh3.Hash(b[:])))
	}
	add(0, k.Exact)
	for _, h := range k.shingles[:min(keyShingles, len(k.shingles))] {
		add(1, h)
	}
	for i := range bands {
		add(2+byte(i), k.Simhash>>(16*i)&0xffff)
	}
	return out
}
