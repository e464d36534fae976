package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/monitor"
)

// TestDaemonRetains runs the daemon's part that gives up what is old on a clock that is
// moved by hand: nothing at the start, nor while nothing is written in the configuration; then
// once a day by what is in force that day.
func TestDaemonRetains(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, config := filepath.Join(dir, "sample.warc.gz"), filepath.Join(dir, "strandline.yaml")
	var sample bytes.Buffer
	if err := (&sampleArchiveCmd{Out: "-", Pages: 8, Days: 2, Seed: 1}).write(t.Context(), &sample); err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, sample.Bytes())
	write(config, []byte("{}\n"))
	a := &app{flags: globals{Config: config, Database: newDatabase(t)}, stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	o, err := a.create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, err := archive.Import(t.Context(), o.DB, o.reader, []string{file}, archive.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := monitor.New(o.DB, monitor.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	start := time.Date(2025, 7, 20, 6, 0, 0, 0, time.UTC)
	clk := clock.NewManual(start)
	s := &service{opened: o, app: a, clock: clk, config: o.config}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.retain(ctx) }()
	counted := func(query string) (n int) {
		t.Helper()
		if err := o.Pool().QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const runs, thinned = `select count(*) from api_v1.retention_run where finished_at is not null and error is null`, `select count(*) from api_v1.version where thinned_at is not null`
	next := func(want time.Time, wantRuns int) {
		t.Helper()
		clk.AwaitTimers(1)
		if at, _ := clk.Next(); !at.Equal(want) {
			t.Fatalf("it wakes next at %s, want %s", at, want)
		}
		if n := counted(runs); n != wantRuns {
			t.Errorf("%d runs before %s, want %d", n, want, wantRuns)
		}
		clk.Step()
	}
	next(start.Add(10*time.Minute), 0)
	next(start.Add(24*time.Hour), 0) // nothing was set
	write(config, []byte("retention: {versions: {all: 1d, daily: 1d, monthly: 1d}}\n"))
	c, err := a.config()
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.config = c // as a reload does
	s.mu.Unlock()
	next(start.Add(24*time.Hour+10*time.Minute), 0)
	next(start.Add(48*time.Hour), 1)
	first := counted(thinned)
	if first == 0 {
		t.Error("a run gave nothing up")
	}
	next(start.Add(48*time.Hour+10*time.Minute), 1)
	next(start.Add(72*time.Hour), 2)
	if n := counted(thinned); n != first {
		t.Errorf("%d versions are thinned after the second run, %d after the first", n, first)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}
