// Package query reads the query of a topic and tells which pages it is about:
// words, "quoted phrases", and OR between alternatives (SCIENCE J5).
//
// Parse makes a Query, Query.Index prepares a text, and Score says how well the
// text serves the query. Words are compared by their stems in the topic's
// language, phrases by their words as written. Left out: nesting, NOT, and an
// index: each text is read in full.
package query

import (
	"math"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/monitor/text"
)

// Query is a query that was read. The zero Query matches nothing.
type Query struct {
	lang         string
	alternatives [][]part // a text serves the query if it has all parts of one
}

// part is a word, or a phrase.
type part struct {
	terms  []string // stems of its content words
	phrase string   // normal form, between spaces; "" for a single word
}

// Parse reads a query for texts of a language. A quote that is not closed runs to
// the end.
func Parse(q, lang string) Query {
	out := Query{lang: text.Base(lang)}
	var now []part
	end := func() {
		if len(now) > 0 {
			out.alternatives = append(out.alternatives, now)
		}
		now = nil
	}
	for i, piece := range strings.Split(q, `"`) {
		if i%2 == 1 {
			if n := text.Normal(piece); n != "" {
				now = append(now, part{terms: text.Terms(piece, out.lang), phrase: " " + n + " "})
			}
			continue
		}
		for word := range strings.FieldsSeq(piece) {
			if word == "OR" {
				end()
				continue
			}
			if terms := text.Terms(word, out.lang); len(terms) > 0 {
				now = append(now, part{terms: terms})
			}
		}
	}
	end()
	return out
}

// Words returns the query without its marks, as one sentence of its words.
func Words(q string) string {
	var out []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(q, `"`, " ")) {
		if word != "OR" {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

// Empty reports whether the query asks for nothing.
func (q *Query) Empty() bool { return len(q.alternatives) == 0 }

// Text is a text prepared for queries.
type Text struct {
	counts map[string]int
	normal string
	terms  int
}

// Index prepares a text. A word of the title counts five times.
func (q *Query) Index(title, body string) Text {
	t := Text{counts: map[string]int{}}
	text.EachTerm(title, q.lang, func(term, _ string) { t.counts[term] += titleWeight; t.terms++ })
	text.EachTerm(body, q.lang, func(term, _ string) { t.counts[term]++; t.terms++ })
	for _, alternative := range q.alternatives {
		if slices.ContainsFunc(alternative, func(p part) bool { return p.phrase != "" }) {
			t.normal = " " + text.Normal(title+" "+body) + " "
			break
		}
	}
	return t
}

const titleWeight = 5

// Score says how well a text serves the query: 0 not at all, as it lacks a part of
// each alternative; else, for the best alternative, the mean over its parts of
//
//	ln(1 + count) / ln(e + length / 200)
//
// so that a text that is long counts less for having a word.
func (q *Query) Score(t Text) float64 {
	best := 0.0
	for _, alternative := range q.alternatives {
		sum := 0.0
		for _, p := range alternative {
			n := p.count(t)
			if n == 0 {
				sum = 0
				break
			}
			sum += math.Log1p(float64(n))
		}
		best = max(best, sum/float64(len(alternative)))
	}
	return best / math.Log(math.E+float64(t.terms)/200)
}

func (p part) count(t Text) int {
	if p.phrase != "" {
		return strings.Count(t.normal, p.phrase)
	}
	n := math.MaxInt
	for _, term := range p.terms {
		n = min(n, t.counts[term])
	}
	return n
}
