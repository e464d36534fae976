// Package passage finds the sentences of a page that can stand in a summary: whole
// sentences of its prose, each with its neighbours of the same block (SCIENCE J6,
// J11, 3.4).
//
// Of walks the lines of an extracted page. Paper J removes links and takes every
// string that starts with a capital and ends with a stop; on today's pages that
// also takes menus, captions, teasers cut short and rows of tables. So a sentence
// must further read as prose of the topic's language: enough words, some of them
// function words, no list marks, no dots where the page cut it; and its line must
// not stand in a menu or a footer nor be a bare link (Prose, and the rules of Of).
//
// Left out: which sentences are new (SCIENCE J7), and what repeats over the pages
// of a site (package boilerplate).
package passage

import (
	"strings"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/text"
)

// Sentence is a sentence of a page.
type Sentence struct {
	Text   string
	Before string // the sentences before it in its block, "" without
	After  string // those after it
	Block  int    // sentences of one block have one number, rising on the page
}

// Of returns the sentences of a page in document order. lang is the language of
// the topic; sentences of another one are left out as far as their function words
// show it. "" takes the language that was detected in the page. around is how many
// sentences before and after each are its neighbours, at least one.
func Of(p *extract.Page, lang string, around int) []Sentence {
	return find(p, lang, around, outsideOf(p), func(s, lang string, alone bool) bool {
		return Prose(s, lang) && !(alone && countWords(s) < teaser)
	})
}

// Plain returns every sentence of a page as paper J takes them (SCIENCE J6): what
// starts with a capital and ends with a stop, wherever it stands, but for lines that
// are nothing but a link.
func Plain(p *extract.Page, lang string, around int) []Sentence {
	return find(p, lang, around, make([]bool, len(p.Nodes)), func(s, lang string, alone bool) bool {
		return text.IsSentence(s, lang) && !alone
	})
}

// find returns the sentences that want holds for, alone being those that are all of a
// line of links. outside tells of the elements that are left out.
func find(p *extract.Page, lang string, around int, outside []bool, want func(s, lang string, alone bool) bool) []Sentence {
	if lang == "" {
		lang = p.Detected
	}
	lang = text.Base(lang)
	spans := p.Spans()
	var out []Sentence
	block, lastLine := -1, -2
	next := 0
	for line := range p.Lines {
		from := next
		for next < len(p.Sentences) && int(p.Sentences[next].Line) == line {
			next++
		}
		node := p.Lines[line].Node
		if from == next || outside[node] {
			continue
		}
		link := bareLink(p, spans[line])
		first := len(out)
		for i := from; i < next; i++ {
			s := p.SentenceText(i)
			if !want(s, lang, link && next-from == 1) {
				continue
			}
			out = append(out, Sentence{Text: s})
		}
		if first == len(out) {
			continue
		}
		if lastLine != line-1 || !siblings(p, lastLine, line) {
			block++
		}
		lastLine = line
		for i := first; i < len(out); i++ {
			out[i].Block = block
		}
	}
	surround(out, max(around, 1))
	return out
}

// surround gives each sentence its neighbours of the same block.
func surround(list []Sentence, around int) {
	join := func(part []Sentence) string {
		texts := make([]string, len(part))
		for i := range part {
			texts[i] = part[i].Text
		}
		return strings.Join(texts, " ")
	}
	first := 0 // of the block
	for first < len(list) {
		end := first
		for end < len(list) && list[end].Block == list[first].Block {
			end++
		}
		for i := first; i < end; i++ {
			list[i].Before = join(list[max(first, i-around):i])
			list[i].After = join(list[i+1 : min(end, i+1+around)])
		}
		first = end
	}
}

// teaser is the number of words from which on a sentence that is a link as a
// whole is taken for text: front pages link their teasers, and menus have no
// sentences of this length.
const teaser = 8

// siblings reports whether two lines stand in elements of one kind under one
// parent, as the paragraphs of a text do. Items of a list are each on their own.
func siblings(p *extract.Page, a, b int) bool {
	x, y := p.Lines[a].Node, p.Lines[b].Node
	if x == y {
		return true
	}
	return p.Nodes[x].Tag == "p" && p.Nodes[y].Tag == "p" && p.Nodes[x].Parent == p.Nodes[y].Parent
}

// outsideOf tells of each element whether it stands in a menu, a footer, a caption
// or a control of a form.
func outsideOf(p *extract.Page) []bool {
	out := make([]bool, len(p.Nodes))
	for i, n := range p.Nodes {
		out[i] = n.Parent >= 0 && out[n.Parent]
		switch n.Tag {
		case "nav", "footer", "button", "select", "option", "label", "figcaption", "dialog":
			out[i] = true
		}
	}
	return out
}

// bareLink reports whether all of a line stands in links.
func bareLink(p *extract.Page, chunks []extract.Chunk) bool {
	for _, c := range chunks {
		linked := false
		for n := c.Node; n >= 0 && !linked; n = p.Nodes[n].Parent {
			linked = p.Nodes[n].Tag == "a"
		}
		if !linked {
			return false
		}
	}
	return true
}
