package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
)

// TestVarying waits over changes of the speed, up and down: the moment is kept on the
// clock, and the machine's time is the sum over the stretches.
func TestVarying(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		before, after float64
		want          time.Duration // of the machine: 10 s before the change, the rest after it
	}{
		{"slower", 60, 6, 10*time.Second + 500*time.Second},
		{"faster", 60, 600, 10*time.Second + 5*time.Second},
		{"the same", 60, 60, 60 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := clock.NewVarying(epoch, tt.before)
				real := time.Now()
				timer := c.NewTimer(time.Hour)
				time.Sleep(10 * time.Second)
				c.SetSpeed(tt.after)
				at := <-timer.C
				if d := at.Sub(epoch); d < time.Hour || d > time.Hour+time.Second {
					t.Errorf("fired after %s of the clock, want 1h", d)
				}
				if got := time.Since(real); got < tt.want || got > tt.want+time.Microsecond {
					t.Errorf("took %s of the machine's time, want %s", got, tt.want)
				}
				if timer.Stop() {
					t.Error("a timer that fired was still to be stopped")
				}
			})
		})
	}
}

func TestVaryingStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := clock.NewVarying(epoch, 3600)
		timer := c.NewTimer(time.Hour)
		if !timer.Stop() {
			t.Error("a waiting timer was not stopped")
		}
		c.SetSpeed(1e6)
		time.Sleep(time.Minute)
		select {
		case at := <-timer.C:
			t.Errorf("a stopped timer fired at %s", at)
		default:
		}
		if at := <-c.NewTimer(-time.Second).C; at.Before(c.Now().Add(-time.Hour)) {
			t.Errorf("a timer without a wait fired at %s", at)
		}
	})
}
