package main

import (
	"context"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
)

// What the daemon tells systemd over $NOTIFY_SOCKET; nothing where there is none.
// A notification that cannot be sent is no reason to stop crawling, so errors are
// logged only.

// notify sends a state.
func (a *app) notify(state string) {
	if _, err := sd.SdNotify(false, state); err != nil {
		a.log.Warn("systemd was not told", "state", state, "error", err)
	}
}

// reloading brackets a reload: systemd waits for READY=1 after it.
func (a *app) reloading() {
	a.notify(sd.SdNotifyReloading + "\n" + sd.SdNotifyMonotonicUsec())
}

// feedWatchdog tells systemd that the daemon makes progress, which is that its loop
// turns. It turns while the database is away, so that an outage does not get the
// daemon killed; a loop that is stuck stops turning and does.
func (s *service) feedWatchdog(ctx context.Context) error {
	every, err := sd.SdWatchdogEnabled(false)
	if err != nil || every == 0 {
		if err != nil {
			s.app.log.Warn("no watchdog is fed", "error", err)
		}
		return nil
	}
	t := time.NewTicker(every / 4)
	defer t.Stop()
	for {
		if turns(s.daemon.Health().Turned, time.Now(), every) {
			s.app.notify(sd.SdNotifyWatchdog)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// turns reports whether a loop that turned last at a time is alive. One that has not
// begun waits for the database, with pauses of its own.
func turns(turned, now time.Time, limit time.Duration) bool {
	return turned.IsZero() || now.Sub(turned) < limit/2
}
