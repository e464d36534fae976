// Package compare sets two versions of a page beside each other: by words,
// sentences, links and header lines. The command diff prints what the web pages
// show, so both take it from here.
//
// The main type is Versions, made by Read. What a mask knows to be noise is told
// apart from what is not (Versions.Mask). Left out: the measures of a change, which
// stand in the database, and how it is shown.
package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/mask"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/monitor/text/diff"
	"github.com/strandlinehq/strandline/store"
)

// Versions is two versions of a page with what was extracted from them.
type Versions struct {
	A, B         store.Version
	TextA, TextB *extract.Page
	Dice         float64

	noiseA, noiseB []span
}

// Read reads what was extracted from two versions.
func Read(ctx context.Context, db *store.DB, a, b store.Version) (*Versions, error) {
	v := &Versions{A: a, B: b}
	var err error
	if v.TextA, err = Text(ctx, db, a); err != nil {
		return nil, err
	}
	if v.TextB, err = Text(ctx, db, b); err != nil {
		return nil, err
	}
	v.Dice = words(v.TextA).Dice(words(v.TextB))
	return v, nil
}

// Text reads what was extracted from a version.
func Text(ctx context.Context, db *store.DB, v store.Version) (*extract.Page, error) {
	record, err := db.Record(ctx, v)
	if err != nil {
		return nil, err
	}
	p, err := extract.DecodeRecord(record)
	if err != nil {
		return nil, fmt.Errorf("version %d: %w", v.Number, err)
	}
	return p, nil
}

func words(p *extract.Page) dice.WordSet {
	var b dice.Builder
	text.EachWord(p.Text(), b.Add)
	return b.Set()
}

// Mask marks what a packed mask knows to be noise at the time of the newer
// version. A mask that cannot be read marks nothing.
func (v *Versions) Mask(packed []byte) {
	var m mask.Mask
	if len(packed) == 0 || m.UnmarshalBinary(packed) != nil {
		return
	}
	f := m.Filter(v.B.FirstSeen, mask.Options{})
	v.noiseA, v.noiseB = noiseOf(v.TextA, f), noiseOf(v.TextB, f)
}

// span is a part of a text in bytes.
type span struct{ start, end int }

// noiseOf finds what a filter takes out of a page's text: the tokens that its
// filtered text has not.
func noiseOf(p *extract.Page, f *mask.Filter) []span {
	if f.Empty() {
		return nil
	}
	all, rest := tokens(p.Text()), tokens(f.Text(p))
	var out []span
	at := 0
	for _, e := range diff.Diff(all, rest) {
		n := 0
		for _, t := range all[e.AStart:e.AEnd] {
			n += len(t)
		}
		if e.Op == diff.Delete {
			out = append(out, span{at, at + n})
		}
		at += n
	}
	return out
}

// covered reports whether noise holds all of a part of the text but its spaces,
// which ends token by token as noise does.
func covered(noise []span, start, end int) bool {
	i, _ := slices.BinarySearchFunc(noise, start, func(s span, at int) int {
		if s.end <= at {
			return -1
		}
		return 1
	})
	return i < len(noise) && noise[i].start <= start && end <= noise[i].end
}

// tokens cuts a text behind its spaces and line ends, so that they join to it again.
func tokens(s string) []string {
	var out []string
	for len(s) > 0 {
		i := strings.IndexAny(s, " \n")
		if i < 0 {
			return append(out, s)
		}
		out = append(out, s[:i+1])
		s = s[i+1:]
	}
	return out
}

// Headline is the longest sentence that the step to a version brought; empty
// where there is none.
func Headline(ctx context.Context, db *store.DB, page store.PageID, version int32) (string, error) {
	var lists [2][]string
	var language string
	for i, number := range []int32{version - 1, version} {
		v, err := db.VersionNumber(ctx, page, number)
		if err != nil {
			return "", err
		}
		p, err := Text(ctx, db, v)
		if err != nil {
			return "", err
		}
		lists[i], language = Sentences(p), v.Language
	}
	longest := ""
	for _, s := range text.NewSentences(lists[0], lists[1]) {
		if text.IsSentence(s, language) && len(s) > len(longest) {
			longest = s
		}
	}
	return longest, nil
}
