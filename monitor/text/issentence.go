package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSentence reports whether s reads as a sentence (SCIENCE J6, paper J section
// 3.1): it starts with an upper-case letter, or with a letter of a script
// without case, and ends with a terminator; opening marks may stand before the
// letter and closing marks after the terminator. An ellipsis counts as
// a terminator. A digit at the start does not count as a letter, except before
// Chinese and Japanese text, where numerals are written into the sentence
// ("2026年に...。"). The language, the second argument, makes no difference so far.
func IsSentence(s, _ string) bool {
	s = strings.TrimFunc(s, unicode.IsSpace)
	s = strings.TrimLeftFunc(s, isOpening)
	first, _ := utf8.DecodeRuneInString(s)
	if unicode.IsDigit(first) {
		first, _ = utf8.DecodeRuneInString(strings.TrimLeftFunc(s, unicode.IsDigit))
		if !isCJK(first) {
			return false
		}
	}
	if !unicode.IsLetter(first) || unicode.IsLower(first) && !unicode.Is(unicode.Georgian, first) {
		return false
	}
	s = strings.TrimRightFunc(s, isClosing)
	last, _ := utf8.DecodeLastRuneInString(s)
	return isTerminator(last)
}

// isOpening covers quotes and brackets of all languages, among them those that
// another language closes with, and the Spanish marks.
func isOpening(r rune) bool {
	return unicode.In(r, unicode.Ps, unicode.Pi, unicode.Pf, unicode.Quotation_Mark) || r == '¿' || r == '¡' || r == ' '
}

func isClosing(r rune) bool {
	return unicode.In(r, unicode.Pe, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Quotation_Mark) || unicode.IsSpace(r)
}
