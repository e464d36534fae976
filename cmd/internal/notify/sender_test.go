package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t testing.TB) *store.DB {
	t.Helper()
	return testdb.Open(t)
}

// fill puts n messages to targets into the outbox.
func fill(t testing.TB, db *store.DB, n int, to ...string) {
	t.Helper()
	all := make([]store.Outgoing, n)
	for i := range all {
		out, err := Outgoing(notice.Message{ID: fmt.Sprintf("msg_%04d", i), Kind: notice.KindTest, At: epoch, Title: "message"}, to)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = out
	}
	if err := db.Enqueue(t.Context(), epoch, all...); err != nil {
		t.Fatal(err)
	}
}

// target notes what it took, unless send fails.
type target struct {
	mu   sync.Mutex
	took []string
	send func(now time.Time, n store.Notification) error
}

func (s *target) Send(_ context.Context, now time.Time, n store.Notification) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.send != nil {
		if err := s.send(now, n); err != nil {
			return err
		}
	}
	s.took = append(s.took, n.ID)
	return nil
}

func (s *target) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.took)
}

// work delivers what is due to a target now.
func work(t testing.TB, s *Sender, name string, to Target) {
	t.Helper()
	for {
		sent, err := s.Deliver(t.Context(), name, to)
		if err != nil {
			t.Fatal(err)
		}
		if !sent {
			return
		}
	}
}

// TestThousandMessages has a target that fails half of the time for six hours: in the
// end it has all messages once, and the other had all of them at once.
func TestThousandMessages(t *testing.T) {
	t.Parallel()
	const n = 1000
	db := open(t)
	fill(t, db, n, "flaky", "good")
	clk := clock.NewManual(epoch)
	calls := 0
	flaky := &target{send: func(now time.Time, _ store.Notification) error {
		if calls++; calls%2 == 0 && now.Before(epoch.Add(6*time.Hour)) {
			return errors.New("out of order")
		}
		return nil
	}}
	good := &target{}
	s := NewSender(db, clk.Now, slog.New(slog.DiscardHandler))
	work(t, s, "flaky", flaky)
	work(t, s, "good", good)
	if good.count() != n || !clk.Now().Equal(epoch) {
		t.Fatalf("the good target has %d of %d messages", good.count(), n)
	}
	if got := flaky.count(); got < n*4/10 || got > n*6/10 {
		t.Fatalf("the flaky target took %d of %d at first", got, n)
	}
	for steps := 0; ; steps++ {
		due, ok, err := db.NextOutbox(t.Context(), "flaky")
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if steps > 20*n {
			t.Fatal("it does not end")
		}
		clk.AdvanceTo(due.Add(time.Second)) // those due within a second together
		work(t, s, "flaky", flaky)
	}
	slices.Sort(flaky.took)
	if got := len(slices.Compact(flaky.took)); got != n || flaky.count() != n {
		t.Errorf("%d messages came, %d different ones, want %d", flaky.count(), got, n)
	}
	states, err := db.OutboxStates(t.Context())
	if err != nil || len(states) != 0 {
		t.Errorf("left in the outbox: %v, %v", states, err)
	}
}

// TestDeadLetters has a target that never works.
func TestDeadLetters(t *testing.T) {
	t.Parallel()
	db := open(t)
	fill(t, db, 1, "broken")
	clk := clock.NewManual(epoch)
	calls := 0
	broken := &target{send: func(time.Time, store.Notification) error { calls++; return errors.New("no\nroute") }}
	s := NewSender(db, clk.Now, slog.New(slog.DiscardHandler))
	for {
		work(t, s, "broken", broken)
		due, ok, err := db.NextOutbox(t.Context(), "broken")
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		clk.AdvanceTo(due)
	}
	if calls != maxAttempts {
		t.Errorf("%d attempts, want %d", calls, maxAttempts)
	}
	if took := clk.Now().Sub(epoch); took < 2*24*time.Hour || took > 4*24*time.Hour {
		t.Errorf("given up after %s", took)
	}
	states, err := db.OutboxStates(t.Context())
	if err != nil || len(states) != 1 || states[0].Dead != 1 || states[0].Waiting != 0 || states[0].Error != "no route" {
		t.Errorf("states %+v, %v", states, err)
	}
	if n, err := db.ReviveOutbox(t.Context(), "broken", clk.Now()); n != 1 || err != nil {
		t.Errorf("revived %d, %v", n, err)
	}
	broken.send = nil
	work(t, s, "broken", broken)
	if broken.count() != 1 {
		t.Error("a revived message was not delivered")
	}
}

// TestHangingTarget has a target that hangs while another delivers all.
func TestHangingTarget(t *testing.T) {
	t.Parallel()
	db := open(t)
	fill(t, db, 50, "hangs", "good")
	began, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	hangs := &target{send: func(time.Time, store.Notification) error { once.Do(func() { close(began) }); <-release; return nil }}
	good := &target{send: nil}
	taken := 0
	good.send = func(time.Time, store.Notification) error {
		if taken++; taken == 1 {
			<-began
		}
		if taken == 50 {
			close(done)
		}
		return nil
	}
	s := NewSender(db, func() time.Time { return epoch }, slog.New(slog.DiscardHandler))
	s.SetTargets(map[string]Target{"hangs": hangs, "good": good})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	<-done // a test that hangs here fails by its timeout
	cancel()
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// inFlight is a target that is at it when the program is told to stop.
type inFlight struct{ began, stopped chan struct{} }

func (f *inFlight) Send(ctx context.Context, _ time.Time, _ store.Notification) error {
	close(f.began)
	<-f.stopped
	return ctx.Err()
}

// TestStopFinishesDelivery stops the sender while a message is on its way: the attempt is
// not broken off, and the message is delivered once.
func TestStopFinishesDelivery(t *testing.T) {
	t.Parallel()
	db := open(t)
	fill(t, db, 1, "a")
	to := &inFlight{make(chan struct{}), make(chan struct{})}
	s := NewSender(db, func() time.Time { return epoch }, slog.New(slog.DiscardHandler))
	s.SetTargets(map[string]Target{"a": to})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	<-to.began
	cancel()
	close(to.stopped)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if states, err := db.OutboxStates(t.Context()); err != nil || len(states) != 0 {
		t.Errorf("left in the outbox: %+v, %v", states, err)
	}
}

// TestKilledAttempt claims a message as one that is killed then does: it comes again
// when the lease is over, with the same id, and what the first attempt would record is not taken.
func TestKilledAttempt(t *testing.T) {
	t.Parallel()
	db := open(t)
	fill(t, db, 1, "a")
	lost, err := db.ClaimOutbox(t.Context(), "a", epoch, lease)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ClaimOutbox(t.Context(), "a", epoch.Add(lease-time.Second), lease); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("claimed twice: %v", err)
	}
	again, err := db.ClaimOutbox(t.Context(), "a", epoch.Add(lease), lease)
	if err != nil || again.ID != lost.ID || again.Attempt != 2 {
		t.Fatalf("claimed %+v, %v", again, err)
	}
	if err := db.SettleOutbox(t.Context(), lost, epoch, store.Settled{Error: "late", Dead: true}); err != nil {
		t.Fatal(err)
	}
	if err := db.SettleOutbox(t.Context(), again, epoch, store.Settled{}); err != nil {
		t.Fatal(err)
	}
	if states, err := db.OutboxStates(t.Context()); err != nil || len(states) != 0 {
		t.Errorf("left: %+v, %v", states, err)
	}
	fill(t, db, 1, "a") // the same message again
	if _, ok, err := db.NextOutbox(t.Context(), "a"); ok || err != nil {
		t.Errorf("a message that was delivered is to be delivered again (%v)", err)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id, attempt := rapid.String().Draw(t, "id"), rapid.IntRange(1, 1000).Draw(t, "attempt")
		full := maxPause
		for i, p := 1, firstPause; p < maxPause; i, p = i+1, 2*p {
			if i == attempt {
				full = p
			}
		}
		got := Pause(id, attempt)
		if got < full*3/4 || got > full || got != Pause(id, attempt) {
			t.Fatalf("Pause(%q, %d) = %s, want from 3/4 to all of %s, always the same", id, attempt, got, full)
		}
	})
	if Pause("a", 5) == Pause("b", 5) {
		t.Error("two messages pause equally long")
	}
}
