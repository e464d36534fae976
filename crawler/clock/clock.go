// Package clock is the time of the daemon: what "now" is, and how to wait for a moment.
//
// Everything that decides by time, the schedules, the politeness and the age of what is cached,
// takes a [Clock]. [Real] is the machine's clock. [Scaled] starts at a chosen moment and runs at a
// chosen speed, for simulated webs; that of [Varying] can be changed. [Manual] stands still until it is told to move, for tests: a
// year passes in as many steps as there are things to wait for.
//
// Left out: the deadlines of the network. A host that hangs wastes the machine's time, whatever
// the daemon believes the date to be, so they stay on the machine's clock.
package clock

import (
	"context"
	"math"
	"time"
)

// Clock tells the time and wakes those who wait for it. Its methods may be used concurrently.
type Clock interface {
	// Now returns the current moment. It never goes back.
	Now() time.Time
	// NewTimer returns a timer that fires once, when d has passed on this clock: at once if d is
	// not positive.
	NewTimer(d time.Duration) *Timer
}

// Timer fires once.
type Timer struct {
	// C gets the clock's time when the timer fires. It has room for it: nobody needs to wait.
	C    <-chan time.Time
	stop func() bool
}

// Stop ends a timer that is no longer waited for, and reports whether it had not fired yet.
func (t *Timer) Stop() bool { return t.stop() }

// Sleep waits until d has passed on the clock, or until the context is done, whose error it then
// returns.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Real is the machine's clock.
type Real struct{}

// Now returns time.Now.
func (Real) Now() time.Time { return time.Now() }

// NewTimer is time.NewTimer.
func (Real) NewTimer(d time.Duration) *Timer {
	t := time.NewTimer(d)
	return &Timer{C: t.C, stop: t.Stop}
}

// Scaled is a clock that was set once and runs faster or slower than the machine's.
type Scaled struct {
	base  time.Time // by the machine's monotonic clock
	start time.Time
	speed float64
}

// NewScaled returns a clock that shows start now and runs speed seconds in a second of the
// machine. A speed that is not a positive finite number counts as 1.
func NewScaled(start time.Time, speed float64) *Scaled {
	if !(speed > 0) || math.IsInf(speed, 1) {
		speed = 1
	}
	return &Scaled{base: time.Now(), start: start.Round(0), speed: speed}
}

// Speed returns how many seconds pass in a second of the machine.
func (s *Scaled) Speed() float64 { return s.speed }

// Now returns the moment that the clock shows.
func (s *Scaled) Now() time.Time { return s.start.Add(scale(time.Since(s.base), s.speed)) }

// NewTimer returns a timer that fires when d has passed on this clock, never earlier.
func (s *Scaled) NewTimer(d time.Duration) *Timer {
	c := make(chan time.Time, 1)
	wait := scale(d, 1/s.speed)
	if d > 0 {
		wait++ // what rounding took away
	}
	t := time.AfterFunc(wait, func() { c <- s.Now() })
	return &Timer{C: c, stop: t.Stop}
}

// scale multiplies without overflow.
func scale(d time.Duration, by float64) time.Duration {
	x := float64(d) * by
	switch {
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	return time.Duration(x)
}
