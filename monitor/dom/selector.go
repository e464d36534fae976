package dom

import (
	"math"
	"strconv"
	"strings"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Selector finds elements by id, by tag and classes, or by path; the first of
// these that is set.
type Selector struct {
	ID      string
	Tag     string
	Classes []string
	Path    string // full path
}

// Selectors proposes selectors for element i of an outline: by its id, by its
// tag with all classes, by its tag with each single class, and by its path. Only
// those are proposed that find no other element.
func Selectors(nodes []extract.Node, i int) []Selector {
	n := nodes[i]
	var all []Selector
	if n.ID != "" {
		all = append(all, Selector{ID: n.ID})
	}
	if classes := strings.Fields(n.Class); len(classes) > 0 {
		all = append(all, Selector{Tag: n.Tag, Classes: classes})
		for _, c := range classes {
			if len(classes) > 1 {
				all = append(all, Selector{Tag: n.Tag, Classes: []string{c}})
			}
		}
	}
	var out []Selector
	for _, s := range all {
		if k, ok := s.Find(nodes); ok && k == i {
			out = append(out, s)
		}
	}
	return append(out, Selector{Path: pathOf(nodes, i)})
}

func pathOf(nodes []extract.Node, i int) string {
	if i < 0 {
		return ""
	}
	p, from := nodes[i].Parent, 0
	if p >= 0 {
		from = int(p) + 1
	}
	nth := 0
	for k := from; k < i; k = int(nodes[k].End) {
		if nodes[k].Tag == nodes[i].Tag {
			nth++
		}
	}
	return pathOf(nodes, int(p)) + stepText(nodes[i].Tag, nth)
}

// CSS writes the selector in the syntax of CSS. A path selects by nth-of-type.
func (s Selector) CSS() string {
	switch {
	case s.ID != "":
		return "#" + escape(s.ID)
	case len(s.Classes) > 0:
		b := escape(s.Tag)
		for _, c := range s.Classes {
			b += "." + escape(c)
		}
		return b
	}
	steps, _ := parsePath(s.Path)
	var parts []string
	for i, st := range steps {
		part := escape(st.tag)
		if i == 0 && st.tag == "html" {
			parts = append(parts, part)
			continue
		}
		parts = append(parts, part+":nth-of-type("+strconv.Itoa(st.nth+1)+")")
	}
	return strings.Join(parts, " > ")
}

// escape writes an identifier as CSS asks for (CSS Syntax 4.3.11, CSSOM
// "serialize an identifier").
func escape(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == 0:
			b.WriteRune('\uFFFD')
		case r < ' ' || r == 0x7F || '0' <= r && r <= '9' && (i == 0 || i == 1 && s[0] == '-'):
			b.WriteString("\\" + strconv.FormatInt(int64(r), 16) + " ")
		case r == '-' && len(s) > 1, r >= 0x80, r == '_', '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			b.WriteRune(r)
		default:
			b.WriteString("\\" + string(r))
		}
	}
	return b.String()
}

// Find returns the element that the selector finds. ok is false if it finds
// none, or several.
func (s Selector) Find(nodes []extract.Node) (i int, ok bool) {
	if s.ID == "" && len(s.Classes) == 0 {
		return findPath(nodes, s.Path)
	}
	found := -1
	for k := range nodes {
		n := &nodes[k]
		if n.Tag == "" || s.ID != "" && n.ID != s.ID || s.ID == "" && (n.Tag != s.Tag || !hasClasses(n.Class, s.Classes)) {
			continue
		}
		if found >= 0 {
			return 0, false
		}
		found = k
	}
	return max(found, 0), found >= 0
}

func hasClasses(have string, want []string) bool {
	for _, w := range want {
		found := false
		for h := range strings.FieldsSeq(have) {
			found = found || h == w
		}
		if !found {
			return false
		}
	}
	return true
}

func findPath(nodes []extract.Node, path string) (int, bool) {
	steps, ok := parsePath(path)
	if !ok {
		return 0, false
	}
	from, to, at := 0, len(nodes), -1
	for _, s := range steps {
		at = -1
		nth := 0
		for k := from; k < to; k = int(nodes[k].End) {
			if nodes[k].Tag == s.tag {
				if nth == s.nth {
					at = k
					break
				}
				nth++
			}
		}
		if at < 0 {
			return 0, false
		}
		from, to = at+1, int(nodes[at].End)
	}
	return at, true
}

// Record is how a selector did over the versions of a page.
type Record struct {
	Exposure float64 // hours in which it found one element
	Breaks   int     // times that it stopped to
	Holds    bool    // at the last version
	last     float64
	started  bool
}

// Add takes the next version, fetched at the given hour.
func (r *Record) Add(hour float64, holds bool) {
	if r.started && r.Holds {
		r.Exposure += max(hour-r.last, 0)
		if !holds {
			r.Breaks++
		}
	}
	r.started, r.Holds, r.last = true, holds, hour
}

// Survival estimates the probability that the selector still finds its element h
// hours after the last version. Breaks are taken as a Poisson process whose rate
// has the Gamma(1/2, 0) prior of Jeffreys, so that with the exposure E and b
// breaks the expectation over the rate is
//
//	P(h) = (E / (E + h))^(b + 1/2)
//
// It never claims certainty: without a break, half of the selectors are given up
// at three times the exposure. ok is false without exposure; a selector that
// does not hold now has probability 0.
func (r *Record) Survival(h float64) (p float64, ok bool) {
	if r.Exposure <= 0 || h < 0 {
		return 0, false
	}
	if !r.Holds {
		return 0, true
	}
	return math.Pow(r.Exposure/(r.Exposure+h), float64(r.Breaks)+.5), true
}
