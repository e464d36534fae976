package simweb

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pattern is a compiled phrase. Its source is plain text with
//
//	[one|other|]    one of the alternatives, which may nest
//	{noun} {Noun}   an entry of the list of that name; with a capital the first letter is raised
//	{n:10-90}       a whole number; {n:100-9000/50} in steps of 50
//	{f:1-9}         a number with one decimal
//	{y:1900-2020}   a year
//	{a} {b} {c}     the three numbers of the event that is told, as they stood
//	{who} {where} {firm}  the names of the event
type pattern []node

// A node is a literal, a choice, a list, a number or a value of the event.
type node struct {
	kind    nodeKind
	text    string
	choice  []pattern
	list    *wordList
	raise   bool
	lo, hi  int
	step    int
	ofEvent byte // 'a' 'b' 'c' number, 'p' person, 'l' place, 'f' firm
}

type nodeKind uint8

const (
	literal nodeKind = iota
	choice
	fromList
	number
	decimal
	year
	eventValue
)

// A wordList holds the entries of one name; it is filled after all patterns that point to it exist.
type wordList struct{ entries []pattern }

// A grammar compiles patterns against its lists, and then against those of its base.
type grammar struct {
	lists map[string]*wordList
	base  *grammar
}

// newGrammar makes a grammar from lists of "|"-separated entries.
func newGrammar(base *grammar, words map[string]string) (*grammar, error) {
	g := &grammar{lists: make(map[string]*wordList, len(words)), base: base}
	for name := range words {
		g.lists[name] = new(wordList)
	}
	for name, source := range words {
		whole, err := g.compile("[" + source + "]")
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", name, err)
		}
		g.lists[name].entries = whole[0].choice
	}
	return g, nil
}

func (g *grammar) list(name string) *wordList {
	for ; g != nil; g = g.base {
		if l := g.lists[name]; l != nil {
			return l
		}
	}
	return nil
}

func (g *grammar) compileAll(sources []string) ([]pattern, error) {
	out := make([]pattern, 0, len(sources))
	for _, s := range sources {
		p, err := g.compile(s)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", s, err)
		}
		out = append(out, p)
	}
	return out, nil
}

func (g *grammar) compile(source string) (pattern, error) {
	p, rest, err := g.parse(source, 0)
	if err == nil && rest != "" {
		err = fmt.Errorf("a ] or | without a [")
	}
	return p, err
}

// parse reads up to the end or, inside brackets, up to the | or ] that ends the alternative.
func (g *grammar) parse(s string, depth int) (p pattern, rest string, err error) {
	for s != "" {
		switch s[0] {
		case '|', ']':
			return p, s, nil
		case '[':
			n := node{kind: choice}
			for s[0] != ']' {
				var alternative pattern
				if alternative, s, err = g.parse(s[1:], depth+1); err != nil {
					return nil, "", err
				}
				if s == "" {
					return nil, "", fmt.Errorf("a [ without its ]")
				}
				n.choice = append(n.choice, alternative)
			}
			p, s = append(p, n), s[1:]
		case '{':
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return nil, "", fmt.Errorf("a { without its }")
			}
			n, err := g.slot(s[1:end])
			if err != nil {
				return nil, "", err
			}
			p, s = append(p, n), s[end+1:]
		default:
			end := strings.IndexAny(s, "[]{|")
			if end < 0 {
				end = len(s)
			}
			p, s = append(p, node{text: s[:end]}), s[end:]
		}
	}
	return p, "", nil
}

func (g *grammar) slot(name string) (node, error) {
	switch name {
	case "a", "b", "c":
		return node{kind: eventValue, ofEvent: name[0]}, nil
	case "who", "where", "firm":
		return node{kind: eventValue, ofEvent: map[string]byte{"who": 'p', "where": 'l', "firm": 'f'}[name]}, nil
	}
	if kind, span, ok := strings.Cut(name, ":"); ok {
		n := node{kind: number, step: 1}
		switch kind {
		case "f":
			n.kind = decimal
		case "y":
			n.kind = year
		}
		span, step, hasStep := strings.Cut(span, "/")
		lo, hi, _ := strings.Cut(span, "-")
		var err1, err2, err3 error
		n.lo, err1 = strconv.Atoi(lo)
		n.hi, err2 = strconv.Atoi(hi)
		if hasStep {
			n.step, err3 = strconv.Atoi(step)
		}
		if err1 != nil || err2 != nil || err3 != nil || n.lo > n.hi || n.step < 1 {
			return n, fmt.Errorf("number {%s}", name)
		}
		return n, nil
	}
	first, size := utf8.DecodeRuneInString(name)
	lower := string(unicode.ToLower(first)) + name[size:]
	l := g.list(lower)
	if l == nil {
		return node{}, fmt.Errorf("no list {%s}", name)
	}
	return node{kind: fromList, list: l, raise: unicode.IsUpper(first)}, nil
}

// A teller writes patterns: it holds the choices, the event to tell and the way a language writes numbers.
type teller struct {
	dice
	told     *telling
	thousand string // what stands between groups of three digits
	point    byte
}

// A telling is the values of an event at one stage, for the {a} {who} ... of patterns.
type telling struct {
	numbers          [3]int
	who, where, firm string
}

func (t *teller) write(b []byte, p pattern) []byte {
	for i := range p {
		n := &p[i]
		switch n.kind {
		case literal:
			b = append(b, n.text...)
		case choice:
			b = t.write(b, n.choice[t.intn(len(n.choice))])
		case fromList:
			start := len(b)
			b = t.write(b, n.list.entries[t.intn(len(n.list.entries))])
			if n.raise {
				b = raise(b, start)
			}
		case number:
			steps := (n.hi - n.lo) / n.step
			b = t.number(b, n.lo+n.step*t.intn(steps+1))
		case decimal:
			tenths := t.between(n.lo*10, n.hi*10)
			b = t.number(b, tenths/10)
			b = append(b, t.point, byte('0'+tenths%10))
		case year:
			b = strconv.AppendInt(b, int64(t.between(n.lo, n.hi)), 10)
		case eventValue:
			b = t.value(b, n.ofEvent)
		}
	}
	return b
}

func (t *teller) value(b []byte, which byte) []byte {
	if t.told == nil {
		return b
	}
	switch which {
	case 'p':
		return append(b, t.told.who...)
	case 'l':
		return append(b, t.told.where...)
	case 'f':
		return append(b, t.told.firm...)
	}
	return t.number(b, t.told.numbers[which-'a'])
}

func (t *teller) number(b []byte, x int) []byte {
	start := len(b)
	b = strconv.AppendInt(b, int64(x), 10)
	if t.thousand == "" || len(b)-start < 4 {
		return b
	}
	digits := string(b[start:])
	b = b[:start]
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, t.thousand...)
		}
		b = append(b, digits[i])
	}
	return b
}

// raise turns the letter at start into its capital. Only letters whose capital has the same length in
// UTF-8 are met here.
func raise(b []byte, start int) []byte {
	r, size := utf8.DecodeRune(b[start:])
	if u := unicode.ToUpper(r); u != r && utf8.RuneLen(u) == size {
		utf8.EncodeRune(b[start:], u)
	}
	return b
}
