package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// builder makes a tree from the tokens of a page in one pass and linear time.
//
// It follows the tree construction of the HTML standard (13.2.6) as far as
// elements are only appended at the open element and only popped off the stack.
// Where the standard would do more (move nodes, reopen formatting elements,
// foster content out of a table, drop a tag that has attributes to merge) it
// does something simple and sets hard: then the tree may differ from that of
// a browser. If hard is not set it does not differ.
type builder struct {
	z     scanner
	out   *sink
	stack []entry
	attrs []attr
	names map[string]string // tag names that have no atom

	hard    bool
	mode    mode
	form    bool // a form is open
	endHead bool // the end tag of head was there
	anchors int  // open a elements
	paras   int  // open p elements
	folded  int  // elements open beyond maxDepth
	leaked  int  // formatting elements that were popped by another tag
	work    int  // estimate of the steps x/net/html would take
}

type entry struct {
	atom    atom.Atom // 0 for a tag without atom and for foreign elements
	name    string
	class   class
	foreign bool
}

type mode uint8

const (
	beforeHTML mode = iota
	beforeHead
	inHead // and after it
	inBody // and after it
)

// maxWork bounds the steps that x/net/html may spend on one page, by the
// estimate of builder.work. 16 Mi steps are some 100 ms; a page of 2 MiB with
// ordinary nesting needs 4 Mi.
const maxWork = 16 << 20

func (b *builder) reset(src []byte, out *sink) {
	if b.names == nil || len(b.names) > 1<<12 {
		b.names = make(map[string]string)
	}
	*b = builder{z: b.z, out: out, stack: b.stack[:0], names: b.names}
	b.z.reset(src)
}

// build reads all tokens and ends the tree.
func (b *builder) build() {
	for {
		top := b.top()
		t := b.z.next(top != nil && top.foreign)
		// Each token may make x/net/html search its stack, and reopen each
		// formatting element that another tag has closed.
		b.work += 1 + len(b.stack)/4 + b.leaked*8
		switch t {
		case endToken:
			b.hard = b.hard || b.z.odd
			b.finish()
			return
		case textToken:
			if !b.z.unescaped {
				b.z.text = unescapeText(b.z.text)
			}
			b.text(b.z.text)
		case startToken:
			a, tag := b.name(b.z.name)
			b.attrs = b.z.attrs
			for i := range b.attrs {
				b.attrs[i].val = unescapeAttr(b.attrs[i].val)
			}
			if b.z.count > maxAttrs {
				b.work = maxWork + 1 // each later tag would clear a map of this size
				b.hard = true
			}
			b.start(a, tag, b.z.selfClosing)
		case closeToken:
			a, tag := b.name(b.z.name)
			b.end(a, tag)
		}
	}
}

func (b *builder) name(name []byte) (atom.Atom, string) {
	if a := atom.Lookup(name); a != 0 {
		return a, a.String()
	}
	if s, ok := b.names[string(name)]; ok {
		return 0, s
	}
	s := string(name)
	b.names[s] = s
	return 0, s
}

func (b *builder) top() *entry {
	if len(b.stack) == 0 {
		return nil
	}
	return &b.stack[len(b.stack)-1]
}

func (b *builder) finish() {
	b.implyBody()
	b.popTo(0)
}

// push opens an element.
func (b *builder) push(a atom.Atom, tag string, cls class, attrs []attr) {
	if len(b.stack) >= maxDepth && cls&rawText == 0 {
		// Keep the tree shallow: what is in the element goes to its parent.
		b.hard = true
		b.work = maxWork + 1
		b.folded++
		b.out.fold(a, cls, attrs)
		return
	}
	b.stack = append(b.stack, entry{atom: a, name: tag, class: cls})
	switch a {
	case atom.A:
		b.anchors++
	case atom.P:
		b.paras++
	}
	b.out.element(a, tag, cls, attrs)
	if cls&rawText != 0 {
		b.z.raw = tag
	}
}

// leaf adds an element without content.
func (b *builder) leaf(a atom.Atom, tag string, cls class) {
	b.out.element(a, tag, cls, b.attrs)
	b.out.end()
}

// pop closes the open element.
func (b *builder) pop() {
	e := b.stack[len(b.stack)-1]
	b.stack = b.stack[:len(b.stack)-1]
	switch e.atom {
	case atom.A:
		b.anchors--
	case atom.P:
		b.paras--
	case atom.Form:
		b.form = false
	}
	b.out.end()
}

// popTo closes elements until n are open.
func (b *builder) popTo(n int) {
	for len(b.stack) > n {
		b.pop()
	}
}

// popLeaking closes elements until n are open. A formatting element among them
// that is not the last is one that the standard would open again.
func (b *builder) popLeaking(n int) {
	for len(b.stack) > n+1 {
		if b.top().class&formatting != 0 {
			b.hard = true
			b.leaked++
		}
		b.pop()
	}
	b.popTo(n)
}

func (b *builder) implyHead() {
	if b.mode == beforeHTML {
		b.push(atom.Html, "html", classOf(atom.Html), nil)
		b.mode = beforeHead
	}
	if b.mode == beforeHead {
		b.push(atom.Head, "head", classOf(atom.Head), nil)
		b.mode = inHead
	}
}

func (b *builder) implyBody() {
	b.implyHead()
	if b.mode == inHead {
		b.popTo(1)
		b.push(atom.Body, "body", classOf(atom.Body), nil)
		b.mode = inBody
	}
}

// text adds the text of a token.
func (b *builder) text(raw []byte) {
	if top := b.top(); top != nil && top.class&rawText != 0 {
		b.out.text(raw)
		return
	}
	blank := len(bytes.TrimLeft(raw, " \t\r\n\f")) == 0
	if b.mode < inBody {
		if blank {
			return
		}
		b.implyBody()
	}
	if !blank {
		if top := b.top(); !top.foreign {
			switch top.atom {
			case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Colgroup:
				b.hard = true
			}
		}
	}
	b.out.text(raw)
}

// find returns the index of the open element with the atom, looking no further
// than the default scope and the given other bounds; -1 if there is none.
func (b *builder) find(a atom.Atom, bounds ...atom.Atom) int {
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.foreign {
			if foreignScope(e.name) {
				return -1
			}
			continue
		}
		if e.atom == a {
			return i
		}
		if e.class&scope != 0 {
			return -1
		}
		for _, x := range bounds {
			if e.atom == x {
				return -1
			}
		}
	}
	return -1
}

// foreignScope reports the foreign elements that bound a scope.
func foreignScope(name string) bool {
	switch name {
	case "mi", "mo", "mn", "ms", "mtext", "annotation-xml", "foreignobject", "desc", "title":
		return true
	}
	return false
}

// closeP ends an open p, if there is one in button scope.
func (b *builder) closeP() {
	if b.paras == 0 {
		return
	}
	if top := b.top(); top.atom == atom.P {
		b.pop()
		return
	}
	if i := b.find(atom.P, atom.Button); i >= 0 {
		b.popLeaking(i)
	}
}
