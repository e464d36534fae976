package mask

import (
	"errors"
	"strconv"
	"strings"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// step is one step of a path. Exactly one of these forms:
//
//	#id                   the element with that id, wherever it is; only as the first step
//	tag.class             the only child with that tag and class
//	tag:nth-of-type(n)    the n-th child with that tag
//	tag                   any child with that tag
//
// Ids and classes that look made up by a machine are not used, nor ids that occur twice.
type step struct {
	id, tag, class string
	nth            int // from 1; 0 is none
}

func (s step) String() string {
	switch {
	case s.id != "":
		return "#" + s.id
	case s.class != "":
		return s.tag + "." + s.class
	case s.nth > 0:
		return s.tag + ":nth-of-type(" + strconv.Itoa(s.nth) + ")"
	}
	return s.tag
}

// path leads from body or from an element with an id to an element. As a string it
// is a CSS selector.
type path []step

func (p path) String() string {
	var b strings.Builder
	for i, s := range p {
		if i > 0 {
			b.WriteString(" > ")
		}
		b.WriteString(s.String())
	}
	return b.String()
}

// with returns a new path with one more step; an id begins a new one.
func (p path) with(s step) path {
	if s.id != "" {
		return path{s}
	}
	return append(p[:len(p):len(p)], s)
}

var errPath = errors.New("mask: path is damaged")

func parsePath(text string) (path, error) {
	var p path
	for i, s := range strings.Split(text, " > ") {
		var t step
		if id, ok := strings.CutPrefix(s, "#"); ok {
			t.id = id
		} else if tag, n, ok := strings.Cut(s, ":nth-of-type("); ok {
			t.tag = tag
			t.nth, _ = strconv.Atoi(strings.TrimSuffix(n, ")"))
		} else {
			t.tag, t.class, _ = strings.Cut(s, ".")
		}
		if t.String() != s || t.id == "" && !safe(t.tag) || t.id != "" && (i > 0 || !safe(t.id)) || t.class != "" && !safe(t.class) {
			return nil, errPath
		}
		p = append(p, t)
	}
	if p[0].id == "" && p[0] != (step{tag: "body"}) {
		return nil, errPath
	}
	return p, nil
}

// safe reports whether a name needs no escape in CSS and is of sensible length.
func safe(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && (digit(c) || c == '-' || c == '_')) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// stable reports whether an id or class looks as if someone chose it.
func stable(s string) bool {
	if !safe(s) {
		return false
	}
	digits := 0
	for i := range len(s) {
		if digit(s[i]) {
			digits++
		}
	}
	return digits <= 2
}

// tree is a page with what paths need.
type tree struct {
	*extract.Page
	ids map[string]int // how often stable ids occur
}

func treeOf(p *extract.Page) tree {
	t := tree{p, map[string]int{}}
	for i := range p.Nodes {
		if id := p.Nodes[i].ID; id != "" && stable(id) {
			t.ids[id]++
		}
	}
	return t
}

// child is an element with all steps that lead to it from its parent.
type child struct {
	node  int32
	tag   string
	nth   int
	id    string // "" unless stable and unique on the page
	class string // "" unless stable and unique among its siblings of the tag
}

// best is the step that will most likely lead to the same element in other versions.
func (c child) best() step {
	switch {
	case c.id != "":
		return step{id: c.id}
	case c.class != "":
		return step{tag: c.tag, class: c.class}
	}
	return step{tag: c.tag, nth: c.nth}
}

// children returns the elements below element i. Tags that CSS cannot write are
// left out.
func (t tree) children(i int32) []child {
	type named struct{ tag, class string }
	var out []child
	nth := map[string]int{}
	classes := map[named]int{}
	for k := i + 1; k < t.Nodes[i].End; k = t.Nodes[k].End {
		n := &t.Nodes[k]
		if n.Tag == "" {
			continue
		}
		nth[n.Tag]++
		if !safe(n.Tag) {
			continue
		}
		c := child{node: k, tag: n.Tag, nth: nth[n.Tag]}
		if t.ids[n.ID] == 1 {
			c.id = n.ID
		}
		for class := range strings.FieldsSeq(n.Class) {
			if stable(class) {
				c.class = class
				break
			}
		}
		classes[named{n.Tag, c.class}]++
		out = append(out, c)
	}
	for k := range out {
		if classes[named{out[k].tag, out[k].class}] > 1 {
			out[k].class = ""
		}
	}
	return out
}

// chunks returns the chunks of text that are children of element i.
func (t tree) chunks(i int32) []int32 {
	var out []int32
	for k := i + 1; k < t.Nodes[i].End; k = t.Nodes[k].End {
		if t.Nodes[k].Tag == "" {
			out = append(out, k)
		}
	}
	return out
}

// body returns the index of the body element, or -1.
func (t tree) body() int32 {
	for k := int32(1); int(k) < len(t.Nodes); k = t.Nodes[k].End {
		if t.Nodes[k].Tag == "body" {
			return k
		}
	}
	return -1
}

// pathOf returns the path of an element below body, or nil.
func (t tree) pathOf(i int32) path {
	var up []int32
	for k := i; k > 0; k = t.Nodes[k].Parent {
		up = append(up, k)
	}
	var p path
	for n := len(up) - 1; n >= 0; n-- {
		if t.Nodes[up[n]].Parent == 0 {
			if t.Nodes[up[n]].Tag != "body" {
				return nil
			}
			p = path{{tag: "body"}}
			continue
		}
		found := false
		for _, c := range t.children(t.Nodes[up[n]].Parent) {
			if c.node == up[n] {
				p, found = p.with(c.best()), true
			}
		}
		if !found {
			return nil
		}
	}
	return p
}
