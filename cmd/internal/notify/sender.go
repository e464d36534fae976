package notify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/strandlinehq/strandline/store"
)

const (
	attemptTimeout = 30 * time.Second
	// stopGrace is how long an attempt that is under way may go on when the program stops:
	// one that is broken off may have arrived, and would arrive twice.
	stopGrace = 5 * time.Second
	// lease is when an attempt counts as lost: its sender was killed.
	lease = 2 * attemptTimeout
	// firstPause follows the first failure; each further one doubles it, up to maxPause.
	firstPause = 10 * time.Second
	maxPause   = 6 * time.Hour
	// maxAttempts last three days: 5.7 hours of doubling, and 12 pauses of 6 hours.
	maxAttempts = 24
	// poll finds messages that other processes wrote. It is the machine's time,
	// whatever the clock of the messages.
	poll = time.Second
)

// Pause is the time from the failure of an attempt to the next attempt:
//
//	min(10 s 2^(attempt-1), 6 h) (3/4 + h/4)
//
// with h in [0, 1) a hash of the message and the attempt, so that messages that failed
// together do not come again together, and a message always comes at the same time.
func Pause(id string, attempt int) time.Duration {
	pause := maxPause
	if attempt < 16 {
		pause = min(firstPause<<max(0, attempt-1), maxPause)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", id, attempt))
	h := float64(binary.BigEndian.Uint32(sum[:4])) / (1 << 32)
	return time.Duration(float64(pause) * (0.75 + h/4))
}

// outbox is the part of the store that a Sender uses.
type outbox interface {
	ClaimOutbox(ctx context.Context, target string, now time.Time, lease time.Duration) (store.Notification, error)
	SettleOutbox(ctx context.Context, n store.Notification, now time.Time, s store.Settled) error
}

// Sender delivers messages. Each target has a goroutine and a queue of its own, in which
// one message is on its way at a time, so that none waits for another's target.
type Sender struct {
	db  outbox
	now func() time.Time
	log *slog.Logger

	mu      sync.Mutex // guards targets, changed
	targets map[string]Target
	changed chan struct{} // closed when targets changes
}

// NewSender returns a sender without targets. Now is the clock of the messages.
func NewSender(db outbox, now func() time.Time, log *slog.Logger) *Sender {
	return &Sender{db: db, now: now, log: log, changed: make(chan struct{})}
}

// SetTargets replaces the targets by name. Messages to others stay in the outbox.
func (s *Sender) SetTargets(targets map[string]Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.targets = targets
	close(s.changed)
	s.changed = make(chan struct{})
}

// Run delivers until ctx is done, and returns nil then. An attempt that is under way
// when the targets are replaced is finished first.
func (s *Sender) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		s.mu.Lock()
		targets, changed := s.targets, s.changed
		s.mu.Unlock()
		round, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		for name, t := range targets {
			all.Go(func() { s.follow(ctx, round, name, t) })
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
		stop()
		all.Wait()
	}
	return nil
}

// follow delivers to one target until round is done.
func (s *Sender) follow(ctx, round context.Context, name string, t Target) {
	pause := poll
	for {
		for round.Err() == nil {
			sent, err := s.Deliver(ctx, name, t)
			if err != nil && ctx.Err() == nil {
				pause = min(2*pause, 30*time.Second)
				s.log.Warn("delivery waits", "target", name, "error", err, "pause", pause)
			}
			if err != nil || !sent {
				break
			}
			pause = poll
		}
		select {
		case <-round.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Deliver makes one attempt on the message to a target that is due first; false: none
// is due. The error is the database's; that of the target is recorded with the message.
func (s *Sender) Deliver(ctx context.Context, name string, t Target) (bool, error) {
	n, err := s.db.ClaimOutbox(ctx, name, s.now(), lease)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTimeout)
	unfollow := context.AfterFunc(ctx, func() {
		end := time.NewTimer(stopGrace)
		defer end.Stop()
		select {
		case <-end.C:
			cancel()
		case <-attempt.Done():
		}
	})
	failure := s.try(attempt, t, n)
	unfollow()
	cancel()
	// A stop of the program must not lose what became of the attempt.
	record, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	now := s.now()
	settled := s.judge(n, now, failure)
	if ctx.Err() != nil && failure != nil {
		settled = store.Settled{Error: "the program was stopped", Again: now}
	}
	return true, s.db.SettleOutbox(record, n, now, settled)
}

// try makes the attempt; a target that panics has failed.
func (s *Sender) try(ctx context.Context, t Target, n store.Notification) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("target panicked", "target", n.Target)
			err = errors.New("the target's library panicked")
		}
	}()
	return t.Send(ctx, s.now(), n)
}

// judge says what follows from an attempt.
func (s *Sender) judge(n store.Notification, now time.Time, failure error) store.Settled {
	if failure == nil {
		return store.Settled{}
	}
	out := store.Settled{Error: line(failure.Error()), Again: now.Add(Pause(n.ID, n.Attempt))}
	var refused *Refused
	var later *Later
	out.Dead = errors.As(failure, &refused) || n.Attempt >= maxAttempts
	if errors.As(failure, &later) && now.Add(later.After).After(out.Again) {
		out.Again = now.Add(later.After)
	}
	if out.Dead {
		s.log.Error("message given up", "target", n.Target, "message", n.ID, "attempts", n.Attempt, "error", out.Error)
	} else {
		s.log.Warn("message failed", "target", n.Target, "message", n.ID, "attempt", n.Attempt, "error", out.Error, "again", out.Again)
	}
	return out
}
