package clock_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/clock"
)

var epoch = time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)

var _ = []clock.Clock{clock.Real{}, &clock.Scaled{}, &clock.Manual{}}

func TestManualFiresInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		waits := rapid.SliceOfN(rapid.IntRange(-2, 20), 0, 30).Draw(t, "waits")
		steps := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 8).Draw(t, "steps")
		stopped := rapid.IntRange(0, 40).Draw(t, "stopped")
		m := clock.NewManual(epoch)
		timers := make([]*clock.Timer, len(waits))
		for i, w := range waits {
			timers[i] = m.NewTimer(time.Duration(w) * time.Second)
		}
		if stopped < len(waits) {
			if got, want := timers[stopped].Stop(), waits[stopped] > 0; got != want {
				t.Fatalf("Stop of a timer of %d s = %t, want %t", waits[stopped], got, want)
			}
		}
		for _, s := range steps {
			m.Advance(time.Duration(s) * time.Second)
			for i, w := range waits {
				passed := m.Now().Sub(epoch) >= time.Duration(w)*time.Second
				select {
				case at := <-timers[i].C:
					want := epoch.Add(max(0, time.Duration(w)*time.Second))
					if !at.Equal(want) {
						t.Fatalf("timer of %d s fired at %s, want %s", w, at, want)
					}
					waits[i] = math.MaxInt32 // fired
				default:
					if passed && !(i == stopped && w > 0) {
						t.Fatalf("timer of %d s has not fired after %s", w, m.Now().Sub(epoch))
					}
				}
			}
		}
	})
}

// TestManualYear lets goroutines keep hourly appointments for a year, one step at a time, and
// finds every appointment kept at its minute.
func TestManualYear(t *testing.T) {
	t.Parallel()
	const sleepers, hours = 4, 365 * 24
	m := clock.NewManual(epoch)
	var mu sync.Mutex
	kept := make([][]time.Time, sleepers)
	var wg sync.WaitGroup
	for i := range sleepers {
		wg.Go(func() {
			for range hours {
				if err := clock.Sleep(t.Context(), m, time.Hour); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				kept[i] = append(kept[i], m.Now())
				mu.Unlock()
			}
		})
	}
	for range hours {
		m.AwaitTimers(sleepers)
		for range sleepers {
			m.Step()
		}
	}
	wg.Wait()
	if got, want := m.Now(), epoch.Add(hours*time.Hour); !got.Equal(want) {
		t.Errorf("the clock stands at %s, want %s", got, want)
	}
	for i, times := range kept {
		for h, at := range times {
			if want := epoch.Add(time.Duration(h+1) * time.Hour); !at.Equal(want) {
				t.Fatalf("sleeper %d: appointment %d at %s, want %s", i, h, at, want)
			}
		}
	}
}

func TestManualWakesInTimeOrder(t *testing.T) {
	t.Parallel()
	m := clock.NewManual(epoch)
	var order []int
	timers := map[int]*clock.Timer{}
	for _, s := range []int{5, 1, 4, 2, 3} {
		timers[s] = m.NewTimer(time.Duration(s) * time.Second)
	}
	for m.Step() {
		for s, timer := range timers {
			select {
			case <-timer.C:
				order = append(order, s)
			default:
			}
		}
	}
	if want := []int{1, 2, 3, 4, 5}; !slices.Equal(order, want) {
		t.Errorf("fired in order %v, want %v", order, want)
	}
}

func TestScaled(t *testing.T) {
	t.Parallel()
	for _, speed := range []float64{3600, 1, 0.25, 1e6} {
		synctest.Test(t, func(t *testing.T) {
			c := clock.NewScaled(epoch, speed)
			real := time.Now()
			if err := clock.Sleep(t.Context(), c, 90*time.Minute); err != nil {
				t.Fatal(err)
			}
			if got := c.Now().Sub(epoch); got < 90*time.Minute || got > 91*time.Minute {
				t.Errorf("speed %v: slept %s, want 90m", speed, got)
			}
			want := time.Duration(float64(90*time.Minute) / speed)
			if got := time.Since(real); got < want || got > want+time.Microsecond {
				t.Errorf("speed %v: took %s of the machine's time, want %s", speed, got, want)
			}
		})
	}
}

func TestScaledNeverFiresEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, speed := range []float64{7, 3600, 0.3, 12345.678} {
			c := clock.NewScaled(epoch, speed)
			for d := time.Duration(1); d < 1000*time.Hour; d = d*3 + 1 {
				until := c.Now().Add(d)
				if at := <-c.NewTimer(d).C; at.Before(until) {
					t.Fatalf("speed %v: a timer of %s fired %s early", speed, d, until.Sub(at))
				}
			}
		}
	})
}

func TestScaledOddSpeeds(t *testing.T) {
	t.Parallel()
	for _, speed := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if got := clock.NewScaled(epoch, speed).Speed(); got != 1 {
			t.Errorf("NewScaled(%v).Speed() = %v, want 1", speed, got)
		}
	}
}

func TestSleepCancelled(t *testing.T) {
	t.Parallel()
	m := clock.NewManual(epoch)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- clock.Sleep(ctx, m, time.Hour) }()
	m.AwaitTimers(1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Sleep = %v, want %v", err, context.Canceled)
	}
	if _, waiting := m.Next(); waiting {
		t.Error("the timer of a cancelled sleep is still waiting")
	}
}

func TestReal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := clock.Sleep(t.Context(), clock.Real{}, time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := (clock.Real{}).Now().Sub(start); got != time.Hour {
			t.Errorf("slept %s, want 1h", got)
		}
		if timer := (clock.Real{}).NewTimer(time.Hour); !timer.Stop() {
			t.Error("Stop of a waiting timer = false")
		}
	})
}
