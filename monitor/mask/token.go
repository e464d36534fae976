package mask

import (
	"unicode"
	"unicode/utf8"
)

// class is what kind of token something is, or what a placeholder stands for.
type class uint8

const (
	literal  class = iota // in a pattern: a token to the letter; in a text: punctuation, one character
	word                  // letters
	number                // digits with points and commas between them, perhaps a sign
	ident                 // letters and digits mixed, or long hexadecimal: session ids, nonces
	instant               // a clock time, date, or both
	anything              // in a pattern only: any tokens, also none
)

// token is text[start:end] of a chunk.
type token struct {
	class      class
	start, end int
}

// tokens cuts the text of a chunk; nothing is left out, spaces are punctuation.
func tokens(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		t := token{start: i}
		t.class, t.end = scan(text, i)
		out = append(out, t)
		i = t.end
	}
	return joinInstants(text, out)
}

// scan returns the token that starts at i.
func scan(text string, i int) (class, int) {
	if end, ok := scanClock(text, i); ok {
		return instant, end
	}
	if c := text[i]; (c == '-' || c == '+') && i+1 < len(text) && digit(text[i+1]) && (i == 0 || text[i-1] == ' ') {
		return number, scanNumber(text, i+1)
	}
	end, letters, digits, turns := i, 0, 0, 0
	var last rune
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		switch {
		case r < utf8.RuneSelf && digit(byte(r)):
			digits++
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
			if unicode.IsUpper(r) && unicode.IsLower(last) {
				turns++
			}
		case (r == '-' || r == '_') && end > i && end+1 < len(text) && uuidLike(text[i:end]):
			// goes on with the next group of a UUID
		default:
			n = 0
		}
		if n == 0 {
			break
		}
		last = r
		end += n
	}
	switch {
	case end == i:
		_, n := utf8.DecodeRuneInString(text[i:])
		return literal, i + n
	case letters > 0 && digits > 0 && end-i >= 6, digits == 0 && turns >= 2 && end-i >= 10:
		return ident, end
	case digit(text[i]):
		return number, scanNumber(text, i)
	case digits > 0: // "v2": the letters first
		for k := i; k < end; k++ {
			if digit(text[k]) {
				return word, k
			}
		}
	}
	return word, end
}

// uuidLike reports whether s is the beginning of a UUID up to a hyphen.
func uuidLike(s string) bool {
	group := 0
	groups := [...]int{8, 4, 4, 4}
	n := 0
	for k := range len(s) {
		c := s[k]
		switch {
		case c == '-':
			if group >= len(groups) || n != groups[group] {
				return false
			}
			group, n = group+1, 0
		case digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			n++
		default:
			return false
		}
	}
	return group < len(groups) && n == groups[group]
}

// scanNumber returns the end of the number whose digits start at i.
func scanNumber(text string, i int) int {
	for i < len(text) {
		switch {
		case digit(text[i]):
		case (text[i] == '.' || text[i] == ',') && i+1 < len(text) && digit(text[i+1]):
		default:
			return i
		}
		i++
	}
	return i
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
