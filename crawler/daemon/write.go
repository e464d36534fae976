package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// add queues a finished page to be stored.
func (r *run) add(f *finished) {
	if len(r.pending) == 0 {
		r.pendingSince = r.clock.Now()
	}
	r.pending = append(r.pending, f)
	r.pendingBytes += f.bytes
}

// flush stores batches that are full or have waited long enough. When there is
// nothing else to wait for, a batch waits no longer.
func (r *run) flush(now time.Time) {
	for len(r.pending) > 0 && r.writing < r.opt.Writers {
		idle := r.active == 0 && r.hosts.queued == 0 && !r.claiming
		full := len(r.pending) >= r.opt.Batch || r.pendingBytes >= r.opt.BatchBytes
		if !full && !idle && !r.stopping && !r.pressed(now) && now.Before(r.pendingSince.Add(r.opt.Flush)) {
			return
		}
		if !r.awaySince.IsZero() && r.writing > 0 {
			return // one is enough to find out
		}
		var n, size int
		for n < len(r.pending) && n < r.opt.Batch && (n == 0 || size+r.pending[n].bytes <= r.opt.BatchBytes) {
			size += r.pending[n].bytes
			n++
		}
		batch := r.pending[:n:n]
		r.pending = r.pending[n:]
		r.pendingBytes -= size
		r.pendingSince = now
		r.writing++
		r.do(func(ctx context.Context) func() {
			stored, results, err := r.store(ctx, now, batch)
			return func() { r.wrote(stored, results, batch[len(stored):], err) }
		})
	}
}

// store stores a batch in one transaction. If the database refuses it, for the sake
// of what a page holds, the batch is stored in halves, down to the page that is
// refused: that one is set aside. It returns how many were stored from the front;
// the error says why the rest was not, which is that the database is away.
func (r *run) store(ctx context.Context, now time.Time, batch []*finished) ([]*finished, []store.Stored, error) {
	results, err := r.storeOnce(ctx, now, batch)
	switch {
	case err == nil:
		return batch, results, nil
	case ctx.Err() != nil || store.Away(err):
		return nil, nil, err
	case len(batch) > 1:
		half := len(batch) / 2
		first, results, err := r.store(ctx, now, batch[:half])
		if err != nil {
			return first, results, err
		}
		second, more, err := r.store(ctx, now, batch[half:])
		return batch[:len(first)+len(second)], append(results, more...), err
	}
	f := batch[0]
	r.opt.Logger.Error("page could not be stored; it is set aside", "url", f.URL, "error", err)
	f.refuse(fmt.Sprintf("what was fetched could not be stored: %v", err))
	if results, err = r.storeOnce(ctx, now, batch); err == nil || ctx.Err() != nil || store.Away(err) {
		return batch[:min(len(results), 1)], results, err
	}
	// Not even that: let the page go. Its lease runs out.
	r.opt.Logger.Error("page could not be set aside", "url", f.URL, "error", err)
	return batch, make([]store.Stored, 1), nil
}

func (r *run) storeOnce(ctx context.Context, now time.Time, batch []*finished) ([]store.Stored, error) {
	var caps []*store.Capture
	last := make([]int, len(batch)) // index of the attempt itself
	for i, f := range batch {
		caps = append(caps, f.caps...)
		last[i] = len(caps) - 1
		if len(f.caps) == 0 {
			last[i] = -1
		}
	}
	all, err := r.db.WriteWith(ctx, caps, func(ctx context.Context, tx *store.Tx, all []store.Stored) error {
		attempt := func(i int) store.Stored {
			if last[i] < 0 {
				return store.Stored{}
			}
			return all[last[i]]
		}
		if err := r.storeRates(ctx, tx, batch, attempt); err != nil {
			return err
		}
		done := make([]store.Completion, len(batch))
		var lags []store.Lag
		for i, f := range batch {
			done[i] = f.completed()
			if f.lag != nil {
				lags = append(lags, *f.lag)
			}
		}
		if err := r.storeBursts(ctx, tx, now, batch, attempt); err != nil {
			return err
		}
		if err := tx.Complete(ctx, r.id, now, done); err != nil {
			return err
		}
		return tx.AddLags(ctx, lags)
	})
	if err != nil {
		return nil, err
	}
	out := make([]store.Stored, len(batch))
	for i, at := range last {
		if at >= 0 {
			out[i] = all[at]
		}
	}
	return out, nil
}

// completed is the completion, once it is known whether the page could be read.
func (f *finished) completed() store.Completion {
	if f.unreadable == nil || *f.unreadable == "" {
		return f.completion
	}
	c := f.completion
	c.Watches = nil
	for _, w := range f.Watches {
		w.SetAside = *f.unreadable
		c.Watches = append(c.Watches, w)
	}
	return c
}

// refuse makes the page one that is set aside, and its attempt a failure without
// content.
func (f *finished) refuse(reason string) {
	if f.unreadable == nil {
		f.unreadable = new(string)
	}
	*f.unreadable = reason
	f.step = nil
	if n := len(f.caps); n > 0 {
		c := f.caps[n-1]
		f.caps = []*store.Capture{{
			URL: c.URL, Outcome: store.Failed, Kind: c.Kind, WatchID: c.WatchID, DueAt: c.DueAt, StartedAt: c.StartedAt,
			FinishedAt: c.FinishedAt, Status: c.Status, Error: reason,
		}}
	}
}

// wrote takes up what became of a batch.
func (r *run) wrote(done []*finished, results []store.Stored, rest []*finished, err error) {
	r.writing--
	now := r.clock.Now()
	if len(rest) > 0 {
		if len(r.pending) == 0 {
			r.pendingSince = now
		}
		r.pending = append(append([]*finished(nil), rest...), r.pending...)
		for _, f := range rest {
			r.pendingBytes += f.bytes
		}
	}
	if err != nil {
		r.away("store fetches", err)
	} else {
		r.answered()
	}
	pages := make([]store.PageID, len(done))
	for i, f := range done {
		pages[i] = f.Page
	}
	r.journal.end(pages...)
	var soonest time.Time
	for i, f := range done {
		r.forget(f.job)
		if f.step != nil {
			r.appointments.put(f.Page, f.burstDue)
		}
		if len(f.caps) > 0 && i < len(results) {
			o := Observation{Outcome: results[i].Outcome, Bytes: len(f.caps[len(f.caps)-1].Payload)}
			if f.lag != nil {
				o.Timed, o.Lag = true, f.lag.Lag
			}
			r.opt.Observe(o)
		}
		if at := f.soonest(); !at.IsZero() && (soonest.IsZero() || at.Before(soonest)) {
			soonest = at
		}
		if *f.reason() != "" {
			f.events = append(f.events, Event{Kind: SetAside, Page: f.Page, URL: f.URL, At: now, Reason: *f.reason()})
		}
		for _, e := range f.events {
			r.report(e)
		}
		r.tell(func(h *Health) {
			h.Missed += int64(f.missed)
			if len(f.caps) > 0 && i < len(results) {
				h.Counts[results[i].Outcome]++
			}
		})
	}
	// What comes due again was not in sight of the last claim.
	if !soonest.IsZero() {
		at := soonest.Add(-r.opt.Lookahead / 4)
		if at.Before(now) {
			at = now
		}
		r.claimBy(at)
	}
}

func (f *finished) reason() *string {
	if f.unreadable == nil {
		return new(string)
	}
	return f.unreadable
}

// soonest is when the page is due again.
func (f *finished) soonest() time.Time {
	at := f.burstDue
	for _, w := range f.completion.Watches {
		if w.SetAside == "" && (at.IsZero() || w.Due.Before(at)) {
			at = w.Due
		}
	}
	return at
}

// report tells the operator.
func (r *run) report(e Event) {
	switch e.Kind {
	case SetAside:
		r.opt.Logger.Warn("page set aside", "url", e.URL, "reason", e.Reason)
		r.tell(func(h *Health) { h.SetAside++ })
	case Recovered:
		r.opt.Logger.Warn("page recovered", "url", e.URL, "watch", e.Watch, "since", e.Since)
	default:
		r.opt.Logger.Warn("page has a fault", "kind", e.Kind, "url", e.URL, "watch", e.Watch, "reason", e.Reason)
	}
	r.opt.Report(e)
}
