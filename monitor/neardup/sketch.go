package neardup

import (
	"encoding/binary"
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
	var window [8 * shingleWords]byte // the hashes of the last words
	words := make([]byte, 0, len(s)+len(s)/4)
	shingles := make([]uint64, 0, len(s)/5)
	text.EachWord(s, func(w []byte) {
		words = append(append(words, w...), 0)
		copy(window[:], window[8:])
		binary.LittleEndian.PutUint64(window[8*(shingleWords-1):], xxh3.Hash(w))
		if k.Words++; k.Words >= shingleWords {
			shingles = append(shingles, xxh3.Hash(window[:]))
		}
	})
	if k.Words > 0 && k.Words < shingleWords {
		shingles = append(shingles, xxh3.Hash(window[8*(shingleWords-k.Words):]))
	}
	k.Exact = xxh3.Hash(words)
	shingles = slices.Compact(sorted(shingles))
	k.Simhash = majority(shingles)
	k.all = len(shingles)
	k.shingles = slices.Clone(shingles[:min(len(shingles), sampled)])
	return k
}

// majority has the bits that are set in more than half of the hashes. Bit i of the planes,
// read upwards, is the number of hashes that have bit i: 64 counters that are added to at once.
func majority(hashes []uint64) (out uint64) {
	var planes [64]uint64
	for _, h := range hashes {
		for i := 0; h != 0; i++ {
			planes[i], h = planes[i]^h, planes[i]&h
		}
	}
	for bit := range 64 {
		n := 0
		for i, p := range planes[:bits.Len(uint(len(hashes)))] {
			n |= int(p>>bit&1) << i
		}
		if 2*n > len(hashes) {
			out |= 1 << bit
		}
	}
	return out
}

// sorted returns hashes in rising order. They are spread evenly, so that their first bits
// nearly say where each belongs; what lies close together is sorted then.
func sorted(hashes []uint64) []uint64 {
	if len(hashes) < 64 {
		slices.Sort(hashes)
		return hashes
	}
	shift := 64 - (bits.Len(uint(len(hashes))) - 2)
	ends := make([]int32, 1<<(64-shift)+1)
	for _, h := range hashes {
		ends[h>>shift+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	out := make([]uint64, len(hashes))
	for _, h := range hashes {
		out[ends[h>>shift]] = h
		ends[h>>shift]++
	}
	begin := int32(0)
	for _, end := range ends[:len(ends)-1] {
		slices.Sort(out[begin:end])
		begin = end
	}
	return out
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
