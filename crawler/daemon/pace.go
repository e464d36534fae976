package daemon

import (
	"context"
	"math"
	"time"

	"github.com/strandlinehq/strandline/crawler/adaptive"
	"github.com/strandlinehq/strandline/store"
)

// The threshold of a watch with an Auto is in core.watch_pace, one row for all
// daemons. It is planned (adaptive.MakePlan) from the rates known when the watch
// begins or changes, and again after 1, 2, 4 and 8 fetches a page, as they become known.
// In between and ever after, adaptive.Controller keeps it so that what falls due meets
// the budget, which it does better than a plan from rates that are never quite right;
// later plans, after 16, 32 .. fetches a page, only say which hosts' limits bind. Every daemon asks a few times an interval; the first one in each tick acts.

// maxSample is how many pages a plan looks at; of more, a part is drawn by a hash.
const maxSample = 20_000

// lastPlan is the number of fetches a page after which the threshold is the controller's alone.
const lastPlan = 12

// A page that has changed at nearly every fetch tells by that only that its rate is not
// small: of two such pages one may be worth its fetches and the other change so
// often that none is. Where more than saturated changes are expected in an interval,
// a share of the fetches, probes, comes at the age ln 2/d at which a change is as likely as none.
const (
	saturated = 1.5
	probes    = 0.25
)

// pace is what the daemon knows of a core.watch_pace row.
type pace struct {
	threshold float64
	hosts     map[string]float64
	reach     time.Duration
}

// due is when a page is next due for a watch after an attempt that started at a time, with
// that many failures in a row since it was last read. Each failure after the first doubles
// the interval.
func (p pace) due(host, url string, w *Watch, started time.Time, rate store.Rate, s *adaptive.Signals, failures int) time.Time {
	ratio := 1.
	if s != nil {
		ratio = s.Ratio(false)
	}
	lim := p.limits(w)
	page := p.page(rate.State, w.Auto.importance(url))
	interval := page.HintedInterval(p.of(host), ratio, lim)
	if x := page.Rate * interval.Hours(); interval < lim.Max && x > saturated && w.Plan != nil && w.Plan.Draw(url, started) < probes {
		interval = max(lim.Min, time.Duration(math.Ln2/page.Rate*float64(time.Hour)))
	}
	if failures > 1 {
		interval = min(interval<<min(failures-1, maxDoublings), lim.Max)
	}
	if w.Plan != nil {
		interval = min(interval+w.Plan.Jitter(url, started, interval), lim.Max)
	}
	return started.Add(interval).Truncate(time.Microsecond)
}

func (p pace) of(host string) float64 { return p.threshold * max(1, p.hosts[host]) }

func (p pace) limits(w *Watch) adaptive.Limits {
	lim := w.Auto.Limits
	lim.Max = max(lim.Max, p.reach)
	return lim
}

func (pace) page(state []byte, importance float64) adaptive.Page {
	var e adaptive.Estimator
	_ = e.UnmarshalBinary(state) // one that is damaged starts again
	return adaptive.Page{Importance: importance, Rate: e.Rate(adaptive.Prior{Changes: 0.25, Over: 6 * time.Hour})}
}

// pace returns what is known of a watch's pace; the zero pace, whose pages are
// fetched as often as allowed, is not asked for due times since nothing is claimed before all paces are known.
func (d *Daemon) pace(w *Watch) pace {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.paces[w.ID]
}

// autos returns the watches with an Auto, and whether the pace of one is not known yet.
func (d *Daemon) autos() (out []*Watch, missing bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, w := range d.watches {
		if w.Auto != nil && w.Broken == "" {
			_, known := d.paces[id]
			missing = missing || !known
			out = append(out, w)
		}
	}
	return out, missing
}

// tick is how often the pace of a watch is looked at: 20 times in the mean interval M, but
// not before the budget allows some 40 fetches: fewer say more of chance than of the threshold.
func (r *run) tick(w *Watch, pages int) time.Duration {
	hour := float64(time.Hour)
	mean := float64(max(pages, 1)) / w.Auto.Budget * hour
	tick := time.Duration(min(max(mean/20, min(40/w.Auto.Budget*hour, mean)), 24*hour))
	return max(tick, time.Minute, r.opt.machine(time.Second))
}

// keepPaces looks at the paces of all watches with an Auto.
func (r *run) keepPaces(now time.Time, watches []*Watch) {
	r.pacing = true
	r.do(func(ctx context.Context) func() {
		next := now.Add(24 * time.Hour)
		paces := make(map[int32]pace, len(watches))
		for _, w := range watches {
			p, err := r.keepPace(ctx, w, now)
			if err != nil {
				return func() { r.pacing = false; r.away("keep the pace", err) }
			}
			paces[w.ID] = pace{p.Threshold, p.Hosts, p.Reach}
			if at := now.Add(r.tick(w, p.Pages)); at.Before(next) {
				next = at
			}
		}
		return func() {
			r.pacing = false
			r.answered()
			r.nextPace = next
			r.mu.Lock()
			r.paces = paces
			r.mu.Unlock()
		}
	})
}

// storedBy is the moment up to which pages that were due have been fetched and stored, unless they
// wait for their hosts: what is fetched waits up to Options.Flush to be stored with others.
func (r *run) storedBy(now time.Time) time.Time { return now.Add(-2 * r.opt.Flush) }

func (r *run) keepPace(ctx context.Context, w *Watch, now time.Time) (store.Pace, error) {
	a := w.Auto
	stale := func(p store.Pace) bool {
		return p.Budget != a.Budget || p.Shortest != a.Limits.Min || p.Longest != a.Limits.Max
	}
	tick := r.tick(w, r.pagesOf[w.ID])
	p, err := r.db.UpdatePace(ctx, w.ID, now, r.storedBy(now), tick, stale, func(p *store.Pace, o store.Observed) error {
		over := now.Sub(p.ObservedAt)
		p.Fetched += o.Fetched
		fresh := p.ObservedAt.IsZero() || stale(*p)
		if fresh {
			p.Budget, p.Shortest, p.Longest, p.Fetched, p.Threshold = a.Budget, a.Limits.Min, a.Limits.Max, 0, 0
		}
		grown := 5*(o.Pages-p.Pages) > p.Pages || 5*(p.Pages-o.Pages) > p.Pages
		if fresh || grown || p.Fetched >= p.PlanAt {
			return r.planPace(ctx, w, p, o.Pages)
		}
		c := adaptive.NewController(o.Pages, a.Budget, p.Threshold)
		c.Observe(int(o.Fetched)+o.Backlog-p.Backlog, o.Backlog, over)
		p.Threshold = c.Threshold()
		p.Applied = max(p.Applied, p.Threshold)
		return nil
	})
	if err != nil {
		return p, err
	}
	r.pagesOf[w.ID] = p.Pages
	if adaptive.NewController(p.Pages, p.Budget, p.Threshold).Outdated(p.Applied) {
		return p, r.hasten(ctx, w, p, now)
	}
	return p, nil
}

// planPace makes a plan from what is known of the pages.
func (r *run) planPace(ctx context.Context, w *Watch, p *store.Pace, pages int) error {
	n := 1 + pages/maxSample
	var hosts []adaptive.Host
	var names []string
	var page pace
	err := r.db.SampleRates(ctx, w.ID, n, func(host, url string, state []byte) {
		if k := len(names); k == 0 || names[k-1] != host {
			h := adaptive.Host{}
			if r.opt.HostLimit != nil {
				h.Limit = r.opt.HostLimit(host) / float64(n)
			}
			names, hosts = append(names, host), append(hosts, h)
		}
		h := &hosts[len(hosts)-1]
		h.Pages = append(h.Pages, page.page(state, w.Auto.importance(url)))
	})
	if err != nil {
		return err
	}
	plan := adaptive.MakePlan(hosts, w.Auto.Budget/float64(n), w.Auto.Limits)
	if before := p.Reach; plan.Stretched && before != plan.Limits.Max {
		r.opt.Logger.Warn("the budget does not allow to fetch every page within max", "watch", w.Name, "max", w.Auto.Limits.Max,
			"in_force", plan.Limits.Max.Round(time.Second), "pages", pages, "budget_per_hour", w.Auto.Budget)
	}
	if p.Threshold == 0 || p.Fetched < lastPlan*int64(pages) {
		p.Threshold = plan.Threshold
	}
	p.Reach, p.PlanAt = plan.Limits.Max, max(int64(pages), 2*p.Fetched)
	if p.Applied == 0 || p.Threshold > p.Applied {
		p.Applied = p.Threshold
	}
	p.Hosts = map[string]float64{}
	for i, name := range names {
		if plan.Threshold > 0 && plan.Hosts[i] > plan.Threshold {
			p.Hosts[name] = plan.Hosts[i] / plan.Threshold
		}
	}
	return nil
}

// hasten gives the waiting pages of a watch due times by a threshold that has sunk to less
// than half: those that were sent far off would not feel it for long. Pages that
// would have been due by now are spread over half the mean interval.
func (r *run) hasten(ctx context.Context, w *Watch, p store.Pace, now time.Time) error {
	known := pace{p.Threshold, p.Hosts, p.Reach}
	mean := time.Duration(float64(p.Pages) / p.Budget * float64(time.Hour))
	n, err := r.db.Hasten(ctx, w.ID, now, func(page store.Waiting) time.Time {
		if page.Slot.IsZero() || len(page.State) == 0 {
			return page.Due
		}
		due := known.due(page.Host, page.URL, w, page.Slot, store.Rate{State: page.State}, nil, 0)
		if due.Before(now) && w.Plan != nil {
			due = w.Plan.Spread(page.URL, now, mean/2)
		}
		return due
	})
	if err != nil {
		return err
	}
	r.opt.Logger.Info("pages were brought forward", "watch", w.Name, "pages", n)
	return r.db.PaceApplied(ctx, w.ID, p.Threshold)
}
