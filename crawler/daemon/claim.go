package daemon

import (
	"context"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// catchUp spreads pages that came due while nobody fetched. Those that were due
// before from are put off once, each to its own moment in
//
//	[now, now + min(window, interval/4)],   window = pages due / Options.CatchUp
type catchUp struct {
	from   time.Time
	asked  bool // window is known
	window time.Duration
}

// maxCounted bounds how many overdue pages are counted.
const maxCounted = 200_000

// mayClaim reports whether there is room for more pages in memory, and a lease to fetch them by.
func (r *run) mayClaim() bool {
	return !r.claiming && !r.stopping && r.id != 0 && len(r.leases.buckets) > 0 && r.clock.Now().Before(r.leases.until) && len(r.jobs) <= r.opt.Backlog-r.opt.ClaimSize
}

// claim takes pages that are due soon.
func (r *run) claim(now time.Time) {
	r.claiming, r.claimAgain = true, time.Time{}
	groups := r.groups()
	req := store.ClaimRequest{
		Daemon: r.id, Now: now, Horizon: now.Add(r.opt.Lookahead), Until: now.Add(pageLeases * r.opt.Lease),
		Limit: r.opt.ClaimSize, Dead: r.dead, Routed: len(r.opt.Groups) > 0,
	}
	room := r.opt.Backlog - len(r.jobs)
	catchUp := r.catchUp
	r.do(func(ctx context.Context) func() {
		if !catchUp.asked {
			n, err := r.db.CountDue(ctx, catchUp.from, maxCounted)
			if err != nil {
				return func() { r.claiming = false; r.away("count due pages", err) }
			}
			catchUp.asked, catchUp.window = true, time.Duration(float64(n)/r.opt.CatchUp*float64(time.Second))
		}
		var all []*store.Claim
		var next time.Time
		for _, g := range groups {
			if room-len(all) < req.Limit && len(all) > 0 {
				next = now // the groups left over come next
				break
			}
			req.Buckets = g
			got, at, err := r.db.Claim(ctx, req)
			if err != nil {
				return func() {
					r.claiming = false
					r.accept(all, req.Until) // of the groups before
					for _, c := range got {
						// Leased, but not told what they are.
						r.deferrals = append(r.deferrals, store.Deferral{Page: c.Page, At: c.NextDueAt})
					}
					r.away("claim", err)
				}
			}
			all = append(all, got...)
			if !at.IsZero() && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
		return func() {
			r.claiming = false
			r.answered()
			if r.catchUp.from.Equal(catchUp.from) {
				r.catchUp = catchUp
			}
			r.accept(all, req.Until)
			r.planClaim(now, next)
		}
	})
}

// planClaim sets when to claim next: as late as will do, so that a claim brings
// many pages, but before the first of them is due.
func (r *run) planClaim(asked, next time.Time) {
	switch {
	case next.IsZero():
		// Nothing is due ever after; others may add pages and need not tell us.
		r.nextClaim = asked.Add(max(r.opt.Lookahead, r.opt.machine(10*time.Second)))
	default:
		r.nextClaim = next.Add(-r.opt.Lookahead / 4)
		if latest := asked.Add(max(r.opt.Lookahead, r.opt.machine(10*time.Second))); r.nextClaim.After(latest) {
			r.nextClaim = latest
		}
	}
	if !r.claimAgain.IsZero() && r.claimAgain.Before(r.nextClaim) {
		r.nextClaim = r.claimAgain
	}
}

// claimBy lets the next claim come no later than at. A claim that runs may have read the schedule before
// that which is told here was stored, so that it does not count.
func (r *run) claimBy(at time.Time) {
	if r.nextClaim.IsZero() || at.Before(r.nextClaim) {
		r.nextClaim = at
	}
	if r.claiming && (r.claimAgain.IsZero() || at.Before(r.claimAgain)) {
		r.claimAgain = at
	}
}

// accept puts claimed pages where they belong.
func (r *run) accept(claims []*store.Claim, until time.Time) {
	now := r.clock.Now()
	for _, c := range claims {
		if have := r.jobs[c.Page]; have != nil {
			have.leaseUntil = until // our lease ran out while the page was waiting here
			continue
		}
		j := &job{Claim: c, leaseUntil: until, notBefore: c.NextDueAt}
		r.jobs[c.Page] = j
		r.leases.inUse[c.Page.Bucket()]++
		if !r.choose(j) || r.chooseShot(j, now) {
			continue
		}
		r.appointments.take(j)
		switch {
		case c.Before != 0 && c.Before != r.id && !c.NextDueAt.After(now) && !r.journal.onlyClaimed(c.Page, c.Before):
			r.journal.begin(c.Page) // it stays unsure until that is stored
			r.unsure(j, now)
		case j.shot == nil && r.catchesUp(j, now):
		case r.hosts.length(c.Host) >= r.queueOf(c.Host):
			r.overflow(j, now)
		default:
			r.hosts.push(j)
		}
	}
	if r.stopping {
		r.stop()
	}
}

// choose finds the watch that is due. Without one the page is completed at once.
func (r *run) choose(j *job) bool {
	unknown := 0
	for _, w := range j.Watches {
		watch := r.watch(w.Watch)
		if watch == nil {
			unknown++
			continue
		}
		if watch.Broken == "" && watch.Plan != nil {
			j.watch, j.due = watch, w
			return true
		}
	}
	if unknown > 0 {
		// A configuration is being applied, or another daemon has applied one: not ours to judge.
		r.putOff(j, r.clock.Now().Add(r.opt.machine(time.Minute)))
		return false
	}
	r.add(&finished{job: j, completion: r.misconfigured(j, "")})
	return false
}

// catchesUp puts a page off that is among many which came due while nobody fetched.
func (r *run) catchesUp(j *job, now time.Time) bool {
	late := r.opt.machine(5 * time.Second)
	if r.catchUp.window < late || !j.NextDueAt.Before(r.catchUp.from.Add(-late)) {
		return false
	}
	at := j.watch.Plan.Spread(j.URL, now, min(r.catchUp.window, j.watch.Plan.Every()/4))
	if at.Sub(now) < r.opt.Lookahead {
		return false
	}
	r.putOff(j, at)
	return true
}

// queueOf returns how many pages of a host may wait in memory: as many as it will give within the lookahead,
// going by its pace, so that the pages of a fast host need not go back and be claimed again; at least
// Options.HostQueue, which is all while memory is short.
func (r *run) queueOf(host string) int {
	few := r.opt.HostQueue
	if len(r.jobs) > r.opt.Backlog/2 {
		return few
	}
	h := r.hosts.byName[host]
	if h == nil {
		return few
	}
	return max(few, int(min(r.opt.Lookahead/r.paceOf(h), time.Duration(maxQueues*few))))
}

// maxQueues bounds the queue of a fast host, in Options.HostQueue: it may turn out to be slow.
const maxQueues = 8

// overflow puts a page off whose host has enough of them in memory: to when the
// pages before it will have been fetched, going by the host's pace.
func (r *run) overflow(j *job, now time.Time) {
	h := r.hosts.byName[j.Host]
	pace := r.paceOf(h)
	soonest := now.Add(time.Duration(r.opt.HostQueue) * pace * 3 / 4)
	if h.tail = h.tail.Add(pace); h.tail.Before(soonest) {
		h.tail = soonest
	}
	r.putOff(j, h.tail)
}

// unsure completes a page whose lease was lost by a daemon that died, where the journal does not tell that
// it was only claimed. It may have been fetched, so fetching it for this slot might be twice within its interval.
func (r *run) unsure(j *job, now time.Time) {
	r.finish(j, Attempt{
		StartedAt: now, FinishedAt: now, Outcome: store.Skipped,
		Error: "the daemon that had taken the page ended before it said what became of it",
	})
}

// putOff gives a page back to the database, to be claimed again at a time.
func (r *run) putOff(j *job, at time.Time) {
	r.forget(j)
	r.deferrals = append(r.deferrals, store.Deferral{Page: j.Page, At: at.Truncate(time.Microsecond)})
}

// forget takes a page out of memory.
func (r *run) forget(j *job) {
	if r.jobs[j.Page] == j {
		delete(r.jobs, j.Page)
		r.leases.inUse[j.Page.Bucket()]--
	}
}

// flushDeferrals tells the database of pages that were put off.
func (r *run) flushDeferrals(now time.Time) {
	if len(r.deferrals) == 0 || r.deferring {
		return
	}
	r.deferring = true
	part := r.deferrals
	r.deferrals = nil
	soonest := part[0].At
	for _, d := range part {
		if d.At.Before(soonest) {
			soonest = d.At
		}
	}
	r.do(func(ctx context.Context) func() {
		err := r.db.Defer(ctx, r.id, now, part)
		return func() {
			r.deferring = false
			if err != nil {
				r.deferrals = append(part, r.deferrals...)
				r.away("put pages off", err)
				return
			}
			r.answered()
			// Not at once: that would bring pages back before there is room for them.
			wait := max(0, soonest.Sub(r.clock.Now()))
			r.claimBy(soonest.Add(-min(r.opt.Lookahead/4, wait/2)))
		}
	})
}

// keep does what is due once a day: partitions for the months ahead, old counts.
func (r *run) keep(now time.Time) {
	r.keeping = true
	r.do(func(ctx context.Context) func() {
		_, err := r.db.MakeAhead(ctx, now)
		if err == nil {
			err = r.db.DropLags(ctx, now.Add(-7*24*time.Hour))
		}
		return func() {
			r.keeping = false
			if err != nil {
				r.away("make partitions", err)
				return
			}
			r.answered()
			r.nextKeep = now.Add(24 * time.Hour)
		}
	})
}
