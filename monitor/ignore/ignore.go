// Package ignore removes from a page what a watch does not want compared: the
// elements that CSS selectors name and the text that regular expressions match.
//
// Rules are compiled once and applied to pages read by crawler/extract. They
// work on a page's outline, so a stored record is enough and old versions can be
// compared under new rules. Selectors see tags, ids, classes and the tree; other
// attributes are not part of an outline, so a selector that needs one, such as
// a[href], matches nothing. Learning rules from pages is monitor/mask.
package ignore

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Rules are compiled rules. They are safe for concurrent use. Nil removes nothing.
type Rules struct {
	selectors []selector
	patterns  []pattern
}

type selector struct {
	text  string
	match cascadia.SelectorGroup
}

type pattern struct {
	text string
	re   *regexp.Regexp
}

// Compile reads rules: a CSS selector each, or a regular expression between
// slashes. The error names the first rule that is neither.
func Compile(rules []string) (*Rules, error) {
	r := &Rules{}
	for _, rule := range rules {
		if len(rule) > 1 && strings.HasPrefix(rule, "/") && strings.HasSuffix(rule, "/") {
			re, err := regexp.Compile(rule[1 : len(rule)-1])
			if err != nil {
				return nil, fmt.Errorf("ignore rule %s: %w", rule, err)
			}
			r.patterns = append(r.patterns, pattern{rule, re})
			continue
		}
		sel, err := cascadia.ParseGroup(rule)
		if err != nil {
			return nil, fmt.Errorf("ignore rule %q: %w", rule, err)
		}
		r.selectors = append(r.selectors, selector{rule, sel})
	}
	return r, nil
}

// Empty reports whether the rules remove nothing.
func (r *Rules) Empty() bool { return r == nil || len(r.selectors)+len(r.patterns) == 0 }

// Removal is a piece of text that a rule removed.
type Removal struct {
	Rule string
	Text string
}

// Line is a line of visible text with what is left of it.
type Line struct {
	Text string
	Node int32 // the block element that it stands in
}

// Apply returns the lines that the rules leave of a page, and what they removed
// in the order of the page. Lines of which nothing is left are dropped.
func (r *Rules) Apply(p *extract.Page) (kept []Line, removed []Removal) {
	if r.Empty() {
		for i, l := range p.Lines {
			kept = append(kept, Line{p.LineText(i), l.Node})
		}
		return kept, nil
	}
	rule := r.hit(p)
	lines := p.Spans()
	for i, line := range lines {
		text, gone := strip(p, line, rule, r)
		removed = append(removed, gone...)
		for _, pat := range r.patterns {
			text = pat.re.ReplaceAllStringFunc(text, func(s string) string {
				removed = append(removed, Removal{pat.text, s})
				return " "
			})
		}
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			kept = append(kept, Line{text, p.Lines[i].Node})
		}
	}
	return kept, removed
}

// strip joins the chunks of a line that stand in no element hit by a rule.
func strip(p *extract.Page, line []extract.Chunk, rule []int32, r *Rules) (string, []Removal) {
	var b strings.Builder
	var removed []Removal
	for _, c := range line {
		if hit := rule[c.Node]; hit >= 0 {
			removed = append(removed, Removal{r.selectors[hit].text, c.Text})
			b.WriteByte(' ')
			continue
		}
		if c.Space {
			b.WriteByte(' ')
		}
		b.WriteString(c.Text)
	}
	return b.String(), removed
}

// hit gives for each node of the outline the selector that it or an ancestor
// matches first, -1 for none.
func (r *Rules) hit(p *extract.Page) []int32 {
	out := make([]int32, len(p.Nodes))
	tree := make([]*html.Node, len(p.Nodes))
	doc := &html.Node{Type: html.DocumentNode}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		out[i] = -1
		parent := doc
		if n.Parent >= 0 {
			parent = tree[n.Parent]
			out[i] = out[n.Parent]
		}
		if n.Tag == "" {
			continue
		}
		e := &html.Node{Type: html.ElementNode, Data: n.Tag}
		if n.ID != "" {
			e.Attr = append(e.Attr, html.Attribute{Key: "id", Val: n.ID})
		}
		if n.Class != "" {
			e.Attr = append(e.Attr, html.Attribute{Key: "class", Val: n.Class})
		}
		parent.AppendChild(e)
		tree[i] = e
	}
	// Matching waits until the tree is whole: :last-child looks at siblings.
	for i := range p.Nodes {
		if p.Nodes[i].Parent >= 0 && out[p.Nodes[i].Parent] >= 0 {
			out[i] = out[p.Nodes[i].Parent]
			continue
		}
		if tree[i] == nil {
			continue
		}
		for s := range r.selectors {
			if r.selectors[s].match.Match(tree[i]) {
				out[i] = int32(s)
				break
			}
		}
	}
	return out
}
