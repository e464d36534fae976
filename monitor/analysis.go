package monitor

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
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

// analyse continues the analyses of the pages of new versions. decoded has some
// of the contents that it needs.
func analyse(ctx context.Context, tx *store.Tx, todo []store.Todo, decoded map[store.ContentKey]*content) error {
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
	analyses = slices.DeleteFunc(analyses, func(a *store.Analysis) bool { return a.Version >= upTo[a.Page] })
	if len(analyses) == 0 {
		return nil // another worker was faster
	}
	urls, err := tx.URLs(ctx, pages)
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
		// The measures that views show are computed at fixed versions, so that they
		// do not depend on the batches either.
		last := h.spans[len(h.spans)-1].Version
		if due := lastDue(last); due > a.Version {
			if err := advance(ctx, tx, a, urls[a.Page], h, due, decoded, true); err != nil {
				return err
			}
		}
		if err := advance(ctx, tx, a, urls[a.Page], h, last, decoded, false); err != nil {
			return err
		}
	}
	return tx.PutAnalyses(ctx, analyses)
}

// lastDue returns the last version up to n at which the measures for the views
// are computed: each of the first 31, then every 2nd, from 64 every 4th and so on,
// so that they cost little beside the states however long the history is.
func lastDue(n int32) int32 {
	step := int32(1) << max(0, bits.Len32(uint32(n))-5)
	return n - n%step
}

// advance takes an analysis to a version, and stores the measures there if asked.
func advance(ctx context.Context, tx *store.Tx, a *store.Analysis, url string, h *history, to int32,
	decoded map[store.ContentKey]*content, measure bool,
) error {
	if to <= a.Version {
		return nil
	}
	i := slices.IndexFunc(h.spans, func(v store.Span) bool { return v.Version >= a.Version })
	h = &history{spans: h.spans[i:], seen: h.seen}
	s, err := loadState(a, url, reader{tx, decoded})
	if err != nil {
		return err
	}
	if err := s.take(ctx, h, to); err != nil {
		return err
	}
	if err := s.save(a); err != nil || !measure {
		return err
	}
	if err := s.close(ctx); err != nil {
		return err
	}
	return tx.PutMeasures(ctx, s.measures())
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

// reader reads contents, some of which were read already.
type reader struct {
	records interface {
		Records(context.Context, []store.ContentKey) (map[store.ContentKey][]byte, error)
		SpanBefore(ctx context.Context, page store.PageID, at time.Time) (store.Span, error)
	}
	decoded map[store.ContentKey]*content
}

// contents returns what versions say, by the hash of the record; a damaged one is
// missing.
func (r reader) contents(ctx context.Context, spans []store.Span) (map[store.SHA256]*content, error) {
	out := make(map[store.SHA256]*content, len(spans))
	var keys []store.ContentKey
	for _, s := range spans {
		k := store.ContentKey{Bucket: s.Page.Bucket(), Hash: s.Record}
		if c := r.decoded[k]; c != nil {
			out[s.Record] = c
		} else if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return out, nil
	}
	raw, err := r.records.Records(ctx, keys)
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
		raw = make(map[store.ContentKey][]byte, len(keys)) // one by one: some are sound
		for _, k := range keys {
			one, err := r.records.Records(ctx, []store.ContentKey{k})
			if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			raw[k] = one[k]
		}
	} else if err != nil {
		return nil, err
	}
	for k, b := range raw {
		if p, err := extract.DecodeRecord(b); err == nil {
			out[k.Hash] = &content{page: p}
		}
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
