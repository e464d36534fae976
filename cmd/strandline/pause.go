package main

import (
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/diskwatch"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/gate"
)

// pausedFor is how long a host is held back before the disk is asked again, in the
// machine's time; diskFull is what it waits for.
const (
	pausedFor = 2 * time.Second
	diskFull  = gate.Why("disk-full")
)

// pausing is a gate that is shut for all hosts while the disk is nearly full. What
// runs ends and is stored; nothing new begins, of schedules and of snapshots.
type pausing struct {
	*gate.Gate
	paused func() bool
	pause  time.Duration // pausedFor on the clock that hosts are asked by
}

func newPausing(g *gate.Gate, c clock.Clock, paused func() bool) pausing {
	return pausing{Gate: g, paused: paused, pause: machineTime(c, pausedFor)}
}

// machineTime is how much passes on a clock in a while of the machine's time, at least that while.
func machineTime(c clock.Clock, d time.Duration) time.Duration {
	if c, ok := c.(interface{ Speed() float64 }); ok {
		return time.Duration(float64(d) * max(1, c.Speed()))
	}
	return d
}

// Ready is gate.Gate.Ready, but for the pause.
func (p pausing) Ready(host string, now time.Time) (time.Time, gate.Why) {
	if p.paused() {
		return now.Add(p.pause), diskFull
	}
	return p.Gate.Ready(host, now)
}

// diskOf watches the disk of a command without the daemon. A state directory that cannot
// be had is not measured: the database is elsewhere then.
func (a *app) diskOf(o *opened) *diskwatch.Watch {
	return diskwatch.New(o.stateDir, uint64(o.config.Disk.MinFree), nil, a.log)
}
