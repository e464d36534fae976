package clock

import (
	"context"
	"time"
)

// driveEvery is how often a driven clock moves, in the machine's time.
const driveEvery = time.Millisecond

// heldMost is how long, in the machine's time, the clock stands at a stretch. Those who cannot
// keep up may be waiting for the clock themselves: for a batch to have waited long enough, for a
// lease to be renewed. A clock that stood for ever would never let them.
const heldMost = 250 * time.Millisecond

// driveMost bounds one move: a machine that was busy elsewhere makes the clock late, not hasty.
const driveMost = 20 * driveEvery

// Driven is a Manual clock that Run moves, for measurements: it passes at a speed, stands still
// while those who live by it cannot keep up, and may be moved on by hand besides.
type Driven struct {
	*Manual
	speed float64
}

// NewDriven returns a clock that stands at a moment until Run is called. A speed that is not
// positive counts as 1.
func NewDriven(at time.Time, speed float64) *Driven {
	if !(speed > 0) {
		speed = 1
	}
	return &Driven{Manual: NewManual(at), speed: speed}
}

// Speed returns how many seconds pass at most in a second of the machine.
func (d *Driven) Speed() float64 { return d.speed }

// Run moves the clock until the context is done. It asks hold before each move and lets the
// clock stand while that is true, but for one move in a while (heldMost); nil never holds.
func (d *Driven) Run(ctx context.Context, hold func() bool) {
	tick := time.NewTicker(driveEvery)
	defer tick.Stop()
	last := time.Now()
	moved := last
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		passed := min(now.Sub(last), driveMost)
		last = now
		if hold == nil || !hold() || now.Sub(moved) >= heldMost {
			moved = now
			d.Advance(scale(passed, d.speed))
		}
	}
}
