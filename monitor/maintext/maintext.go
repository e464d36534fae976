// Package maintext tells the main text of a page from what frames it: navigation,
// heads and feet, side columns, lists of links (SCIENCE 2.2). It looks at one page
// alone, so that the same page always has the same main text.
//
// [Lines] gives the lines of the main text. A line is left out where an element
// around it is made for framing (nav, aside, a header or footer outside the
// article), where the id or a class of one says so, or where nearly all of its
// element's text is links.
//
// Left out: what a site repeats without saying so. That needs other pages of it;
// [Without] takes it out of lines once it is known.
package maintext

import (
	"strings"
	"unicode"

	"github.com/strandlinehq/strandline/crawler/extract"
)

const (
	linkShare = 0.8 // of its letters in links, from which an element frames
	leastPart = 0.1 // of a page's letters that a main text has at least
)

// Lines returns the lines of a page's main text. Where that would be less than a
// tenth of the page, what frames cannot be told and all lines are returned.
func Lines(p *extract.Page) []string {
	framing := frames(p)
	links := linked(p)
	var out, every []string
	kept, total := 0, 0
	for i, l := range p.Lines {
		s := p.LineText(i)
		n := letters(s)
		every = append(every, s)
		total += n
		if framing[l.Node] || links[l.Node] {
			continue
		}
		kept += n
		out = append(out, s)
	}
	if float64(kept) < leastPart*float64(total) {
		return every
	}
	return out
}

// Without returns the lines that are not in a set, joined.
func Without(lines []string, repeated map[string]bool) string {
	var b strings.Builder
	for _, l := range lines {
		if !repeated[l] {
			b.WriteString(l)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// frames marks the nodes that frame, with all below them.
func frames(p *extract.Page) []bool {
	out := make([]bool, len(p.Nodes))
	article := make([]bool, len(p.Nodes)) // within one
	for i := range p.Nodes {
		n := &p.Nodes[i]
		within := false
		if n.Parent >= 0 {
			out[i], within = out[n.Parent], article[n.Parent]
		}
		article[i] = within || n.Tag == "article" || n.Tag == "main"
		switch n.Tag {
		case "nav", "aside", "menu", "form", "button", "select":
			out[i] = true
		case "header", "footer":
			out[i] = out[i] || !within
		case "body", "html", "main", "article", "":
		default:
			out[i] = out[i] || named(n.ID) || named(n.Class)
		}
	}
	return out
}

// named reports whether an id or a list of classes has a word that names a frame.
func named(s string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "nav", "navbar", "navigation", "menu", "sidebar", "footer", "breadcrumb", "breadcrumbs", "cookie", "cookies", "banner", "toc",
			"pager", "pagination", "share", "sharing", "social", "related", "masthead", "topnav", "subnav", "navi", "widget", "advert", "ads", "copyright":
			return true
		}
	}
	return false
}

// linked marks the block elements nearly all of whose own text is links. An element's
// own text is that which stands in no line of an element within it.
func linked(p *extract.Page) []bool {
	block := make([]bool, len(p.Nodes))
	for _, l := range p.Lines {
		block[l.Node] = true
	}
	own := make([]int, len(p.Nodes))
	inLinks := make([]int, len(p.Nodes))
	home := make([]int32, len(p.Nodes)) // the block that a node's text counts for
	link := make([]bool, len(p.Nodes))
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Parent >= 0 {
			home[i], link[i] = home[n.Parent], link[n.Parent]
		}
		if block[i] {
			home[i] = int32(i)
		}
		link[i] = link[i] || n.Tag == "a"
		if n.Tag == "" {
			k := letters(n.Text)
			own[home[i]] += k
			if link[i] {
				inLinks[home[i]] += k
			}
		}
	}
	out := make([]bool, len(p.Nodes))
	for i := range out {
		out[i] = own[i] > 0 && float64(inLinks[i]) >= linkShare*float64(own[i])
	}
	return out
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
