// Package terms measures how the words of a page come and go: lifespans, staying
// power and divergence (paper A section 4.3; SCIENCE A21 to A25).
//
// StayingPower, Divergence and Select are plain functions on whole histories. A
// State is what is kept of one page to give the same numbers without its old
// versions: it takes them one by one and marshals to some ten kilobytes. A
// Collection is the language model of all watched pages, kept the same way.
//
// Time is counted in slots of the observation grid. A slot without a version is
// missing: it is left out of every mean and is not an absence. Every word counts,
// function words are the point of the measures. What is undefined is said by a
// second result, never by NaN.
//
// Left out: what a word is (monitor/text), storing, and drawing.
package terms

import "math/bits"

// Bits is a set of slots: slot i is bit i%64 of element i/64. Elements beyond
// the end are zero.
type Bits []uint64

// NewBits returns an empty set with room for the slots 0 to n-1.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Set adds slot i, which has to be within the room of the set.
func (b Bits) Set(i int) { b[i/64] |= 1 << (i % 64) }

// SetRange adds the slots from to to-1.
func (b Bits) SetRange(from, to int) {
	for i := from; i < to; {
		if i%64 == 0 && i+64 <= to {
			b[i/64] = ^uint64(0)
			i += 64
			continue
		}
		b.Set(i)
		i++
	}
}

// Has reports whether slot i is in the set.
func (b Bits) Has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 != 0 }

// Count returns how many slots are in the set.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// extent returns the first slot in the set and the one after the last; equal if
// the set is empty.
func (b Bits) extent() (from, to int) {
	for i, w := range b {
		if w != 0 {
			if to == 0 {
				from = i*64 + bits.TrailingZeros64(w)
			}
			to = i*64 + bits.Len64(w)
		}
	}
	return from, to
}

// overlap counts the slots t of b for which t+shift is in b too.
func (b Bits) overlap(shift int) int {
	n, words, low := 0, shift/64, uint(shift%64)
	for i := words; i < len(b); i++ {
		w := b[i] >> low
		if low > 0 && i+1 < len(b) {
			w |= b[i+1] << (64 - low)
		}
		n += bits.OnesCount64(w & b[i-words])
	}
	return n
}

// sparse returns the slots in the set if going through their pairs is less work
// than shifting the bits from the first to the last for each gap; else nil.
func (b Bits) sparse() []int {
	from, to := b.extent()
	n, span := b.Count(), to-from
	if n == 0 || n*n > span*(span/64+1)/2 {
		return nil
	}
	slots := make([]int, 0, n)
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			slots = append(slots, i*64+bits.TrailingZeros64(w))
		}
	}
	return slots
}
