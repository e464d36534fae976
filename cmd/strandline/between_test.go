package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/store"
)

// TestComputeLate: a daemon that begins computes what ended while none was there to
// compute it.
func TestComputeLate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "strandline.yaml")
	if err := os.WriteFile(file, []byte("series: [{name: s, seeds: ['http://a.test/']}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{flags: globals{Config: file, Database: newDatabase(t)}, stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	o, err := a.create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	now := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	row, err := o.EnsureSeries(t.Context(), "s", nil)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := o.ResolvePages(t.Context(), []store.Sighting{{URL: "http://a.test/", At: now}})
	if err != nil {
		t.Fatal(err)
	}
	id, err := o.BeginSnapshot(t.Context(), store.Begin{Series: row.ID, At: now, Seeds: []store.Find{{Page: pages["http://a.test/"]}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.newService(o, clock.NewManual(now.Add(time.Hour)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, ended := range []bool{false, true} {
		if ended {
			if err := o.EndSnapshot(t.Context(), id, store.SnapshotDone, now.Add(time.Minute), ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.computeLate(t.Context(), row); err != nil {
			t.Fatal(err)
		}
		if got, err := o.Snapshot(t.Context(), id); err != nil || got.ComputedAt.IsZero() == ended {
			t.Errorf("ended %t: computed at %v, %v", ended, got.ComputedAt, err)
		}
	}
}
