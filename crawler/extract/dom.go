package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parseDOM reads the page with x/net/html and writes its tree to s. It fails
// for a page that is nested deeper than 512 elements.
func (x *Extractor) parseDOM(s *sink, body []byte) error {
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return err
	}
	x.walk(s, doc)
	return nil
}

// walk writes the tree below doc, without recursion.
func (x *Extractor) walk(s *sink, doc *html.Node) {
	n := doc.FirstChild
	for n != nil {
		switch n.Type {
		case html.TextNode:
			if len(s.open) > 0 {
				x.scratch = append(x.scratch[:0], n.Data...)
				s.text(x.scratch)
			}
		case html.ElementNode:
			x.openNode(s, n)
			if n.FirstChild != nil {
				n = n.FirstChild
				continue
			}
			s.end()
		}
		for n != doc && n.NextSibling == nil {
			if n = n.Parent; n != doc {
				s.end()
			}
		}
		if n == doc {
			return
		}
		n = n.NextSibling
	}
}

func (x *Extractor) openNode(s *sink, n *html.Node) {
	// All attributes go to one buffer first, as the buffer may move while it grows.
	x.scratch = x.scratch[:0]
	for _, at := range n.Attr {
		x.scratch = append(append(x.scratch, at.Key...), at.Val...)
	}
	x.attrs = x.attrs[:0]
	rest := x.scratch
	for _, at := range n.Attr {
		k, v := len(at.Key), len(at.Key)+len(at.Val)
		if at.Namespace == "" {
			x.attrs = append(x.attrs, attr{rest[:k:k], rest[k:v:v]})
		}
		rest = rest[v:]
	}
	if n.Namespace == "" {
		s.element(n.DataAtom, n.Data, classOfName(n.Data), x.attrs)
		return
	}
	tag, a := strings.ToLower(n.Data), atom.Atom(0)
	if tag == "a" {
		a = atom.A
	}
	cls := foreignClass(tag)
	if tag == "svg" || tag == "math" {
		cls = 0
	}
	s.element(a, tag, cls, x.attrs)
}
