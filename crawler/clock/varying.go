package clock

import (
	"sync"
	"time"
)

// Varying is a clock whose speed can be changed while it runs, for a simulated web that
// shall pass no faster than the machine can keep up with.
type Varying struct {
	mu    sync.Mutex // guards all below
	base  time.Time  // by the machine's monotonic clock, when the speed was set
	start time.Time  // what the clock showed then
	speed float64
	// From the moment slowFrom on, if that is not zero, it runs at slow at most.
	slowFrom time.Time
	slow     float64
	timers   map[*appointment]bool // that have not fired and were not stopped
}

// appointment is a timer of a Varying.
type appointment struct {
	until time.Time
	c     chan time.Time
	timer *time.Timer
}

// NewVarying returns a clock that shows start now and runs speed seconds in a second of the
// machine. A speed that is not a positive finite number counts as 1.
func NewVarying(start time.Time, speed float64) *Varying {
	return &Varying{base: time.Now(), start: start.Round(0), speed: NewScaled(start, speed).speed, timers: map[*appointment]bool{}}
}

// Speed returns how many seconds pass in a second of the machine.
func (v *Varying) Speed() float64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.speed
}

// SetSpeed changes the speed from now on. Whoever waits for a moment is woken when the clock
// gets there at its new speed. A speed that is not a positive finite number counts as 1.
func (v *Varying) SetSpeed(speed float64) {
	v.change(func() { v.speed = NewScaled(v.start, speed).speed })
}

// SlowFrom lets the clock run no faster than a speed from a moment on, until it is told
// another moment; zero: not at all. So that moment comes as soon as ever, and then waits
// for who is late for it. A speed that is not a positive finite number counts as 1.
func (v *Varying) SlowFrom(at time.Time, speed float64) {
	v.change(func() { v.slowFrom, v.slow = at.Round(0), NewScaled(at, speed).speed })
}

// change changes how the clock runs from now on, and wakes who waits at the right time.
func (v *Varying) change(how func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	real := time.Now()
	v.start, v.base = v.at(real), real
	how()
	for a := range v.timers {
		a.timer.Reset(v.wait(a.until))
	}
}

// Now returns the moment that the clock shows.
func (v *Varying) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.at(time.Now())
}

// at is what the clock shows at a time of the machine. The caller holds the lock.
//
//	start + speed x           while that is before slowFrom, where x is the machine's time since base
//	from + least (x - x0)     after that; from is the later of start and slowFrom, and x0 when it got there
func (v *Varying) at(real time.Time) time.Time {
	passed := real.Sub(v.base)
	t := v.start.Add(scale(passed, v.speed))
	if v.slowFrom.IsZero() || !t.After(v.slowFrom) {
		return t
	}
	from, until := v.bend()
	return from.Add(scale(passed-until, min(v.slow, v.speed)))
}

// bend returns from where on the clock runs slowly, and how long after base of the
// machine's time that is.
func (v *Varying) bend() (from time.Time, after time.Duration) {
	if !v.slowFrom.After(v.start) {
		return v.start, 0
	}
	return v.slowFrom, scale(v.slowFrom.Sub(v.start), 1/v.speed)
}

// wait is the machine's time until the clock shows a moment. The caller holds the lock.
func (v *Varying) wait(until time.Time) time.Duration {
	passed := time.Since(v.base)
	d := scale(until.Sub(v.start), 1/v.speed)
	if !v.slowFrom.IsZero() && until.After(v.slowFrom) {
		from, after := v.bend()
		d = after + scale(until.Sub(from), 1/min(v.slow, v.speed))
	}
	if d -= passed; d > 0 {
		d++ // what rounding took away
	}
	return max(0, d)
}

// NewTimer returns a timer that fires when d has passed on this clock, never earlier.
func (v *Varying) NewTimer(d time.Duration) *Timer {
	v.mu.Lock()
	defer v.mu.Unlock()
	a := &appointment{until: v.at(time.Now()).Add(d), c: make(chan time.Time, 1)}
	v.timers[a] = true
	a.timer = time.AfterFunc(v.wait(a.until), func() { v.fire(a) })
	return &Timer{C: a.c, stop: func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		waiting := v.timers[a]
		delete(v.timers, a)
		a.timer.Stop()
		return waiting
	}}
}

// fire ends a timer, or puts it off where the clock was slowed down as it was about to fire.
func (v *Varying) fire(a *appointment) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.timers[a] {
		return
	}
	now := v.at(time.Now())
	if now.Before(a.until) {
		a.timer.Reset(v.wait(a.until))
		return
	}
	delete(v.timers, a)
	a.c <- now
}
