package extract

import (
	"bytes"

	"golang.org/x/net/html"
)

// unescapeText replaces the character references of a text.
func unescapeText(b []byte) []byte {
	if bytes.IndexByte(b, '&') < 0 {
		return b
	}
	return []byte(html.UnescapeString(string(b)))
}

// unescapeAttr replaces the character references of an attribute value. There a
// reference by name counts only if it is the whole name (13.2.5.73), so that
// "?a=1&copy=2" and "&notit;" stay as they are.
func unescapeAttr(b []byte) []byte {
	i := bytes.IndexByte(b, '&')
	if i < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i >= 0 {
		out = append(out, b[:i]...)
		b = b[i:]
		n := 1
		number := len(b) > 1 && b[1] == '#'
		if number {
			n++
		}
		for n < len(b) && (isLetter(b[n]) || '0' <= b[n] && b[n] <= '9') {
			n++
		}
		semicolon := n < len(b) && b[n] == ';'
		if semicolon {
			n++
		}
		ref := b[:n]
		b = b[n:]
		switch s := html.UnescapeString(string(ref)); {
		case number:
			out = append(out, s...)
		case semicolon && s[len(s)-1] == ';' && string(ref) != "&semi;",
			!semicolon && (len(b) > 0 && b[0] == '=' || isAlnum(s[len(s)-1])):
			// Unknown, or known by its beginning only.
			out = append(out, ref...)
		default:
			out = append(out, s...)
		}
		i = bytes.IndexByte(b, '&')
	}
	return append(out, b...)
}

func isAlnum(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }
