package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// pageLeases is how many times as long as those of buckets the leases of pages are.
const pageLeases = 5

// run is the state of one Run. Its loop alone touches it.
type run struct {
	*Daemon
	id   int32
	dead []int32 // daemons that are known to have ended

	events chan func() // what fetches and statements report; run by the loop
	ops    int         // fetches and statements that run

	fetching   context.Context // of the fetches
	statements context.Context // of the statements: outlasts the end of Run's own
	stopping   bool

	jobs         map[store.PageID]*job // all pages in memory: queued, being fetched, or not stored yet
	hosts        *hosts
	appointments appointments
	active       int // workers that fetch
	leases       leases

	pending      []*finished // to be stored, in the order in which they finished
	pendingBytes int
	pendingSince time.Time
	writing      int
	deferrals    []store.Deferral
	deferring    bool

	claiming, renewing, keeping    bool
	nextClaim, nextRenew, nextKeep time.Time
	claimAgain                     time.Time // the soonest of claimBy since the claim that runs began; zero: none
	pacing                         bool
	nextPace                       time.Time
	pagesOf                        map[int32]int // watches with an Auto; touched while pacing only
	catchUp                        catchUp
	journal                        *journal
	awaySince, retryAt             time.Time // zero while the database answers
	pause                          time.Duration
}

// beatEvery is how often the loop turns at least, in the machine's time, so that a
// watchdog sees it turn while nothing is due or the database hangs.
const beatEvery = 5 * time.Second

// Run crawls until the context is done. Then it lets running fetches end for
// Options.Grace, stores all that finished, gives its leases back and returns nil.
// It returns an error only when it could not start, or not store what had finished.
func (d *Daemon) Run(ctx context.Context) error {
	r := &run{Daemon: d, events: make(chan func()), jobs: map[store.PageID]*job{}, hosts: newHosts(), pagesOf: map[int32]int{}}
	var stopStatements, stopFetches context.CancelFunc
	r.statements, stopStatements = context.WithCancel(context.WithoutCancel(ctx))
	defer stopStatements()
	r.fetching, stopFetches = context.WithCancel(r.statements)
	defer stopFetches()
	if err := r.start(ctx); err != nil {
		return err
	}
	defer d.tell(func(h *Health) { h.Running = false; h.Queued, h.Fetching = 0, 0 })
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	done := ctx.Done()
	var hurry, giveUp <-chan time.Time
	for {
		r.step(d.clock.Now())
		if r.stopping && r.ops == 0 && (len(r.pending) == 0 || !r.awaySince.IsZero()) {
			break
		}
		next := r.wakeAt()
		if r.ops == 0 && d.opt.AtRest != nil && !r.stopping {
			d.opt.AtRest(next)
		}
		timer := d.clock.NewTimer(max(0, next.Sub(d.clock.Now())))
		select {
		case f := <-r.events:
			f()
			r.drain()
		case <-timer.C:
		case <-beat.C: // the loop turns, though nothing is due
		case <-d.wake:
			r.claimBy(d.clock.Now())
		case <-done:
			done = nil
			r.stop()
			// The machine's time: a stop is asked for by the machine.
			hurry = time.After(d.opt.Grace)
			giveUp = time.After(d.opt.Grace + 3*time.Second)
		case <-hurry:
			stopFetches()
		case <-giveUp:
			stopStatements()
		}
		timer.Stop()
	}
	return r.end() //nolint:contextcheck // the end comes after ctx is done, and has a deadline of its own
}

// start makes the daemon known and waits for the database if need be.
func (r *run) start(ctx context.Context) error {
	for {
		now := r.clock.Now()
		id, err := r.db.RegisterDaemon(ctx, r.opt.Host, r.opt.PID, now, now.Add(r.opt.Lease), r.reckoned())
		if err == nil {
			r.id = id
			r.answered()
			r.tell(func(h *Health) { h.Daemon = id })
			r.catchUp.from = now
			r.journal = openJournal(r.opt.Journal, id, bootOf(), func(err error) {
				r.opt.Logger.Warn("fetches that begin cannot be noted; should the daemon be killed, pages that it has claimed lose a slot", "error", err)
			})
			r.opt.Logger.Info("daemon started", "daemon", id, "host", r.opt.Host, "pid", r.opt.PID)
			return nil
		}
		if ctx.Err() != nil || !store.Away(err) {
			return fmt.Errorf("start daemon: %w", err)
		}
		r.away("register", err)
		timer := r.clock.NewTimer(r.pause)
		if r.opt.AtRest != nil {
			r.opt.AtRest(r.retryAt)
		}
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

// drain runs what else has been reported, so that a burst of reports costs one step.
func (r *run) drain() {
	for range 64 {
		select {
		case f := <-r.events:
			f()
		default:
			return
		}
	}
}

// step starts everything that can be started now.
func (r *run) step(now time.Time) {
	r.appoint(now)
	if !r.stopping && !now.Before(r.retryAt) {
		if !r.renewing && !now.Before(r.nextRenew) {
			r.renew(now)
		}
		if !r.keeping && !now.Before(r.nextKeep) {
			r.keep(now)
		}
		autos, missing := r.autos()
		if len(autos) > 0 && !r.pacing && (missing || !now.Before(r.nextPace)) {
			r.keepPaces(now, autos)
		}
		if r.mayClaim() && !missing && !now.Before(r.nextClaim) {
			r.claim(now)
		}
	}
	r.dispatch(now)
	if !now.Before(r.retryAt) && !(r.stopping && !r.awaySince.IsZero()) {
		r.flushDeferrals(now)
		r.flush(now)
	}
	r.tell(func(h *Health) {
		h.Queued, h.Fetching, h.Unstored, h.next = r.hosts.queued, r.active, len(r.pending), time.Time{}
		h.Hosts, h.Turned = len(r.hosts.ready)+r.active, time.Now()
		if r.claiming || r.mayClaim() {
			h.next = r.nextClaim
		}
		if ready, ok := r.hosts.next(); ok && (h.next.IsZero() || ready.Before(h.next)) {
			h.next = ready
		}
	})
}

// wakeAt returns when step has something to do next, should nothing be reported.
func (r *run) wakeAt() time.Time {
	at := r.clock.Now().Add(24 * time.Hour)
	sooner := func(t time.Time) {
		if t.Before(at) {
			at = t
		}
	}
	statement := func(t time.Time) {
		if t.Before(r.retryAt) {
			t = r.retryAt
		}
		sooner(t)
	}
	if !r.stopping {
		if !r.renewing {
			statement(r.nextRenew)
		}
		if !r.keeping {
			statement(r.nextKeep)
		}
		autos, missing := r.autos()
		if r.mayClaim() && !missing {
			statement(r.nextClaim)
		}
		if len(autos) > 0 && !r.pacing {
			statement(r.nextPace)
		}
		if t, ok := r.hosts.next(); ok && r.mayStart() {
			sooner(t)
		}
	}
	if len(r.pending) > 0 && r.writing < r.opt.Writers {
		statement(r.pendingSince.Add(r.opt.Flush))
	}
	if len(r.deferrals) > 0 && !r.deferring {
		statement(r.retryAt)
	}
	if told := r.appointments.told; told.After(r.clock.Now()) {
		sooner(told)
	}
	return at
}

// do runs a statement beside the loop. What it returns is run by the loop.
func (r *run) do(f func(context.Context) func()) {
	r.ops++
	go func() {
		report := f(r.statements)
		r.events <- func() { r.ops--; report() }
	}()
}

// mayStart reports whether there is room for another fetch. While the database is
// away, what finished piles up, within bounds.
func (r *run) mayStart() bool {
	return r.active < r.opt.Workers && len(r.pending) < 4*r.opt.Batch+r.opt.Workers && r.pendingBytes < 8*r.opt.BatchBytes
}

// dispatch gives workers the first pages of the hosts that are ready.
func (r *run) dispatch(now time.Time) {
	for !r.stopping && r.mayStart() {
		h := r.hosts.take(now)
		if h == nil {
			return
		}
		j := h.jobs[0]
		if !r.leases.mine(j.Page.Bucket(), now) || !now.Before(j.leaseUntil) {
			r.hosts.pop(h)
			r.putOff(j, now)
			r.hosts.place(h)
			continue
		}
		if r.opt.Gate != nil {
			if at, why := r.opt.Gate.Ready(h.name, now); why != "" {
				r.hold(h, at, now)
				continue
			}
		}
		r.hosts.pop(h)
		h.busy = true
		r.active++
		r.ops++
		r.journal.begin(j.Page)
		go func() {
			a := r.safely(r.fetching, j)
			r.events <- func() { r.ops--; r.fetched(h, j, a, now) }
		}()
	}
}

// hold keeps a host back until its gate opens. Its pages go back to the database
// when that takes long, so that they take no room here.
func (r *run) hold(h *host, at, now time.Time) {
	if !at.After(now) {
		at = now.Add(time.Millisecond)
	}
	if at.Sub(now) > r.opt.machine(time.Minute) {
		for len(h.jobs) > 0 {
			r.putOff(r.hosts.pop(h), at)
			at = at.Add(r.paceOf(h))
		}
	}
	h.gateAt = at
	r.hosts.place(h)
}

// paceOf guesses the time from one start to the next at a host: as last seen, or as its rules
// have it. A guess that is too long costs a host without delay most of what it would take.
func (r *run) paceOf(h *host) time.Duration {
	if h.pace > 0 {
		return max(h.pace, r.opt.machine(5*time.Millisecond))
	}
	rule := time.Second
	if r.opt.HostPace != nil {
		rule = r.opt.HostPace(h.name)
	}
	return max(rule, r.opt.machine(20*time.Millisecond))
}

// fetched takes up what a worker reports.
func (r *run) fetched(h *host, j *job, a Attempt, started time.Time) {
	now := r.clock.Now()
	r.active--
	h.busy = false
	h.pace = now.Sub(started)
	if r.opt.Gate != nil {
		h.gateAt, _ = r.opt.Gate.Ready(h.name, now)
		h.pace = h.gateAt.Sub(started)
	}
	if !a.RetryAt.IsZero() {
		if a.RetryAt.After(h.gateAt) {
			h.gateAt = a.RetryAt
		}
		r.journal.end(j.Page)
		r.putOff(j, a.RetryAt)
	} else {
		if a.StartedAt.IsZero() {
			a.StartedAt = started
		}
		if a.FinishedAt.Before(a.StartedAt) {
			a.FinishedAt = now
		}
		if r.fetching.Err() != nil && a.Outcome == store.Failed {
			a.Outcome, a.Error = store.Skipped, "interrupted: the daemon stopped while the page was being fetched"
		}
		r.finish(j, a)
	}
	r.hosts.place(h)
}

// stop lets nothing new start. Pages that were not fetched go back, those too that
// a claim brings which was under way.
func (r *run) stop() {
	if !r.stopping {
		r.stopping = true
		r.retryAt = time.Time{}
		r.opt.Logger.Info("daemon is stopping", "fetching", r.active, "queued", r.hosts.queued)
	}
	now := r.clock.Now()
	for _, h := range r.hosts.byName {
		for len(h.jobs) > 0 {
			r.putOff(r.hosts.pop(h), now)
		}
		h.index = -1
	}
	r.hosts.ready = nil
}

// end gives back what the daemon holds.
func (r *run) end() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.statements), time.Second)
	defer cancel()
	var lost error
	if n := len(r.pending); n > 0 {
		lost = fmt.Errorf("stop daemon: %d finished fetches could not be stored: the database is away", n)
	}
	if r.awaySince.IsZero() {
		if err := r.db.Defer(ctx, r.id, r.clock.Now(), r.deferrals); err != nil {
			return errors.Join(lost, err)
		}
		if err := r.db.StopDaemon(ctx, r.id, r.clock.Now()); err != nil {
			return errors.Join(lost, err)
		}
		if lost == nil {
			r.journal.close()
		}
	}
	r.opt.Logger.Info("daemon stopped", "daemon", r.id)
	return lost
}

// away notes that a statement failed. The next ones wait, longer each time.
func (r *run) away(what string, err error) {
	now := r.clock.Now()
	if r.awaySince.IsZero() {
		r.awaySince = now
		r.pause = r.opt.machine(250 * time.Millisecond)
		r.opt.Logger.Warn("database does not answer; waiting", "doing", what, "error", err)
	}
	r.pause = min(2*r.pause, r.opt.machine(15*time.Second))
	r.retryAt = now.Add(r.pause)
	r.tell(func(h *Health) { h.AwaySince, h.AwayReason = r.awaySince, err.Error() })
}

// answered notes that a statement succeeded.
func (r *run) answered() {
	if r.awaySince.IsZero() {
		return
	}
	now := r.clock.Now()
	r.opt.Logger.Info("database answers again", "after", now.Sub(r.awaySince))
	r.awaySince, r.retryAt, r.pause = time.Time{}, time.Time{}, 0
	r.nextRenew = now
	r.claimBy(now)
	r.catchUp = catchUp{from: now}
	r.tell(func(h *Health) { h.AwaySince, h.AwayReason = time.Time{}, "" })
}
