package extract

import "golang.org/x/net/html/atom"

// class is what the tree builder and the line builder need to know of a tag.
type class uint16

const (
	block      class = 1 << iota // ends a line before and after itself
	void                         // has no content
	hidden                       // its content is not visible (SCIENCE C3)
	formatting                   // in the list of active formatting elements
	special                      // stops the search for other end tags
	closesP                      // its start tag ends an open p
	implied                      // its end tag may be implied by another end tag
	scope                        // bounds the default scope
	tableOnly                    // is dropped outside of tables
	rawText                      // the tokenizer reads its content as text
	headOK                       // may stand in head
)

// classOf returns the properties of an HTML element. The lists are those of the
// HTML standard: 13.2.4.2 (special, formatting), 13.2.6.3 (implied end tags),
// 13.2.6.4.7 (tags that close p), 15.3 (rendered as blocks).
func classOf(a atom.Atom) class {
	switch a {
	case 0, atom.Span, atom.Abbr, atom.Cite, atom.Label, atom.Time, atom.Sub, atom.Sup:
		return 0
	case atom.Div, atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details,
		atom.Dir, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Main, atom.Menu,
		atom.Nav, atom.Ol, atom.Pre, atom.Listing, atom.Section, atom.Summary, atom.Ul:
		return block | special | closesP
	case atom.Dialog, atom.Search:
		return block | closesP // x/net/html does not have them among the special ones
	case atom.P:
		return block | special | closesP | implied
	case atom.Li, atom.Dd, atom.Dt:
		return block | special | closesP | implied
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small,
		atom.Strike, atom.Strong, atom.Tt, atom.U:
		return formatting
	case atom.Br:
		return block | special | void
	case atom.Hr:
		return block | special | void | closesP
	case atom.Img, atom.Input, atom.Embed, atom.Area, atom.Wbr, atom.Keygen, atom.Param, atom.Source, atom.Track:
		return special | void
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta:
		return special | void | headOK
	case atom.Col:
		return special | void | tableOnly
	case atom.Frame:
		return special | void
	case atom.Script, atom.Style, atom.Title, atom.Noscript, atom.Noframes:
		return special | hidden | rawText | headOK
	case atom.Iframe, atom.Noembed:
		return special | hidden | rawText
	case atom.Textarea:
		return special | rawText
	case atom.Xmp:
		return special | rawText | closesP | block
	case atom.Template:
		return special | hidden | headOK | scope
	case atom.Table:
		return block | special | scope
	case atom.Td, atom.Th, atom.Caption:
		return block | special | scope | tableOnly
	case atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Colgroup:
		return block | special | tableOnly
	case atom.Html:
		return block | special | scope
	case atom.Head, atom.Body, atom.Frameset:
		return block | special
	case atom.Plaintext:
		return block | special | closesP | rawText
	case atom.Applet, atom.Marquee, atom.Object, atom.Select:
		return special | scope
	case atom.Button:
		return special
	case atom.Option, atom.Optgroup:
		return block | implied
	case atom.Legend:
		return block
	case atom.Rb, atom.Rp, atom.Rt, atom.Rtc:
		return implied
	case atom.Image:
		return void // becomes img
	}
	return 0
}

// foreignClass returns the properties of an SVG or MathML element by its
// lower-case name.
func foreignClass(name string) class {
	switch name {
	case "style", "script", "title", "desc", "metadata", "annotation", "annotation-xml":
		return hidden | classOfName(name)&block
	}
	return classOfName(name) & block
}

// classOfName returns what classOf does, for a name. The text element of a
// drawing is set apart like a block.
func classOfName(name string) class {
	if name == "text" {
		return block
	}
	return classOf(atom.Lookup([]byte(name)))
}

// breaksOut reports the start tags that end SVG or MathML content (13.2.6.5).
func breaksOut(a atom.Atom) bool {
	switch a {
	case atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div,
		atom.Dl, atom.Dt, atom.Em, atom.Embed, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head,
		atom.Hr, atom.I, atom.Img, atom.Li, atom.Listing, atom.Menu, atom.Meta, atom.Nobr, atom.Ol, atom.P,
		atom.Pre, atom.Ruby, atom.S, atom.Small, atom.Span, atom.Strong, atom.Strike, atom.Sub, atom.Sup,
		atom.Table, atom.Tt, atom.U, atom.Ul, atom.Var, atom.Font:
		return true
	}
	return false
}
