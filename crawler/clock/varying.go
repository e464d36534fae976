package clock

import (
	"sync"
	"time"
)

// Varying is a clock whose speed can be changed while it runs, for a simulated web that
// shall pass no faster than the machine can keep up with.
type Varying struct {
	mu     sync.Mutex // guards all below
	base   time.Time  // by the machine's monotonic clock, when the speed was set
	start  time.Time  // what the clock showed then
	speed  float64
	timers map[*appointment]bool // that have not fired and were not stopped
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
	v.mu.Lock()
	defer v.mu.Unlock()
	real := time.Now()
	v.start, v.base = v.at(real), real
	v.speed = NewScaled(v.start, speed).speed
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
func (v *Varying) at(real time.Time) time.Time {
	return v.start.Add(scale(real.Sub(v.base), v.speed))
}

// wait is the machine's time until the clock shows a moment. The caller holds the lock.
func (v *Varying) wait(until time.Time) time.Duration {
	d := scale(until.Sub(v.at(time.Now())), 1/v.speed)
	if d > 0 {
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
