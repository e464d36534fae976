package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// afterPoint decides for a single full stop followed by space and by something
// that may start a sentence: everything depends on the word before it.
func (c *cutter) afterPoint(t *terminator, n start) bool {
	before := c.s[c.start:t.start]
	word := tail(before, isAbbreviationRune)
	before = before[:len(before)-len(word)]
	opener := c.rules.opener(n.word) || t.closed && n.word == ""
	switch {
	case word == "":
		return true // after a symbol or a closing mark, as in "(b)."
	case isNumber(word):
		return c.afterNumber(before, word, n, opener)
	}
	if utf8.RuneCountInString(word) == 1 { // perhaps the end of "z. B." or "U. S."
		trimmed := strings.TrimRight(before, " \u00A0")
		if prev, ok := strings.CutSuffix(trimmed, "."); ok && len(trimmed) < len(before) {
			chain := tail(prev, isAbbreviationRune) + "." + word
			if isAcronym(chain) || c.rules.abbreviation(chain) != notAbbreviation {
				word = chain
			}
		}
	}
	switch k := c.rules.abbreviation(word); {
	case k == title, k == never:
		return t.closed && opener
	case k == reference && utf8.RuneCountInString(word) == 1 && unicode.IsUpper(n.r) && strings.HasSuffix(before, "-"):
		return opener // "Karl-H. Weber", while "H. 7" is a number of a magazine
	case k == reference:
		if c.rules.abbreviation(n.word) == reference && strings.HasPrefix(n.rest, ".") {
			return false // "Sat. Nov. 8"
		}
		return !unicode.IsDigit(n.r) && n.r != '#' && !isRoman(n.word)
	case k == final, k == notAbbreviation && isAcronym(word):
		if unicode.IsDigit(n.r) {
			return false
		}
		if c.rules.abbreviation(n.word) == title && strings.HasPrefix(n.rest, ".") {
			return len(strings.Fields(before)) > 2 // not in "At 5 a.m. Mr. Smith went"
		}
		if low := strings.ToLower(word); low == "a.m" || low == "p.m" {
			return opener || len(strings.Fields(before)) > 2 && !c.rules.zone(n.word)
		}
		return opener || n.word == "" && !unicode.IsSymbol(n.r)
	}
	if utf8.RuneCountInString(word) == 1 {
		return c.afterInitial(before, word, n, opener)
	}
	// An article and a short word are no sentence: "Die Fa. Roth", "Le col. Brun".
	return opener || len(word) > longestShort || !c.rules.articles[strings.ToLower(strings.TrimSpace(before))]
}

// longestShort is the length of a word up to which it may be an abbreviation that no list has.
const longestShort = 4

// afterNumber: "1." opens a list item, "3." may be the ordinal of a date.
func (c *cutter) afterNumber(before, word string, n start, opener bool) bool {
	if strings.TrimLeftFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) == "" {
		return len(word) > 3
	}
	if !c.rules.ordinals || len(word) > 2 {
		return true
	}
	if c.rules.months[n.word] {
		return false
	}
	prev := tail(strings.TrimRight(before, " \u00A0"), unicode.IsLetter)
	return !c.rules.determiners[strings.ToLower(prev)] || opener
}

// afterInitial: a single letter, "Jonas E. Smith" or "you and I. Did".
func (c *cutter) afterInitial(before, word string, n start, opener bool) bool {
	r, _ := utf8.DecodeRuneInString(word)
	if strings.TrimSpace(before) == "" {
		return false // "a. First item", "J. Smith"
	}
	if !unicode.IsUpper(r) {
		return opener || !unicode.IsLetter(n.r)
	}
	prev := tail(strings.TrimRight(before, " \u00A0"), unicode.IsLetter)
	first, _ := utf8.DecodeRuneInString(prev)
	if unicode.IsLower(first) && (word == "I" || c.rules.labelled[prev]) {
		return true
	}
	return opener && len(c.rules.openers) > 0 // without a list, rather a name
}

// isAbbreviationRune tells what an abbreviation is made of, inner points included.
func isAbbreviationRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '.' || r == '°'
}

func isNumber(s string) bool {
	for _, r := range s {
		if !unicode.IsDigit(r) && r != '.' {
			return false
		}
	}
	return true
}

// isAcronym matches single letters with points between: "U.S", "a.m".
func isAcronym(s string) bool {
	letters := 0
	for part := range strings.SplitSeq(s, ".") {
		if utf8.RuneCountInString(part) != 1 {
			return false
		}
		if r, _ := utf8.DecodeRuneInString(part); !unicode.IsLetter(r) {
			return false
		}
		letters++
	}
	return letters > 1
}

func isRoman(s string) bool {
	return s != "" && strings.Trim(s, "IVXLC") == "" && s != "I"
}
