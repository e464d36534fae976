package monitor

import (
	"slices"

	"github.com/strandlinehq/strandline/crawler/extract"
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
	return &memo{words: &vocabulary{}, lines: map[string]*memoLine{}}
}

// full tells that a memo has grown so much that a new one is better.
func (m *memo) full() bool { return len(m.lines) > maxMemo }

// line returns what a line came to.
func (m *memo) line(s string) *memoLine {
	if l := m.lines[s]; l != nil {
		return l
	}
	m.scratch = m.scratch[:0]
	text.EachWord(s, func(w []byte) { m.scratch = append(m.scratch, m.words.number(w)) })
	if n := len(m.scratch); n > cap(m.numbers)-len(m.numbers) {
		m.numbers = make([]uint32, 0, max(n, 1<<12))
	}
	from := len(m.numbers)
	m.numbers = append(m.numbers, m.scratch...)
	if len(m.fresh) == 0 {
		m.fresh = make([]memoLine, 64)
	}
	l := &m.fresh[0]
	m.fresh = m.fresh[1:]
	l.words = m.numbers[from:len(m.numbers):len(m.numbers)]
	m.lines[s] = l
	return l
}

// count counts the words of a content's lines. No word goes beyond a line.
func (m *memo) count(c *content) {
	if c.counted {
		return
	}
	b := bag{from: m.words}
	c.eachLine(func(s string) {
		l := m.line(s)
		c.split = append(c.split, l)
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
	c.bag, c.words, c.counted = b, b.set(), true
}

// split forms the set of the normal forms of a content's sentences.
func (m *memo) split(c *content) {
	m.count(c)
	var spans []text.Span
	i := 0
	c.eachLine(func(s string) {
		l := c.split[i]
		spans = c.sentencesOf(spans[:0], i, s)
		if i++; l.normals == nil || !slices.Equal(l.sentences, spans) {
			l.sentences, l.normals = slices.Clone(spans), make([]uint64, len(spans))
			for k, at := range spans {
				if m.normal = text.AppendNormal(m.normal[:0], s[at.Start:at.End]); len(m.normal) > 0 {
					l.normals[k] = max(dice.Hash(m.normal), 1) // 0 says that there is none
				}
			}
		}
		for _, hash := range l.normals {
			if hash != 0 {
				m.builder.AddHash(hash)
			}
		}
	})
	c.sentences = m.builder.Set()
}

// sentencesOf appends where the sentences of line i lie. Lines that rules have shortened are
// split anew: these may end their sentences elsewhere.
func (c *content) sentencesOf(dst []text.Span, i int, s string) []text.Span {
	if c.lines != nil {
		return text.AppendSentences(dst, s, c.page.Detected)
	}
	all := c.page.Sentences
	at, _ := slices.BinarySearchFunc(all, int32(i), func(s extract.Sentence, line int32) int { return int(s.Line - line) })
	for ; at < len(all) && all[at].Line == int32(i); at++ {
		dst = append(dst, text.Span{Start: int(all[at].Start), End: int(all[at].End)})
	}
	return dst
}
