package main

import (
	"strings"
	"testing"
	"time"
)

// TestPacer plays a machine that can fetch for so many virtual seconds in a second, and
// of whose pages a tenth is late for each half hour that it is behind: the demo comes
// down to what it can do, and goes up again when it can do more.
func TestPacer(t *testing.T) {
	t.Parallel()
	p := newPacer(3600)
	can, behind := 1000.0, 0.0
	run := func(seconds int) (mean, latest float64) {
		for range seconds {
			speed := p.next(behind / 18000)
			behind = max(0, behind+speed-can)
			mean += speed / float64(seconds)
			latest = speed
		}
		return mean, latest
	}
	run(120)
	if mean, _ := run(600); mean > can*1.1 || mean < can/2 {
		t.Errorf("mean speed %.0f on a machine that can do %.0f", mean, can)
	}
	if behind > 7200 {
		t.Errorf("%.0f s behind in the end", behind)
	}
	can = 1e6
	if _, latest := run(60); latest != 3600 {
		t.Errorf("speed %.0f on a machine that can do all, want 3600", latest)
	}
	can = 0
	if _, latest := run(600); latest != paceSlowest {
		t.Errorf("speed %.0f on a machine that can do nothing, want %.0f", latest, paceSlowest)
	}
	if slow := newPacer(10); slow.next(1) > 10 {
		t.Error("a speed below the slowest was raised")
	}
}

func TestDemoNotice(t *testing.T) {
	t.Parallel()
	if got := demoNotice(3600, 3600); !strings.Contains(got, "1 h pass in a second.") || !strings.Contains(got, "made up") {
		t.Error(got)
	}
	if got := demoNotice(3500, 3600); !strings.Contains(got, "1 h pass in a second.") {
		t.Errorf("told of a twentieth: %s", got)
	}
	if got := demoNotice(1200, 3600); !strings.Contains(got, "20 min pass in a second, less than the 1 h asked for") {
		t.Error(got)
	}
}

// TestPacerShown measures a clock that passes for a while at a speed other than it was set to.
func TestPacerShown(t *testing.T) {
	t.Parallel()
	p := newPacer(3600)
	for range 100 {
		p.measure(20*time.Minute, 2*time.Second)
	}
	p.measure(time.Hour, 0) // no time has passed by the machine: nothing is known
	if got := p.Speed(); got < 599 || got > 601 {
		t.Errorf("speed %.0f, want 600", got)
	}
}
