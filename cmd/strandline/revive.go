package main

import (
	"context"
	"time"

	"github.com/strandlinehq/strandline/store/localpg"
)

// reviveAfter leaves a server that another program restarts the time to come up.
const reviveAfter = 5 * time.Second

// revive starts a private PostgreSQL again that has ended under the daemon, as nobody
// else would until the next command. A database of the operator's own is theirs to start.
func (s *service) revive(ctx context.Context, every time.Duration) error {
	if s.server == nil {
		return nil
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var away time.Time // by the daemon's clock, when last looked
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		since := s.daemon.Health().AwaySince
		if since.IsZero() || !since.Equal(away) {
			away = since // only now, or not at all
			continue
		}
		server, err := localpg.Start(ctx, localpg.Options{Dir: s.stateDir, Logger: s.app.log})
		if err != nil {
			if ctx.Err() == nil {
				s.app.log.Error("the private PostgreSQL could not be started again", "error", err)
			}
			continue
		}
		if url := server.URL(databaseName); url != s.url {
			s.app.log.Error("the private PostgreSQL runs again at another address; start the daemon again", "address", url)
		}
		// Our first share in the server still holds: it is the folder's, not the process's.
		if err := server.Close(); err != nil {
			s.app.log.Warn("the private PostgreSQL could not be left", "error", err)
		}
	}
}
