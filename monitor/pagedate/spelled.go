package pagedate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// spelled is a date in a text.
type spelled struct {
	date       Date // without kind, source and confidence
	start, end int  // bytes
}

// token is a number, a word in lower case, or one other character. White space
// makes no token.
type token struct {
	kind       rune // '0' a number, 'a' a word, else the character
	value      int  // of a number
	digits     int
	word       string
	start, end int
}

// mostTokens bounds what is read of a line.
const mostTokens = 400

// tokens splits a text. Full-width digits are digits; Han and Kana stand alone but
// for the names of eras.
func tokens(s string) []token {
	var out []token
	for i := 0; i < len(s) && len(out) < mostTokens; {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case digit(r) >= 0:
			t := token{kind: '0', start: i}
			for i < len(s) {
				r, n = utf8.DecodeRuneInString(s[i:])
				d := digit(r)
				if d < 0 {
					break
				}
				if t.digits < 9 {
					t.value = 10*t.value + d
				}
				t.digits++
				i += n
			}
			t.end = i
			out = append(out, t)
		case len(s)-i >= 6 && era(s[i:i+6]) != 0:
			out = append(out, token{kind: 'a', word: s[i : i+6], start: i, end: i + 6})
			i += 6
		case alone(r):
			out = append(out, token{kind: r, start: i, end: i + n})
			i += n
		case unicode.IsLetter(r):
			start := i
			for i < len(s) {
				r, n = utf8.DecodeRuneInString(s[i:])
				if !unicode.IsLetter(r) && !unicode.IsMark(r) || alone(r) {
					break
				}
				i += n
			}
			out = append(out, token{kind: 'a', word: strings.ToLower(s[start:i]), start: start, end: i})
		case unicode.IsSpace(r):
			i += n
		default:
			out = append(out, token{kind: r, start: i, end: i + n})
			i += n
		}
	}
	return out
}

func digit(r rune) int {
	switch {
	case '0' <= r && r <= '9':
		return int(r - '0')
	case '０' <= r && r <= '９':
		return int(r - '０')
	}
	return -1
}

// alone reports whether a letter is a token by itself.
func alone(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == '년' || r == '월' || r == '일'
}

// spellings appends the dates of a text. Language, such as "de" or empty, decides
// what 3/4/2020 is.
//
//	2024-05-12  2024/5/12  2024.5.12     year, month, day
//	2024年5月12日  令和6年5月12日  2024년 5월 12일
//	12. Mai 2024  1er mai 2024  12 de mayo de 2024  12th May, 2024
//	May 12, 2024  mayo 12 de 2024
//	12.05.2024  12-05-2024  12/05/2024   by language; in English if a number is over 12
//	May 2024  mai 2024  mayo de 2024  2024年5月     a month
func spellings(out []spelled, s, language string) []spelled {
	t := tokens(s)
	for i := 0; i < len(t); {
		d, n := dateAt(t[i:], language)
		if n == 0 || i > 0 && (touches(t[i-1], t[i]) || t[i-1].kind == '.' && t[i-1].end == t[i].start) || i+n < len(t) && touches(t[i+n-1], t[i+n]) {
			i++
			continue
		}
		out = append(out, spelled{d, t[i].start, t[i+n-1].end})
		i += n
	}
	return out
}

// touches reports whether a date that begins or ends between two tokens is part of
// something longer, such as 1.2024-05-12 or a path. A T introduces the time.
func touches(a, b token) bool {
	if a.end != b.start {
		return false
	}
	for _, t := range [...]token{a, b} {
		switch t.kind {
		case '-', '/', '_', '#', '=', '%', '&':
			return true
		case 'a':
			if t.word != "t" && a.kind != '日' && a.kind != '月' && era(t.word) == 0 && !alone(first(t.word)) {
				return true
			}
		}
	}
	return false
}

func first(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

// dateAt reads a date at the first token, and how many tokens it takes; 0 if none.
func dateAt(t []token, language string) (Date, int) {
	if d, n := cjk(t); n > 0 {
		return d, n
	}
	if t[0].kind == 'a' {
		return monthFirst(t)
	}
	if t[0].kind != '0' {
		return Date{}, 0
	}
	if d, n := numeric(t, language); n > 0 {
		return d, n
	}
	return dayFirst(t)
}

// cjk reads 2024年5月12日 and its like.
func cjk(t []token) (Date, int) {
	n, base := 0, 0
	if t[0].kind == 'a' {
		if base = era(t[0].word); base == 0 {
			return Date{}, 0
		}
		n = 1
	}
	if len(t) < n+4 || !isNumber(t[n], 1, 4) && t[n].kind != '元' || !oneOf(t[n+1].kind, '年', '년') || !isNumber(t[n+2], 1, 2) || !oneOf(t[n+3].kind, '月', '월') {
		return Date{}, 0
	}
	year := base + t[n].value
	if t[n].kind == '元' { // the first year of an era
		year = base + 1
	}
	if base == 0 && t[n].digits != 4 {
		return Date{}, 0
	}
	month := t[n+2].value
	n += 4
	if len(t) >= n+2 && isNumber(t[n], 1, 2) && oneOf(t[n+1].kind, '日', '일') {
		return checked(n+2, year, month, t[n].value)
	}
	return checked(n, year, month, 0)
}

// numeric reads three numbers between which stands one sign.
func numeric(t []token, language string) (Date, int) {
	if len(t) < 5 || t[1].kind != t[3].kind || !oneOf(t[1].kind, '-', '/', '.') || t[2].kind != '0' || t[4].kind != '0' {
		return Date{}, 0
	}
	if isNumber(t[0], 4, 4) && isNumber(t[2], 1, 2) && isNumber(t[4], 1, 2) {
		return checked(5, t[0].value, t[2].value, t[4].value)
	}
	if !isNumber(t[0], 1, 2) || !isNumber(t[2], 1, 2) || !isNumber(t[4], 4, 4) {
		return Date{}, 0
	}
	day, month := t[0].value, t[2].value
	if english := strings.HasPrefix(language, "en") || language == ""; english && t[1].kind != '.' && day != month {
		switch {
		case day > 12:
		case month > 12:
			day, month = month, day
		default:
			return Date{}, 0
		}
	}
	return checked(5, t[4].value, month, day)
}

// dayFirst reads 12 May 2024 and its like.
func dayFirst(t []token) (Date, int) {
	if !isNumber(t[0], 1, 2) {
		return Date{}, 0
	}
	n := 1
	for n < len(t) && n < 3 && (t[n].kind == '.' || t[n].kind == 'º' || t[n].kind == '-' || t[n].kind == 'a' && ordinal(t[n].word)) {
		n++
	}
	month, n := monthAt(t, n)
	if month == 0 {
		return Date{}, 0
	}
	year, n := yearAt(t, n)
	if year == 0 {
		return Date{}, 0
	}
	return checked(n, year, month, t[0].value)
}

// monthFirst reads May 12, 2024 and May 2024.
func monthFirst(t []token) (Date, int) {
	month, n := monthAt(t, 0)
	if month == 0 {
		return Date{}, 0
	}
	if n < len(t) && isNumber(t[n], 1, 2) {
		day := t[n].value
		n++
		if n < len(t) && t[n].kind == 'a' && ordinal(t[n].word) && !joiner(t[n].word) {
			n++
		}
		year, n := yearAt(t, n)
		if year == 0 {
			return Date{}, 0
		}
		return checked(n, year, month, day)
	}
	year, n := yearAt(t, n)
	if year == 0 {
		return Date{}, 0
	}
	return checked(n, year, month, 0)
}

// monthAt reads a month's name with its point.
func monthAt(t []token, n int) (month, next int) {
	if n >= len(t) || t[n].kind != 'a' {
		return 0, n
	}
	if month = monthOf(t[n].word); month == 0 {
		return 0, n
	}
	if n++; n < len(t) && t[n].kind == '.' {
		n++
	}
	return month, n
}

// yearAt reads four digits behind what may stand between month and year.
func yearAt(t []token, n int) (year, next int) {
	for skipped := 0; n < len(t) && skipped < 2 && (oneOf(t[n].kind, ',', '-') || t[n].kind == 'a' && joiner(t[n].word)); skipped++ {
		n++
	}
	if n >= len(t) || !isNumber(t[n], 4, 4) {
		return 0, n
	}
	return t[n].value, n + 1
}

// checked is the date if there is such a one, with the tokens that it takes.
func checked(n, year, month, day int) (Date, int) {
	d, ok := plausible(year, month, day)
	if !ok || month == 0 {
		return Date{}, 0
	}
	return d, n
}

// isNumber reports whether a token is a number above 0 of so many digits.
func isNumber(t token, least, most int) bool {
	return t.kind == '0' && t.digits >= least && t.digits <= most && t.value > 0
}

func oneOf(r rune, all ...rune) bool {
	for _, one := range all {
		if r == one {
			return true
		}
	}
	return false
}
