package monitor

import (
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
)

// memo remembers what the lines and sentences of a page came to. Most of them are
// the same in the next version, and are then not split into words a second time:
// neither for its changes nor for its curve and terms.
type memo struct {
	words     *vocabulary
	lines     map[string][]uint32 // numbers of the words
	sentences map[string]uint64   // hash of the normal form; 0: it has none
	tally     []uint32            // by word; zero between calls
	builder   dice.Builder
}

// maxMemo bounds the lines and the sentences that a memo remembers together.
const maxMemo = 1 << 15

func newMemo() *memo {
	return &memo{words: &vocabulary{}, lines: map[string][]uint32{}, sentences: map[string]uint64{}}
}

// full tells that a memo has grown so much that a new one is better.
func (m *memo) full() bool { return len(m.lines)+len(m.sentences) > maxMemo }

// count counts the words of lines. No word goes beyond a line.
func (m *memo) count(c *content) {
	if c.counted {
		return
	}
	b := bag{from: m.words}
	c.eachLine(func(line string) {
		numbers, ok := m.lines[line]
		if !ok {
			text.EachWord(line, func(w []byte) { numbers = append(numbers, m.words.number(w)) })
			m.lines[line] = numbers
			if n := len(m.words.words) - len(m.tally); n > 0 {
				m.tally = append(m.tally, make([]uint32, n)...)
			}
		}
		for _, n := range numbers {
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
	c.eachSentence(func(sentence string) {
		hash, ok := m.sentences[sentence]
		if !ok {
			if normal := text.Normal(sentence); normal != "" {
				hash = max(dice.Hash([]byte(normal)), 1) // 0 says that there is none
			}
			m.sentences[sentence] = hash
		}
		if hash != 0 {
			m.builder.AddHash(hash)
		}
	})
	c.sentences = m.builder.Set()
}
