package monitor

import (
	"context"
	"errors"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/store"
)

// records is a store or one of its transactions.
type records interface {
	Records(context.Context, []store.ContentKey) (map[store.ContentKey][]byte, error)
	SpanBefore(ctx context.Context, page store.PageID, at time.Time) (store.Span, error)
}

// reader reads contents as the rules of their pages leave them, some of which were
// read already.
type reader struct {
	records records
	rules   map[store.PageID]ruling
	decoded map[contentKey]*content
	memos   map[store.PageID]*memo
}

func newReader(src records, rules map[store.PageID]ruling) reader {
	return reader{src, rules, map[contentKey]*content{}, map[store.PageID]*memo{}}
}

// memo returns the memo of a page.
func (r reader) memo(page store.PageID) *memo {
	m := r.memos[page]
	if m == nil || m.full() {
		m = newMemo()
		r.memos[page] = m
	}
	return m
}

// contents returns what versions of a page show, by the hash of the record; a damaged
// one is missing.
func (r reader) contents(ctx context.Context, page store.PageID, spans []store.Span) (map[store.SHA256]*content, error) {
	out := make(map[store.SHA256]*content, len(spans))
	var keys []store.ContentKey
	asked := map[store.SHA256]bool{}
	for _, s := range spans {
		if c := r.decoded[contentKey{page, s.Record}]; c != nil {
			out[s.Record] = c
		} else if !asked[s.Record] {
			asked[s.Record] = true
			keys = append(keys, store.ContentKey{Bucket: page.Bucket(), Hash: s.Record})
		}
	}
	raw, err := readSound(ctx, r.records, keys)
	if err != nil {
		return nil, err
	}
	for k, b := range raw {
		if p, err := extract.DecodeRecord(b); err == nil {
			out[k.Hash] = newContent(p, r.rules[page].rules)
		}
	}
	return out, nil
}

// readSound reads records, and leaves out those that are damaged or lost.
func readSound(ctx context.Context, src records, keys []store.ContentKey) (map[store.ContentKey][]byte, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	raw, err := src.Records(ctx, keys)
	if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNotFound) {
		return raw, err
	}
	raw = make(map[store.ContentKey][]byte, len(keys)) // one by one: some are sound
	for _, k := range keys {
		one, err := src.Records(ctx, []store.ContentKey{k})
		if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		raw[k] = one[k]
	}
	return raw, nil
}

// distinctKeys returns each key once.
func distinctKeys(keys []store.ContentKey) []store.ContentKey {
	seen := make(map[store.ContentKey]bool, len(keys))
	var out []store.ContentKey
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}
