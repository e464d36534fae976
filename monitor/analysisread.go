package monitor

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dom"
	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

// Analysis is all that is measured of a page beyond its single changes, brought
// up to its last fetch. Slots are hours from Origin.
type Analysis struct {
	URL      string
	Origin   time.Time // middle of slot 0
	Slots    int       // slots from the first to the last sighting
	Observed []int     // those in which a fetch saw a version, ascending
	Versions int32     // versions that are covered
	// Damaged and Beyond count versions left out: those whose record cannot be
	// read, and those too long after the first.
	Damaged, Beyond int32

	Curve  curve.Curve
	Starts []int         // slots that it starts from
	Each   []curve.Curve // of each start alone

	Terms   []terms.Row // in the order of the lifespan plot
	Sampled float64     // share of the terms that Terms has

	Lifespans      []dom.Lifespan // of elements, in slots
	AtPath, Travel map[string]dom.Block
	Together       [][]string // paths of siblings that live equally long and change at the same times
	Survival       []dom.Survival
	Exact          bool // the elements' measures follow from all that was seen
	Complete       bool // survival does: all elements of the first version are followed
	Depth          int  // levels of elements of which all are followed

	page store.PageID
}

// SlotTime returns the middle of a slot.
func (a *Analysis) SlotTime(slot int) time.Time {
	return a.Origin.Add(time.Duration(slot) * slotHours * time.Hour)
}

// ReadAnalysis continues the stored analysis of a page to its last fetch without
// storing anything. Its error wraps store.ErrNotFound where nothing was measured
// yet.
func ReadAnalysis(ctx context.Context, db *store.DB, page store.Page) (*Analysis, error) {
	a, err := db.Analysis(ctx, page.ID)
	if err != nil {
		return nil, err
	}
	rules, err := rulesOf(ctx, db, []store.PageID{page.ID}, map[string]ruling{})
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(a.Rules, rules[page.ID].hash) {
		a = &store.Analysis{Page: page.ID} // made under other rules
	}
	spans, err := db.Spans(ctx, []store.Range{{Page: page.ID, Low: max(a.Version, 1), High: math.MaxInt32}})
	if err != nil {
		return nil, err
	}
	s, err := loadState(a, page.URL, newReader(db, rules))
	if err != nil {
		return nil, err
	}
	h := &history{spans: spans}
	if len(spans) > 0 {
		if h.seen, err = db.Seen(ctx, []store.Interval{{Page: page.ID, Low: spans[0].FirstSeen, High: seenUntil(spans)}}); err != nil {
			return nil, err
		}
	}
	if err := s.finish(ctx, h); err != nil {
		return nil, err
	}
	out := &Analysis{
		page: page.ID, URL: page.URL, Origin: s.origin, Slots: s.last + 1, Versions: s.version, Damaged: s.damaged, Beyond: s.beyond,
		Curve: s.curve.Curve(), Starts: s.curve.Starts(), Each: s.curve.Each(),
		Terms: s.terms.Rows(), Sampled: s.terms.Sampled(),
		Lifespans: s.elements.Lifespans(), Exact: s.elements.Exact(), Complete: s.elements.Complete(), Depth: s.elements.Depth(),
	}
	seen, err := db.Seen(ctx, []store.Interval{{Page: page.ID, Low: s.origin.Add(-time.Microsecond), High: out.SlotTime(out.Slots)}})
	if err != nil {
		return nil, err
	}
	for _, f := range seen {
		if n := s.slot(f.At); n <= s.last && (len(out.Observed) == 0 || n > out.Observed[len(out.Observed)-1]) {
			out.Observed = append(out.Observed, n)
		}
	}
	out.AtPath, out.Travel = s.elements.Blocks()
	regions := s.elements.Regions()
	for _, group := range dom.Together(regions, out.Slots) {
		var paths []string
		for _, i := range group {
			paths = append(paths, regions[i].Path)
		}
		out.Together = append(out.Together, paths)
	}
	out.Survival = s.survival(out.Lifespans)
	return out, nil
}
