package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// item looks at i, the start of a line or of a list item, for a number or
// letter that begins a list ("1.", "b)", "3.)") and finds where the next item
// of the same style starts. It need not follow a full stop:
// "1) Wash the rice 2) Add water".
func (c *cutter) item(i int) {
	const window = 2000 // bytes; keeps the search linear for a long hostile line
	c.mark = -1
	lead := label(c.s[i:min(len(c.s), i+64)])
	if lead.style == "" {
		return
	}
	if lead.style == "." && 'A' <= lead.value[0] && lead.value[0] <= 'Z' {
		return // an initial: "A. Smith met B. Jones"
	}
	next := lead.successor()
	from := i + lead.end
	end := min(len(c.s), from+window)
	if k := strings.IndexAny(c.s[from:end], "\r\n"); k >= 0 {
		end = from + k
	}
	for from < end {
		k := strings.Index(c.s[from:end], next)
		if k < 0 {
			return
		}
		at := from + k
		before, _ := utf8.DecodeLastRuneInString(c.s[:at])
		after, _ := utf8.DecodeRuneInString(c.s[at+len(next):])
		if unicode.IsSpace(before) && (unicode.IsUpper(after) || unicode.IsLetter(after) && lead.style != ".") {
			c.mark = at
			return
		}
		from = at + len(next)
	}
}

// listLabel is the number or letter of a list item.
type listLabel struct {
	value string // "7" or "c"
	style string // ".", ")" or ".)"; "" if this is no label
	end   int    // of the label, from the start of the text
}

// label reads the label that s starts with, after white space and a bullet.
func label(s string) listLabel {
	rest := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || isBullet(r) })
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	if n == 0 && len(rest) > 0 && ('a' <= rest[0] && rest[0] < 'z' || 'A' <= rest[0] && rest[0] < 'Z') {
		n = 1
	}
	if n == 0 || n > 3 {
		return listLabel{}
	}
	l := listLabel{value: rest[:n]}
	rest = rest[n:]
	for _, style := range []string{".)", ")", "."} {
		if after, ok := strings.CutPrefix(rest, style); ok {
			if r, _ := utf8.DecodeRuneInString(after); unicode.IsSpace(r) {
				l.style = style
				l.end = len(s) - len(after)
			}
			return l
		}
	}
	return l
}

// successor is the label of the next item with the space after it.
func (l listLabel) successor() string {
	if n, err := strconv.Atoi(l.value); err == nil {
		return strconv.Itoa(n+1) + l.style + " "
	}
	return string(l.value[0]+1) + l.style + " "
}
