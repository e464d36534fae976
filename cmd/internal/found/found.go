// Package found shows what a search found of a page: its title and a few lines with
// the words and with what is new (paper A Figure 8; SCIENCE A32). The command search
// and the web pages take it from here.
//
// Left out: looking the words up, which is the store's.
package found

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/monitor/snippet"
	"github.com/strandlinehq/strandline/store"
)

// Shown is a version of a page as a result shows it.
type Shown struct {
	Title   string
	Version int32
	Snippet snippet.Snippet
	First   bool // there is no older version to compare with: nothing is marked new
}

// Version shows a version, with what is new in it since a time; a zero time means
// against the version before.
func Version(ctx context.Context, db *store.DB, page store.PageID, number int32, since time.Time, words []string) (Shown, error) {
	v, err := db.VersionNumber(ctx, page, number)
	if err != nil {
		return Shown{}, err
	}
	if !since.IsZero() {
		return newSince(ctx, db, v, since, words)
	}
	if number < 2 {
		return show(ctx, db, v, nil, words)
	}
	old, err := db.VersionNumber(ctx, page, number-1)
	if errors.Is(err, store.ErrNotFound) {
		return show(ctx, db, v, nil, words)
	}
	if err != nil {
		return Shown{}, err
	}
	return show(ctx, db, v, &old, words)
}

// At shows what a page was at a time, with what is new in it since another; a zero
// time, or one before its first version, marks nothing.
func At(ctx context.Context, db *store.DB, page store.PageID, at, since time.Time, words []string) (Shown, error) {
	v, err := db.VersionAt(ctx, page, at)
	if err != nil {
		return Shown{}, err
	}
	if since.IsZero() {
		return show(ctx, db, v, nil, words)
	}
	return newSince(ctx, db, v, since, words)
}

// newSince shows a version with what is new in it against what its page was at a time.
func newSince(ctx context.Context, db *store.DB, v store.Version, since time.Time, words []string) (Shown, error) {
	old, err := db.VersionAt(ctx, v.Page, since)
	if errors.Is(err, store.ErrNotFound) || err == nil && old.FirstSeen.After(since) {
		return show(ctx, db, v, nil, words)
	}
	if err != nil {
		return Shown{}, err
	}
	return show(ctx, db, v, &old, words)
}

func show(ctx context.Context, db *store.DB, v store.Version, old *store.Version, words []string) (Shown, error) {
	out := Shown{Version: v.Number, First: old == nil}
	p, err := compare.Text(ctx, db, v)
	if errors.Is(err, store.ErrThinned) { // its words are known, its sentences are not
		out.Title = v.Title
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.Title = p.Title
	now := snippet.Version{At: v.FirstSeen, Sentences: compare.Sentences(p)}
	before := snippet.Version{Sentences: now.Sentences}
	if old != nil && old.Number < v.Number {
		q, err := compare.Text(ctx, db, *old)
		if errors.Is(err, store.ErrThinned) {
			return show(ctx, db, v, nil, words)
		}
		if err != nil {
			return out, err
		}
		before = snippet.Version{At: old.FirstSeen, Sentences: compare.Sentences(q)}
	}
	out.Snippet = snippet.Of(before, now, words, snippet.Options{})
	return out, nil
}

// Plain is a line of a snippet without marks.
func Plain(line []snippet.Span) string {
	var b strings.Builder
	for _, s := range line {
		b.WriteString(s.Text)
	}
	return b.String()
}

// CopyWords says what a page is to the page whose text it has, which follows.
func CopyWords(k store.CopyKind) string {
	switch k {
	case store.Moved:
		return "moved from"
	case store.Twin:
		return "same text as"
	case store.Near:
		return "much like"
	}
	return "copy of"
}
