package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/simweb"
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
	if at, why := p.Ready("a.test", now); why != diskFull || at.Sub(now) != 2*time.Minute {
		t.Errorf("shut: %v %q, want two seconds of the machine's time", at, why)
	}
	paused = false
	if _, why := p.Ready("a.test", now); why != gate.Free {
		t.Errorf("open again: %q", why)
	}
}

// TestFullDiskPausesCrawling fills a small file system under a running service, and makes
// room on it again. Where none can be mounted the room that has to be free becomes more
// than there is, and less again.
func TestFullDiskPausesCrawling(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	if err := os.Mkdir(state, 0o755); err != nil {
		t.Fatal(err)
	}
	mounted := syscall.Mount("tmpfs", state, "tmpfs", 0, "size=16m") == nil
	if mounted {
		t.Cleanup(func() { _ = syscall.Unmount(state, syscall.MNT_DETACH) })
	}

	options := simweb.Options{Hosts: 4, PagesPerHost: 40, Volatile: true, Epoch: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	clk := clock.NewScaled(options.Epoch, 3600)
	world, err := simweb.New(clk.Now, options)
	if err != nil {
		t.Fatal(err)
	}
	var homes []string
	for _, h := range world.Hosts() {
		if h.Robots < simweb.RobotsError {
			homes = append(homes, h.Home)
		}
	}
	file := filepath.Join(dir, "strandline.yaml")
	text := fmt.Sprintf("state_dir: %s\ndisk: {min_free: 8MiB}\nwatches: [{name: homes, schedule: '@hourly', urls: [%s]}]\n", state, strings.Join(homes, ", "))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{flags: globals{Config: file, Database: newDatabase(t)}, stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	o, err := a.create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	s, err := a.newService(o, clk, world.Transport())
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.run(running) }()
	requests := func() int {
		n := 0
		for _, h := range world.Stats().Hosts {
			n += h.Requests
		}
		return n
	}
	await := func(what string, holds func() bool) {
		t.Helper()
		for !holds() {
			select {
			case err := <-ended:
				t.Fatalf("the service ended while waiting for %s: %v", what, err)
			case <-ctx.Done():
				t.Fatalf("no %s", what)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	await("fetches", func() bool { return requests() > 3*len(homes) })

	ballast := filepath.Join(state, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 10<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if !mounted {
		s.disk.SetLeast(1 << 62)
	}
	s.disk.Look(time.Now())
	await("end of what was being fetched", func() bool { return s.daemon.Health().Fetching == 0 })
	before, hours := requests(), clk.Now().Add(3*time.Hour)
	await("three hours", func() bool { return clk.Now().After(hours) })
	if n := requests() - before; n > 1 { // one may have begun before the look
		t.Errorf("%d requests while the disk was full", n)
	}
	reasons := strings.Join(s.unready(ctx), "; ")
	if !strings.Contains(reasons, "crawling is paused") || !strings.Contains(fmt.Sprint(s.State(ctx)), "crawling is paused") {
		t.Errorf("readyz says %q", reasons)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if !mounted {
		s.disk.SetLeast(1)
	}
	s.disk.Look(time.Now())
	before = requests()
	await("fetches once there is room", func() bool { return requests() > before+len(homes) })
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
}
