// Package diskwatch stops the fetching of pages before the disk is full. PostgreSQL
// that cannot write its log goes down and takes whatever else is on the disk with it;
// a crawl that waits loses nothing.
//
// The main type is [Watch]: it measures the file system of a folder every few seconds,
// pauses when less than the least is free, and goes on by itself once an eighth more
// than that is free again, so that it does not flutter. Left out: what makes room
// (retention is the store's).
package diskwatch

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"syscall"
	"time"
)

// every is the pause between two measurements. At 100 MB/s of writing, 5 s are half
// the default least of 1 GiB.
const every = 5 * time.Second

// Space is how much of a file system is free for us, and its size, in bytes.
type Space struct{ Free, Size uint64 }

// Measure asks the file system of a folder.
func Measure(dir string) (Space, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return Space{}, fmt.Errorf("measure the disk of %s: %w", dir, err)
	}
	block := uint64(st.Bsize)
	return Space{Free: uint64(st.Bavail) * block, Size: st.Blocks * block}, nil
}

// State is what was measured last.
type State struct {
	Space
	Least  uint64 // that must be free; 0: no bound
	Known  bool   // it could be measured
	Paused bool
	Since  time.Time // of Paused
}

// Watch measures one file system. Its methods may be used concurrently.
type Watch struct {
	dir     string
	measure func(dir string) (Space, error)
	log     *slog.Logger

	mu     sync.Mutex // guards the rest
	state  State
	looked time.Time
}

// New returns a watch on the file system of dir, measured by measure; nil means
// Measure. Nothing is paused before the first measurement, which it makes at once.
func New(dir string, least uint64, measure func(dir string) (Space, error), log *slog.Logger) *Watch {
	if measure == nil {
		measure = Measure
	}
	w := &Watch{dir: dir, measure: measure, log: log}
	w.state.Least = least
	w.Look(time.Now())
	return w
}

// SetLeast changes how much must be free.
func (w *Watch) SetLeast(least uint64) {
	w.mu.Lock()
	w.state.Least = least
	w.mu.Unlock()
	w.Look(time.Now())
}

// Run measures until ctx is done.
func (w *Watch) Run(ctx context.Context) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-t.C:
			w.Look(now)
		}
	}
}

// Look measures once and decides. A file system that cannot be measured pauses
// nothing and ends no pause.
func (w *Watch) Look(now time.Time) {
	space, err := w.measure(w.dir)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = now
	s := &w.state
	if err != nil {
		if s.Known {
			w.log.Warn("the disk cannot be measured", "error", err)
		}
		s.Known = false
		return
	}
	s.Space, s.Known = space, true
	switch {
	case !s.Paused && space.Free < s.Least:
		s.Paused, s.Since = true, now
		w.log.Error("the disk is nearly full; no page is fetched until there is room", "dir", w.dir, "free_bytes", space.Free, "min_free_bytes", s.Least)
	case s.Paused && space.Free >= s.Least+s.Least/8:
		s.Paused, s.Since = false, time.Time{}
		w.log.Info("there is room on the disk again; pages are fetched", "dir", w.dir, "free_bytes", space.Free)
	}
}

// Wait returns when there is room, at once if there is, or with the error of ctx. It is
// for work without Run beside it, which asks before each step: it measures by itself,
// no more often than Run would.
func (w *Watch) Wait(ctx context.Context) error {
	for {
		w.mu.Lock()
		old := time.Since(w.looked) >= every
		w.mu.Unlock()
		if old {
			w.Look(time.Now())
		}
		if !w.Paused() {
			return nil
		}
		t := time.NewTimer(every)
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
}

// State returns what was measured last.
func (w *Watch) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// Paused reports whether no page may be fetched.
func (w *Watch) Paused() bool { return w.State().Paused }

// Reason says why nothing is fetched and what to do; empty while there is room.
func (w *Watch) Reason() string {
	s := w.State()
	if !s.Paused {
		return ""
	}
	return fmt.Sprintf("crawling is paused: %s has %s free, less than disk.min_free (%s); make room, or lower disk.min_free", w.dir, bytes(s.Free), bytes(s.Least))
}

// bytes writes a number of bytes as a person reads it.
func bytes(n uint64) string {
	const mib = 1 << 20
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", n/mib)
}
