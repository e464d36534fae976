package popular

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/monitor/text"
)

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

// Forms counts which words stand for a stem, so that reports can show "military" for
// "militari" and "Baghdad" for "baghdad" (SCIENCE J8). Words are shown as they are
// written; the first one of a sentence has its capital from its place, and is counted
// small beside others. Two characters of Chinese or Japanese stand for the whole word,
// as far as the script shows it, that they were cut from. The zero Forms is ready.
type Forms struct {
	counts map[string]map[string]int
}

// Terms returns the terms of a sentence, as text.Terms does, and counts the words
// that they come from.
func (f *Forms) Terms(sentence, lang string) []string {
	var out []string
	written := writtenAs(sentence)
	text.EachTerm(sentence, lang, func(term, word string) {
		out = append(out, term)
		f.Count(term, cmp.Or(written[word], wholeWord(sentence, word), word))
	})
	return out
}

// writtenAs gives for each folded word of a sentence how it is written there.
func writtenAs(sentence string) map[string]string {
	out := map[string]string{}
	first := true
	inWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c) }
	for w := range strings.FieldsFuncSeq(sentence, func(c rune) bool { return !inWord(c) }) {
		n, folded := 0, ""
		text.EachWord(w, func(x []byte) { n, folded = n+1, string(x) })
		if n != 1 || cjk(folded) {
			continue
		}
		_, size := utf8.DecodeRuneInString(w)
		if was, known := out[folded]; first && strings.ToLower(w[size:]) == w[size:] {
			out[folded] = strings.ToLower(w)
		} else if !known || was == strings.ToLower(was) {
			out[folded] = w
		}
		first = false
	}
	return out
}

func cjk(word string) bool {
	return strings.ContainsFunc(word, func(c rune) bool { return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}

// wholeWord is the run of Han or of katakana that a pair of characters belongs to, ""
// for others.
func wholeWord(sentence, pair string) string {
	at := strings.Index(sentence, pair)
	if at < 0 || !cjk(pair) {
		return ""
	}
	for _, script := range []*unicode.RangeTable{unicode.Katakana, unicode.Han} {
		in := func(c rune) bool { return unicode.Is(script, c) || script == unicode.Katakana && c == 'ー' }
		i := strings.IndexFunc(pair, in)
		if i < 0 {
			continue
		}
		from, to := at+i, at+i
		for from > 0 {
			c, n := utf8.DecodeLastRuneInString(sentence[:from])
			if !in(c) {
				break
			}
			from -= n
		}
		for to < len(sentence) {
			c, n := utf8.DecodeRuneInString(sentence[to:])
			if !in(c) {
				break
			}
			to += n
		}
		return sentence[from:to]
	}
	return ""
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
