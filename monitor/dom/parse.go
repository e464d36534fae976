package dom

import (
	"bytes"

	"golang.org/x/net/html"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Parse reads markup into an outline, repaired as HTML5 says. Markup with an
// html element is a page. Without, it is a fragment: the html, head and body
// elements that are not in the markup are not in the outline either, so the
// paths start at the fragment's own elements. Text outside of any element is
// kept as a chunk without parent and part of no Line.
//
// Rows and cells that stand without their table are read as if they were in one.
func Parse(markup []byte) []extract.Node {
	first, has := scan(markup)
	if first == "" {
		return nil
	}
	wrap := ""
	if !has["html"] && !has["body"] {
		switch first {
		case "tr":
			wrap = "<table><tbody>"
		case "td", "th":
			wrap = "<table><tbody><tr>"
		case "tbody", "thead", "tfoot", "caption", "colgroup":
			wrap = "<table>"
		case "col":
			wrap = "<table><colgroup>"
		}
	}
	var x extract.Extractor
	p := x.Extract(extract.Input{Body: append([]byte(wrap), markup...), ContentType: "text/html; charset=utf-8"})
	if has["html"] {
		return p.Nodes
	}
	drop := make([]bool, len(p.Nodes))
	around := bytes.Count([]byte(wrap), []byte("<")) // elements of wrap
	for i, n := range p.Nodes {
		switch n.Tag {
		case "html", "head", "body":
			drop[i] = !has[n.Tag]
		case "":
		default:
			drop[i] = around > 0
			around--
		}
	}
	return without(p.Nodes, drop)
}

// scan returns the first tag of markup and which of html, head and body it has.
func scan(markup []byte) (first string, has map[string]bool) {
	has = map[string]bool{}
	z := html.NewTokenizer(bytes.NewReader(markup))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return first, has
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			if first == "" {
				first = string(name)
			}
			switch string(name) {
			case "html", "head", "body":
				has[string(name)] = true
			}
		}
	}
}

// without returns the outline without some elements; what is in them goes to
// their parents.
func without(nodes []extract.Node, drop []bool) []extract.Node {
	number := make([]int32, len(nodes)+1) // new index of a node, or of the next one kept
	kept := int32(0)
	for i := range nodes {
		number[i] = kept
		if !drop[i] {
			kept++
		}
	}
	number[len(nodes)] = kept
	out := make([]extract.Node, 0, kept)
	for i, n := range nodes {
		if drop[i] {
			continue
		}
		for n.Parent >= 0 && drop[n.Parent] {
			n.Parent = nodes[n.Parent].Parent
		}
		if n.Parent >= 0 {
			n.Parent = number[n.Parent]
		}
		n.End = number[n.End]
		out = append(out, n)
	}
	return out
}
