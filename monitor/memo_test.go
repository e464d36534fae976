package monitor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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

// TestMemoSentences holds the words and sentences of a line against splitting the whole line and taking
// the normal form of each sentence, over lines of which some can be split piece by piece and others not.
func TestMemoSentences(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"The tide", " rose", ". ", "! ", "? ", "“Stay", "” ", "é", "e", "\u0301", " \u0301", "ß", "ﬁ", " — ", "\u00ad", "潮", "が", "ｶﾞ", "⺟", "㍻", "½", "9", ".5", "한", "ᄀ", "ᅡ", "Ⅷ", "…", "\u200b", " ", "\xe2",
	}
	once, twice := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces"), "")
		spans := text.AppendSentences(nil, s, "en")
		if n := len(s); n > 0 && rapid.Bool().Draw(t, "anywhere") {
			from := rapid.IntRange(0, n).Draw(t, "from")
			spans = []text.Span{{Start: from, End: rapid.IntRange(from, n).Draw(t, "end")}}
		}
		if apart(s, spans) {
			once++
		} else {
			twice++
		}
		m := newMemo()
		l := m.sentences(s, spans, true)
		var words, slow []string
		for _, n := range l.words {
			w := m.words.words[n]
			words = append(words, string(m.words.arena[w.off:w.end]))
		}
		text.EachWord(s, func(w []byte) { slow = append(slow, string(w)) })
		if diff := cmp.Diff(slow, words); diff != "" {
			t.Errorf("words of %q (-slow +memo):\n%s", s, diff)
		}
		for k, sp := range spans {
			want := uint64(0)
			for _, w := range strings.Fields(text.Normal(s[sp.Start:sp.End])) {
				want = chain(want, dice.Hash([]byte(w)))
			}
			if l.normals[k] != want {
				t.Errorf("sentence %q of %q has hash %x, want %x", s[sp.Start:sp.End], s, l.normals[k], want)
			}
		}
	})
	if once == 0 || twice == 0 {
		t.Errorf("%d lines in pieces, %d as a whole: want both", once, twice)
	}
}
