// Package snippet marks what is new in the text of a page, and makes the few lines
// that a search result shows of it (paper A Figures 1 and 8; SCIENCE A32).
//
// Mark tells which sentences of a version are new against an older one; Of picks the
// sentence that answers a query and the sentences that are new since a date.
//
// A sentence is new if its normal form (text.Normal) is not in the older version, as
// for summaries (SCIENCE J7), so that a sentence that only moved is not.
//
// Left out: markup and escaping, which are the reader's, and ranking of pages.
package snippet

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/monitor/text"
)

// Sentence is a sentence of a version.
type Sentence struct {
	Text string
	New  bool // not in the older version
}

// Mark tells for each sentence of a version whether it is new against an older one. A
// sentence without a word is never new.
func Mark(old, now []string) []Sentence {
	seen := map[string]bool{"": true}
	for _, s := range old {
		seen[text.Normal(s)] = true
	}
	out := make([]Sentence, len(now))
	for i, s := range now {
		out[i] = Sentence{s, !seen[text.Normal(s)]}
	}
	return out
}

// Version is the text of a page at a time.
type Version struct {
	At        time.Time // when it was first seen
	Sentences []string
}

// Options of a snippet. The zero Options are good ones.
type Options struct {
	Length int // runes of the hit, and of all new sentences together; zero: 200
	New    int // new sentences; zero: 3
}

// Snippet is what a search result shows of a page.
type Snippet struct {
	// Hit is the sentence that has most of the query's words, shortened around them;
	// empty if none has any.
	Hit []Span
	// New are the sentences that are new since the version of Since, those with words of
	// the query first to be chosen, in the order of the page.
	New []Line
	// Since is the time of the older version, At that of the one shown; More counts new
	// sentences that are not shown.
	Since, At time.Time
	More      int
}

// Line is a sentence in spans.
type Line []Span

// Span is a piece of a sentence, marked if it is a word of the query.
type Span struct {
	Text   string
	Marked bool
}

// Of makes the snippet of a version for a query, with what is new against an older
// version of the page. query is the words that were searched for, in any form that
// text.EachWord reads; no words give no Hit.
func Of(old, now Version, query []string, opt Options) Snippet {
	opt.Length, opt.New = cmp.Or(max(opt.Length, 0), 200), cmp.Or(max(opt.New, 0), 3)
	words := map[string]bool{}
	for _, q := range query {
		text.EachWord(q, func(w []byte) { words[string(w)] = true })
	}
	out := Snippet{Since: old.At, At: now.At}
	best := 0
	for _, s := range now.Sentences {
		if n := hits(s, words); n > best {
			best = n
			out.Hit = shorten(mark(s, words), opt.Length)
		}
	}
	type fresh struct{ at, hits int }
	var list []fresh
	said := map[string]bool{}
	for i, s := range Mark(old.Sentences, now.Sentences) {
		if n := text.Normal(s.Text); s.New && !said[n] {
			said[n] = true
			list = append(list, fresh{i, hits(s.Text, words)})
		}
	}
	all := len(list)
	slices.SortStableFunc(list, func(a, b fresh) int { return cmp.Compare(b.hits, a.hits) })
	list = list[:min(len(list), opt.New)]
	slices.SortFunc(list, func(a, b fresh) int { return cmp.Compare(a.at, b.at) })
	left := opt.Length
	for _, f := range list {
		if left <= 0 {
			break
		}
		line := shorten(mark(now.Sentences[f.at], words), left)
		for _, s := range line {
			left -= utf8.RuneCountInString(s.Text)
		}
		out.New = append(out.New, line)
	}
	out.More = all - len(out.New)
	return out
}

// hits counts the different words of the query in a sentence.
func hits(s string, words map[string]bool) int {
	if len(words) == 0 {
		return 0
	}
	found := map[string]bool{}
	text.EachWord(s, func(w []byte) {
		if words[string(w)] {
			found[string(w)] = true
		}
	})
	return len(found)
}

// mark cuts a sentence into spans: pieces between spaces that have a word of the
// query, and what stands between them.
func mark(s string, words map[string]bool) Line {
	var out Line
	add := func(piece string, marked bool) {
		if n := len(out); n > 0 && out[n-1].Marked == marked {
			out[n-1].Text += piece
		} else if piece != "" {
			out = append(out, Span{piece, marked})
		}
	}
	for piece := range strings.SplitAfterSeq(s, " ") {
		bare := strings.TrimSuffix(piece, " ")
		add(bare, hits(bare, words) > 0)
		add(piece[len(bare):], false)
	}
	return out
}

// shorten keeps about n runes of a line, from a little before the first marked span
// on; what is cut is said by an ellipsis.
func shorten(line Line, n int) Line {
	total, before := 0, -1
	for _, s := range line {
		if s.Marked && before < 0 {
			before = total
		}
		total += utf8.RuneCountInString(s.Text)
	}
	if total <= n {
		return line
	}
	whole := make([]rune, 0, total)
	for _, s := range line {
		whole = append(whole, []rune(s.Text)...)
	}
	skip := max(0, min(before-n/4, total-n))
	stop := min(skip+n, total)
	// Words are kept whole where there are spaces to cut at.
	for i := skip; skip > 0 && i < max(before, skip+n/4) && i < stop; i++ {
		if whole[i-1] == ' ' {
			skip = i
			break
		}
	}
	for i := stop; stop < total && i > stop-n/4; i-- {
		if whole[i] == ' ' {
			stop = i
			break
		}
	}
	var out Line
	if skip > 0 {
		out = append(out, Span{"… ", false})
	}
	at := 0
	for _, s := range line {
		r := []rune(s.Text)
		from, to := max(0, skip-at), min(len(r), stop-at)
		at += len(r)
		if from < to {
			out = append(out, Span{string(r[from:to]), s.Marked})
		}
	}
	if stop < total {
		out = append(out, Span{" …", false})
	}
	return out
}
