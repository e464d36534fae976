package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
)

// The pace of a demo. At full speed a loaded machine falls behind, and then all pages
// are late, which says nothing of the program: the simulated web passes as fast as
// its pages can be fetched.
const (
	paceEvery   = time.Second // of the machine's time
	paceLate    = 0.1         // of the pages: from there on slower
	paceInTime  = 0.04        // of the pages: up to there faster again
	paceSlower  = 0.8
	paceFaster  = 1.1
	paceSlowest = 60.0 // seconds in a second

	// paceGrace is how long a page may be due before it counts as late, as the pages
	// have it.
	paceGrace = 15 * time.Minute
)

// pacer decides how fast the time of a demo passes. Make one with newPacer.
type pacer struct {
	most, speed float64
}

// newPacer returns a pacer that allows at most a speed.
func newPacer(most float64) *pacer { return &pacer{most: most, speed: most} }

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

// lateShare is the share of a demo's pages that are late.
func (s *service) lateShare(ctx context.Context) (float64, error) {
	trouble, err := s.Trouble(ctx, s.clock.Now().Add(-paceGrace))
	return float64(trouble.Late) / demoPages, err
}

// run sets the speed of a clock until ctx is done. A database that is away leaves the
// speed as it is.
func (p *pacer) run(ctx context.Context, clk *clock.Varying, late func(context.Context) (float64, error)) error {
	tick := time.NewTicker(paceEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		share, err := late(ctx)
		if err != nil {
			continue
		}
		if speed := p.next(share); speed != clk.Speed() {
			clk.SetSpeed(speed)
		}
	}
}

// demoNotice says above every page of a demo what its reader sees.
func demoNotice(speed, most float64) string {
	notice := fmt.Sprintf("This is a demo on a simulated web: all pages and their changes are made up, and so are the hosts that fail. %s pass in a second", spanOf(speed))
	if speed < most {
		notice += fmt.Sprintf(", less than the %s asked for, since this machine is busy", spanOf(most))
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
