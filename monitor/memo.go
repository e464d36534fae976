package monitor

import (
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
)

// memo remembers what the lines and sentences of a page came to. Most of them are
// the same in the next version, and are then not split into words a second time.
type memo struct {
	lines     map[string][]uint64 // hashes of the words
	sentences map[string]uint64   // hash of the normal form; 0: it has none
}

func newMemo() *memo { return &memo{lines: map[string][]uint64{}, sentences: map[string]uint64{}} }

// content returns the sets of a page's words, and of the normal forms of its
// sentences. No word goes beyond a line.
func (m *memo) content(p *extract.Page) *content {
	var words, sentences dice.Builder
	for i := range p.Lines {
		line := p.LineText(i)
		hashes, ok := m.lines[line]
		if !ok {
			text.EachWord(line, func(w []byte) { hashes = append(hashes, dice.Hash(w)) })
			m.lines[line] = hashes
		}
		for _, h := range hashes {
			words.AddHash(h)
		}
	}
	for i := range p.Sentences {
		sentence := p.SentenceText(i)
		hash, ok := m.sentences[sentence]
		if !ok {
			if normal := text.Normal(sentence); normal != "" {
				hash = max(dice.Hash([]byte(normal)), 1) // 0 says that there is none
			}
			m.sentences[sentence] = hash
		}
		if hash != 0 {
			sentences.AddHash(hash)
		}
	}
	return &content{words: words.Set(), sentences: sentences.Set()}
}
