package monitor

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/store"
)

const (
	// shownPages is how many pages' measures are computed for the views in one transaction.
	shownPages = 16
	// shownShare is by which share of the time that it has been followed a page may have
	// been followed for longer before a running daemon computes its measures for
	// the views anew: each fetch moves them, but in a long history not far.
	shownShare = 1. / 32
)

// followShown keeps the measures for the views until ctx is done. It takes at most a
// twentieth of a core.
func (m *Monitor) followShown(ctx context.Context) {
	for {
		began := time.Now()
		if _, err := m.ShowStale(ctx); err != nil && ctx.Err() == nil {
			m.log.Warn("the measures for the views wait", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(time.Minute, 19*time.Since(began))):
		}
	}
}

// ShowStale computes the measures for the views of those pages that have been followed
// for longer by a 32nd since that was last done. It returns the number of pages.
func (m *Monitor) ShowStale(ctx context.Context) (int, error) { return m.show(ctx, shownShare) }

// Show computes the measures for the views of all pages that were seen since that was last
// done: they are those of reports then. It returns the number of pages.
func (m *Monitor) Show(ctx context.Context) (int, error) { return m.show(ctx, 0) }

func (m *Monitor) show(ctx context.Context, share float64) (int, error) {
	total := 0
	for after := store.PageID(0); ; {
		pages, err := m.db.StaleMeasures(ctx, after, share, shownPages)
		if err != nil || len(pages) == 0 {
			return total, err
		}
		after = pages[len(pages)-1]
		err = m.db.Update(ctx, func(tx *store.Tx) error {
			n, err := m.showPages(ctx, tx, pages)
			total += n
			return err
		})
		if err != nil {
			return total, err
		}
	}
}

// showPages computes the measures of pages from their analyses. It passes over pages with
// versions that wait to be measured, which come later, and over damaged ones.
func (m *Monitor) showPages(ctx context.Context, tx *store.Tx, pages []store.PageID) (int, error) {
	analyses, err := tx.LockAnalyses(ctx, pages)
	if err != nil {
		return 0, err
	}
	rules, err := rulesOf(ctx, tx, slices.Clone(pages), map[string]ruling{})
	if err != nil {
		return 0, err
	}
	analyses = slices.DeleteFunc(analyses, func(a *store.Analysis) bool {
		return a.Version == 0 || !bytes.Equal(a.Rules, rules[a.Page].hash)
	})
	if len(analyses) == 0 {
		return 0, nil
	}
	urls, err := urlsOfNew(ctx, tx, analyses)
	if err != nil {
		return 0, err
	}
	ranges := make([]store.Range, len(analyses))
	for i, a := range analyses {
		ranges[i] = store.Range{Page: a.Page, Low: a.Version, High: math.MaxInt32}
	}
	spans, err := tx.Spans(ctx, ranges)
	if err != nil {
		return 0, err
	}
	histories := map[store.PageID]*history{}
	for _, v := range spans {
		if histories[v.Page] == nil {
			histories[v.Page] = &history{}
		}
		histories[v.Page].spans = append(histories[v.Page].spans, v)
	}
	var intervals []store.Interval
	for page, h := range histories {
		intervals = append(intervals, store.Interval{Page: page, Low: h.spans[0].FirstSeen, High: seenUntil(h.spans)})
	}
	seen, err := tx.Seen(ctx, intervals)
	if err != nil {
		return 0, err
	}
	for _, f := range seen {
		histories[f.Page].seen = append(histories[f.Page].seen, f)
	}
	r := newReader(tx, rules)
	var out []*store.Measures
	for _, a := range analyses {
		h := histories[a.Page]
		if h == nil || len(h.spans) > 1 {
			continue
		}
		s, err := loadState(a, urls[a.Page], r)
		if err == nil {
			err = s.finish(ctx, h)
		}
		if errors.Is(err, errUnmeasurable) {
			m.log.Error("measures for the views passed over", "page", a.Page, "error", err)
			continue
		}
		if err != nil {
			return 0, err
		}
		measures := s.measures()
		measures.Until = h.spans[0].LastSeen
		out = append(out, measures)
	}
	return len(out), tx.PutMeasures(ctx, out)
}
