package terms

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/zeebo/xxh3"
)

// PoolBits is the resolution of the sums of a Pool: they are whole multiples of
// 2^-PoolBits, so that they add up to the same in any order. With N words an hour
// the rounding is at most N 2^-45 of a term's share: 3e-8 at a million words.
const PoolBits = 44

// PoolTerms is how many terms a Pool keeps unless asked otherwise.
const PoolTerms = 1 << 18

// Pool is the share that each term has of the words of a collection, summed over
// the hours of a period (SCIENCE A24):
//
//	S(w) = Σ_t ctf(w, t)/N_t = Σ_D tf(w, D) Σ_{t that show D} 1/N_t
//
// where ctf(w, t) counts the term and N_t all words in the versions that were seen
// in hour t. P(w|C) is the sum of S over all periods divided by the number of hours
// that had words. A Pool is a function of what was shown, whatever the order.
type Pool struct {
	Slots    int   // hours with words
	Versions int64 // versions shown, each once an hour
	Words    int64 // of them
	Distinct int64 // terms
	// Cut bounds what a term that is not in Terms has, in units of 2^-PoolBits; 0
	// if all are.
	Cut   int64
	Terms []PoolTerm // ascending by name
}

// PoolTerm is a term with its S(w) in units of 2^-PoolBits.
type PoolTerm struct {
	Term string
	Sum  int64
}

// Showing is a content with the hours that show it.
type Showing struct {
	Words Bag
	Slots []int // ascending
}

// Bag is words with their counts: for each its count and the number of its bytes
// as uvarints, and these. Words of more than MaxWord bytes have no bytes: they only
// count.
type Bag []byte

// Add appends a word.
func (b Bag) Add(word []byte, count int) Bag {
	if len(word) > MaxWord {
		word = nil
	}
	b = binary.AppendUvarint(b, uint64(count))
	b = append(b, byte(len(word)))
	return append(b, word...)
}

func (b Bag) each(f func(word []byte, count int64)) {
	for len(b) > 0 {
		count, n := binary.Uvarint(b)
		end := n + 1 + int(b[n])
		f(b[n+1:end], int64(count))
		b = b[end:]
	}
}

// Tokens returns the number of words, repeated ones counted again.
func (b Bag) Tokens() int64 {
	var sum int64
	b.each(func(_ []byte, count int64) { sum += count })
	return sum
}

// Show calls f with each content of a period. It is called at least twice and has
// to show the same each time, in any order.
type Show func(f func(Showing) error) error

// poolVocabulary is how many terms are summed up at a time.
const poolVocabulary = 1 << 21

// NewPool adds up what show shows, keeping the keep terms with the greatest sums,
// of equal ones those that come first in the order of names. Memory is bounded by
// some two million terms: if there are more, the contents are shown several
// times, and each time the terms of a range of hashes are summed up.
func NewPool(show Show, keep int) (*Pool, error) { return newPool(show, keep, poolVocabulary) }

func newPool(show Show, keep, vocabulary int) (*Pool, error) {
	p := &Pool{}
	tokens := map[int]int64{} // N by slot
	err := show(func(s Showing) error {
		n := s.Words.Tokens()
		for _, t := range s.Slots {
			p.Versions++
			p.Words += n
			if n > 0 {
				tokens[t] += n
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.Slots = len(tokens)
	for parts := uint64(1); ; parts *= 2 {
		err := p.sum(show, tokens, keep, vocabulary, parts)
		if !errors.Is(err, errVocabulary) {
			return p, err
		}
	}
}

var errVocabulary = errors.New("too many terms at a time")

// sum goes over the terms in ranges of their hashes.
func (p *Pool) sum(show Show, tokens map[int]int64, keep, vocabulary int, parts uint64) error {
	p.Terms, p.Distinct, p.Cut = nil, 0, 0
	for part := range parts {
		sums := map[string]*int64{}
		err := show(func(s Showing) error {
			var weight int64
			for _, t := range s.Slots {
				if n := tokens[t]; n > 0 {
					weight += int64(math.Round(math.Ldexp(1, PoolBits) / float64(n)))
				}
			}
			s.Words.each(func(word []byte, count int64) {
				if len(word) == 0 || parts > 1 && xxh3.Hash(word)%parts != part {
					return
				}
				sum := sums[string(word)]
				if sum == nil {
					sum = new(int64)
					sums[string(word)] = sum
				}
				*sum += count * weight
			})
			if len(sums) > vocabulary {
				return errVocabulary
			}
			return nil
		})
		if err != nil {
			return err
		}
		p.Distinct += int64(len(sums))
		for w, sum := range sums {
			p.Terms = append(p.Terms, PoolTerm{w, *sum})
		}
		p.cut(keep)
	}
	slices.SortFunc(p.Terms, func(a, b PoolTerm) int { return cmp.Compare(a.Term, b.Term) })
	return nil
}

// cut leaves the terms with the greatest sums.
func (p *Pool) cut(keep int) {
	if len(p.Terms) <= keep {
		return
	}
	slices.SortFunc(p.Terms, func(a, b PoolTerm) int {
		return cmp.Or(cmp.Compare(b.Sum, a.Sum), cmp.Compare(a.Term, b.Term))
	})
	p.Cut = max(p.Cut, p.Terms[keep].Sum)
	p.Terms = slices.Clone(p.Terms[:keep])
}

// MarshalTerms returns the terms: each as the number of bytes that it shares with
// the one before, the number of further bytes, these, and its sum, numbers as
// uvarints.
func (p *Pool) MarshalTerms() []byte {
	var b []byte
	before := ""
	for _, t := range p.Terms {
		k := shared(before, t.Term)
		b = append(b, byte(k), byte(len(t.Term)-k))
		b = append(b, t.Term[k:]...)
		b = binary.AppendUvarint(b, uint64(t.Sum))
		before = t.Term
	}
	return b
}

// UnmarshalTerms restores the terms that MarshalTerms returned.
func (p *Pool) UnmarshalTerms(data []byte) error {
	r := reader{b: data}
	var terms []PoolTerm
	var before []byte
	for len(r.b) > 0 {
		k, more := int(r.uint(MaxWord)), int(r.uint(MaxWord))
		if r.bad || k > len(before) || more > len(r.b) || k+more > MaxWord {
			return errState
		}
		word := slices.Concat(before[:k], r.b[:more])
		r.b = r.b[more:]
		sum := int64(r.uint(math.MaxInt64))
		if r.bad || len(word) == 0 || len(terms) > 0 && bytes.Compare(word, before) <= 0 {
			return errState
		}
		terms = append(terms, PoolTerm{string(word), sum})
		before = word
	}
	p.Terms = terms
	return nil
}
