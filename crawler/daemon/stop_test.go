package daemon_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/store"
)

// stuck is a web that never answers.
type stuck struct{ begun chan string }

func (s stuck) Fetch(ctx context.Context, j daemon.Job) daemon.Attempt {
	s.begun <- j.URL
	<-ctx.Done()
	return daemon.Attempt{Outcome: store.Failed, Error: "stuck"}
}

// TestKilledWithClaims kills a daemon that has claimed six pages of a host and waits for the first: the
// next daemon fetches the others at once and leaves out the first, which may have been fetched.
func TestKilledWithClaims(t *testing.T) {
	t.Parallel()
	for _, journal := range []bool{true, false} {
		t.Run(fmt.Sprint("journal ", journal), func(t *testing.T) {
			t.Parallel()
			db, _ := open(t)
			now := time.Now().UTC()
			watches := apply(t, db, now, watchSpec{"w", 720 * time.Hour, pages(6, 1)})
			if _, err := db.Pool().Exec(t.Context(), `update core.page_schedule set next_due_at = $1, due_at = $1`, now); err != nil {
				t.Fatal(err)
			}
			opt := daemon.Options{Grace: 50 * time.Millisecond, Alive: func(int) bool { return false }}
			if journal {
				opt.Journal = t.TempDir()
			}
			run := func(s daemon.Store, f daemon.Fetcher) (stop func() error) {
				ctx, cancel := context.WithCancel(t.Context())
				dm := daemon.New(s, f, reader{}, clock.Real{}, opt)
				dm.SetWatches(watches)
				done := make(chan error, 1)
				go func() { done <- dm.Run(ctx) }()
				return func() error { cancel(); return <-done }
			}
			web, dead := stuck{make(chan string, 6)}, &cut{DB: db}
			stop := run(dead, web)
			first := <-web.begun
			dead.cut() // as kill -9 does: nothing is given back
			if err := stop(); err == nil {
				t.Fatal("the killed daemon stored its fetch")
			}
			next := newWeb(clock.Real{})
			stop = run(db, next)
			for count(t, db, `select count(*) from core.fetch`) < 6 {
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			skipped := count(t, db, `select count(*) from core.fetch where outcome = 'skipped'`)
			want := 6
			if journal {
				want = 1
			}
			if skipped != want || len(next.times(first)) > 0 {
				t.Errorf("%d pages were left out, want %d; the first was asked for %d times", skipped, want, len(next.times(first)))
			}
		})
	}
}

// TestStop ends a daemon on the machine's clock in the middle of fetches: what
// finishes in time is stored, what was not begun is given back.
func TestStop(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	now := time.Now().UTC()
	urls := pages(12, 12)
	watches := apply(t, db, now, watchSpec{"w", time.Hour, urls})
	if _, err := db.Pool().Exec(t.Context(), `update core.page_schedule set next_due_at = $1, due_at = $1`, now); err != nil {
		t.Fatal(err)
	}
	slow := &slowWeb{begun: make(chan struct{}, 12), finish: make(chan struct{})}
	dm := daemon.New(db, slow, reader{}, clock.Real{}, daemon.Options{Workers: 4, Grace: time.Second, Logger: slog.New(stopped{onStop: sync.OnceFunc(func() { close(slow.finish) })})})
	dm.SetWatches(watches)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- dm.Run(ctx) }()
	for range 4 {
		<-slow.begun
	}
	cancel()
	begin := time.Now()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
	if n := count(t, db, `select count(*) from core.fetch where outcome = 'new'`); n != 2 {
		t.Errorf("%d fetches are stored, want the 2 that finished", n)
	}
	if n := count(t, db, `select count(*) from core.fetch where outcome = 'skipped' and error like 'interrupted%'`); n != 2 {
		t.Errorf("%d fetches are stored as interrupted, want 2", n)
	}
	if n := count(t, db, `select count(*) from core.page_schedule where lease_owner is not null`); n != 0 {
		t.Errorf("%d pages are still leased", n)
	}
	if n := count(t, db, `select count(*) from core.bucket_lease where owner is not null`); n != 0 {
		t.Errorf("%d buckets are still leased", n)
	}
	if n := count(t, db, `select count(*) from core.page_schedule where next_due_at <= $1`, time.Now()); n != 8 {
		t.Errorf("%d pages are due, want the 8 that were not begun", n)
	}
}

// stopped is a log that acts when the daemon says that it is stopping.
type stopped struct{ onStop func() }

func (s stopped) Enabled(context.Context, slog.Level) bool { return true }

func (s stopped) WithAttrs([]slog.Attr) slog.Handler { return s }

func (s stopped) WithGroup(string) slog.Handler { return s }

func (s stopped) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "daemon is stopping" {
		s.onStop()
	}
	return nil
}

// slowWeb answers when it is interrupted; every second fetch has finished by then.
type slowWeb struct {
	begun  chan struct{}
	finish chan struct{}
	mu     sync.Mutex
	n      int
}

func (s *slowWeb) Fetch(ctx context.Context, j daemon.Job) daemon.Attempt {
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	at := time.Now().UTC()
	s.begun <- struct{}{}
	if n%2 == 0 {
		// Ends in the time of grace, not before.
		<-s.finish
		return content(j.URL, at)
	}
	<-ctx.Done()
	return daemon.Attempt{StartedAt: at, Outcome: store.Failed, Error: ctx.Err().Error()}
}
