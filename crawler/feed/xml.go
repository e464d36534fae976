package feed

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

const (
	maxDepth = 256
	maxField = 64 << 10 // bytes kept of the text of one element
)

// element is one open element.
type element struct {
	name  string // local name in lower case
	space string // namespace, or the prefix if it is not declared
	base  *url.URL
}

// xmlParser walks the elements of RSS, RDF and Atom alike: what lies in an item or entry element
// belongs to that entry, wherever the element stands.
type xmlParser struct {
	*parser
	open  []element
	at    int // index in open of the item being read; 0 for none, as the root is no item
	item  item
	alts  []string // links of the item that are good, but not the best
	text  strings.Builder
	depth int // of the element whose text is collected; 0 for none
}

func (p *parser) xml(in *source, r io.Reader) error {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // decoded already
	x := &xmlParser{parser: p}
	for {
		in.token = maxToken
		token, err := d.Token()
		switch t := token.(type) {
		case xml.StartElement:
			err = x.start(t)
		case xml.CharData:
			if x.depth > 0 && x.text.Len()+len(t) <= maxField {
				x.text.Write(t)
			}
		case xml.EndElement:
			err = x.end()
		}
		switch {
		case errors.Is(err, io.EOF) && x.out.Format != "":
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: no root element", ErrFormat)
		case err != nil:
			return fmt.Errorf("read xml feed: %w", err)
		}
	}
}

func (x *xmlParser) start(t xml.StartElement) error {
	e := element{name: strings.ToLower(t.Name.Local), space: t.Name.Space, base: x.base}
	if n := len(x.open); n > 0 {
		e.base = x.open[n-1].base
	}
	if b, ok := attribute(t, "base"); ok {
		if u := resolve(e.base, b); u != nil {
			e.base = u
		}
	}
	x.open = append(x.open, e)
	depth := len(x.open)
	switch {
	case depth > maxDepth:
		return fmt.Errorf("%w: elements nested too deeply", ErrLimit)
	case depth == 1:
		switch e.name {
		case "rss", "channel":
			x.out.Format = RSS
		case "rdf":
			x.out.Format = RDF
		case "feed":
			x.out.Format = Atom
		default:
			return fmt.Errorf("%w: root element is %.40q", ErrFormat, e.name)
		}
	case x.at == 0 && (e.name == "item" || e.name == "entry"):
		x.at = depth - 1
		x.item, x.alts = item{base: e.base}, nil
		if about, ok := attribute(t, "about"); ok {
			x.item.id = about
			x.alts = append(x.alts, about)
		}
	case x.at > 0 && depth == x.at+2 && e.name == "link":
		x.link(t, e)
		fallthrough
	case x.depth == 0 && (x.at > 0 && depth == x.at+2 || x.isFeedTitle()):
		x.depth = depth
		x.text.Reset()
		if permanent, _ := attribute(t, "ispermalink"); e.name == "guid" && strings.EqualFold(permanent, "false") {
			x.open[depth-1].name = "id" // an id, but no address
		}
	}
	return nil
}

// isFeedTitle reports whether the innermost element is the title of the feed itself.
func (x *xmlParser) isFeedTitle() bool {
	n := len(x.open)
	return x.at == 0 && x.open[n-1].name == "title" && x.known(x.open[n-1], x.open[0]) &&
		(n == 2 || n == 3 && x.open[1].name == "channel")
}

// link reads a link element of Atom, which has its address in an attribute.
func (x *xmlParser) link(t xml.StartElement, e element) {
	href, ok := attribute(t, "href")
	if !ok {
		return
	}
	rel, _ := attribute(t, "rel")
	switch rel {
	case "", "alternate", "http://www.iana.org/assignments/relation/alternate":
	default:
		return
	}
	if u := resolve(e.base, href); u != nil {
		href = u.String()
	}
	if kind, _ := attribute(t, "type"); kind == "" || strings.Contains(kind, "html") {
		x.item.links = append(x.item.links, href)
	} else {
		x.alts = append(x.alts, href)
	}
}

func (x *xmlParser) end() error {
	depth := len(x.open)
	if depth == 0 {
		return nil
	}
	e := x.open[depth-1]
	x.open = x.open[:depth-1]
	if depth == x.depth {
		x.depth = 0
		if x.at > 0 {
			x.field(e, x.text.String())
		} else if x.out.Title == "" {
			x.out.Title = plainText(x.text.String())
		}
	}
	if x.at > 0 && depth == x.at+1 {
		x.at = 0
		x.item.links = append(x.item.links, x.alts...)
		return x.add(x.item)
	}
	return nil
}

// field takes the text of an element in an item. The first value counts.
func (x *xmlParser) field(e element, text string) {
	it := &x.item
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if e.name == "origlink" { // what a feed service put its own link in place of
		it.links = append([]string{text}, it.links...)
		return
	}
	if !x.known(e, x.open[x.at]) {
		return
	}
	set := func(to *string) {
		if *to == "" {
			*to = text
		}
	}
	switch e.name {
	case "title":
		set(&it.title)
	case "link":
		it.links = append(it.links, text)
	case "guid":
		set(&it.id)
		x.alts = append(x.alts, absolute(text))
	case "id":
		set(&it.id)
	case "pubdate", "published", "issued", "created", "date":
		set(&it.published)
	case "updated", "modified":
		set(&it.updated)
	}
}

// known reports whether an element has the namespace of the one it lies in, or that of Atom,
// Dublin Core or RSS. The titles and links of media extensions are others.
func (x *xmlParser) known(e, parent element) bool {
	switch e.space {
	case "", parent.space, "atom", "dc", "dcterms",
		"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/",
		"http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/":
		return true
	}
	return false
}

// attribute returns an attribute by its local name in lower case.
func attribute(t xml.StartElement, name string) (value string, ok bool) {
	for _, a := range t.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return a.Value, true
		}
	}
	return "", false
}
