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

// TestVaryingSlowFrom waits for moments before and after the one from which the clock is slow, told
// before the timer was made and after it, and once the slowness is over.
func TestVaryingSlowFrom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := clock.NewVarying(epoch, 60)
		real := time.Now()
		at := func(what string, timer *clock.Timer, want time.Duration, machine time.Duration) {
			t.Helper()
			got := (<-timer.C).Sub(epoch)
			if got < want || got > want+time.Second {
				t.Errorf("%s: fired at %s, want %s", what, got, want)
			}
			if passed := time.Since(real); passed < machine || passed > machine+time.Microsecond {
				t.Errorf("%s: after %s of the machine's time, want %s", what, passed, machine)
			}
		}
		before := c.NewTimer(31 * time.Minute)
		c.SlowFrom(epoch.Add(30*time.Minute), 2)
		at("half an hour", c.NewTimer(30*time.Minute), 30*time.Minute, 30*time.Second)
		at("a minute more", before, 31*time.Minute, 60*time.Second)
		long := c.NewTimer(29 * time.Minute)
		if got := c.Now().Sub(epoch); got < 31*time.Minute || got > 31*time.Minute+time.Second {
			t.Errorf("the clock shows %s, want 31m", got)
		}
		c.SlowFrom(time.Time{}, 2)
		at("the hour", long, time.Hour, 89*time.Second)
		c.SlowFrom(epoch, 2) // long past: slow at once, but never faster than it was
		at("two seconds", c.NewTimer(2*time.Second), time.Hour+2*time.Second, 90*time.Second)
		c.SetSpeed(1)
		at("a second", c.NewTimer(time.Second), time.Hour+3*time.Second, 91*time.Second)
	})
}
