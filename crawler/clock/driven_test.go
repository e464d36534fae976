package clock_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
)

// TestDriven lets a clock run fast, stand while it is held, and be moved by hand.
func TestDriven(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	d := clock.NewDriven(at, 36000)
	if d.Speed() != 36000 || clock.NewDriven(at, 0).Speed() != 1 {
		t.Errorf("speeds %v and %v, want 36000 and 1", d.Speed(), clock.NewDriven(at, 0).Speed())
	}
	ctx, stop := context.WithCancel(t.Context())
	var held atomic.Bool
	asked := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx, func() bool {
			select {
			case asked <- struct{}{}:
			default:
			}
			return held.Load()
		})
	}()
	if err := clock.Sleep(t.Context(), d, time.Hour); err != nil {
		t.Fatal(err)
	}
	if passed := d.Now().Sub(at); passed < time.Hour {
		t.Errorf("woken after %s, want an hour", passed)
	}
	held.Store(true)
	for range 3 { // a move may be under way that was asked for before
		<-asked
	}
	stood := d.Now()
	for range 3 {
		<-asked
	}
	if now := d.Now(); !now.Equal(stood) {
		t.Errorf("a held clock moved by %s", now.Sub(stood))
	}
	timer := d.NewTimer(24 * time.Hour)
	d.Advance(25 * time.Hour)
	<-timer.C
	if now := d.Now(); !now.Equal(stood.Add(25 * time.Hour)) {
		t.Errorf("moved by hand to %s", now)
	}
	stop()
	<-done
}
