package gate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/gate"
)

var epoch = time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)

const host = "www.example.org"

func ok() gate.Feedback                  { return gate.Feedback{Status: 200} }
func status(n int) gate.Feedback         { return gate.Feedback{Status: n} }
func failed(reason string) gate.Feedback { return gate.Feedback{Failed: reason} }

// visit starts a request that must be granted, lets it take a second, and ends it.
func visit(t *testing.T, g *gate.Gate, now time.Time, f gate.Feedback) time.Time {
	t.Helper()
	if at, why := g.TryStart(host, now); why != gate.Free {
		t.Fatalf("TryStart at %s: %s until %s, want it granted", now.Sub(epoch), why, at.Sub(epoch))
	}
	now = now.Add(time.Second)
	g.End(host, now, f)
	return now
}

// wants checks when the host is ready again, seen from now.
func wants(t *testing.T, g *gate.Gate, now time.Time, wait time.Duration, why gate.Why) {
	t.Helper()
	at, got := g.Ready(host, now)
	if at.Sub(now) != wait || got != why {
		t.Errorf("Ready = in %s for %q, want in %s for %q", at.Sub(now), got, wait, why)
	}
}

func TestDelayIsTheLongest(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{Delay: 2 * time.Second})
	wants(t, g, epoch, 0, gate.Free)
	now := visit(t, g, epoch, ok())
	wants(t, g, now, 2*time.Second, gate.Gap)
	g.SetCrawlDelay(host, 10*time.Second, now)
	wants(t, g, now, 10*time.Second, gate.Gap)
	wants(t, g, now.Add(10*time.Second-1), 1, gate.Gap)
	wants(t, g, now.Add(10*time.Second), 0, gate.Free)
	g.SetCrawlDelay(host, time.Second, now)
	wants(t, g, now, 2*time.Second, gate.Gap)
	if at, why := g.Ready("other.example.org", now); why != gate.Free || !at.Equal(now) {
		t.Errorf("another host is held back until %s for %s", at, why)
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{Connections: 2, Delay: -1})
	for range 2 {
		if _, why := g.TryStart(host, epoch); why != gate.Free {
			t.Fatalf("TryStart: %s", why)
		}
	}
	at, why := g.TryStart(host, epoch)
	if why != gate.Full || !at.After(epoch) {
		t.Fatalf("a third request: %q at %s, want %q later", why, at, gate.Full)
	}
	g.End(host, epoch, ok())
	wants(t, g, epoch, 0, gate.Free)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		f    gate.Feedback
		wait time.Duration
		why  gate.Why
	}{
		{"429", gate.Feedback{Status: 429, RetryAfter: 5 * time.Minute}, 5 * time.Minute, gate.RetryAfter},
		{"503 less than the back-off", gate.Feedback{Status: 503, RetryAfter: time.Second}, 30 * time.Second, gate.BackedOff},
		{"500", gate.Feedback{Status: 500, RetryAfter: 2 * time.Minute}, 2 * time.Minute, gate.RetryAfter},
		{"a year is cut to a day", gate.Feedback{Status: 429, RetryAfter: 365 * 24 * time.Hour}, 24 * time.Hour, gate.RetryAfter},
		{"of a redirect it means something else", gate.Feedback{Status: 301, RetryAfter: time.Hour}, time.Second, gate.Gap},
		{"negative", gate.Feedback{Status: 429, RetryAfter: -time.Hour}, 30 * time.Second, gate.BackedOff},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := gate.New(gate.Options{})
			now := visit(t, g, epoch, tc.f)
			wants(t, g, now, tc.wait, tc.why)
			wants(t, g, now.Add(tc.wait), 0, gate.Free)
		})
	}
}

func TestBackoffDoublesAndRecovers(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{Backoff: time.Minute, MaxBackoff: 5 * time.Minute})
	now := epoch
	for _, want := range []time.Duration{1, 2, 4, 5, 5} {
		now = visit(t, g, now, status(429))
		wants(t, g, now, want*time.Minute, gate.BackedOff)
		now = now.Add(want * time.Minute)
	}
	for range 4 {
		now = visit(t, g, now, ok())
		wants(t, g, now, time.Second, gate.Gap)
		now = now.Add(time.Second)
	}
	now = visit(t, g, now, status(503))
	wants(t, g, now, 2*time.Minute, gate.BackedOff) // four of five doublings were taken back
}

func TestCircuit(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{Connections: 4, Delay: -1, BreakAfter: 3, BreakFor: time.Minute, MaxBackoff: 3 * time.Minute})
	now := epoch
	for _, f := range []gate.Feedback{failed("connection refused"), status(502)} {
		now = visit(t, g, now, f)
		wants(t, g, now, 0, gate.Free)
	}
	for _, want := range []time.Duration{1, 2, 3, 3} {
		now = visit(t, g, now, failed("timeout"))
		wants(t, g, now, want*time.Minute, gate.Broken)
		now = now.Add(want * time.Minute)
	}
	s := g.State(host, now)
	if s.Failures != 6 || !s.Broken || s.Reason != "timeout" {
		t.Errorf("State = %+v, want 6 failures, an open circuit, and the reason", s)
	}
	// The probe is alone although four connections are allowed; its success closes the circuit.
	if _, why := g.TryStart(host, now); why != gate.Free {
		t.Fatalf("no probe: %s", why)
	}
	if _, why := g.TryStart(host, now); why != gate.Full {
		t.Errorf("a second request beside the probe: %q, want %q", why, gate.Full)
	}
	g.End(host, now, status(404))
	wants(t, g, now, 0, gate.Free)
	want := gate.State{Host: host, ReadyAt: now}
	if diff := cmp.Diff(want, g.State(host, now)); diff != "" {
		t.Errorf("state after the probe (-want +got):\n%s", diff)
	}
}

func TestSuccessBetweenFailures(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{Delay: -1, BreakAfter: 2})
	now := epoch
	for i := range 10 {
		f := ok()
		if i%2 == 0 {
			f = failed("reset")
		}
		now = visit(t, g, now, f)
		wants(t, g, now, 0, gate.Free)
	}
}

func TestUnknownCountsForTheDelayAlone(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{BreakAfter: 3})
	now := epoch
	for range 2 {
		now = visit(t, g, now, failed("timeout")).Add(time.Second)
	}
	now = visit(t, g, now, gate.Feedback{Unknown: true, RetryAfter: time.Hour})
	wants(t, g, now, time.Second, gate.Gap)
	if s := g.State(host, now); s.Failures != 2 || s.Broken {
		t.Errorf("State = %+v, want two failures", s)
	}
}

func TestCancelLeavesNoTrace(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{})
	now := visit(t, g, epoch, ok()).Add(time.Second)
	before := g.State(host, now)
	if _, why := g.TryStart(host, now); why != gate.Free {
		t.Fatal(why)
	}
	g.Cancel(host)
	if diff := cmp.Diff(before, g.State(host, now)); diff != "" {
		t.Errorf("state after Cancel (-before +after):\n%s", diff)
	}
	g.Cancel(host) // once too often
	g.End(host, now, failed("nothing"))
	if diff := cmp.Diff(before, g.State(host, now)); diff != "" {
		t.Errorf("state after calls without a request (-before +after):\n%s", diff)
	}
}

func TestIdleHostsAreForgotten(t *testing.T) {
	t.Parallel()
	g := gate.New(gate.Options{Forget: time.Minute})
	now := epoch
	for i := range 50_000 {
		name := fmt.Sprintf("h%d.example.org", i)
		if _, why := g.TryStart(name, now); why != gate.Free {
			t.Fatal(why)
		}
		f := ok()
		if i == 7 {
			f.Status, f.RetryAfter = 429, 24*time.Hour
		}
		g.End(name, now, f)
		now = now.Add(100 * time.Millisecond)
	}
	if n := g.Known(); n > 5_000 {
		t.Errorf("%d hosts are remembered, of which some 600 were used in the last minute", n)
	}
	if s := g.State("h7.example.org", now); s.Why != gate.RetryAfter {
		t.Errorf("the host that asked for a day of rest: %+v", s)
	}
	if got, want := len(g.States(now)), g.Known(); got != want {
		t.Errorf("States returned %d of %d hosts", got, want)
	}
}

func TestFreed(t *testing.T) {
	t.Parallel()
	var freed []string
	var g *gate.Gate
	g = gate.New(gate.Options{Delay: -1, Freed: func(h string) {
		freed = append(freed, h)
		g.Ready(h, epoch) // no lock is held
	}})
	visit(t, g, epoch, ok())
	if _, why := g.TryStart(host, epoch.Add(time.Second)); why != gate.Free {
		t.Fatal(why)
	}
	g.Cancel(host)
	if diff := cmp.Diff([]string{host, host}, freed); diff != "" {
		t.Errorf("freed (-want +got):\n%s", diff)
	}
}

func BenchmarkVisit(b *testing.B) {
	g := gate.New(gate.Options{})
	names := make([]string, 1<<14)
	for i := range names {
		names[i] = fmt.Sprintf("www.host-%d.example.org", i)
	}
	b.ReportAllocs()
	now := epoch
	for i := range b.N {
		name := names[i%len(names)]
		g.Ready(name, now)
		g.TryStart(name, now)
		g.End(name, now, ok())
		now = now.Add(time.Millisecond)
	}
}
