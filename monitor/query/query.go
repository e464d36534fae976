// Package query reads what people type into a search field: words, "phrases",
// words after - that must not be there, and OR between alternatives.
//
//	prius -toyota            pages with the first word and not the second
//	"hybrid car" OR prius    pages with the phrase, or with the word
//
// Words are those of monitor/text, so that case, width and punctuation do not count,
// and Chinese and Japanese are found by pairs of characters. What looks like one
// word and is several, as "don't" or a run of Han, is a phrase.
//
// Parse gives a Query, whose Terms are in the form that PostgreSQL reads as tsquery.
// The database has a reader of its own for analysts (core.search_query); a test of the
// store holds the two together.
//
// Left out: looking anything up.
package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/monitor/text"
)

// Bounds of a query.
const (
	MaxLength = 1000 // characters
	MaxTerms  = 32   // different words and phrases
	// MaxWord is where longer words are cut, in characters, here and in the index.
	MaxWord = 200
)

// ErrSyntax is what every error of Parse wraps.
var ErrSyntax = errors.New("query")

// Query is what was asked for: a text fits if it fits one of the alternatives.
type Query struct {
	Terms        []Term
	Alternatives []Alternative
}

// Term is a word or the words of a phrase.
type Term []string

// Alternative says which terms a text must have and which it must not have: bit i is
// term i.
type Alternative struct {
	Needed, Barred int64
}

// Fits reports whether a text that has the terms of mask is one that is looked for.
func (q Query) Fits(mask int64) bool {
	return slices.ContainsFunc(q.Alternatives, func(a Alternative) bool { return mask&a.Needed == a.Needed && mask&a.Barred == 0 })
}

// Words are all words that some alternative needs, for marking them.
func (q Query) Words() []string {
	var out []string
	for i, t := range q.Terms {
		if slices.ContainsFunc(q.Alternatives, func(a Alternative) bool { return a.Needed>>i&1 == 1 }) {
			out = append(out, t...)
		}
	}
	return out
}

// TSQuery writes a term as PostgreSQL reads it. A lone character of Han or Kana
// stands for every pair that begins with it.
func (t Term) TSQuery() string {
	var b strings.Builder
	for i, w := range t {
		if i > 0 {
			b.WriteString(" <-> ")
		}
		b.WriteString("'" + w + "'")
		if r, n := utf8.DecodeRuneInString(w); n == len(w) && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			b.WriteString(":*")
		}
	}
	return b.String()
}

// Words cuts a text into the words of queries and of the index.
func Words(s string) []string {
	var out []string
	text.EachWord(s, func(w []byte) { out = append(out, Cut(string(w))) })
	return out
}

// Cut shortens a word to MaxWord characters.
func Cut(w string) string {
	if len(w) <= MaxWord {
		return w
	}
	n := 0
	for i := range w {
		if n == MaxWord {
			return w[:i]
		}
		n++
	}
	return w
}

// Parse reads a query. The errors are for the person who typed it and wrap ErrSyntax.
func Parse(s string) (Query, error) {
	if utf8.RuneCountInString(s) > MaxLength {
		return Query{}, fmt.Errorf("%w: it is longer than %d characters", ErrSyntax, MaxLength)
	}
	tokens, err := split(s)
	if err != nil {
		return Query{}, err
	}
	var q Query
	var a Alternative
	fresh := true
	for _, t := range append(tokens, token{or: true}) {
		if t.or {
			switch {
			case len(tokens) == 0:
				return Query{}, fmt.Errorf("%w: there are no words in it", ErrSyntax)
			case fresh:
				return Query{}, fmt.Errorf("%w: OR has to stand between two words; to look for the word itself write \"or\"", ErrSyntax)
			case a.Needed == 0:
				return Query{}, fmt.Errorf("%w: words after - only narrow others; at least one word has to be looked for", ErrSyntax)
			}
			q.Alternatives = append(q.Alternatives, a)
			a, fresh = Alternative{}, true
			continue
		}
		fresh = false
		term := Term(Words(t.text))
		if len(term) == 0 {
			return Query{}, fmt.Errorf("%w: %s has no letter or digit to look for", ErrSyntax, t.shown)
		}
		i := slices.IndexFunc(q.Terms, func(o Term) bool { return slices.Equal(o, term) })
		if i < 0 {
			if i = len(q.Terms); i == MaxTerms {
				return Query{}, fmt.Errorf("%w: it has more than %d different words and phrases", ErrSyntax, MaxTerms)
			}
			q.Terms = append(q.Terms, term)
		}
		if t.not {
			a.Barred |= 1 << i
		} else {
			a.Needed |= 1 << i
		}
	}
	return q, nil
}

// token is a piece of a query.
type token struct {
	text, shown string
	not, or     bool
}

func split(s string) ([]token, error) {
	var out []token
	for {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		if s == "" {
			return out, nil
		}
		var t token
		rest := s
		if strings.HasPrefix(rest, "-") && len(rest) > 1 {
			t.not, rest = true, rest[1:]
		}
		if strings.HasPrefix(rest, `"`) {
			inner, after, closed := strings.Cut(rest[1:], `"`)
			if !closed {
				return nil, fmt.Errorf("%w: a quotation mark is not closed: %s", ErrSyntax, rest)
			}
			t.text, t.shown, rest = inner, `"`+inner+`"`, after
		} else {
			end := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
			if end < 0 {
				end = len(rest)
			}
			t.text, t.shown, rest = rest[:end], rest[:end], rest[end:]
			t.or = t.text == "OR" && !t.not
		}
		out = append(out, t)
		s = rest
	}
}
