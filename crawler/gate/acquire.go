package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
)

// Busy is the error of a host that lets no request start for longer than the caller would wait.
type Busy struct {
	Host  string
	Until time.Time // the earliest moment that is known
	Why   Why
	// Reason is what last went wrong with the host, if Why is Broken or BackedOff.
	Reason string
}

func (b *Busy) Error() string {
	s := fmt.Sprintf("host %s takes no request before %s (%s", b.Host, b.Until.UTC().Format(time.RFC3339), b.Why)
	if b.Reason != "" {
		s += ": " + b.Reason
	}
	return s + ")"
}

// Acquire starts a request as soon as one may start. It waits for that on the clock, as long as
// patience at most: it returns a *Busy without waiting when it knows that the time is not enough,
// and the context's error when that is done first. Without an error the caller must call End or
// Cancel.
func (g *Gate) Acquire(ctx context.Context, c clock.Clock, name string, patience time.Duration) error {
	giveUp := c.Now().Add(patience)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		now := c.Now()
		wait, err := g.startOrWait(name, now, giveUp)
		if wait == nil {
			return err
		}
		timer := c.NewTimer(wait.until.Sub(now))
		select {
		case <-wait.woken:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		g.mu.Lock()
		wait.h.waiters--
		g.mu.Unlock()
	}
}

// wait is what Acquire waits for.
type wait struct {
	h     *host
	until time.Time
	woken <-chan struct{}
}

// startOrWait starts a request, says that it will take too long, or says what to wait for.
func (g *Gate) startOrWait(name string, now, giveUp time.Time) (*wait, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.host(name, now)
	at, why := g.tryStart(h, now)
	if why == Free {
		return nil, nil
	}
	if at.After(giveUp) && (why != Full || !now.Before(giveUp)) {
		b := &Busy{Host: name, Until: at, Why: why}
		if why == Broken || why == BackedOff {
			b.Reason = h.reason
		}
		return nil, b
	}
	if why == Full {
		at = giveUp // the end of a request wakes us
	}
	if h.woken == nil {
		h.woken = make(chan struct{})
	}
	h.waiters++
	return &wait{h: h, until: at, woken: h.woken}, nil
}
