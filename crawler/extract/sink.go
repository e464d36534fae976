package extract

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// sink takes the elements and the text of a tree in document order and gathers
// outline, lines, links and head data. Both tree builders write to it. Its
// buffers are kept from page to page.
type sink struct {
	arena []byte // bytes that nodes, links and dates point into
	nodes []rawNode
	open  []openElement

	lines   lineBuilder
	hidden  int  // open elements whose content is not visible
	space   bool // white space was seen since the last visible text
	folded  bool // the line was ended by an element that is not in the outline
	nodeCap int

	flags Flags
	head  headData
	links linkData
}

// span is a piece of the sink's arena.
type span struct{ off, end uint32 }

// rawNode is a Node whose strings still are in the arena.
type rawNode struct {
	tag             string
	id, class, text span
	parent, end     int32
	join            Join
}

type openElement struct {
	node  int32 // in the outline; the parent's if folded
	block int32 // the nearest block element, itself included
	class class
	isA   bool
	fold  bool
}

// attr is one attribute of a start tag, the key in lower case. The bytes are
// valid during the call only.
type attr struct{ key, val []byte }

func (s *sink) reset() {
	s.arena, s.nodes, s.open = s.arena[:0], s.nodes[:0], s.open[:0]
	s.lines.reset()
	s.hidden, s.space, s.folded = 0, false, false
	s.nodeCap = maxNodes
	s.flags = 0
	s.head.reset()
	s.links.reset()
}

func (s *sink) keep(b []byte) span {
	off := uint32(len(s.arena))
	s.arena = append(s.arena, b...)
	return span{off, uint32(len(s.arena))}
}

func (s *sink) bytes(p span) []byte { return s.arena[p.off:p.end] }

// element opens an element. a is 0 for a tag that is no HTML element.
func (s *sink) element(a atom.Atom, tag string, cls class, attrs []attr) {
	e := openElement{node: int32(len(s.nodes)), block: -1, class: cls, isA: a == atom.A}
	parent := int32(-1)
	if top := len(s.open) - 1; top >= 0 {
		parent, e.block = s.open[top].node, s.open[top].block
	}
	if len(s.nodes) >= s.nodeCap {
		e.fold, e.node = true, parent
		s.flags |= Folded
	} else {
		if cls&block != 0 {
			e.block = e.node
		}
		n := rawNode{tag: tag, parent: parent}
		if v := get(attrs, "id"); len(v) > 0 {
			n.id = s.keepCollapsed(v, maxAttr)
		}
		if v := get(attrs, "class"); len(v) > 0 {
			n.class = s.keepCollapsed(v, maxAttr)
		}
		s.nodes = append(s.nodes, n)
	}
	if cls&block != 0 {
		s.breakLine()
		s.folded = e.fold
	}
	if s.hidden == 0 {
		s.inspect(a, attrs)
	}
	if cls&hidden != 0 {
		s.hidden++
	}
	s.open = append(s.open, e)
}

// fold takes notice of an element that is left out of the outline with its end
// tag; its text goes to the open element.
func (s *sink) fold(a atom.Atom, cls class, attrs []attr) {
	s.flags |= Folded
	if cls&block != 0 {
		s.breakLine()
		s.folded = true
	}
	if s.hidden == 0 {
		s.inspect(a, attrs)
		s.links.open = -1
	}
}

// end closes the element opened last.
func (s *sink) end() {
	e := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if !e.fold {
		s.nodes[e.node].end = int32(len(s.nodes))
	}
	if e.class&block != 0 {
		s.breakLine()
		s.folded = e.fold
	}
	if e.class&hidden != 0 {
		s.hidden--
		s.head.endHidden()
	}
	if e.isA {
		s.links.open = -1
	}
}

// breakLine ends the line as an element of the outline does.
func (s *sink) breakLine() {
	s.lines.end()
	s.space = false
	s.folded = false
}

// text adds text to the open element. raw is valid UTF-8.
func (s *sink) text(raw []byte) {
	if s.hidden > 0 {
		s.hiddenText(raw)
		return
	}
	for i := 0; i < len(raw); {
		if k := spaceAt(raw, i); k > 0 {
			s.space = true
			i += k
			continue
		}
		i = s.run(raw, i)
	}
}

// run adds the text from i on, up to the end or to white space that is not a
// single blank between two characters, and returns where it stopped.
func (s *sink) run(raw []byte, i int) int {
	end := i
scan:
	for end < len(raw) {
		c := raw[end]
		switch {
		case c > ' ' && c < utf8.RuneSelf:
			end++
		case c == ' ':
			// The byte after it is judged in the next round.
			if end+1 == len(raw) || spaceAt(raw, end+1) > 0 {
				break scan
			}
			end++
		default:
			if c == 0xC2 || 0xE1 <= c && c <= 0xE3 || c < ' ' {
				if spaceAt(raw, end) > 0 {
					break scan
				}
			}
			end++
		}
	}
	s.chunk(raw[i:end])
	return end
}

// chunk adds collapsed text, beginning a node or continuing the last one.
func (s *sink) chunk(b []byte) {
	at := s.open[len(s.open)-1]
	join := JoinNone
	switch {
	case !s.lines.open && s.folded:
		join = JoinLine
	case s.lines.open && s.space:
		join = JoinSpace
	}
	last := len(s.nodes) - 1
	if last > 0 && s.nodes[last].tag == "" && s.nodes[last].parent == at.node {
		switch {
		case !s.lines.open:
			s.arena = append(s.arena, '\n')
		case s.space:
			s.arena = append(s.arena, ' ')
		}
		s.arena = append(s.arena, b...)
		s.nodes[last].text.end = uint32(len(s.arena))
	} else {
		s.nodes = append(s.nodes, rawNode{text: s.keep(b), parent: at.node, end: int32(last + 2), join: join})
	}
	if s.links.open >= 0 {
		s.links.anchorText(b, s.space || !s.lines.open)
	}
	addLine(&s.lines, b, s.space, at.block)
	s.space, s.folded = false, false
}

// spaceAt returns the length of the white space character at i, 0 if there is
// none: those of Unicode and what HTML collapses, which is a subset.
func spaceAt(b []byte, i int) int {
	c := b[i]
	switch {
	case c > ' ' && c < utf8.RuneSelf:
		return 0
	case c == ' ' || '\t' <= c && c <= '\r':
		return 1
	case c == 0xC2 || c == 0xE1 || c == 0xE2 || c == 0xE3:
		if r, n := utf8.DecodeRune(b[i:]); unicode.IsSpace(r) {
			return n
		}
	}
	return 0
}

// keepCollapsed keeps b with white space collapsed, at most limit bytes.
func (s *sink) keepCollapsed(b []byte, limit int) span {
	off := len(s.arena)
	s.arena = appendCollapsed(s.arena, b)
	if len(s.arena)-off > limit {
		s.arena = s.arena[:off+len(clip(s.arena[off:], limit))]
	}
	return span{uint32(off), uint32(len(s.arena))}
}

// appendCollapsed appends b to dst, each run of white space as one blank, and
// none at the ends.
func appendCollapsed(dst, b []byte) []byte {
	off, space := len(dst), false
	for i := 0; i < len(b); {
		if k := spaceAt(b, i); k > 0 {
			space = true
			i += k
			continue
		}
		if space && len(dst) > off {
			dst = append(dst, ' ')
		}
		space = false
		dst = append(dst, b[i])
		for i++; i < len(b) && !utf8.RuneStart(b[i]); i++ {
			dst = append(dst, b[i])
		}
	}
	return dst
}

// clip cuts b to at most limit bytes without splitting a character.
func clip(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	for limit > 0 && !utf8.RuneStart(b[limit]) {
		limit--
	}
	return b[:limit]
}

// trimSpace cuts ASCII white space and control characters at both ends, as the
// URL standard and the attribute grammars do.
func trimSpace(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}
