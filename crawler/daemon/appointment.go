package daemon

import (
	"time"

	"github.com/strandlinehq/strandline/store"
)

// A snapshot of a round has to start within seconds of its time, whatever else the
// machine does. The time of the world does not wait for it; that of a simulated
// world may. So the loop tells Options.Appointment when the next snapshot or pair is
// due, from when it is known until it is stored or too late, and whoever moves the
// clock can let that moment come no faster than the machine can serve it.

// appointments are the rounds and pairs that are known to come.
type appointments struct {
	byPage map[store.PageID]appointment
	told   time.Time
}

// appointment is when a page is due for a snapshot or a pair, and until when its
// fetch may start.
type appointment struct{ at, late time.Time }

// The tolerance of a snapshot whose round has not been looked at yet, that of the
// second of the default ones, and of a pair, which has none of its own: it is
// waited for only where a snapshot comes soon after it.
const (
	tightest  = 15 * time.Second
	pairLate  = time.Minute
	pairHurry = 30 * time.Minute
)

// put notes when a page is due next for a round or a pair, by what was stored of it; zero: never.
func (a *appointments) put(page store.PageID, at time.Time) {
	if at.IsZero() {
		delete(a.byPage, page)
		return
	}
	if a.byPage == nil {
		a.byPage = map[store.PageID]appointment{}
	}
	a.byPage[page] = appointment{at, at.Add(tightest)}
}

// take notes what a page was claimed for.
func (a *appointments) take(j *job) {
	if j.shot == nil {
		return
	}
	late := j.shot.plan.Late
	if j.shot.kind == store.KindPair {
		if late = j.shot.at.Add(pairLate); j.shot.then.IsZero() || j.shot.then.After(late.Add(pairHurry)) {
			delete(a.byPage, j.Page)
			return
		}
	}
	a.put(j.Page, j.shot.at)
	a.byPage[j.Page] = appointment{j.shot.at, late}
}

// next forgets what is too late and returns the first that is not; zero: there is none.
func (a *appointments) next(now time.Time) time.Time {
	var first time.Time
	for page, p := range a.byPage {
		if p.late.Before(now) {
			delete(a.byPage, page)
		} else if first.IsZero() || p.at.Before(first) {
			first = p.at
		}
	}
	return first
}

// appoint tells of the next appointment.
func (r *run) appoint(now time.Time) {
	if r.opt.Appointment == nil {
		return
	}
	if at := r.appointments.next(now); !at.Equal(r.appointments.told) {
		r.appointments.told = at
		r.opt.Appointment(at)
	}
}

// pressed reports whether an appointment is due and not stored: then nothing waits
// for others to be stored with, since the clock may be waiting for it.
func (r *run) pressed(now time.Time) bool {
	return !r.appointments.told.IsZero() && !r.appointments.told.After(now)
}

// reckoned is the speed by which others may reckon what the clock shows: none where it waits for
// appointments, since nobody knows for how long.
func (r *run) reckoned() float64 {
	if r.opt.Appointment != nil {
		return 0
	}
	return speedOf(r.clock)
}
