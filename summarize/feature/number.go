package feature

import (
	"unicode"
	"unicode/utf8"
)

type numberKind uint8

const (
	plain      numberKind = iota
	timeOrDate            // 9:30, 3/18/2020, 2020-03-18
)

// scanNumber reads the number at the start of s, which begins with a digit, and
// returns its length in bytes. A mark between digits groups them by three or
// begins the decimals, as the language writes; colons, slashes and hyphens
// between digits make a time or a date, read as one number of all digits. More
// than 15 digits are read up to there, as a number no more exact is.
func scanNumber(s, lang string) (length int, value float64, kind numberKind) {
	decimal, group := ',', '.'
	switch lang {
	case "en", "ja", "zh", "ko", "":
		decimal, group = '.', ','
	}
	digits, scale, fraction := 0, 1.0, false
	add := func(d int) {
		if digits++; digits > 15 {
			return
		}
		if fraction {
			scale /= 10
			value += float64(d) * scale
			return
		}
		value = value*10 + float64(d)
	}
	i := 0
	for i < len(s) {
		c, n := utf8.DecodeRuneInString(s[i:])
		if d, ok := digit(c); ok {
			add(d)
			i += n
			continue
		}
		if i+n >= len(s) || !startsWithDigit(s[i+n:]) {
			break
		}
		switch {
		case c == ':' || c == '/' || c == '-':
			kind = timeOrDate
		case fraction:
			return i, value, kind
		case c == group && exactlyThree(s[i+n:]), isGroupSpace(c) && lang == "fr" && exactlyThree(s[i+n:]):
		case c == decimal:
			fraction = true
		case c == group: // 18.3. or 9.30 of a language that groups by points
			fraction = true
		default:
			return i, value, kind
		}
		i += n
	}
	return i, value, kind
}

func digit(c rune) (int, bool) {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0'), true
	case '０' <= c && c <= '９':
		return int(c - '０'), true
	case unicode.IsDigit(c): // of other scripts: told apart, their value does not matter
		return int(c) % 10, true
	}
	return 0, false
}

func startsWithDigit(s string) bool {
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsDigit(c)
}

// isGroupSpace reports the spaces that French groups digits by.
func isGroupSpace(c rune) bool { return c == ' ' || c == '\u00a0' || c == '\u202f' }

func exactlyThree(s string) bool {
	n := 0
	for _, c := range s {
		if !unicode.IsDigit(c) {
			break
		}
		if n++; n > 3 {
			return false
		}
	}
	return n == 3
}
