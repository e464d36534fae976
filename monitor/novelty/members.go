package novelty

import "math/bits"

// members numbers the pages of U in the order of their page numbers: 1.5 bits a page.
type members struct {
	words []uint64
	ranks []uint32 // how many members are before each word
	n     int
}

func newMembers(classes []Class) *members {
	m := &members{words: make([]uint64, (len(classes)+63)/64)}
	m.ranks = make([]uint32, len(m.words))
	for w := range m.words {
		m.ranks[w] = uint32(m.n)
		var word uint64
		for i, c := range classes[w*64 : min(len(classes), w*64+64)] {
			if c == Unidentified {
				word |= 1 << i
			}
		}
		m.words[w] = word
		m.n += bits.OnesCount64(word)
	}
	return m
}

// index gives the number of a page among the members, if it is one.
func (m *members) index(page uint32) (uint32, bool) {
	word, bit := m.words[page/64], uint64(1)<<(page%64)
	if word&bit == 0 {
		return 0, false
	}
	return m.ranks[page/64] + uint32(bits.OnesCount64(word&(bit-1))), true
}

// all yields the members' pages in ascending order, with their numbers.
func (m *members) all(yield func(index int, page uint32) bool) {
	i := 0
	for w, word := range m.words {
		for ; word != 0; word &= word - 1 {
			if !yield(i, uint32(w*64+bits.TrailingZeros64(word))) {
				return
			}
			i++
		}
	}
}

func (m *members) bytes() uint64 { return uint64(len(m.words)) * 12 }
