package main

import (
	"context"
	"errors"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/cmd/internal/metrics"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/daemon"
)

// What operators ask of the running service: reload, state, readiness, metrics.

// newMetrics makes the metrics of the service, which ask it when they are scraped.
func (s *service) newMetrics() *metrics.Metrics {
	version, revision := programVersion()
	return metrics.New(metrics.Options{
		Version: version, Revision: revision, Database: s.DB, Pool: s.Pool(),
		Health: func() daemon.Health { return s.daemon.Health() },
		Disk: func() metrics.Disk {
			d := s.disk.State()
			return metrics.Disk{Free: d.Free, Size: d.Size, Least: d.Least, Paused: d.Paused, Known: d.Known}
		},
	})
}

// Reload takes the configuration files anew. On any error the old one stays.
func (s *service) Reload(ctx context.Context) control.Reloaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app.reloading()
	defer s.app.notify(sd.SdNotifyReady)
	refuse := func(err error) control.Reloaded {
		s.metrics.Reloaded(time.Now(), false)
		var list configs.Errors
		out := control.Reloaded{Errors: []string{err.Error()}}
		if errors.As(err, &list) {
			out.Errors = nil
			for _, e := range list {
				out.Errors = append(out.Errors, e.Error())
			}
		}
		s.app.log.Error("configuration refused, the old one stays", "errors", out.Errors)
		return out
	}
	c, err := s.app.config(checksOf(s.app, s.clock)...)
	if err != nil {
		return refuse(err)
	}
	if err := s.exchange(ctx, c); err != nil {
		return refuse(err)
	}
	out := control.Reloaded{Changes: []string{}}
	for _, change := range configs.Diff(s.config, c) {
		line := change.String()
		if change.NeedsRestart() {
			line += " (takes effect when the daemon is restarted)"
		}
		out.Changes = append(out.Changes, line)
	}
	s.config = c
	select {
	case s.sourcesChanged <- struct{}{}:
	default: // it is told already
	}
	s.disk.SetLeast(uint64(c.Disk.MinFree))
	s.metrics.Reloaded(time.Now(), true)
	s.app.log.Info("configuration reloaded", "changes", out.Changes)
	return out
}

// State tells what the daemon does now.
func (s *service) State(ctx context.Context) any {
	h := s.daemon.Health()
	out := map[string]any{
		"now": s.clock.Now().UTC(), "ready": h.Ready(), "queued": h.Queued, "fetching": h.Fetching, "unstored": h.Unstored,
		"buckets": h.Buckets, "daemons": h.Daemons, "outcomes": h.Counts, "missed": h.Missed, "set_aside": h.SetAside,
		"snapshots": s.crawler.Running(),
	}
	if reason := s.disk.Reason(); reason != "" {
		out["paused"] = reason
	}
	if d := s.disk.State(); d.Known {
		out["disk_free_bytes"], out["disk_size_bytes"] = d.Free, d.Size
	}
	if !h.AwaySince.IsZero() {
		out["database_away_since"], out["database_away_reason"] = h.AwaySince, h.AwayReason
	}
	return out
}
