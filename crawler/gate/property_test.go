package gate_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/gate"
)

// record is what a host would have seen: the slow and obvious account of politeness.
type record struct {
	running int
	last    time.Time // of the last start or end
	not     time.Time // before which it wants no request
}

func (r *record) check(t interface{ Fatalf(string, ...any) }, now time.Time, connections int, gap time.Duration) {
	if r.running >= connections {
		t.Fatalf("request %d at once, allowed are %d", r.running+1, connections)
	}
	if !r.last.IsZero() && now.Sub(r.last) < gap {
		t.Fatalf("a request %s after the one before, want %s", now.Sub(r.last), gap)
	}
	if now.Before(r.not) {
		t.Fatalf("a request %s before the end of Retry-After", r.not.Sub(now))
	}
}

// TestPoliteness runs random schedulers against the gate: whatever they ask, and however the hosts
// answer, no host sees a request too many or too soon, and Ready tells the truth.
func TestPoliteness(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		opt := gate.Options{
			Connections: rapid.IntRange(1, 3).Draw(t, "connections"),
			Delay:       time.Duration(rapid.IntRange(1, 5).Draw(t, "delay")) * time.Second,
			BreakAfter:  rapid.IntRange(1, 4).Draw(t, "break after"),
			Forget:      time.Duration(rapid.IntRange(1, 100).Draw(t, "forget")) * time.Second,
		}
		g := gate.New(opt)
		names := []string{"a", "b", "c"}
		seen := map[string]*record{"a": {}, "b": {}, "c": {}}
		delay := map[string]time.Duration{}
		now := epoch
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond)
			name := rapid.SampledFrom(names).Draw(t, "host")
			r := seen[name]
			switch rapid.SampledFrom([]string{"start", "start", "end", "delay", "jump", "cancel"}).Draw(t, "do") {
			case "jump": // to where Ready points: then, and not earlier, a request starts
				at, why := g.Ready(name, now)
				if why == gate.Full || why == gate.Free {
					continue
				}
				if _, got := g.TryStart(name, at.Add(-1)); got == gate.Free {
					t.Fatalf("a request was granted before the time that Ready told")
				}
				now = at
				fallthrough
			case "start":
				_, ready := g.Ready(name, now)
				_, why := g.TryStart(name, now)
				if (ready == gate.Free) != (why == gate.Free) {
					t.Fatalf("Ready says %q, TryStart %q", ready, why)
				}
				if why == gate.Free {
					r.check(t, now, opt.Connections, max(opt.Delay, delay[name]))
					r.running++
					r.last = now
				}
			case "cancel":
				if _, why := g.TryStart(name, now); why == gate.Free {
					g.Cancel(name)
				}
			case "end":
				if r.running == 0 {
					continue
				}
				f := gate.Feedback{
					Status:     rapid.SampledFrom([]int{200, 200, 304, 404, 429, 503, 500, 0}).Draw(t, "status"),
					RetryAfter: time.Duration(rapid.IntRange(0, 60).Draw(t, "retry after")) * time.Second,
				}
				g.End(name, now, f)
				r.running--
				r.last = now
				if f.Status == 429 || f.Status == 503 {
					if until := now.Add(f.RetryAfter); until.After(r.not) {
						r.not = until
					}
				}
			case "delay":
				delay[name] = time.Duration(rapid.IntRange(0, 10).Draw(t, "crawl delay")) * time.Second
				g.SetCrawlDelay(name, delay[name], now)
			}
		}
	})
}

// TestYear drives a year of hourly fetches of pages on few hosts by one heap-less loop over Ready.
func TestYear(t *testing.T) {
	t.Parallel()
	const pages, hours = 5, 365 * 24
	g := gate.New(gate.Options{Delay: 2 * time.Second})
	var r record
	now, fetches := epoch, 0
	for h := range hours {
		if due := epoch.Add(time.Duration(h) * time.Hour); due.After(now) {
			now = due
		}
		for range pages {
			at, why := g.Ready(host, now)
			if why == gate.Full {
				t.Fatal("nothing runs, yet the host is full")
			}
			now = at
			if _, why := g.TryStart(host, now); why != gate.Free {
				t.Fatalf("refused at the time that Ready told: %s", why)
			}
			r.check(t, now, 1, 2*time.Second)
			now = now.Add(300 * time.Millisecond)
			f := ok()
			if fetches%977 == 0 {
				f = status(503)
			}
			g.End(host, now, f)
			r.last = now
			fetches++
		}
	}
	if want := pages * hours; fetches != want {
		t.Errorf("%d fetches in a year, want %d", fetches, want)
	}
}

// TestAcquireTogether lets many goroutines crowd one host.
func TestAcquireTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const callers, each = 8, 10
		g := gate.New(gate.Options{Connections: 2, Delay: time.Second})
		c := clock.Real{} // of the bubble
		begin := c.Now()
		var mu sync.Mutex
		var r record
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for range each {
					if err := g.Acquire(t.Context(), c, host, time.Hour); err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if r.running >= 2 || !r.last.IsZero() && c.Now().Sub(r.last) < time.Second {
						t.Errorf("%d running, %s after the one before", r.running, c.Now().Sub(r.last))
					}
					r.running++
					r.last = c.Now()
					mu.Unlock()
					time.Sleep(1500 * time.Millisecond)
					mu.Lock()
					r.running--
					r.last = c.Now()
					g.End(host, c.Now(), ok())
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if got := c.Now().Sub(begin); got < callers*each*time.Second || got > callers*each*3*time.Second {
			t.Errorf("%d requests, at least a second apart, took %s", callers*each, got)
		}
	})
}

func TestAcquireGivesUp(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{})
	c := clock.NewManual(epoch)
	visit(t, g, epoch, gate.Feedback{Status: 429, RetryAfter: time.Hour})
	var busy *gate.Busy
	if err := g.Acquire(t.Context(), c, host, time.Minute); !errors.As(err, &busy) || busy.Why != gate.RetryAfter {
		t.Errorf("Acquire = %v, want a Busy for %s at once", err, gate.RetryAfter)
	}
	if want := epoch.Add(time.Hour + time.Second); busy != nil && !busy.Until.Equal(want) {
		t.Errorf("Until = %s, want %s", busy.Until, want)
	}

	// A host that is full is given up when the patience has passed.
	if err := g.Acquire(t.Context(), c, "other", 0); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	go func() { errs <- g.Acquire(t.Context(), c, "other", time.Minute) }()
	c.AwaitTimers(1)
	c.Advance(time.Minute)
	if err := <-errs; !errors.As(err, &busy) || busy.Why != gate.Full {
		t.Errorf("Acquire = %v, want a Busy for %s", err, gate.Full)
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() { errs <- g.Acquire(ctx, c, "other", time.Hour) }()
	c.AwaitTimers(1)
	if s := g.State("other", c.Now()); s.Waiting != 1 || s.Running != 1 {
		t.Errorf("State = %+v, want one running and one waiting", s)
	}
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire = %v, want %v", err, context.Canceled)
	}
	if s := g.State("other", c.Now()); s.Waiting != 0 {
		t.Errorf("State = %+v, want nobody waiting", s)
	}
}

func ExampleGate() {
	g := gate.New(gate.Options{Delay: 10 * time.Second})
	now := time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC)
	if _, why := g.TryStart("example.org", now); why == gate.Free {
		g.End("example.org", now.Add(time.Second), gate.Feedback{Status: 429, RetryAfter: time.Minute})
	}
	at, why := g.Ready("example.org", now)
	fmt.Println(at.Format(time.TimeOnly), why)
	// Output: 12:01:01 retry-after
}
