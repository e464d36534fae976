package monitor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
)

// TestMemo holds what a memo gives for versions of a page against splitting the
// whole text of each.
func TestMemo(t *testing.T) {
	t.Parallel()
	m := newMemo()
	var was, wasSlow dice.WordSet
	var x extract.Extractor
	lines := []string{"The ferry leaves at nine. Tickets are sold on board.", "12 — !", "潮が満ちる。Ebbe und Flut. Ｔwice?", "Twice. Twice.", "", "The tide is high"}
	for round := range 4 {
		lines[round] = strings.Repeat("Changed in this version. ", round+1)
		p := x.Extract(extract.Input{Body: []byte("<p>" + strings.Join(lines, "</p><p>")), ContentType: "text/html; charset=utf-8"})
		var words, sentences dice.Builder
		text.EachWord(p.Text(), words.Add)
		for i := range p.Sentences {
			if normal := text.Normal(p.SentenceText(i)); normal != "" {
				sentences.Add([]byte(normal))
			}
		}
		got := newContent(p, nil)
		m.count(got)
		counts := map[string]int{}
		got.bag.each(func(word []byte, hash uint64, count int) {
			if counts[string(word)] = count; hash != dice.Hash(word) {
				t.Errorf("round %d: %q has hash %x", round, word, hash)
			}
		})
		want := map[string]int{}
		for _, w := range p.Words() {
			want[w.Word] = w.Count
		}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("round %d: counts (-slow +memo):\n%s", round, diff)
		}
		if diff := cmp.Diff(words.Set(), got.words); diff != "" {
			t.Errorf("round %d: words (-slow +memo):\n%s", round, diff)
		}
		// Sentences have other hashes here, but there are as many, and as many are new.
		slow := sentences.Set()
		added, removed := was.Changes(got.sentences)
		addedSlow, removedSlow := wasSlow.Changes(slow)
		if diff := cmp.Diff([]int{len(slow), addedSlow, removedSlow}, []int{len(got.sentences), added, removed}); diff != "" {
			t.Errorf("round %d: sentences, new ones, those that went (-slow +memo):\n%s", round, diff)
		}
		was, wasSlow = got.sentences, slow
		if len(got.words) == 0 || len(got.sentences) == 0 {
			t.Errorf("round %d: no words or sentences", round)
		}
	}
}
