package ignore

import (
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Outline returns the outline that the rules leave of a page. An element that a
// selector hits stays, so that the paths of its siblings are those of the page, but
// nothing in it does. Of the other text, what the regular expressions match in its
// line is cut out. Without rules it is the page's own outline, not a copy.
func (r *Rules) Outline(p *extract.Page) []extract.Node {
	if r.Empty() {
		return p.Nodes
	}
	rule := r.hit(p)
	texts := r.cut(p, rule)
	out := make([]extract.Node, 0, len(p.Nodes))
	place := make([]int32, len(p.Nodes)+1) // where a node is, or the next one that stays
	for i := range p.Nodes {
		place[i] = int32(len(out))
		n := p.Nodes[i]
		if n.Parent >= 0 && rule[n.Parent] >= 0 {
			continue
		}
		if text, ok := texts[int32(i)]; ok {
			if n.Text = text; text == "" {
				continue
			}
		}
		out = append(out, n)
	}
	place[len(p.Nodes)] = int32(len(out))
	for i := range out {
		if out[i].Parent >= 0 {
			out[i].Parent = place[out[i].Parent]
		}
		out[i].End = place[out[i].End]
	}
	return out
}

// cut returns the texts of the chunks from which patterns cut something.
func (r *Rules) cut(p *extract.Page, rule []int32) map[int32]string {
	if len(r.patterns) == 0 {
		return nil
	}
	out := map[int32]string{}
	parts := map[int32][]string{} // of a chunk that stands on several lines
	touched := map[int32]bool{}
	for _, line := range p.Spans() {
		var text []byte
		var owner []int32 // node of each byte
		for _, c := range line {
			if rule[c.Node] >= 0 {
				text, owner = append(text, ' '), append(owner, -1)
				continue
			}
			if c.Space {
				text, owner = append(text, ' '), append(owner, -1)
			}
			text = append(text, c.Text...)
			owner = append(owner, slices.Repeat([]int32{c.Node}, len(c.Text))...)
		}
		for _, pat := range r.patterns {
			var kept []byte
			var owners []int32
			from := 0
			for _, m := range pat.re.FindAllIndex(text, -1) {
				kept, owners = append(kept, text[from:m[0]]...), append(owners, owner[from:m[0]]...)
				for _, n := range owner[m[0]:m[1]] {
					if n >= 0 {
						touched[n] = true
					}
				}
				// The space in its place keeps words apart, in the chunk where it began.
				kept = append(kept, ' ')
				if m[0] < m[1] {
					owners = append(owners, owner[m[0]])
				} else {
					owners = append(owners, -1)
				}
				from = m[1]
			}
			text, owner = append(kept, text[from:]...), append(owners, owner[from:]...)
		}
		for from := 0; from < len(text); {
			to := from + 1
			for to < len(text) && owner[to] == owner[from] {
				to++
			}
			if n := owner[from]; n >= 0 {
				parts[n] = append(parts[n], strings.Fields(string(text[from:to]))...)
			}
			from = to
		}
	}
	for n := range touched {
		out[n] = strings.Join(parts[n], " ")
	}
	return out
}
