package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
)

// The pace of a demo. At full speed a loaded machine falls behind, and then all pages
// are late, which says nothing of the program: the simulated web passes as fast as
// its pages can be fetched. And where a snapshot of a round is due, whose tolerance of
// 15 s would be 4 ms of the machine's time, time passes slowly until it is stored.
const (
	paceEvery   = 500 * time.Millisecond // of the machine's time
	paceLate    = 0.1                    // of the pages: from there on slower
	paceInTime  = 0.04                   // of the pages: up to there faster again
	paceSlower  = 0.9
	paceFaster  = 1.05
	paceSlowest = 60.0 // seconds in a second
	paceFirst   = 0.25 // of the most, until it is known what the machine can do
	paceRound   = 5.0  // while a snapshot of a round is due

	// paceGrace is how long a page may be due before it counts as late, as the pages
	// have it.
	paceGrace = 15 * time.Minute

	// paceMean is the share of a measured speed in the mean that is shown.
	paceMean = 0.2
)

// pacer decides how fast the time of a demo passes, and measures how fast it does. Make one with newPacer.
type pacer struct {
	most, speed float64
	passes      atomic.Int64 // the time that passed in a second of late
}

// newPacer returns a pacer that allows at most a speed.
func newPacer(most float64) *pacer {
	p := &pacer{most: most, speed: most * paceFirst}
	p.passes.Store(int64(p.speed * float64(time.Second)))
	return p
}

// next returns the speed for the next stretch, by the share of the pages that are late.
func (p *pacer) next(late float64) float64 {
	switch {
	case late > paceLate:
		p.speed = max(min(paceSlowest, p.most), p.speed*paceSlower)
	case late < paceInTime:
		p.speed = min(p.most, p.speed*paceFaster)
	}
	return p.speed
}

// measure notes what passed on the clock in a stretch of the machine's time.
func (p *pacer) measure(passed, machine time.Duration) {
	if machine > 0 {
		speed := float64(passed) / machine.Seconds()
		p.passes.Store(int64(float64(p.passes.Load())*(1-paceMean) + speed*paceMean))
	}
}

// Speed returns how many seconds have passed in a second of late.
func (p *pacer) Speed() float64 { return time.Duration(p.passes.Load()).Seconds() }

// lateShare is the share of a demo's pages that are late.
func (s *service) lateShare(ctx context.Context) (float64, error) {
	trouble, err := s.Trouble(ctx, s.clock.Now().Add(-paceGrace))
	return float64(trouble.Late) / demoPages, err
}

// keepTime tells the database what time it is, so that its views judge lateness by the clock
// as it really ran.
func (s *service) keepTime(ctx context.Context) error {
	id := s.daemon.Health().Daemon
	if id == 0 {
		return nil
	}
	return s.KeepTime(ctx, id, s.clock.Now())
}

// run sets the speed of a clock until ctx is done, and calls keep with every look. A database that is away
// leaves the speed as it is.
func (p *pacer) run(ctx context.Context, clk *clock.Varying, late func(context.Context) (float64, error), keep func(context.Context) error) error {
	tick := time.NewTicker(paceEvery)
	defer tick.Stop()
	machine, shown := time.Now(), clk.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now, at := time.Now(), clk.Now()
		p.measure(at.Sub(shown), now.Sub(machine))
		machine, shown = now, at
		share, err := late(ctx)
		if err == nil {
			err = keep(ctx)
		}
		if err != nil {
			continue
		}
		if speed := p.next(share); speed != clk.Speed() {
			clk.SetSpeed(speed)
		}
	}
}

// paceEnough is the share of the speed asked for from which on nobody is told that it is not reached.
const paceEnough = 0.9

// demoNotice says above every page of a demo what its reader sees.
func demoNotice(speed, most float64) string {
	if speed > most*paceEnough {
		speed = most
	}
	notice := fmt.Sprintf("This is a demo on a simulated web: all pages and their changes are made up, and so are the hosts that fail. %s pass in a second", spanOf(speed))
	if speed < most {
		notice += fmt.Sprintf(", less than the %s asked for, since time waits for this machine", spanOf(most))
	}
	return notice + "."
}

// spanOf prints a speed as the simulated time that passes in a second.
func spanOf(speed float64) string {
	switch {
	case speed >= 3600:
		return fmt.Sprintf("%.3g h", speed/3600)
	case speed >= 60:
		return fmt.Sprintf("%.2g min", speed/60)
	}
	return fmt.Sprintf("%.2g s", speed)
}
