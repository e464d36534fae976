package summarize

import (
	"context"
	"fmt"
	"math/bits"
	"strings"

	"github.com/strandlinehq/strandline/monitor/query"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/searxng"
)

// Archive is the provider that searches the full-text index of our own pages: what
// they say now and what they said before, the best first.
type Archive struct{ DB *store.DB }

// Find returns the pages that serve the query best; behind those that have all words
// of it come those that lack one of three or more.
func (a Archive) Find(ctx context.Context, q, language string, limit int) ([]Hit, error) {
	asked, err := query.Parse(q)
	if err != nil {
		return nil, err
	}
	var out []Hit
	seen := map[store.PageID]bool{}
	for _, asked := range []query.Query{asked, relaxed(asked)} {
		if out, err = a.find(ctx, asked, language, limit, seen, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// relaxed is a query in which each alternative of three terms or more may lack one;
// one without such alternatives finds nothing.
func relaxed(q query.Query) query.Query {
	out := query.Query{Terms: q.Terms}
	for _, a := range q.Alternatives {
		if bits.OnesCount64(uint64(a.Needed)) < 3 {
			continue
		}
		for i := range q.Terms {
			if a.Needed>>i&1 == 1 {
				out.Alternatives = append(out.Alternatives, query.Alternative{Needed: a.Needed &^ (1 << i), Barred: a.Barred})
			}
		}
	}
	return out
}

// find appends hits up to the limit.
func (a Archive) find(ctx context.Context, q query.Query, language string, limit int, seen map[store.PageID]bool, out []Hit) ([]Hit, error) {
	const batch, lookFor = 500, 20000
	var after *store.SearchMark
	for len(out) < limit && len(q.Alternatives) > 0 {
		found, err := a.DB.Search(ctx, q, store.SearchOptions{ByRank: true, After: after, Limit: batch, Look: lookFor})
		if err != nil {
			return nil, err
		}
		ids := make([]store.PageID, len(found.Hits))
		for i, h := range found.Hits {
			ids[i] = h.Page
		}
		places, err := a.DB.Places(ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, h := range found.Hits {
			if len(out) < limit && !seen[h.Page] && (language == "" || !other(places[h.Page].Language, language)) {
				seen[h.Page] = true
				out = append(out, Hit{h.URL, fmt.Sprintf("hit %d of the search in the archive", len(out)+1)})
			}
		}
		if found.Next == nil {
			break
		}
		after = found.Next
	}
	return out, nil
}

// wordsOf gives the words that a query asks for, as one sentence.
func wordsOf(q string) string {
	asked, err := query.Parse(q)
	if err != nil {
		return ""
	}
	return strings.Join(asked.Words(), " ")
}

// alternativesOf gives the words that a query asks for, its alternatives parted by OR.
func alternativesOf(q string) string {
	asked, err := query.Parse(q)
	if err != nil {
		return ""
	}
	var out []string
	for _, a := range asked.Alternatives {
		var words []string
		for i, t := range asked.Terms {
			if a.Needed>>i&1 == 1 {
				words = append(words, t...)
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, " OR ")
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
