package monitor

import (
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/store"
)

// contentKey names what a page showed. The rules of two pages may leave different
// parts of one record.
type contentKey struct {
	page   store.PageID
	record store.SHA256
}

// content is what a page showed, without what rules take out of it: what all
// measures of the page are taken on.
type content struct {
	page  *extract.Page
	rules *ignore.Rules
	lines []ignore.Line // that the rules leave; nil without rules

	counted   bool // the rest is there
	bag       bag
	words     dice.WordSet
	sentences dice.WordSet // of the sentences' normal forms
}

func newContent(p *extract.Page, rules *ignore.Rules) *content {
	c := &content{page: p, rules: rules}
	if !rules.Empty() {
		if c.lines, _ = rules.Apply(p); c.lines == nil {
			c.lines = []ignore.Line{}
		}
	}
	return c
}

func (c *content) eachLine(f func(string)) {
	if c.lines == nil {
		for i := range c.page.Lines {
			f(c.page.LineText(i))
		}
		return
	}
	for _, l := range c.lines {
		f(l.Text)
	}
}

// nodes returns the outline that the elements are measured on.
func (c *content) nodes() []extract.Node { return c.rules.Outline(c.page) }
