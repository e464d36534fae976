package diskwatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPause walks the free space down and up again.
func TestPause(t *testing.T) {
	t.Parallel()
	const least = 800
	var free uint64 = 10_000
	var wrong error
	measure := func(string) (Space, error) { return Space{Free: free, Size: 20_000}, wrong }
	w := New("/state", least, measure, slog.New(slog.DiscardHandler))
	steps := []struct {
		free   uint64
		wrong  error
		paused bool
	}{
		{900, nil, false},
		{800, nil, false}, // just enough
		{799, nil, true},
		{850, nil, true}, // not enough to begin again
		{100, errors.New("gone"), true},
		{899, nil, true},
		{900, nil, false}, // an eighth more
		{100, errors.New("gone"), false},
	}
	for i, s := range steps {
		free, wrong = s.free, s.wrong
		w.Look(time.Unix(int64(i), 0))
		if w.Paused() != s.paused || (w.Reason() != "") != s.paused {
			t.Errorf("step %d with %d free: paused %t (%q), want %t", i, s.free, w.Paused(), w.Reason(), s.paused)
		}
	}
	free, wrong = 600, nil
	w.Look(time.Unix(20, 0))
	if r := w.Reason(); !strings.Contains(r, "/state") || !strings.Contains(r, "disk.min_free") {
		t.Errorf("reason %q", r)
	}
	w.SetLeast(0)
	if w.Paused() {
		t.Error("paused without a bound")
	}
}

// TestWait holds work back while there is no room, in the test's time.
func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		free := uint64(100)
		measured := 0
		w := New("/state", 50, func(string) (Space, error) { measured++; return Space{Free: free, Size: 1000}, nil }, slog.New(slog.DiscardHandler))
		for range 1000 {
			if err := w.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if measured > 2 {
			t.Errorf("measured %d times at one moment", measured)
		}
		free = 10
		time.Sleep(every)
		begun := time.Now()
		go func() { time.Sleep(30 * time.Second); free = 60 }()
		if err := w.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begun); waited < 30*time.Second || waited > 30*time.Second+2*every {
			t.Errorf("waited %s, want 30 s", waited)
		}
		free = 10
		time.Sleep(every)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the end of the context", err)
		}
	})
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	s, err := Measure(t.TempDir())
	if err != nil || s.Size == 0 || s.Free > s.Size {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := Measure("/nosuch/folder"); err == nil {
		t.Error("a folder that is not there was measured")
	}
}
