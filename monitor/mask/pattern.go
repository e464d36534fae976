package mask

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// part is one token of a pattern: a placeholder, or a literal with its text.
type part struct {
	class class
	text  string
}

// pattern is what a chunk of text looks like. It holds at most one anything.
type pattern []part

var names = [...]string{word: "{word}", number: "{number}", ident: "{id}", instant: "{time}", anything: "{text}"}

// expressions are for readers: what the placeholders match, nearly.
var expressions = [...]string{word: `\pL+`, number: `[-+]?[0-9][0-9.,]*`, ident: `[\pL0-9_-]+`, instant: `[\pL0-9:.,/ +-]+`, anything: `.*`}

// String writes placeholders in braces; a brace of the text is doubled.
func (p pattern) String() string {
	var b strings.Builder
	for _, t := range p {
		if t.class == literal {
			b.WriteString(strings.ReplaceAll(t.text, "{", "{{"))
		} else {
			b.WriteString(names[t.class])
		}
	}
	return b.String()
}

// expression returns a regular expression for the pattern.
func (p pattern) expression() string {
	var b strings.Builder
	for _, t := range p {
		if t.class == literal {
			b.WriteString(regexp.QuoteMeta(t.text))
		} else {
			b.WriteString(expressions[t.class])
		}
	}
	return b.String()
}

var errPattern = errors.New("mask: pattern is damaged")

// parsePattern reads what String wrote.
func parsePattern(s string) (pattern, error) {
	var p pattern
	var text strings.Builder
	flush := func() {
		t := text.String()
		for _, k := range tokens(t) {
			p = append(p, part{literal, t[k.start:k.end]})
		}
		text.Reset()
	}
next:
	for len(s) > 0 {
		if s[0] != '{' {
			text.WriteByte(s[0])
			s = s[1:]
			continue
		}
		if strings.HasPrefix(s, "{{") {
			text.WriteByte('{')
			s = s[2:]
			continue
		}
		for c, name := range names {
			if name != "" && strings.HasPrefix(s, name) {
				flush()
				p = append(p, part{class: class(c)})
				s = s[len(name):]
				continue next
			}
		}
		return nil, errPattern
	}
	flush()
	if p.open() != p.lastOpen() {
		return nil, errPattern
	}
	return p, nil
}

// open returns the index of the part that is anything, or -1.
func (p pattern) open() int {
	return slices.IndexFunc(p, func(t part) bool { return t.class == anything })
}

func (p pattern) lastOpen() int {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].class == anything {
			return i
		}
	}
	return -1
}

// fits reports whether a token may stand for the part. An id may happen to have only
// letters or only digits.
func (t part) fits(text string, k token) bool {
	switch t.class {
	case literal:
		return text[k.start:k.end] == t.text
	case ident:
		return k.class == ident || k.class == number || k.class == word
	}
	return k.class == t.class
}

// match marks in varies what placeholders stand for: varies[2i+1] for token i,
// varies[2i] for the gap before it, which anything also takes. It reports
// whether the pattern fits the whole text; if not, varies is not changed.
func (p pattern) match(text string, ts []token, varies []bool) bool {
	open := p.open()
	if open < 0 && len(p) != len(ts) || open >= 0 && len(ts) < len(p)-1 {
		return false
	}
	head, tail := len(p), 0 // parts before and after anything
	if open >= 0 {
		head, tail = open, len(p)-open-1
	}
	shift := len(ts) - len(p)
	for i, t := range p {
		if i < head && !t.fits(text, ts[i]) || i >= len(p)-tail && !t.fits(text, ts[i+shift]) {
			return false
		}
	}
	for i, t := range p {
		if i < head && t.class != literal {
			varies[2*i+1] = true
		} else if i >= len(p)-tail && t.class != literal {
			varies[2*(i+shift)+1] = true
		}
	}
	if open >= 0 {
		for i := 2 * head; i <= 2*(len(ts)-tail); i++ {
			varies[i] = true
		}
	}
	return true
}

// between returns the pattern of two texts: what they share to the letter, and
// placeholders where they differ or where now holds for a token of both. It is
// nil if there is nothing to vary.
func between(a string, as []token, b string, bs []token, now func(text string) bool) pattern {
	same := func(x, y token) bool { return a[x.start:x.end] == b[y.start:y.end] }
	keep := func(y token) part {
		if s := b[y.start:y.end]; y.class != instant || !now(s) {
			return part{literal, s}
		}
		return part{class: instant}
	}
	join := func(x, y token) part {
		switch {
		case same(x, y):
			return keep(y)
		case x.class == y.class && x.class != literal:
			return part{class: x.class}
		case x.class != literal && y.class != literal && x.class != instant && y.class != instant:
			return part{class: ident}
		}
		return part{class: anything}
	}
	var p pattern
	plain := len(as) == len(bs)
	if plain {
		for i := range as {
			t := join(as[i], bs[i])
			plain = plain && t.class != anything
			p = append(p, t)
		}
	}
	if !plain {
		// What both begin and end with, and anything between.
		p = p[:0]
		n := min(len(as), len(bs))
		head := 0
		for head < n && join(as[head], bs[head]).class != anything && (same(as[head], bs[head]) || as[head].class != word) {
			p = append(p, join(as[head], bs[head]))
			head++
		}
		p = append(p, part{class: anything})
		tail := 0
		for tail < n-head && same(as[len(as)-1-tail], bs[len(bs)-1-tail]) {
			tail++
		}
		for k := len(bs) - tail; k < len(bs); k++ {
			p = append(p, keep(bs[k]))
		}
	}
	if !slices.ContainsFunc(p, func(t part) bool { return t.class != literal }) {
		return nil
	}
	return p
}

// firm reports whether enough of the pattern is to the letter: at least half of its
// words, or no word varies at all.
func (p pattern) firm() bool {
	fixed, loose := 0, 0
	for _, t := range p {
		switch t.class {
		case word:
			loose++
		case anything:
			loose += 2
		case literal:
			if ts := tokens(t.text); len(ts) > 0 && ts[0].class != literal {
				fixed++
			}
		}
	}
	return fixed >= loose
}

// labelled reports whether the pattern has a word to the letter.
func (p pattern) labelled() bool {
	return slices.ContainsFunc(p, func(t part) bool {
		ts := tokens(t.text)
		return len(ts) > 0 && ts[0].class == word
	})
}
