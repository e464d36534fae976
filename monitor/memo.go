package monitor

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
)

// memo remembers what the lines of a page came to. Most of them are the same in the
// next version, and are then not split into words a second time: neither for its
// changes, nor for its curve and terms, nor for the index of its text.
type memo struct {
	words   *vocabulary
	lines   map[string]*memoLine
	tally   []uint32 // by word; zero between calls
	builder dice.Builder

	// Memory that is handed out in pieces, and scratch.
	fresh   []memoLine
	numbers []uint32
	scratch []uint32
	spans   []text.Span
	normal  []byte
}

// memoLine is what a line came to.
type memoLine struct {
	words []uint32 // their numbers, in order
	// The sentences of the line lay there, and have normal forms with these hashes; 0
	// stands for none. nil: not asked for yet.
	sentences []text.Span
	normals   []uint64
	passage   uint64 // hash of its words as the index of texts cuts them; 0: not asked for yet
}

// maxMemo bounds the lines that a memo remembers.
const maxMemo = 1 << 14

func newMemo() *memo {
	return &memo{words: &vocabulary{}, lines: make(map[string]*memoLine, 256)}
}

// full tells that a memo has grown so much that a new one is better.
func (m *memo) full() bool { return len(m.lines) > maxMemo }

// line returns what a line came to.
func (m *memo) line(s string) *memoLine { return m.sentences(s, nil, false) }

// sentences returns what a line came to, and its sentences if that is asked for. Most lines
// are split into words once for both.
func (m *memo) sentences(s string, spans []text.Span, asked bool) *memoLine {
	l := m.lines[s]
	known := l != nil
	if known && (!asked || l.normals != nil && slices.Equal(l.sentences, spans)) {
		return l
	}
	if !known {
		if len(m.fresh) == 0 {
			m.fresh = make([]memoLine, 64)
		}
		l = &m.fresh[0]
		m.fresh = m.fresh[1:]
		m.lines[s] = l
	}
	if asked {
		l.sentences, l.normals = slices.Clone(spans), make([]uint64, len(spans))
	}
	if !known && asked && apart(s, spans) {
		m.scratch = m.scratch[:0]
		at := 0
		for k, sp := range spans {
			m.split(s[at:sp.Start])
			from := len(m.scratch)
			m.split(s[sp.Start:sp.End])
			at = sp.End
			for _, n := range m.scratch[from:] {
				l.normals[k] = chain(l.normals[k], m.words.words[n].hash)
			}
		}
		m.split(s[at:])
		l.words = m.keep(m.scratch)
		return l
	}
	if !known {
		m.scratch = m.scratch[:0]
		m.split(s)
		l.words = m.keep(m.scratch)
	}
	if asked {
		for k, sp := range spans {
			m.normal = text.AppendNormal(m.normal[:0], s[sp.Start:sp.End])
			for w := range bytes.SplitSeq(m.normal, []byte{' '}) {
				if len(w) > 0 {
					l.normals[k] = chain(l.normals[k], dice.Hash(w))
				}
			}
		}
	}
	return l
}

// split appends the numbers of words to the scratch.
func (m *memo) split(s string) {
	if len(s) > 0 {
		text.EachWord(s, func(w []byte) { m.scratch = append(m.scratch, m.words.number(w)) })
	}
}

// keep returns a copy of numbers.
func (m *memo) keep(numbers []uint32) []uint32 {
	if len(numbers) > cap(m.numbers)-len(m.numbers) {
		m.numbers = make([]uint32, 0, max(len(numbers), 1<<12))
	}
	from := len(m.numbers)
	m.numbers = append(m.numbers, numbers...)
	return m.numbers[from:len(m.numbers):len(m.numbers)]
}

// chain gives the hash of some words and another one, never 0, from the hash of the words, 0
// for none, and that of the other: a polynomial in an odd number, in order of the words.
func chain(h, word uint64) uint64 { return max(h*0x9e3779b97f4a7c15+word, 1) }

// apart tells that the words of a line's sentences and of what stands between them are those of
// the line, and that the normal forms of the sentences are made of just these words. So it is where
// a line has no Chinese and Japanese, of which normal forms have no bigrams, and is cut between
// two ASCII characters only, which normalisation does not join, not both of one word.
func apart(s string, spans []text.Span) bool {
	for i := range len(s) {
		// What comes before U+2E80, the first of the radicals, gives neither Han nor Kana.
		if c := s[i]; c >= 0xE2 && (c > 0xE2 || i+1 < len(s) && s[i+1] >= 0xBA) {
			return false
		}
	}
	inWord := func(c byte) bool {
		return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
	}
	for _, sp := range spans {
		for _, at := range [...]int{sp.Start, sp.End} {
			if at <= 0 || at >= len(s) {
				continue
			}
			if a, b := s[at-1], s[at]; (a|b)&utf8.RuneSelf != 0 || inWord(a) && inWord(b) {
				return false
			}
		}
	}
	return true
}

// count counts the words of a content's lines, and forms the set of the normal forms of its
// sentences. No word goes beyond a line.
func (m *memo) count(c *content) {
	if c.counted {
		return
	}
	b := bag{from: m.words}
	i, sentence := 0, 0
	c.eachLine(func(s string) {
		m.spans = m.spans[:0]
		if c.lines == nil {
			for ; sentence < len(c.page.Sentences) && int(c.page.Sentences[sentence].Line) == i; sentence++ {
				at := c.page.Sentences[sentence]
				m.spans = append(m.spans, text.Span{Start: int(at.Start), End: int(at.End)})
			}
		} else {
			// Lines that rules have shortened may end their sentences elsewhere.
			m.spans = text.AppendSentences(m.spans, s, c.page.Detected)
		}
		i++
		l := m.sentences(s, m.spans, true)
		for _, hash := range l.normals {
			if hash != 0 {
				m.builder.AddHash(hash)
			}
		}
		if n := len(m.words.words) - len(m.tally); n > 0 {
			m.tally = append(m.tally, make([]uint32, n)...)
		}
		for _, n := range l.words {
			if m.tally[n] == 0 {
				b.counts = append(b.counts, counted{word: n})
			}
			m.tally[n]++
		}
	})
	for i := range b.counts {
		n := b.counts[i].word
		b.counts[i].count, m.tally[n] = m.tally[n], 0
	}
	c.bag, c.words, c.sentences, c.counted = b, b.set(), m.builder.Set(), true
}
