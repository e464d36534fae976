package summarize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/query"
	"github.com/strandlinehq/strandline/summarize/searxng"
)

// Contents are the pages that an Archive searches.
type Contents interface {
	// EachCurrent calls f with the last version of every page, reading so many at once.
	EachCurrent(ctx context.Context, batch int, f func(store.CurrentRecord) error) error
}

// Archive is the provider that searches our own pages: the last version of each,
// read in full. It takes some 0.3 ms a page; a topic is formed once.
type Archive struct{ Contents }

// Find returns the pages that serve the query best, equal ones in the order of their
// ids.
func (a Archive) Find(ctx context.Context, q, language string, limit int) ([]Hit, error) {
	asked := query.Parse(q, language)
	if asked.Empty() {
		return nil, errors.New("the query has no word to search for")
	}
	type scored struct {
		url   string
		score float64
	}
	var found []scored
	err := a.EachCurrent(ctx, 128, func(c store.CurrentRecord) error {
		if language != "" && other(c.Language, language) {
			return nil
		}
		p, err := extract.DecodeRecord(c.Record)
		if err != nil {
			return nil // a damaged record is not found; 'db check' and reads of it tell
		}
		if s := asked.Score(asked.Index(p.Title, p.Text())); s > 0 {
			found = append(found, scored{c.URL, s})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []Hit
	for i, f := range found[:min(len(found), limit)] {
		out = append(out, Hit{f.url, fmt.Sprintf("hit %d of %d of the search in the archive, score %.2f", i+1, len(found), f.score)})
	}
	return out, nil
}

// other reports whether a language that is known differs from the wanted one.
func other(lang, want string) bool { return lang != "" && text.Base(lang) != text.Base(want) }

// Seeds is the provider that knows its pages.
type Seeds []string

// Find returns the seeds.
func (s Seeds) Find(context.Context, string, string, int) ([]Hit, error) {
	out := make([]Hit, len(s))
	for i, u := range s {
		out[i] = Hit{u, "named in the configuration"}
	}
	return out, nil
}

// Web is the provider that asks a SearXNG server. Canonical gives the canonical form
// of a URL.
type Web struct {
	*searxng.Client
	Canonical func(string) (string, error)
}

// Find returns the server's hits in its order. Where it broke off, the error comes
// with those before.
func (w Web) Find(ctx context.Context, q, language string, limit int) ([]Hit, error) {
	hits, err := w.Search(ctx, q, language, limit)
	var out []Hit
	for i, h := range hits {
		if url, cerr := w.Canonical(h.URL); cerr == nil {
			out = append(out, Hit{url, fmt.Sprintf("hit %d of the web search", i+1)})
		}
	}
	return out, err
}
