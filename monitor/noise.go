package monitor

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/mask"
	"github.com/strandlinehq/strandline/store"
)

// MaskLearner learns what of a page is noise from pairs of versions fetched at one
// moment (SCIENCE A6, 2.2). The zero MaskLearner is good; it keeps no state.
type MaskLearner struct {
	Options mask.Options
}

// Learn takes a mask as stored, nil for none, and the extracted records of two
// versions fetched at a time. It returns the mask that follows, with its rules for
// people; page and watch are left to the caller. A stored mask that is damaged is
// begun anew.
func (l MaskLearner) Learn(state, a, b []byte, at time.Time) (store.Mask, error) {
	var m mask.Mask
	if err := m.UnmarshalBinary(state); err != nil {
		m = mask.Mask{}
	}
	first, err := extract.DecodeRecord(a)
	if err != nil {
		return store.Mask{}, fmt.Errorf("learn from a pair: %w", err)
	}
	second, err := extract.DecodeRecord(b)
	if err != nil {
		return store.Mask{}, fmt.Errorf("learn from a pair: %w", err)
	}
	m.Learn(first, second, at, l.Options)
	out := store.Mask{Pairs: m.Pairs(), LearnedAt: at}
	if out.Mask, err = m.MarshalBinary(); err != nil {
		return store.Mask{}, fmt.Errorf("learn from a pair: %w", err)
	}
	counts := map[string]bool{}
	for _, r := range m.Active(at, l.Options) {
		counts[r.String()] = true
	}
	for _, r := range m.Rules() {
		out.Rules = append(out.Rules, store.MaskRule{
			Rule: r.String(), Kind: r.Kind.String(), Pairs: r.Pairs,
			Confidence: confidence(r), Counts: counts[r.String()],
		})
	}
	return out, nil
}

// Masked reports whether two extracted records differ only in what a stored mask covers
// at a time. A mask that is damaged covers nothing.
func (l MaskLearner) Masked(state, before, after []byte, at time.Time) (bool, error) {
	var m mask.Mask
	if m.UnmarshalBinary(state) != nil {
		return false, nil
	}
	a, err := extract.DecodeRecord(before)
	if err != nil {
		return false, fmt.Errorf("compare under a mask: %w", err)
	}
	b, err := extract.DecodeRecord(after)
	if err != nil {
		return false, fmt.Errorf("compare under a mask: %w", err)
	}
	return m.Filter(at, l.Options).Compare(a, b) == mask.Masked, nil
}

// confidence is the share of the pairs since the rule's first that showed it, with
// one more that did not, so that it grows with their number (Laplace, without the
// success):
//
//	c = pairs/(pairs + quiet + 1)
//
// quiet counts only those since the last that showed it.
func confidence(r mask.Rule) float64 {
	return float64(r.Pairs) / float64(r.Pairs+r.Quiet+1)
}

// filters returns the masks of the pages of steps, as they count at each step.
type filters map[store.PageID]*mask.Mask

func readFilters(ctx context.Context, tx *store.Tx, steps []store.Step) (filters, error) {
	var pages []store.PageID
	for _, s := range steps {
		if s.TextChanged {
			pages = append(pages, s.Page)
		}
	}
	if len(pages) == 0 {
		return nil, nil
	}
	packed, err := tx.ActiveMasks(ctx, pages)
	if err != nil {
		return nil, err
	}
	out := filters{}
	for page, state := range packed {
		m := &mask.Mask{}
		if m.UnmarshalBinary(state) == nil { // one that is damaged masks nothing
			out[page] = m
		}
	}
	return out, nil
}

// masked reports whether a step differs only in parts that are known to be noise.
func (f filters) masked(s store.Step, before, after *extract.Page) bool {
	m := f[s.Page]
	return m != nil && m.Filter(s.At, mask.Options{}).Compare(before, after) == mask.Masked
}
