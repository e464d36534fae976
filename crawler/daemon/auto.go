package daemon

import (
	"context"
	"time"

	"github.com/strandlinehq/strandline/crawler/adaptive"
	"github.com/strandlinehq/strandline/store"
)

// Pages of a watch with an Auto have no slots. Each is due at the age at which the
// value of fetching it reaches the watch's threshold (SCIENCE 2.1, crawler/adaptive):
//
//	m U(d, age) = threshold,  with the rate d learned from every fetch of the page
//
// so that its due time can only be given once it is known what a fetch found. That
// is in the transaction that stores the fetch; what is learned is stored with it. A
// fetch of any watch serves those with an Auto too, and all fetches teach, those of
// rounds and pairs included. The threshold is kept by pace.go, hints are taken by
// hint.go. The importance m of a page comes from the configuration; only how the pages of one
// watch stand to each other counts, as each watch has a threshold of its own.

// Auto asks for intervals that follow how each page changes.
type Auto struct {
	Limits adaptive.Limits // of the intervals
	Budget float64         // fetches an hour, all pages of the watch together
	// Importance is m of a page by its canonical URL, above 0; nil: 1 for all.
	Importance func(url string) float64
}

func (a *Auto) importance(url string) float64 {
	if a.Importance == nil {
		return 1
	}
	return a.Importance(url)
}

// Masker knows what of a page is noise; monitor.MaskLearner is one.
type Masker interface {
	// Masked reports whether two records, as they were fetched one after the other, differ only
	// in what the mask covers at a time.
	Masked(mask, before, after []byte, at time.Time) (bool, error)
}

// maxDoublings bounds by how much failures in a row lengthen an interval.
const maxDoublings = 10

// autoDue is a watch with an Auto that a fetch served.
type autoDue struct {
	watch   *Watch
	started time.Time
}

// moveAuto notes that the due time for a watch with an Auto follows when the fetch is
// stored. Until then the page stands where it would without any knowledge.
func (r *run) moveAuto(f *finished, watch *Watch, w store.WatchDue, started time.Time) store.WatchDue {
	if w.Watch == f.due.Watch {
		f.lag = &store.Lag{Watch: w.Watch, Started: started, Lag: max(0, started.Sub(w.Due))}
	}
	f.auto = append(f.auto, autoDue{watch, started})
	w.Slot = started.Truncate(time.Microsecond)
	w.Due = r.pace(watch).due(f.Host, f.URL, watch, started, store.Rate{}, nil, 0)
	return w
}

// teaches reports whether what a fetch found is worth keeping: some watch of the page has an Auto.
func (r *run) teaches(f *finished) bool {
	if len(f.auto) > 0 {
		return true
	}
	if f.shot == nil || len(f.caps) == 0 {
		return false
	}
	for _, w := range f.Watches {
		if watch := r.watch(w.Watch); watch != nil && watch.Auto != nil {
			return true
		}
	}
	return false
}

// storeRates learns from the fetches of a batch, in the transaction that stores them, and
// gives the pages of watches with an Auto their due times. It may be repeated.
func (r *run) storeRates(ctx context.Context, tx *store.Tx, batch []*finished, stored func(i int) store.Stored) error {
	var pages []store.PageID
	for _, f := range batch {
		if r.teaches(f) {
			pages = append(pages, f.Page)
		}
	}
	if len(pages) == 0 {
		return nil
	}
	rates, err := tx.Rates(ctx, pages)
	if err != nil {
		return err
	}
	packed, err := tx.Signals(ctx, rates)
	if err != nil {
		return err
	}
	signals := map[store.SignalKey]*adaptive.Signals{}
	for _, rate := range rates {
		if k := (store.SignalKey{HostID: rate.HostID, Kind: rate.Kind}); rate.Kind != "" && signals[k] == nil {
			signals[k] = readSignals(packed[k])
		}
	}
	masked, err := r.maskedOnly(ctx, tx, batch, rates, stored)
	if err != nil {
		return err
	}
	var learned []store.Rate
	heard := map[store.SignalKey]store.Signal{}
	for i, f := range batch {
		rate, ok := rates[f.Page]
		if !ok || !r.teaches(f) {
			continue
		}
		k := store.SignalKey{HostID: rate.HostID, Kind: rate.Kind}
		failures := f.Failures + 1
		if s := stored(i); sawText(rate.Current, s) {
			failures = 0
			if rate.Relearn {
				if err := relearn(ctx, tx, &rate); err != nil {
					return err
				}
			}
			started := f.caps[len(f.caps)-1].StartedAt
			changed := rate.Current != rate.Text && !masked[f.Page]
			if learn(&rate, signals[k], started, changed) {
				heard[k] = store.Signal{HostID: k.HostID, Bucket: f.Page.Bucket(), Kind: k.Kind}
			}
			learned = append(learned, rate)
		}
		for _, a := range f.auto {
			for w := range f.completion.Watches {
				if f.completion.Watches[w].Watch == a.watch.ID {
					f.completion.Watches[w].Due = r.pace(a.watch).due(f.Host, f.URL, a.watch, a.started, rate, signals[k], failures)
				}
			}
		}
	}
	if err := tx.PutRates(ctx, learned); err != nil {
		return err
	}
	list := make([]store.Signal, 0, len(heard))
	for k, s := range heard {
		s.Signals, _ = signals[k].MarshalBinary() // never fails
		list = append(list, s)
	}
	return tx.PutSignals(ctx, list)
}

// learn adds a fetch to what is known of its page, and to what is known of hints if
// something dates the page, which it reports.
//
// A fetch that was brought forward because of a hint has its interval from the
// change itself. Taken as an interval like any other, it would make the rate seem
// higher the sooner hints are followed. It is a change at a known time instead, with
// likelihood d e^{-dt}, which is an interval t without a change and one next to
// nothing with one.
func learn(rate *store.Rate, s *adaptive.Signals, started time.Time, changed bool) (heard bool) {
	if interval := started.Sub(rate.SeenAt); !rate.SeenAt.IsZero() && rate.Text != ([16]byte{}) && interval > 0 {
		var e adaptive.Estimator
		_ = e.UnmarshalBinary(rate.State) // one that is damaged starts again
		hinted := !rate.HintedAt.IsZero()
		if rate.Moved && hinted && changed {
			e.Observe(interval, false)
			e.Observe(time.Second, true)
		} else {
			e.Observe(interval, changed)
		}
		rate.State, _ = e.MarshalBinary() // never fails
		if s != nil {
			s.Observe(hinted, changed)
			heard = true
		}
	}
	if rate.State == nil {
		rate.State = []byte{}
	}
	rate.SeenAt, rate.Text = started, rate.Current
	rate.HintedAt, rate.Moved = time.Time{}, false
	return heard
}

// A rate is learned anew from what a page's fetches of the last relearnSpan found, relearnFetches
// of them at most: what is older has little weight in a rate that is in force today.
const (
	relearnSpan    = 365 * 24 * time.Hour
	relearnFetches = 512
)

// relearn learns a rate anew from the fetches up to the last one that taught it, since some
// of their changes have turned out to be noise, or noise counts again. Which of them a hint had brought
// forward is not on record, so that these count as any others.
func relearn(ctx context.Context, tx *store.Tx, rate *store.Rate) error {
	list, err := tx.Outcomes(ctx, rate.Page, rate.SeenAt.Add(-relearnSpan), rate.SeenAt, relearnFetches)
	if err != nil {
		return err
	}
	var e adaptive.Estimator
	for i := 1; i < len(list); i++ {
		if interval := list[i].StartedAt.Sub(list[i-1].StartedAt); interval > 0 {
			e.Observe(interval, list[i].Changed)
		}
	}
	rate.State, err = e.MarshalBinary()
	return err
}

func readSignals(state []byte) *adaptive.Signals {
	s := &adaptive.Signals{}
	_ = s.UnmarshalBinary(state) // what is damaged starts again
	return s
}

// maskedOnly finds the fetches whose page differs from the version before in known noise only.
func (r *run) maskedOnly(ctx context.Context, tx *store.Tx, batch []*finished, rates map[store.PageID]store.Rate, stored func(i int) store.Stored) (map[store.PageID]bool, error) {
	if r.opt.Masker == nil {
		return nil, nil
	}
	var todo []store.Todo
	for i, f := range batch {
		rate, s := rates[f.Page], stored(i)
		if len(rate.Mask) > 0 && sawText(rate.Current, s) && rate.Current != rate.Text && rate.Text != ([16]byte{}) {
			todo = append(todo, store.Todo{Page: f.Page, Version: s.Version})
		}
	}
	if len(todo) == 0 {
		return nil, nil
	}
	steps, err := tx.Steps(ctx, todo)
	if err != nil {
		return nil, err
	}
	var keys []store.ContentKey
	for _, s := range steps {
		keys = append(keys, store.ContentKey{Bucket: s.Page.Bucket(), Hash: s.Before}, store.ContentKey{Bucket: s.Page.Bucket(), Hash: s.After})
	}
	records, err := tx.Records(ctx, keys)
	if err != nil {
		return nil, err
	}
	out := map[store.PageID]bool{}
	for i, s := range steps {
		only, err := r.opt.Masker.Masked(rates[s.Page].Mask, records[keys[2*i]], records[keys[2*i+1]], s.At)
		if err != nil {
			r.opt.Logger.Warn("a change could not be held against its page's noise", "page", s.Page, "error", err)
			continue
		}
		out[s.Page] = only
	}
	return out, nil
}

// Newcomers gives the first due times of pages that join a watch with an Auto together:
// one after the other at the pace of the budget (fetches an hour), the first one at once.
// It is called once for each page, by one goroutine.
func Newcomers(budget float64) func(url string, now time.Time) (slot, due time.Time, err error) {
	n := 0
	return func(_ string, now time.Time) (slot, due time.Time, err error) {
		now = now.Truncate(time.Microsecond)
		due = now.Add(time.Duration(float64(n) / budget * float64(time.Hour))).Truncate(time.Microsecond)
		n++
		return now, due, nil
	}
}
