package extract

import (
	"golang.org/x/net/html/atom"
)

// start handles a start tag. The attributes are in b.attrs.
func (b *builder) start(a atom.Atom, tag string, selfClosing bool) {
	if top := b.top(); top != nil && top.foreign {
		b.startForeign(a, tag, selfClosing)
		return
	}
	cls := classOf(a)
	if a == 0 {
		cls = classOfName(tag)
	}
	switch {
	case b.mode == inBody:
	case a == atom.Html:
		if b.mode == beforeHTML {
			b.push(a, tag, cls, b.attrs)
			b.mode = beforeHead
		} else {
			b.hard = true
		}
		return
	case a == atom.Head:
		if b.mode == inHead {
			b.hard = true
			return
		}
		if b.mode == beforeHTML {
			b.push(atom.Html, "html", classOf(atom.Html), nil)
		}
		b.push(a, tag, cls, b.attrs)
		b.mode = inHead
		return
	case a == atom.Body:
		b.implyHead()
		b.popTo(1)
		b.push(a, tag, cls, b.attrs)
		b.mode = inBody
		return
	case cls&headOK != 0 && !(a == atom.Noscript && b.endHead):
		b.implyHead()
	default:
		b.implyBody()
	}
	b.startInBody(a, tag, cls)
	if selfClosing && (a == atom.Svg || a == atom.Math) && b.top().foreign {
		b.pop()
	}
}

func (b *builder) startInBody(a atom.Atom, tag string, cls class) {
	if len(b.stack) >= maxDepth && cls&(rawText|void) == 0 {
		b.push(a, tag, cls, b.attrs) // folded, whatever it is
		return
	}
	switch a {
	case atom.Html, atom.Head, atom.Body, atom.Frame:
		b.hard = true // dropped, but its attributes may be merged
		return
	case atom.Frameset, atom.Template, atom.Plaintext:
		b.hard = true
	case atom.Image:
		a, tag, cls = atom.Img, "img", classOf(atom.Img)
	case atom.Td, atom.Th, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Caption, atom.Colgroup, atom.Col:
		b.startInTable(a, tag, cls)
		return
	}
	if in := b.top().atom; isTablePart(in) {
		switch a {
		case atom.Script, atom.Style:
			b.hard = b.hard || in == atom.Colgroup
		default:
			b.hard = true // fostered out of the table, but for a few
		}
		if a == atom.Table {
			if i := b.find(atom.Table); i >= 0 {
				b.popTo(i)
			}
		}
	}
	if cls&closesP != 0 {
		b.closeP()
	}
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if isHeading(b.top().atom) {
			b.pop()
		}
	case atom.Li:
		b.closeItem(a, a)
		b.closeP()
	case atom.Dd, atom.Dt:
		b.closeItem(atom.Dd, atom.Dt)
		b.closeP()
	case atom.Form:
		if b.form {
			b.hard = true
			return
		}
		b.form = true
	case atom.Table:
		if b.paras > 0 && b.find(atom.P, atom.Button) >= 0 {
			b.hard = true // p is closed or not, as the doctype says
			b.closeP()
		}
	case atom.A:
		if b.anchors > 0 {
			b.hard = true
			if i := b.find(atom.A); i >= 0 && i == len(b.stack)-1 {
				b.pop()
			}
		}
	case atom.Button, atom.Nobr:
		if i := b.find(a); i >= 0 {
			b.hard = true
			b.popTo(i)
		}
	case atom.Select:
		if i := b.find(a); i >= 0 {
			b.hard = true
			b.popTo(i)
			return
		}
	case atom.Input, atom.Hr:
		if b.find(atom.Select) >= 0 {
			b.hard = true
		}
	case atom.Option:
		if b.find(atom.Select) >= 0 {
			b.implyEnds(atom.Optgroup)
		} else if b.top().atom == atom.Option {
			b.pop()
		}
	case atom.Optgroup:
		if b.find(atom.Select) >= 0 {
			b.implyEnds(0)
		} else if b.top().atom == atom.Option {
			b.pop()
		}
	case atom.Rb, atom.Rtc:
		if b.find(atom.Ruby) >= 0 {
			b.implyEnds(0)
		}
	case atom.Rp, atom.Rt:
		if b.find(atom.Ruby) >= 0 {
			b.implyEnds(atom.Rtc)
		}
	case atom.Svg, atom.Math:
		b.openForeign(0, tag, 0)
		return
	}
	if cls&void != 0 {
		b.leaf(a, tag, cls)
		return
	}
	b.push(a, tag, cls, b.attrs)
}

// closeItem ends the open li, or the open dd or dt, that a new one follows.
func (b *builder) closeItem(x, y atom.Atom) {
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		switch {
		case e.atom == x || e.atom == y:
			b.popLeaking(i)
			return
		case e.atom == atom.Address || e.atom == atom.Div || e.atom == atom.P:
		case e.class&special != 0:
			return
		}
	}
}

// implyEnds ends the elements whose end tags may be left out, but for except.
func (b *builder) implyEnds(except atom.Atom) {
	for top := b.top(); top.class&implied != 0 && top.atom != except; top = b.top() {
		b.pop()
	}
}

// startInTable handles the tags that stand in tables only.
func (b *builder) startInTable(a atom.Atom, tag string, cls class) {
	// Close what is open down to an element that may hold the new one. What is
	// open in a cell ends with it, formatting elements too.
	if len(b.stack) > maxDepth-3 {
		b.push(a, tag, cls&^scope, b.attrs) // no room for what is implied
		b.hard = true
		return
	}
	for {
		i := len(b.stack) - 1
		for i >= 0 && !isTablePart(b.stack[i].atom) && b.stack[i].class&scope == 0 {
			i--
		}
		if i < 0 {
			b.hard = true // not in a table: dropped
			return
		}
		at := b.stack[i].atom
		switch {
		case at == atom.Td || at == atom.Th || at == atom.Caption:
			if at == atom.Caption && a == atom.Th {
				b.hard = true // x/net/html has no th in its list
			}
		case !isTablePart(at):
			b.hard = true
			return
		case i != len(b.stack)-1:
			b.hard = true // fostered elements are open
		}
		switch {
		case holds(at, a):
			b.popTo(i + 1)
			b.push(a, tag, cls, b.attrs)
			if a == atom.Col {
				b.pop()
			}
			return
		case at == atom.Table || at == atom.Tbody || at == atom.Thead || at == atom.Tfoot:
			b.popTo(i + 1)
			switch a {
			case atom.Tr, atom.Td, atom.Th, atom.Col:
				b.implyTablePart(at, a)
				continue
			}
		}
		b.popTo(i)
	}
}

// implyTablePart opens what must stand between at and a.
func (b *builder) implyTablePart(at, a atom.Atom) {
	x := atom.Tr
	switch {
	case a == atom.Col:
		if at != atom.Table {
			b.pop()
			return
		}
		x = atom.Colgroup
	case at == atom.Table:
		x = atom.Tbody
	}
	b.push(x, x.String(), classOf(x), nil)
}

// holds reports whether a may be a child of the table part at.
func holds(at, a atom.Atom) bool {
	switch a {
	case atom.Td, atom.Th:
		return at == atom.Tr
	case atom.Tr:
		return at == atom.Tbody || at == atom.Thead || at == atom.Tfoot
	case atom.Col:
		return at == atom.Colgroup
	}
	return at == atom.Table
}

// isTablePart reports the elements in which only table parts may stand.
func isTablePart(a atom.Atom) bool {
	switch a {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Colgroup:
		return true
	}
	return false
}

func isHeading(a atom.Atom) bool {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// startForeign handles a start tag in SVG or MathML.
func (b *builder) startForeign(a atom.Atom, tag string, selfClosing bool) {
	top := b.top()
	if breaksOut(a) || foreignScope(top.name) {
		// Integration points and broken drawings.
		b.hard = true
		if breaksOut(a) {
			for b.top().foreign {
				b.pop()
			}
			b.startInBody(a, tag, classOf(a))
			return
		}
	}
	x := atom.Atom(0)
	if a == atom.A {
		x = a
	}
	b.openForeign(x, tag, foreignClass(tag))
	if selfClosing {
		b.pop()
	}
}
