package extract

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/monitor/text"
)

// Hash is a 128-bit XXH3. It is the same on all machines and in all versions of
// this program. It does not resist someone who seeks collisions.
type Hash [16]byte

// TextHash is the hash of Text(), by which "changed" is decided at the text
// level (SCIENCE C2). The title is not part of it.
func (p *Page) TextHash() Hash { return xxh3.HashString128(p.text).Bytes() }

// WordCount is a word (SCIENCE C4) and how often it occurs.
type WordCount struct {
	Word  string
	Count int
}

// Words returns the distinct words of the text in byte order. It counts and
// sorts at each call: who needs no order uses a Counter.
func (p *Page) Words() []WordCount {
	var c Counter
	c.Add(p.text)
	return c.Words()
}

// WordsHash is Counter.Hash of the page's text.
func (p *Page) WordsHash() Hash {
	var c Counter
	c.Add(p.text)
	return c.Hash()
}

// Counter counts words. It keeps its memory over Reset, so that one per worker
// counts any number of pages without allocating. The zero Counter is ready.
type Counter struct {
	words []entryOfWord
	arena []byte
	table []uint32 // 1 + index into words; a power of two, at most half full
}

type entryOfWord struct {
	hash     uint64
	off, end uint32
	count    uint32
}

// Reset forgets all words.
func (c *Counter) Reset() {
	c.words, c.arena = c.words[:0], c.arena[:0]
	if len(c.table) > 1<<16 {
		c.table = nil // of a giant page: clearing it would cost each small one
	}
	clear(c.table)
}

// Add counts the words of s.
func (c *Counter) Add(s string) { text.EachWord(s, c.add) }

func (c *Counter) add(word []byte) {
	if 2*len(c.words) >= len(c.table) {
		c.grow()
	}
	h := xxh3.Hash(word)
	mask := uint64(len(c.table) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		k := c.table[at]
		if k == 0 {
			off := uint32(len(c.arena))
			c.arena = append(c.arena, word...)
			c.words = append(c.words, entryOfWord{h, off, uint32(len(c.arena)), 1})
			c.table[at] = uint32(len(c.words))
			return
		}
		if e := &c.words[k-1]; e.hash == h && string(c.arena[e.off:e.end]) == string(word) {
			e.count++
			return
		}
	}
}

func (c *Counter) grow() {
	c.table = make([]uint32, max(1<<11, 2*len(c.table)))
	mask := uint64(len(c.table) - 1)
	for i := range c.words {
		at := c.words[i].hash & mask
		for c.table[at] != 0 {
			at = (at + 1) & mask
		}
		c.table[at] = uint32(i + 1)
	}
}

// Len returns the number of distinct words.
func (c *Counter) Len() int { return len(c.words) }

// Each calls f for each distinct word in the order of first occurrence, with
// its XXH3-64 and its count. word is valid until f returns.
func (c *Counter) Each(f func(word []byte, hash uint64, count int)) {
	for i := range c.words {
		e := &c.words[i]
		f(c.arena[e.off:e.end], e.hash, int(e.count))
	}
}

// Words returns the distinct words in byte order.
func (c *Counter) Words() []WordCount {
	arena := string(c.arena)
	out := make([]WordCount, len(c.words))
	for i := range c.words {
		e := &c.words[i]
		out[i] = WordCount{arena[e.off:e.end], int(e.count)}
	}
	slices.SortFunc(out, func(a, b WordCount) int { return strings.Compare(a.Word, b.Word) })
	return out
}

// Hash is the hash of the set of words, which tells whether two versions have
// the same one (SCIENCE C2). It needs no order:
//
//	sum over the words of XXH3-128(word), modulo 2^128, then XXH3-128 of the
//	16 bytes of the sum (big endian) and the 8 of the number of words
func (c *Counter) Hash() Hash {
	var hi, lo, carry uint64
	for i := range c.words {
		e := &c.words[i]
		h := xxh3.Hash128(c.arena[e.off:e.end])
		lo, carry = bits.Add64(lo, h.Lo, 0)
		hi, _ = bits.Add64(hi, h.Hi, carry)
	}
	var b [24]byte
	binary.BigEndian.PutUint64(b[:], hi)
	binary.BigEndian.PutUint64(b[8:], lo)
	binary.BigEndian.PutUint64(b[16:], uint64(len(c.words)))
	return xxh3.Hash128(b[:]).Bytes()
}
