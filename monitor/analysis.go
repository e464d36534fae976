package monitor

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/strandlinehq/strandline/store"
)

// The analysis of a page is its change curve, terms and elements (SCIENCE A15 to
// A31). It is a function of the page's versions 1 to n and of the fetches between
// them, whatever the batches in which they came: a page laid anew by a late
// capture is computed from the start and gives the same bytes.
//
// Time is counted in hourly slots from the first version (SCIENCE C6). The last
// version of a slot counts, so the newest version is only added to the states
// when one of a later slot arrives; until then it is read again.

// analyse continues the analyses of the pages of new versions. A page whose rules
// are not those of its analysis is analysed from the start.
func analyse(ctx context.Context, tx *store.Tx, todo []store.Todo, r reader) error {
	upTo := map[store.PageID]int32{}
	var pages []store.PageID
	for _, d := range todo {
		if _, ok := upTo[d.Page]; !ok {
			pages = append(pages, d.Page)
		}
		upTo[d.Page] = max(upTo[d.Page], d.Version)
	}
	if len(pages) == 0 {
		return nil
	}
	analyses, err := tx.LockAnalyses(ctx, pages)
	if err != nil {
		return err
	}
	if err := restart(ctx, tx, analyses, upTo, r); err != nil {
		return err
	}
	analyses = slices.DeleteFunc(analyses, func(a *store.Analysis) bool { return a.Version >= upTo[a.Page] })
	if len(analyses) == 0 {
		return nil // another worker was faster
	}
	urls, err := urlsOfNew(ctx, tx, analyses)
	if err != nil {
		return err
	}
	histories, err := readHistories(ctx, tx, analyses, upTo)
	if err != nil {
		return err
	}
	for _, a := range analyses {
		h := histories[a.Page]
		if len(h.spans) == 0 {
			continue
		}
		if err := advance(ctx, a, urls[a.Page], h, r); err != nil {
			return err
		}
	}
	return tx.PutAnalyses(ctx, analyses)
}

// urlsOfNew returns the URLs of the pages whose analyses begin: the others have in their states
// what follows from it.
func urlsOfNew(ctx context.Context, tx *store.Tx, analyses []*store.Analysis) (map[store.PageID]string, error) {
	var pages []store.PageID
	for _, a := range analyses {
		if a.Curve == nil {
			pages = append(pages, a.Page)
		}
	}
	if len(pages) == 0 {
		return nil, nil
	}
	return tx.URLs(ctx, pages)
}

// restart empties the analyses that were made under other rules than those of now.
// The changes of these pages and their part of the language model follow: all their
// versions are queued again.
func restart(ctx context.Context, tx *store.Tx, analyses []*store.Analysis, upTo map[store.PageID]int32, r reader) error {
	var pages []store.PageID
	for _, a := range analyses {
		if a.Version > 0 && !bytes.Equal(a.Rules, r.rules[a.Page].hash) {
			upTo[a.Page] = max(upTo[a.Page], a.Version)
			*a = store.Analysis{Page: a.Page}
			pages = append(pages, a.Page)
		}
	}
	if len(pages) == 0 {
		return nil
	}
	return tx.Remeasure(ctx, pages)
}

// advance takes an analysis to the last version of a history.
func advance(ctx context.Context, a *store.Analysis, url string, h *history, r reader) error {
	s, err := loadState(a, url, r)
	if err != nil {
		return err
	}
	if err := s.take(ctx, h); err != nil {
		return err
	}
	return s.save(a)
}

// history is what is new of a page since its analysis: the versions from the
// analysis's last one on, and the fetches that saw them.
type history struct {
	spans []store.Span
	seen  []store.Seen
}

// source is a store or one of its transactions.
type source interface {
	Spans(context.Context, []store.Range) ([]store.Span, error)
	Seen(context.Context, []store.Interval) ([]store.Seen, error)
}

func readHistories(ctx context.Context, src source, analyses []*store.Analysis, upTo map[store.PageID]int32) (map[store.PageID]*history, error) {
	ranges := make([]store.Range, len(analyses))
	out := make(map[store.PageID]*history, len(analyses))
	for i, a := range analyses {
		ranges[i] = store.Range{Page: a.Page, Low: max(a.Version, 1), High: upTo[a.Page]}
		out[a.Page] = &history{}
	}
	spans, err := src.Spans(ctx, ranges)
	if err != nil {
		return nil, err
	}
	for _, s := range spans {
		out[s.Page].spans = append(out[s.Page].spans, s)
	}
	var intervals []store.Interval
	for _, a := range analyses {
		if s := out[a.Page].spans; len(s) > 1 {
			intervals = append(intervals, store.Interval{Page: a.Page, Low: s[0].FirstSeen, High: s[len(s)-1].FirstSeen})
		}
	}
	seen, err := src.Seen(ctx, intervals)
	if err != nil {
		return nil, err
	}
	for _, f := range seen {
		out[f.Page].seen = append(out[f.Page].seen, f)
	}
	return out, nil
}

// errOf names the page in an error of the measures.
func errOf(page store.PageID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("analyse page %d: %w", page, err)
}
