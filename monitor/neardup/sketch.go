package neardup

import (
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/monitor/text"
)

const (
	shingleWords = 5
	// sampled is the number of shingles that a sketch keeps at most. A longer
	// text keeps those with the smallest hashes: a MinHash bottom-k sample, whose
	// estimate of Jaccard has a standard error of at most .5/sqrt(sampled) = .016.
	sampled = 1024
)

// Sketch is what is kept of a text to compare it: at most 8 KiB.
type Sketch struct {
	Words    int    // number of words
	Exact    uint64 // hash of all words in order
	Simhash  uint64
	shingles []uint64 // hashes, rising
	all      int      // number of distinct shingles
}

// Of makes the sketch of a text. Words are those of text.EachWord, so that case,
// punctuation and white space do not count. A text of fewer than five words has
// one shingle; one without words has none, and is like no other.
func Of(s string) Sketch {
	var k Sketch
	var window [shingleWords]uint64
	var all xxh3.Hasher
	var shingles []uint64
	var b [8 * shingleWords]byte
	put := func(n int) {
		for i := range n {
			w := window[(k.Words-n+i)%shingleWords]
			for j := range 8 {
				b[8*i+j] = byte(w >> (8 * j))
			}
		}
		shingles = append(shingles, xxh3.Hash(b[:8*n]))
	}
	var votes [64]int32
	text.EachWord(s, func(w []byte) {
		_, _ = all.Write(w)
		_, _ = all.Write([]byte{0})
		window[k.Words%shingleWords] = xxh3.Hash(w)
		k.Words++
		if k.Words >= shingleWords {
			put(shingleWords)
		}
	})
	if k.Words > 0 && k.Words < shingleWords {
		put(k.Words)
	}
	k.Exact = all.Sum64()
	slices.Sort(shingles)
	shingles = slices.Compact(shingles)
	for _, h := range shingles {
		for i := range votes {
			votes[i] += int32(h>>i&1)*2 - 1
		}
	}
	for i, v := range votes {
		if v > 0 {
			k.Simhash |= 1 << i
		}
	}
	k.all = len(shingles)
	k.shingles = slices.Clone(shingles[:min(len(shingles), sampled)])
	return k
}

// Distance is the number of bits in which two simhashes differ.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// Compare returns the Jaccard coefficient of the shingles of two texts, exact if
// both are kept whole, else estimated from the smallest hashes of their union:
//
//	J(A, B) = |A ∩ B| / |A ∪ B|
//
// A text without words has 0 with every other.
func Compare(a, b Sketch) float64 {
	if a.all == 0 || b.all == 0 {
		return 0
	}
	limit := a.all + b.all
	if a.all > sampled || b.all > sampled {
		limit = min(len(a.shingles), len(b.shingles)) // of the union, both samples know as many
	}
	common, union := 0, 0
	i, j := 0, 0
	for union < limit && (i < len(a.shingles) || j < len(b.shingles)) {
		switch {
		case j == len(b.shingles) || i < len(a.shingles) && a.shingles[i] < b.shingles[j]:
			i++
		case i == len(a.shingles) || a.shingles[i] > b.shingles[j]:
			j++
		default:
			common++
			i++
			j++
		}
		union++
	}
	return float64(common) / float64(union)
}

// Class names how alike two texts are.
type Class string

// Classes, from the most alike.
const (
	Exact  Class = "exact"  // the same words in the same order
	Mirror Class = "mirror" // Jaccard of .9 or more
	Near   Class = "near"   // .6 or more
	Other  Class = "other"
)

// Classify compares two texts and names what they are (T15).
func Classify(a, b Sketch) (Class, float64) {
	if a.Words > 0 && a.Words == b.Words && a.Exact == b.Exact {
		return Exact, 1
	}
	j := Compare(a, b)
	switch {
	case j >= 0.9:
		return Mirror, j
	case j >= 0.6:
		return Near, j
	}
	return Other, j
}
