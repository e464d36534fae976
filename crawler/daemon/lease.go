package daemon

import (
	"context"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// leases are the buckets whose hosts this daemon crawls. They are renewed three
// times in their span, and sooner while buckets change hands. When a renewal fails, no fetch is started after they have
// run out, since another daemon may hold them by then.
type leases struct {
	owned   [store.Buckets]bool
	leaving [store.Buckets]bool  // to be given back once nothing runs there
	inUse   [store.Buckets]int32 // pages in memory
	buckets []int32              // owned and not leaving, rising
	until   time.Time
	daemons int
	whole   bool // owns all there are
}

// mine reports whether a fetch may start in a bucket.
func (l *leases) mine(bucket int32, now time.Time) bool {
	return l.owned[bucket] && !l.leaving[bucket] && now.Before(l.until)
}

// take notes what a renewal brought.
func (l *leases) take(got store.BucketLeases) {
	slices.Sort(got.Buckets)
	l.owned = [store.Buckets]bool{}
	for _, b := range got.Buckets {
		l.owned[b] = true
	}
	left := got.Surplus
	for b := store.Buckets - 1; b >= 0; b-- {
		l.leaving[b] = l.owned[b] && left > 0
		if l.leaving[b] {
			left--
		}
	}
	l.buckets = l.buckets[:0:0]
	for _, b := range got.Buckets {
		if !l.leaving[b] {
			l.buckets = append(l.buckets, b)
		}
	}
	l.until, l.daemons = got.Until, got.Daemons
	l.whole = len(l.buckets) == store.Buckets
}

// give returns the buckets that can be given back now.
func (l *leases) give() []int32 {
	var out []int32
	for b := range l.leaving {
		if l.leaving[b] && l.inUse[b] == 0 {
			out = append(out, int32(b))
		}
	}
	return out
}

// groups returns the buckets to claim from, one set a server; a nil set means all.
func (r *run) groups() [][]int32 {
	if len(r.opt.Groups) == 0 {
		if r.leases.whole {
			return [][]int32{nil}
		}
		return [][]int32{r.leases.buckets}
	}
	var out [][]int32
	for _, g := range r.opt.Groups {
		var own []int32
		for _, b := range g {
			if r.leases.owned[b] && !r.leases.leaving[b] {
				own = append(own, b)
			}
		}
		if len(own) > 0 {
			out = append(out, own)
		}
	}
	return out
}

// renew renews the leases.
func (r *run) renew(now time.Time) {
	r.renewing = true
	give := slices.DeleteFunc(r.leases.give(), func(b int32) bool { return !r.free(b) })
	req := store.BucketRequest{Daemon: r.id, Now: now, Until: now.Add(r.opt.Lease), Speed: r.reckoned(), Give: give}
	known := slices.Clone(r.dead)
	// Asked for now, a lease may only be trusted from now on: the answer takes its time.
	r.do(func(ctx context.Context) func() {
		dead, err := r.newlyDead(ctx, now, known)
		if err == nil {
			req.Dead = slices.Concat(known, dead)
			var got store.BucketLeases
			if got, err = r.db.TakeBuckets(ctx, req); err == nil {
				return func() { r.renewed(got, dead) }
			}
		}
		return func() { r.renewing = false; r.away("renew leases", err) }
	})
}

func (r *run) renewed(got store.BucketLeases, dead []int32) {
	r.renewing = false
	r.answered()
	if len(dead) > 0 {
		r.dead = append(r.dead, dead...)
		r.opt.Logger.Info("took over from a daemon that ended", "daemons", dead)
	}
	before := len(r.leases.buckets)
	r.leases.take(got)
	r.share(&r.leases)
	now := r.clock.Now()
	// From when the leases were asked for: should the machine have slept meanwhile, they are over.
	r.nextRenew = got.Until.Add(-r.opt.Lease).Add(r.untilRenewal(got))
	if len(r.leases.buckets) != before {
		r.opt.Logger.Info("leased buckets", "buckets", len(r.leases.buckets), "daemons", got.Daemons)
		r.claimBy(now)
	}
	r.tell(func(h *Health) { h.Running, h.Buckets, h.Daemons = true, len(r.leases.buckets), got.Daemons })
}

// untilRenewal is how long after a renewal the next one is due: a third of the leases' span; little where buckets can be
// given to a daemon that came, and some while that one waits for its share, lest their hosts lie idle between.
func (r *run) untilRenewal(got store.BucketLeases) time.Duration {
	share := (store.Buckets + got.Daemons - 1) / max(1, got.Daemons)
	switch give := slices.DeleteFunc(r.leases.give(), func(b int32) bool { return !r.free(b) }); {
	case len(give) > 0:
		return r.opt.Lease / 60
	case len(got.Buckets)+got.Daemons < share: // shares are rounded up: not all can have theirs
		return r.opt.Lease / 12
	}
	return r.opt.Lease / 3
}

// newlyDead looks for daemons of this machine whose process has ended.
func (r *run) newlyDead(ctx context.Context, now time.Time, known []int32) ([]int32, error) {
	// Leases of pages outlast those of buckets.
	all, err := r.db.Daemons(ctx, now.Add(-2*pageLeases*r.opt.Lease))
	if err != nil {
		return nil, err
	}
	var dead []int32
	for _, d := range all {
		if d.ID != r.id && d.Host == r.opt.Host && !slices.Contains(known, d.ID) && !r.opt.Alive(d.PID) {
			dead = append(dead, d.ID)
		}
	}
	return dead, nil
}
