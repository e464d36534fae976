package main

import (
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/gate"
)

// TestPausingGate shuts the gate for all hosts and opens it again.
func TestPausingGate(t *testing.T) {
	t.Parallel()
	paused := false
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := newPausing(gate.New(gate.Options{}), clock.NewScaled(now, 60), func() bool { return paused })
	if at, why := p.Ready("a.test", now); why != gate.Free || !at.Equal(now) {
		t.Errorf("open: %v %q", at, why)
	}
	paused = true
	if at, why := p.Ready("a.test", now); why != diskFull || at.Sub(now) != 10*time.Minute {
		t.Errorf("shut: %v %q, want ten seconds of the machine's time", at, why)
	}
	paused = false
	if _, why := p.Ready("a.test", now); why != gate.Free {
		t.Errorf("open again: %q", why)
	}
}
