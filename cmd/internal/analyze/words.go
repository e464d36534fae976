package analyze

import (
	"encoding/binary"
	"slices"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
)

// vocabulary numbers the words of all pages.
type vocabulary struct {
	ids    map[string]uint32
	words  []string
	hashes []uint64 // as in a dice.WordSet
	buf    []wordCount
}

type wordCount struct {
	id    uint32
	count int
}

// bag is the words of one content with their counts: for each word, ascending by
// number, the distance from the one before and the count, as uvarints.
type bag []byte

// bag numbers the counted words. tokens is the sum of the counts.
func (v *vocabulary) bag(counter *extract.Counter) (b bag, tokens int) {
	v.buf = v.buf[:0]
	counter.Each(func(word []byte, hash uint64, count int) {
		id, ok := v.ids[string(word)]
		if !ok {
			id = uint32(len(v.words))
			v.ids[string(word)] = id
			v.words = append(v.words, string(word))
			v.hashes = append(v.hashes, hash)
		}
		v.buf = append(v.buf, wordCount{id, count})
		tokens += count
	})
	slices.SortFunc(v.buf, func(a, b wordCount) int { return int(a.id) - int(b.id) })
	b = make(bag, 0, 3*len(v.buf))
	last := uint32(0)
	for _, w := range v.buf {
		b = binary.AppendUvarint(b, uint64(w.id-last))
		b = binary.AppendUvarint(b, uint64(w.count))
		last = w.id
	}
	return slices.Clip(b), tokens
}

// each calls f with each word of the bag.
func (b bag) each(f func(id uint32, count int)) {
	id := uint32(0)
	for len(b) > 0 {
		step, n := binary.Uvarint(b)
		count, m := binary.Uvarint(b[n:])
		b = b[n+m:]
		id += uint32(step)
		f(id, int(count))
	}
}

// sets gives the sets of words of a page's contents. None is nil, which would
// stand for a missing version.
func (v *vocabulary) sets(h *history) map[*content]dice.WordSet {
	out := make(map[*content]dice.WordSet, len(h.distinct))
	var b dice.Builder
	for _, c := range h.distinct {
		c.words.each(func(id uint32, _ int) { b.AddHash(v.hashes[id]) })
		if out[c] = b.Set(); out[c] == nil {
			out[c] = dice.WordSet{}
		}
	}
	return out
}
