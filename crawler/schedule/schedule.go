// Package schedule computes when a watched page is due. It is pure: it keeps no
// state but a cache, and is always told the time.
//
// A [Plan] is the timing of one watch. Its schedule gives a grid of slots, times
// such as every full hour. A page is not due at the slot itself but somewhere
// behind it:
//
//	due = slot + phase*(W - J) + u*J
//
//	W      = min(Options.Spread, gap)     gap: time from this slot to the next
//	J      = min(Options.Jitter, gap/4)
//	phase  = hash(watch, page)       in [0, 1): spreads the pages of a watch
//	u      = hash(watch, page, slot) in [0, 1): "slightly more or less than an hour" (SCIENCE A4)
//
// Two things follow, and the tests hold them. A due time lies in [slot, next
// slot), so the slot of a fetch is the last grid time no later than its due time,
// and stays on the grid (SCIENCE C6). And two dues of a page are never closer than
// three quarters of the shorter of the two gaps beside them.
//
// Nothing runs on time always. [Plan.After] says what comes after a fetch that
// started when it did: which slots it came too late for, and when the page is due
// again, which is no sooner than three quarters of the interval after that start.
//
// Left out: reading cron lines, and where the due times are kept.
package schedule

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Schedule gives the slots. It must be safe for concurrent use.
type Schedule interface {
	// Next returns the first slot after t; the zero time if there is none.
	Next(t time.Time) time.Time
	// Interval returns the mean time between slots.
	Interval() time.Duration
}

// Options of a plan.
type Options struct {
	// Jitter is by how much dues differ from slot to slot; at most a quarter of the interval counts.
	Jitter time.Duration
	// Spread is the time behind a slot over which the pages are spread; zero means all of it.
	// [DefaultSpread] knows what suits a cron line.
	Spread time.Duration
}

// Plan is the timing of a watch. It is safe for concurrent use.
type Plan struct {
	watch    string
	schedule Schedule
	opt      Options
	every    time.Duration
	constant bool

	mu   sync.Mutex
	grid window
}

// ErrNever is the error of a schedule that never comes due.
var ErrNever = errors.New("the schedule never comes due")

// New returns the plan of a watch, whose name takes part in the phases. A schedule
// without slots of its own but with an interval is given a grid of that interval.
// It fails if the schedule has neither, or panics.
func New(watch string, s Schedule, opt Options) (p *Plan, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("schedule of %s: %v", watch, r)
		}
	}()
	p = &Plan{watch: watch, schedule: s, opt: opt, every: s.Interval()}
	p.opt.Jitter = max(opt.Jitter, 0)
	// An "every" schedule counts from the time it is asked, and has no grid of its own.
	// It is told by doing so; its grid are the multiples of the interval since 1970.
	probe := time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
	first, second := s.Next(probe), s.Next(probe.Add(time.Second))
	if first.IsZero() {
		if p.every <= 0 {
			return nil, fmt.Errorf("schedule of %s: %w", watch, ErrNever)
		}
		p.constant = true
		return p, nil
	}
	if p.every <= 0 {
		return nil, fmt.Errorf("schedule of %s: no interval", watch)
	}
	p.constant = first.Sub(probe) == p.every && second.Sub(first) == time.Second
	return p, nil
}

// Every returns the mean time between two dues of a page.
func (p *Plan) Every() time.Duration { return p.every }

// Due returns when the page is due for a slot of the grid.
func (p *Plan) Due(page string, slot time.Time) (time.Time, error) {
	next, err := p.NextSlot(slot)
	if err != nil {
		return time.Time{}, err
	}
	return p.due(page, slot, next), nil
}

func (p *Plan) due(page string, slot, next time.Time) time.Time {
	gap := next.Sub(slot)
	spread := gap
	if p.opt.Spread > 0 {
		spread = min(p.opt.Spread, gap)
	}
	jitter := min(p.opt.Jitter, gap/4)
	phase := fraction(p.watch, page, 0)
	u := fraction(p.watch, page, slot.Unix())
	behind := scale(max(0, spread-jitter), phase) + scale(jitter, u)
	// PostgreSQL keeps microseconds; what is stored must compare equal.
	return slot.Add(min(behind, gap-time.Microsecond).Truncate(time.Microsecond))
}

// First returns the slot and the due time of a page that joins at now. The page is
// first due at once, within the given time that spreads many newcomers, for the
// slot that is running.
func (p *Plan) First(page string, now time.Time, within time.Duration) (slot, due time.Time, err error) {
	slot, err = p.SlotAt(now)
	if err != nil {
		return slot, due, err
	}
	next, err := p.NextSlot(slot)
	if err != nil {
		return slot, due, err
	}
	gap := next.Sub(slot)
	within = max(0, min(within, gap/4, next.Sub(now)-time.Microsecond))
	return slot, now.Add(scale(within, fraction(p.watch, page, -1))).Truncate(time.Microsecond), nil
}

// Spread returns the moment in [now, now+within] that falls to a page when many
// pages are put off together.
func (p *Plan) Spread(page string, now time.Time, within time.Duration) time.Time {
	return now.Add(scale(max(0, within), fraction(p.watch, page, -1))).Truncate(time.Microsecond)
}

// Jitter returns by how much a page that comes again after an interval of its own, not
// on the grid, comes later: at most a quarter of the interval.
func (p *Plan) Jitter(page string, at time.Time, interval time.Duration) time.Duration {
	return scale(min(p.opt.Jitter, interval/4), fraction(p.watch, page, at.UnixMicro()))
}

// Draw returns a number in [0, 1) that follows from the watch, the page and the time alone.
func (p *Plan) Draw(page string, at time.Time) float64 {
	return fraction(p.watch, page, -at.UnixMicro())
}

// DefaultSpread returns the Options.Spread that suits a cron line: a line that
// names times of day means them, so its pages are spread over an hour at most;
// "@hourly", "@daily" and "@every 10m" only say how often. A zone in front
// ("CRON_TZ=Asia/Tokyo @daily") makes no difference.
func DefaultSpread(line string) time.Duration {
	for i := 0; i < len(line); i++ {
		if line[i] == '@' && (i == 0 || line[i-1] == ' ') {
			return 0
		}
	}
	return time.Hour
}
