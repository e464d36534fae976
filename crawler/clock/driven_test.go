package clock_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
)

// TestDriven lets a clock run fast, all but stand while it is held, and be moved by hand.
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
	stood, since := d.Now(), time.Now()
	for range 50 {
		<-asked
	}
	moved := d.Now().Sub(stood)
	// Free, it would have moved by all of the machine's time.
	if most := time.Duration((float64(time.Since(since))/5 + float64(25*time.Millisecond)) * d.Speed()); moved > most {
		t.Errorf("a held clock moved by %s, want %s at most", moved, most)
	}
	// Who waits for the clock while it is held waits long, not for ever.
	if err := clock.Sleep(t.Context(), d, time.Second); err != nil {
		t.Fatal(err)
	}
	stood = d.Now()
	timer := d.NewTimer(24 * time.Hour)
	d.Advance(25 * time.Hour)
	<-timer.C
	if now := d.Now(); now.Before(stood.Add(25 * time.Hour)) {
		t.Errorf("moved by hand to %s", now)
	}
	stop()
	<-done
}
