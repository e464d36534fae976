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
	paceEvery   = time.Second      // of the machine's time
	paceBehind  = 6 * time.Minute  // of the simulated time: from there on slower
	paceCaught  = 90 * time.Second // up to there faster again
	paceSlower  = 0.7
	paceFaster  = 1.15
	paceSlowest = 60.0 // seconds in a second
)

// pacer decides how fast the time of a demo passes. Make one with newPacer.
type pacer struct {
	most, speed float64
}

// newPacer returns a pacer that allows at most a speed.
func newPacer(most float64) *pacer { return &pacer{most: most, speed: most} }

// next returns the speed for the next stretch, by how long pages have been ready to be
// fetched and were not.
func (p *pacer) next(behind time.Duration) float64 {
	switch {
	case behind > paceBehind:
		p.speed = max(min(paceSlowest, p.most), p.speed*paceSlower)
	case behind < paceCaught:
		p.speed = min(p.most, p.speed*paceFaster)
	}
	return p.speed
}

// run sets the speed of a clock until ctx is done.
func (p *pacer) run(ctx context.Context, clk *clock.Varying, behind func() time.Duration) error {
	tick := time.NewTicker(paceEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if speed := p.next(behind()); speed != clk.Speed() {
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
