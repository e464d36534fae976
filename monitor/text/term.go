package text

import (
	"unicode"
	"unicode/utf8"
)

// Terms returns the content terms of s in order, with repetitions (SCIENCE J8):
// the words of EachWord without stop words, stemmed. Numbers stay, since
// a changed number is news. A single letter, the rest of "Anna's" or "l'eau",
// is no term; a single Han or kana character is.
func Terms(s, lang string) []string {
	var out []string
	EachTerm(s, lang, func(term, _ string) { out = append(out, term) })
	return out
}

// EachTerm calls f with every content term of s and the word it comes from,
// for reports that show the commonest word of a stem rather than the stem.
func EachTerm(s, lang string, f func(term, word string)) {
	lang = Base(lang)
	EachWord(s, func(w []byte) {
		word := string(w)
		if isLoneLetter(word) || Stop(word, lang) {
			return
		}
		f(Stem(word, lang), word)
	})
}

func isLoneLetter(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return n == len(word) && unicode.IsLetter(r) && !isCJK(r)
}

// isHiragana reports whether all of word is Hiragana or the prolonged sound mark.
func isHiragana(word string) bool {
	for _, r := range word {
		if !unicode.Is(unicode.Hiragana, r) && r != prolongedSound {
			return false
		}
	}
	return word != ""
}
