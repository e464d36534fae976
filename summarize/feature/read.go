package feature

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/monitor/text"
)

// Of reads the terms of a sentence: content words as text.Terms gives them, with
// numbers read as amounts. lang is a language code; for an unknown one there are
// no stop words, no stems, no number words and no names of months.
func Of(sentence, lang string) Vector {
	r := reader{s: sentence, lang: text.Base(lang)}
	r.words = vocabularies()[r.lang]
	r.read()
	return vector(r.terms)
}

// reader walks a sentence once. The last number stays open until the next token
// is seen, as that may make it a date ("18 March") or multiply it ("2 million").
type reader struct {
	s, lang string
	words   *vocabulary
	terms   []Term
	open    *amount
	started bool // a word was read: a capital after that is that of a name
	dated   bool // the token before was a month
}

type amount struct {
	value float64
	date  bool
}

func (r *reader) read() {
	for i := 0; i < len(r.s); {
		c, n := utf8.DecodeRuneInString(r.s[i:])
		switch {
		case unicode.IsDigit(c) && !r.partOfWord(i):
			i += r.number(i)
		case unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c):
			end := i + wordLength(r.s[i:])
			if r.open != nil && unicode.Is(unicode.Han, c) { // a unit, written on to the next word
				if m, _ := r.words.lookUp(r.s[i : i+n]); m != ordinary {
					end = i + n
				}
			}
			r.word(r.s[i:end])
			i = end
		default:
			i += n
		}
	}
	r.close()
}

// partOfWord reports digits as in COVID-19, where they are a part of the name.
func (r *reader) partOfWord(i int) bool {
	if i < 2 || r.s[i-1] != '-' {
		return false
	}
	c, _ := utf8.DecodeLastRuneInString(r.s[:i-1])
	return unicode.IsLetter(c)
}

// wordLength is the length of the run of letters, marks and digits at the start
// of s; Han and kana end at a digit, as numbers are written into them.
func wordLength(s string) int {
	cjk := false
	for i, c := range s {
		if unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			cjk = true
		}
		if unicode.IsDigit(c) && cjk || !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsDigit(c) {
			return max(i, 1)
		}
	}
	return len(s)
}

// number reads the number at i and returns its length.
func (r *reader) number(i int) int {
	r.close()
	n, value, kind := scanNumber(r.s[i:], r.lang)
	if tail := r.s[i+n:]; startsWithLetter(tail) {
		end := wordLength(tail)
		if m, _ := r.words.lookUp(tail[:end]); m == ordinary { // a name, such as 229E
			r.word(r.s[i : i+n+end])
			return n + end
		}
	}
	r.open = &amount{value, kind == timeOrDate || r.dated && value <= 31 || isYear(r.s[i:i+n], value)}
	r.started = true
	r.dated = r.dated && value <= 31 // "March 18, 2020": the year is one anyway
	return n
}

// startsWithLetter reports a letter that a digit before it makes a name with. Han
// and kana do not: they are what is counted.
func startsWithLetter(s string) bool {
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(c) && !unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func isYear(s string, value float64) bool {
	return len(s) == 4 && value >= 1900 && value < 2100
}

// close emits the open number.
func (r *reader) close() {
	if r.open == nil {
		return
	}
	kind := Number
	if r.open.date {
		kind = Date
	}
	r.terms = append(r.terms, Term{amountHash(r.open.value), kind, 1})
	r.open = nil
}

func amountHash(x float64) uint64 { return xxh3.HashString("#" + strconv.FormatFloat(x, 'g', 12, 64)) }

func (r *reader) emit(term string, kind Kind) {
	r.terms = append(r.terms, Term{xxh3.HashString(term), kind, 1})
}

func (r *reader) word(s string) {
	meaning, factor := r.words.lookUp(s)
	switch meaning {
	case multiplier:
		if r.open != nil {
			r.open.value *= factor
			return
		}
	case cardinal:
		r.close()
		r.open = &amount{value: factor}
		r.started = true
		return
	case calendar:
		if r.open != nil && r.open.value <= 31 {
			r.open.date = true
		}
		r.close()
		r.dated = true
		r.started = true
		text.EachTerm(s, r.lang, func(term, _ string) { r.emit(term, Date) })
		return
	case clock:
		if r.open != nil {
			r.open.date = true
		}
		r.close()
		return
	case ordinalEnd:
		if r.open != nil {
			return
		}
	}
	if r.open != nil && s == "de" && r.lang == "es" { // "8 de marzo"
		return
	}
	r.close()
	r.dated = false
	kind := Word
	first, _ := utf8.DecodeRuneInString(s)
	if unicode.IsUpper(first) && r.started && r.lang != "de" { // German writes all nouns so
		kind = Name
	}
	r.started = true
	text.EachTerm(s, r.lang, func(term, _ string) { r.emit(term, kind) })
}
