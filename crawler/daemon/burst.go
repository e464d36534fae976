package daemon

import (
	"context"
	"time"

	"github.com/strandlinehq/strandline/crawler/burst"
	"github.com/strandlinehq/strandline/store"
)

// Pages of a watch with bursts go through the rounds of crawler/burst beside their
// schedule. Their due times are in core.burst_state and count for the page's next
// due time like those of the watches, so that one lease, one queue a host and one
// transaction serve both. A fetch of a round serves no slot of the schedule, nor
// does one of the schedule stand for a snapshot.

// shot is a fetch of a round, or a pair, that a page was claimed for instead of its
// schedule.
type shot struct {
	kind  store.Kind // KindBurst or KindPair
	watch *Watch
	plan  burst.Shot // of KindBurst
	at    time.Time  // as planned
	then  time.Time  // of KindPair: when the next snapshot of a round is due; zero: none is planned
}

// burstStep is what a fetch does to the burst of its page.
type burstStep struct {
	row     store.Burst
	results []store.BurstResult
	mask    *store.Mask
}

// chooseShot finds out whether a claimed page is due for a round or a pair before it
// is due for its schedule. It reports true when the page is completed at once,
// without a fetch, because there is none to be made now.
func (r *run) chooseShot(j *job, now time.Time) (done bool) {
	if j.Burst == nil || j.Burst.Due.IsZero() || j.Burst.Due.After(j.due.Due) {
		return false
	}
	row := *j.Burst
	w := r.watch(row.Watch)
	if w == nil || w.Bursts == nil || !j.wantedBy(row.Watch) {
		row.Due, row.PairDue = time.Time{}, time.Time{} // nobody asks any more
		r.leave(j, row)
		return true
	}
	b := unpack(row)
	lost := b.Pass(now)
	if !w.Pairs || r.pairs == nil {
		row.PairDue = time.Time{}
	}
	next, ok := b.Next()
	s := &shot{kind: store.KindBurst, watch: w, plan: next, at: next.At}
	if !ok || (!row.PairDue.IsZero() && row.PairDue.Before(next.At)) {
		s.kind, s.at, s.then = store.KindPair, row.PairDue, next.At
	}
	if s.at.IsZero() || s.at.After(j.due.Due) || s.at.After(now.Add(r.opt.Lookahead)) {
		if lost > 0 {
			r.opt.Logger.Info("snapshots of a round were missed", "url", j.URL, "snapshots", lost)
		}
		r.leave(j, pack(row, b))
		return true
	}
	j.shot, j.watch = s, w
	if s.at.After(j.notBefore) {
		j.notBefore = s.at
	}
	return false
}

func (j *job) wantedBy(watch int32) bool {
	for _, w := range j.Watches {
		if w.Watch == watch {
			return true
		}
	}
	return false
}

// leave completes a page without a fetch: only its burst moves on.
func (r *run) leave(j *job, row store.Burst) {
	r.add(&finished{job: j, completion: j.unmoved(), step: func([16]byte, store.Stored) burstStep { return burstStep{row: row} }})
}

// unmoved is a completion that leaves the page's schedule as it is.
func (j *job) unmoved() store.Completion {
	return store.Completion{Page: j.Page, Watches: j.Watches, FailingSince: j.FailingSince, Missing: j.Missing}
}

// finishShot turns the attempt at a shot into what is stored of it.
func (r *run) finishShot(j *job, a Attempt) {
	a = r.judge(j, a)
	f := &finished{job: j, completion: j.unmoved(), unreadable: new(string), outcome: a.Outcome, bytes: len(a.Payload) + 1024}
	if a.Outcome != store.Skipped && a.Outcome != store.Denied {
		f.lag = &store.Lag{Watch: j.shot.watch.ID, Kind: j.shot.kind, Started: a.StartedAt, Lag: max(0, a.StartedAt.Sub(j.shot.at))}
	}
	if j.shot.kind == store.KindPair {
		r.finishPair(f, a)
		return
	}
	p := j.shot.plan
	c := r.shotCapture(f, a)
	c.Detail = a.also(struct {
		Round    int       `json:"round"`
		Snapshot int       `json:"snapshot"`
		Planned  time.Time `json:"planned"`
	}{j.Burst.RoundsBefore + p.Round, p.Snapshot, p.At})
	f.caps = append(f.caps, c)
	f.step = r.snapshotStep(f, a.StartedAt)
	r.add(f)
}

func (r *run) shotCapture(f *finished, a Attempt) *store.Capture {
	c := r.capture(f, a, f.shot.at)
	c.Kind, c.WatchID = f.shot.kind, f.shot.watch.ID
	return c
}

// snapshotStep counts a snapshot for its round.
func (r *run) snapshotStep(f *finished, started time.Time) func([16]byte, store.Stored) burstStep {
	return func(text [16]byte, s store.Stored) burstStep {
		row := *f.Burst
		out := burstStep{}
		b := unpack(row)
		if !sawText(text, s) {
			_ = b.Lose() // there is one planned, or nothing to lose
		} else {
			b.Pass(started)
			next, _ := b.Next()
			switch err := b.Take(started, burst.Hash(text)); {
			case err != nil: // too early for the next one: it came so late that its own was lost
			case next.Snapshot == 0:
				row.FirstVersion = s.Version
			default:
				got := b.Rounds()[next.Round].Then[next.Snapshot-1]
				out.results = append(out.results, store.BurstResult{
					Page: f.Page, Round: row.RoundsBefore + next.Round, Snapshot: next.Snapshot, StartedAt: started,
					Offset: b.Intervals()[next.Snapshot-1].Offset, Delay: got.Delay,
					FirstVersion: row.FirstVersion, Version: s.Version, Changed: got.Outcome == burst.Changed,
				})
			}
		}
		if r.pairs != nil && f.shot.watch.Pairs && row.PairDue.IsZero() && len(row.Pairs) == 0 && b.Instant() {
			row.PairDue = started.Add(pairLead).Truncate(time.Microsecond)
		}
		out.row = pack(row, b)
		return out
	}
}

// slotStep counts a fetch for the schedule as a slot of the page's hourly series.
// The first watch with bursts that fetches a page is the one that counts.
func (r *run) slotStep(f *finished, started time.Time) func([16]byte, store.Stored) burstStep {
	w := f.watch
	if w.Bursts == nil {
		return nil
	}
	row := store.Burst{Page: f.Page, Watch: w.ID}
	if f.Burst != nil {
		row = *f.Burst
		if other := r.watch(row.Watch); row.Watch != w.ID && other != nil && other.Bursts != nil && f.wantedBy(row.Watch) {
			return nil
		}
		row.Watch = w.ID
	}
	opt, missed := *w.Bursts, f.missed > 0
	return func(text [16]byte, s store.Stored) burstStep {
		row := row
		b := unpack(row)
		before := row.SlotText
		row.SlotText = [16]byte{}
		if b.Rested(started, opt) {
			row.RoundsBefore += len(b.Rounds())
			b.Again() // if it still changes as often, the slots to come enrol it
		}
		if sawText(text, s) {
			row.SlotText = text
			if before != ([16]byte{}) && !missed { // SCIENCE C6: a gap is no slot
				b.Slot(started, text != before, opt)
			}
		}
		return burstStep{row: pack(row, b)}
	}
}

// sawText reports whether a fetch told the text of the page.
func sawText(text [16]byte, s store.Stored) bool {
	switch s.Outcome {
	case store.New, store.Changed, store.Same, store.NotModified:
		return s.Version > 0 && text != [16]byte{}
	}
	return false
}

// unpack reads the state of a burst. One that is damaged starts again.
func unpack(row store.Burst) *burst.Burst {
	var b burst.Burst
	if b.UnmarshalBinary(row.State) != nil {
		return &burst.Burst{}
	}
	return &b
}

// pack writes it back, and the due time that follows from it.
func pack(row store.Burst, b *burst.Burst) store.Burst {
	row.State, _ = b.MarshalBinary() // never fails
	if row.Pairs == nil {
		row.Pairs = []byte{}
	}
	n := b.Slots()
	row.Phase, row.Slots, row.SlotChanges = b.Phase().String(), n.Valid, n.Changed
	row.Due = row.PairDue
	if next, ok := b.Next(); ok && (row.Due.IsZero() || next.At.Before(row.Due)) {
		row.Due = next.At
	}
	return row
}

// storeBursts stores, in the transaction of their fetches, what these did to the
// bursts of their pages. It may be repeated.
func (r *run) storeBursts(ctx context.Context, tx *store.Tx, now time.Time, batch []*finished, stored func(i int) store.Stored) error {
	var pages []store.PageID
	for _, f := range batch {
		if f.step != nil {
			pages = append(pages, f.Page)
		}
	}
	if len(pages) == 0 {
		return nil
	}
	texts, err := tx.TextHashes(ctx, pages)
	if err != nil {
		return err
	}
	var rows []store.Burst
	var results []store.BurstResult
	var masks []store.Mask
	for i, f := range batch {
		if f.step == nil {
			continue
		}
		s := f.step(texts[f.Page], stored(i))
		f.burstDue = s.row.Due
		rows, results = append(rows, s.row), append(results, s.results...)
		if s.mask != nil {
			masks = append(masks, *s.mask)
		}
	}
	if err := tx.PutBursts(ctx, now, rows); err != nil {
		return err
	}
	if err := tx.PutBurstResults(ctx, results); err != nil {
		return err
	}
	return tx.PutMasks(ctx, masks)
}
