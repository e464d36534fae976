package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/store"
)

// tell prints what happened every few seconds.
func (c *demoCmd) tell(ctx context.Context, a *app, s *service, pace *pacer) error {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	since := s.clock.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := s.clock.Now()
		h := s.daemon.Health()
		seen := h.Counts[store.New] + h.Counts[store.Changed] + h.Counts[store.Same] + h.Counts[store.NotModified]
		fmt.Fprintf(a.stdout, "\n%s  %d fetches: %d new, %d changed, %d unchanged, %d failed or denied\n", stamp(now),
			seen+h.Counts[store.Failed]+h.Counts[store.Denied]+h.Counts[store.Gone], h.Counts[store.New], h.Counts[store.Changed],
			h.Counts[store.Same]+h.Counts[store.NotModified], h.Counts[store.Failed]+h.Counts[store.Denied]+h.Counts[store.Gone])
		if speed := pace.Speed(); speed < c.Speed*paceEnough {
			fmt.Fprintf(a.stdout, "  time waits for this machine: %s of the simulated web pass in a second, not %s\n", spanOf(speed), spanOf(c.Speed))
		}
		bursts, err := s.CountBursts(ctx)
		if err == nil && bursts.Enrolled > 0 {
			fmt.Fprintf(a.stdout, "  %d pages in bursts: %d rounds, %d snapshots compared; %d pairs; noise known of %d pages\n", bursts.Enrolled,
				bursts.Rounds, bursts.Snapshots, bursts.Pairs, bursts.Masked)
		}
		changes, err := s.LatestChanges(ctx, since, 4)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, ch := range changes {
			fmt.Fprintf(a.stdout, "  Dice %.2f  %s\n", ch.Dice, ch.URL)
			if line, err := compare.Headline(ctx, s.DB, ch.Page, ch.Version); err == nil && line != "" {
				fmt.Fprintf(a.stdout, "             + %s\n", shorten(line, 110))
			}
		}
		since = now
	}
}

func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
