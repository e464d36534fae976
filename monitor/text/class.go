package text

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// class says how the word splitter treats one code point.
type class uint8

const (
	inWord    class = 1 << iota // letter, mark or digit
	inCJK                       // Han, Hiragana or Katakana: cut into bigrams
	isMark                      // stays with the character before it
	invisible                   // dropped; neither part nor end of a word
	folds                       // unicode.ToLower is its case folding
	foldsFull                   // case folding by the table, often to two characters
	unstable                    // NFKC may change it, or join it to what stands before
)

// classes holds the class of every code point of the basic plane, so that the
// common text needs one load for each character, and the case foldings that
// are not simply the lower case.
type classes struct {
	bmp  [1 << 16]class
	full map[rune]string
}

// loadClasses derives the table from the Unicode data of the standard library
// and of x/text; it takes a few milliseconds, once in a process.
var loadClasses = sync.OnceValue(func() *classes {
	t := &classes{full: map[rune]string{}}
	fold := cases.Fold()
	var b [utf8.UTFMax]byte
	for r := range rune(len(t.bmp)) {
		c := classify(r)
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			n := utf8.EncodeRune(b[:], r)
			switch s := fold.String(string(b[:n])); {
			case s == string(r), isCherokeeCapital(r):
			case s == string(unicode.ToLower(r)):
				c |= folds
			default:
				c = c&^isMark | foldsFull // the one such mark, U+0345, folds to the letter iota
				t.full[r] = s
			}
		}
		t.bmp[r] = c
	}
	return t
})

// isCherokeeCapital reports the one script that folds to its capitals, which
// came first to Unicode. x/text v0.43.0 swaps the two cases instead.
func isCherokeeCapital(r rune) bool { return '\u13A0' <= r && r <= '\u13F5' }

// of returns the class of r. Above the basic plane every script with case
// (Deseret, Osage, Adlam ...) has foldings that are the plain lower case.
func (t *classes) of(r rune) class {
	if uint32(r) < uint32(len(t.bmp)) {
		return t.bmp[r]
	}
	c := classify(r)
	if unicode.IsUpper(r) {
		c |= folds
	}
	return c
}

// classify derives everything but the case folding.
func classify(r rune) class {
	var c class
	switch {
	case isInvisible(r):
		c |= invisible
	case unicode.IsMark(r):
		c |= inWord | isMark
	case unicode.IsLetter(r), unicode.IsDigit(r), r == ideographicZero:
		c |= inWord
		if isCJK(r) {
			c |= inCJK
		}
	}
	var b [utf8.UTFMax]byte
	n := utf8.EncodeRune(b[:], r)
	p := norm.NFKC.Properties(b[:n])
	if !p.BoundaryBefore() || !norm.NFKC.IsNormal(b[:n]) {
		c |= unstable
	}
	return c
}

const (
	ideographicZero = '\u3007' // 〇, a letter number, but a digit of the Han script
	prolongedSound  = '\u30FC' // ー, common to both kana
)

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == prolongedSound
}

// isInvisible reports the characters that readers never see and editors add at
// will: soft hyphens, joiners, direction marks, variation selectors.
// Without this rule a page that starts to hyphenate would change all its words.
// The zero width space is not among them: it is a word boundary in Thai and
// Khmer.
func isInvisible(r rune) bool {
	switch {
	case r == '\u00AD', r == '\u034F', r == '\u061C', r == '\u180E', r == '\uFEFF':
		return true
	case '\u200C' <= r && r <= '\u200F', '\u202A' <= r && r <= '\u202E', '\u2060' <= r && r <= '\u2064':
		return true
	case '\uFE00' <= r && r <= '\uFE0F', '\U000E0100' <= r && r <= '\U000E01EF':
		return true
	}
	return false
}
