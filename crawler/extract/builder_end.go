package extract

import (
	"golang.org/x/net/html/atom"
)

// end handles an end tag.
func (b *builder) end(a atom.Atom, tag string) {
	top := b.top()
	if top != nil && top.class&rawText != 0 && !top.foreign {
		if top.atom == a {
			b.pop()
		}
		return
	}
	if b.folded > 0 {
		b.folded--
		return
	}
	if top != nil && top.foreign {
		b.endForeign(a, tag)
		return
	}
	if b.mode < inBody {
		switch a {
		case atom.Body, atom.Html, atom.Br:
			b.implyBody()
		case atom.Head:
			// It stays open for the elements that may still join it.
			b.implyHead()
			b.endHead = true
			return
		default:
			return
		}
	}
	switch a {
	case atom.Body, atom.Html:
		// Nothing is popped: what follows goes to the element still open.
		return
	case atom.P, atom.Br:
		b.endP(a)
		return
	case atom.Form:
		b.endForm()
		return
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		b.endHeading(a)
		return
	case atom.Td, atom.Th, atom.Caption, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Table, atom.Colgroup, atom.Col:
		b.endInTable(a)
		return
	case atom.Template:
		b.hard = true
	}
	top = b.top()
	if top.atom == a && top.name == tag {
		b.pop()
		return
	}
	if isTablePart(top.atom) {
		b.hard = true
	}
	cls := classOf(a)
	switch {
	case cls&formatting != 0:
		b.endFormatting(a)
	case a == atom.Li:
		if i := b.find(a, atom.Ol, atom.Ul); i >= 0 {
			b.popLeaking(i)
		}
	case a == atom.Dd, a == atom.Dt, a == atom.Applet, a == atom.Marquee, a == atom.Object:
		if i := b.find(a); i >= 0 {
			b.popLeaking(i)
		}
	case isEndOfBlock(a):
		if i := b.find(a); i >= 0 {
			b.popLeaking(i)
		}
	default:
		b.endOther(a, tag)
	}
}

// isEndOfBlock reports the end tags of 13.2.6.4.7 that look for their element in
// scope, across any other element.
func isEndOfBlock(a atom.Atom) bool {
	switch a {
	case atom.Button, atom.Select, atom.Dialog, atom.Search:
		return true
	case atom.Li, atom.Dd, atom.Dt, atom.P, atom.Form:
		return false
	}
	return !isHeading(a) && classOf(a)&(closesP|void|rawText) == closesP
}

// endOther is the standard's "any other end tag".
func (b *builder) endOther(a atom.Atom, tag string) {
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.atom == a && e.name == tag && !e.foreign {
			b.popLeaking(i)
			return
		}
		if e.class&special != 0 {
			return
		}
	}
}

// endFormatting ends a formatting element that is not the open element. If only
// ordinary elements are open in it they end with it; if none is open at all the
// tag is dropped; otherwise the adoption agency (13.2.6.4.7) has work to do.
func (b *builder) endFormatting(a atom.Atom) {
	blocks := false
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.atom == a {
			if blocks {
				b.hard = true
				b.work += 8 * (len(b.stack) - i) * 8
				if e.class&formatting != 0 {
					b.leaked++
				}
				return
			}
			b.popLeaking(i)
			return
		}
		if e.class&special != 0 {
			blocks = true
		}
	}
	if b.leaked > 0 {
		b.leaked--
	}
}

func (b *builder) endP(a atom.Atom) {
	if a == atom.P {
		if i := b.find(a, atom.Button); i >= 0 {
			b.popLeaking(i)
			return
		}
	}
	b.hard = true // makes an element
	b.attrs = b.attrs[:0]
	b.startInBody(a, a.String(), classOf(a))
	if a == atom.P {
		b.pop()
	}
}

func (b *builder) endForm() {
	if !b.form {
		return
	}
	i := b.find(atom.Form)
	if i < 0 {
		b.hard = true
		return
	}
	b.implyEnds(0)
	if i != len(b.stack)-1 {
		b.hard = true // leaves the stack from its middle
	}
	b.popLeaking(i)
}

func (b *builder) endHeading(a atom.Atom) {
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if isHeading(e.atom) && !e.foreign {
			b.popLeaking(i)
			return
		}
		if e.class&scope != 0 || e.foreign && foreignScope(e.name) {
			return
		}
	}
}

// endInTable handles the end tags of tables and their parts.
func (b *builder) endInTable(a atom.Atom) {
	// The element in table scope: only html, table and template bound it.
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.atom == a {
			if a == atom.Table || b.plainTo(i) {
				b.popTo(i)
				return
			}
			b.hard = true
			b.popTo(i)
			return
		}
		switch e.atom {
		case atom.Html, atom.Table, atom.Template:
			return // not open: dropped
		}
		if e.foreign {
			b.hard = true
		}
	}
}

// plainTo reports whether the elements above i on the stack are ones that the
// end tag of element i closes without further ado: parts of its own table, and
// whatever is open in a cell.
func (b *builder) plainTo(i int) bool {
	for k := i + 1; k < len(b.stack); k++ {
		switch e := &b.stack[k]; {
		case e.atom == atom.Td || e.atom == atom.Th || e.atom == atom.Caption:
			return b.stack[k-1].atom == atom.Tr || e.atom == atom.Caption
		case !isTablePart(e.atom):
			// Open in element i itself, which is right for a cell only.
			x := b.stack[i].atom
			return k == i+1 && (x == atom.Td || x == atom.Th || x == atom.Caption)
		}
	}
	return true
}

// endForeign handles an end tag in SVG or MathML: that of the open element, or
// one that closes several.
func (b *builder) endForeign(a atom.Atom, tag string) {
	if top := b.top(); top.name == tag {
		b.pop()
		return
	}
	b.hard = true
	for i := len(b.stack) - 1; i > 0; i-- {
		e := &b.stack[i]
		if e.name == tag {
			b.popTo(i)
			return
		}
		if !e.foreign {
			b.popTo(i + 1)
			b.end(a, tag)
			return
		}
	}
}

func (b *builder) openForeign(a atom.Atom, tag string, cls class) {
	n := len(b.stack)
	b.push(a, tag, cls, b.attrs)
	if len(b.stack) > n {
		e := b.top()
		e.foreign, e.atom = true, 0
		if a == atom.A {
			b.anchors-- // the list of formatting elements does not know it
		}
	}
}
