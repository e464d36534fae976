package main

import (
	"context"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/store"
)

// The first snapshots of a demo are asked for, so that there are novel pages to be looked at soon;
// those of its schedule are a day apart.
const (
	demoSnapshots = 5
	demoBetween   = 3 * time.Hour // from the start of one to that of the next, at least
)

// takeSnapshots asks for the first snapshots of a demo's series, one after the other.
func (s *service) takeSnapshots(ctx context.Context) error {
	for n := 0; n < demoSnapshots; {
		// Until the configuration is applied and while the database is away there is nothing to start.
		id, err := s.crawler.Start(ctx, demoSeries)
		if err == nil {
			n++
			if err := s.awaitSnapshot(ctx, id); err != nil {
				return nil //nolint:nilerr // the demo was told to stop
			}
		}
		pause := demoBetween
		if err != nil {
			pause = time.Minute
		}
		if err := clock.Sleep(ctx, s.clock, pause); err != nil {
			return nil //nolint:nilerr // the demo was told to stop
		}
	}
	return nil
}

// awaitSnapshot waits until a snapshot has ended. It fails when ctx is done.
func (s *service) awaitSnapshot(ctx context.Context, id store.SnapshotID) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if row, err := s.Snapshot(ctx, id); err == nil && row.Status != store.SnapshotRunning {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
