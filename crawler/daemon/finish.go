package daemon

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
)

// finished is a page with everything that is to be stored of it.
type finished struct {
	*job
	caps       []*store.Capture // missed slots, then the attempt
	completion store.Completion
	lag        *store.Lag
	missed     int
	outcome    store.Outcome // of the attempt as far as it is known before it is stored
	events     []Event
	bytes      int
	// unreadable is set while the page is stored, when reading its payload panicked.
	unreadable *string
	// step, unless nil, says what the fetch did to the burst of its page, given the page's text
	// and what became of the attempt; burstDue is the due time that it came to.
	step     func(text [16]byte, s store.Stored) burstStep
	burstDue time.Time
	auto     []autoDue // watches with an Auto that it serves; their due times follow when it is stored
}

// finish turns an attempt into what is stored of it.
func (r *run) finish(j *job, a Attempt) {
	if j.shot != nil {
		r.finishShot(j, a)
		return
	}
	f := &finished{job: j, bytes: len(a.Payload) + 1024, unreadable: new(string)}
	missing := a.Outcome == store.Gone
	a = r.judge(j, a)
	if a.Misconfigured != "" {
		f.completion = r.misconfigured(j, a.Misconfigured)
	} else {
		f.completion = r.moveOn(f, a.StartedAt)
		f.step = r.slotStep(f, a.StartedAt)
	}
	f.completion.FailingSince, f.completion.Missing = j.FailingSince, j.Missing
	if missing {
		f.completion.Missing++
	}
	due := j.due.Due
	if f.lag != nil {
		due = f.lag.Started.Add(-f.lag.Lag)
		if a.Outcome == store.Skipped {
			f.lag = nil // nothing was started
		}
	}
	switch a.Outcome {
	case "", store.NotModified:
		if !j.FailingSince.IsZero() {
			f.events = append(f.events, Event{Kind: Recovered, Since: j.FailingSince})
		}
		f.completion.FailingSince, f.completion.Missing = time.Time{}, 0
	case store.Failed, store.Gone, store.Denied: // what is never allowed is never seen
		if j.FailingSince.IsZero() {
			f.completion.FailingSince = a.StartedAt
			f.events = append(f.events, Event{Kind: Failing, Reason: a.Error})
		}
		if a.Outcome == store.Gone && j.LastOutcome != store.Gone {
			f.events = append(f.events, Event{Kind: GoneAway, Reason: a.Error})
		}
	}
	if a.Misconfigured != "" {
		f.events = append(f.events, Event{Kind: SetAside, Reason: a.Misconfigured})
	}
	for i := range f.events {
		e := &f.events[i]
		e.Page, e.URL, e.Watch, e.At = j.Page, j.URL, j.watch.Name, a.StartedAt
	}
	f.outcome = a.Outcome
	f.caps = append(f.caps, r.capture(f, a, due))
	r.add(f)
}

// judge decides what depends on the page's past: it is gone only after a run of
// answers that it is not there. Other failures say nothing about that: they neither count nor end the run.
func (r *run) judge(j *job, a Attempt) Attempt {
	if a.Outcome == store.Gone && j.Missing+1 < r.opt.GoneAfter && j.LastOutcome != store.Gone {
		a.Outcome = store.Failed
	}
	return a
}

// moveOn gives the next due times after a fetch that started at a time, and records
// the slots that were missed before it. A fetch serves every watch of the page
// whose slot has begun.
func (r *run) moveOn(f *finished, started time.Time) store.Completion {
	done := store.Completion{Page: f.Page}
	for _, w := range f.Watches {
		watch := r.watch(w.Watch)
		switch {
		case watch == nil:
			continue
		case watch.Broken != "" || watch.Plan == nil:
			w.SetAside = orElse(watch.Broken, "the watch has no schedule")
			done.Watches = append(done.Watches, w)
			continue
		case watch.Auto != nil:
			done.Watches = append(done.Watches, r.moveAuto(f, watch, w, started))
			continue
		case w.Watch != f.due.Watch && w.Slot.After(started):
			continue
		}
		n, err := watch.Plan.After(f.URL, w.Slot, w.Due, started)
		if err != nil {
			w.SetAside = err.Error()
			done.Watches = append(done.Watches, w)
			continue
		}
		if n.Missed > 0 {
			r.miss(f, watch, w, n.Served, n.Missed)
		}
		if w.Watch == f.due.Watch {
			// Late is what comes after it was due as planned. That is later than the slot's own due time where the page
			// keeps its distance to the fetch before, or where the slot had begun when the page joined or its schedule
			// became this one; it is earlier where slots were missed, which are recorded as that.
			due := n.Due
			if w.Due.After(due) {
				due = w.Due
			}
			f.lag = &store.Lag{Watch: w.Watch, Started: started, Lag: max(0, started.Sub(due))}
		}
		w.Slot, w.Due = n.Slot, n.NextDue
		done.Watches = append(done.Watches, w)
	}
	return done
}

// missedSlots is the detail of a row that stands for several missed slots.
type missedSlots struct {
	Missed int       `json:"missed"`
	Until  time.Time `json:"until"` // when the last of them was due
}

// missedReason is the error of the fetch rows of missed slots.
const missedReason = "missed: no fetch started before the next slot was due"

// miss records the slots of a watch from its pending one up to the one served.
func (r *run) miss(f *finished, watch *Watch, w store.WatchDue, served time.Time, n int) {
	dues, err := watch.Plan.Missed(f.URL, w.Slot, served, r.opt.MissedRows)
	if err != nil || len(dues) == 0 {
		return
	}
	f.missed += n
	for i, due := range dues {
		c := &store.Capture{URL: f.URL, Outcome: store.Skipped, Kind: store.KindSchedule, WatchID: watch.ID, DueAt: due, StartedAt: due, Error: missedReason}
		if i == 0 && n > len(dues) {
			// The oldest share the row of the first.
			if first, err := watch.Plan.Due(f.URL, w.Slot); err == nil {
				c.DueAt, c.StartedAt = first, first
			}
			c.Detail, _ = json.Marshal(missedSlots{Missed: n - len(dues) + 1, Until: due})
			c.Error = fmt.Sprintf("missed: %d slots", n-len(dues)+1)
		}
		// Rows in order of time spare the store laying the page's timeline anew.
		if !c.StartedAt.After(f.LastFetched) {
			c.StartedAt = f.LastFetched.Add(time.Duration(i+1) * time.Microsecond)
		}
		f.caps = append(f.caps, c)
	}
}

// misconfigured sets the page aside in every watch; an empty reason stands for that
// of each watch.
func (r *run) misconfigured(j *job, reason string) store.Completion {
	done := store.Completion{Page: j.Page, FailingSince: j.FailingSince, Missing: j.Missing}
	for _, w := range j.Watches {
		w.SetAside = reason
		if reason == "" {
			if watch := r.watch(w.Watch); watch != nil {
				w.SetAside = watch.Broken
			}
			w.SetAside = orElse(w.SetAside, "the watch has no schedule")
		}
		done.Watches = append(done.Watches, w)
	}
	return done
}

// capture makes the row of the attempt.
func (r *run) capture(f *finished, a Attempt, due time.Time) *store.Capture {
	c := &store.Capture{
		URL: f.URL, Outcome: a.Outcome, Kind: store.KindSchedule, WatchID: f.due.Watch, DueAt: due,
		StartedAt: a.StartedAt, FinishedAt: a.FinishedAt, Status: a.Status, Error: a.Error, Detail: a.Detail,
		Head: a.Head, ETag: a.ETag, LastModified: a.LastModified, ValidatedURL: a.ValidatedURL, PermanentURL: a.PermanentURL,
		Coding: a.Source.Coding, MediaType: a.MediaType, Payload: a.Payload,
	}
	if c.Outcome == "" && c.Payload == nil {
		c.Payload = []byte{} // an empty page is content too
	}
	if r.reader == nil || a.Outcome != "" {
		return c
	}
	src, page := a.source(f.URL), f.URL
	unreadable := f.unreadable
	c.Extract = func(payload []byte) (e store.Extract) {
		defer func() {
			if p := recover(); p != nil {
				r.opt.Logger.Error("reading a page panicked", "url", page, "panic", p, "stack", string(debug.Stack()))
				*unreadable = fmt.Sprintf("panic while reading: %v", p)
				e = store.Extract{Flags: []string{"unreadable"}, Rules: intake.Rules}
			}
		}()
		return r.reader.Read(src, payload)
	}
	return c
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
