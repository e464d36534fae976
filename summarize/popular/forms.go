package popular

import "github.com/strandlinehq/strandline/monitor/text"

// New returns the sentences of a page that its version before did not have, each
// once, in their order (SCIENCE J7). With fuzzy in (0, 1] a sentence is also
// taken for an old one if its words are so much like those of an old one
// (text.NewFuzzy; SCIENCE J7 asks for text.SameWords); any other value compares
// the normal forms only.
func New(old, new []string, fuzzy float64) []string {
	if fuzzy > 0 && fuzzy <= 1 {
		return text.NewFuzzy(old, new, fuzzy)
	}
	return text.NewSentences(old, new)
}

// Forms counts which words stand for a stem, so that reports can show "military"
// for "militari" (SCIENCE J8). The zero Forms is ready.
type Forms struct {
	counts map[string]map[string]int
}

// Terms returns the terms of a sentence, as text.Terms does, and counts the words
// that they come from.
func (f *Forms) Terms(sentence, lang string) []string {
	var out []string
	text.EachTerm(sentence, lang, func(term, word string) {
		out = append(out, term)
		f.Count(term, word)
	})
	return out
}

// Count notes one occurrence of a word and its term.
func (f *Forms) Count(term, word string) {
	if f.counts == nil {
		f.counts = map[string]map[string]int{}
	}
	words := f.counts[term]
	if words == nil {
		words = map[string]int{}
		f.counts[term] = words
	}
	words[word]++
}

// Show returns the commonest word of a term, the first in the alphabet of equally
// common ones, and the term itself if no word was counted for it.
func (f *Forms) Show(term string) string {
	best, most := term, 0
	for word, n := range f.counts[term] {
		if n > most || n == most && word < best {
			best, most = word, n
		}
	}
	return best
}
