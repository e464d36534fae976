package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/internal/testdb"
)

// TestServiceWatchesASimulatedWeb runs the whole daemon in virtual time: schedule,
// fetches, measures, a feed that brings pages, and a reload.
func TestServiceWatchesASimulatedWeb(t *testing.T) {
	t.Parallel()
	url := testdb.URL(t)

	// The epoch is laid down by the options; the clock starts there.
	options := simweb.Options{Hosts: 8, PagesPerHost: 40, Volatile: true, Epoch: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	clk := clock.NewScaled(options.Epoch, 7200)
	world, err := simweb.New(clk.Now, options)
	if err != nil {
		t.Fatal(err)
	}
	var homes []string
	feed := ""
	for _, h := range world.Hosts() {
		if h.Robots >= simweb.RobotsError {
			continue
		}
		homes = append(homes, h.Home)
		if feed == "" {
			feed = h.Feed
		}
	}
	file := filepath.Join(t.TempDir(), "strandline.yaml")
	configure := func(urls []string) {
		t.Helper()
		text := fmt.Sprintf("crawler: {user_agent: test/1.0, workers: 8}\nwatches:\n  - {name: homes, schedule: '@hourly', urls: [%s]}\n"+
			"  - {name: articles, schedule: '@hourly', max_pages: 5, feeds: [%s]}\n", strings.Join(urls, ", "), feed)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure(homes[:len(homes)-1])

	a := &app{flags: globals{Config: file, Database: url}, stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	o, err := a.create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	s, err := a.newService(o, clk, world.Transport())
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.run(running) }()

	count := func(query string, args ...any) int {
		t.Helper()
		var n int
		if err := o.Pool().QueryRow(ctx, query, args...).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	await := func(what, query string, least int, args ...any) {
		t.Helper()
		for count(query, args...) < least {
			select {
			case err := <-ended:
				t.Fatalf("the service ended while waiting for %s: %v", what, err)
			case <-ctx.Done():
				t.Fatalf("no %s: %d, want %d", what, count(query, args...), least)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	await("hours of fetches", `select coalesce(min(n), 0) from (select count(*) as n from api_v1.fetch_log where watch = 'homes' group by page_id) x`, 4)
	await("measured changes", `select count(*) from api_v1.change`, 3)
	await("pages of the feed", `select count(distinct page_id) from api_v1.fetch_log where watch = 'articles'`, 5)

	last := homes[len(homes)-1]
	configure(homes)
	if out := s.Reload(ctx); len(out.Errors) > 0 || len(out.Changes) != 1 {
		t.Errorf("reload: %+v, want one change", out)
	}
	await("fetch of the page that joined", `select count(*) from api_v1.fetch_log where url = $1`, 1, last)
	if err := os.WriteFile(file, []byte("watches: [{name: x, schedule: never}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.Reload(ctx); len(out.Errors) == 0 {
		t.Error("a wrong configuration was taken")
	}

	stop()
	if err := <-ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
	stats := world.Stats()
	for host, h := range stats.Hosts {
		if h.MaxConcurrent > 1 || h.RobotsViolations > 0 || h.DelayViolations > 0 {
			t.Errorf("%s saw %d requests at once, %d against robots.txt, %d too early", host, h.MaxConcurrent, h.RobotsViolations, h.DelayViolations)
		}
	}
	if n := count(`select count(*) from (select started_at - lag(started_at) over (partition by bucket, page_id order by started_at) as gap
		from api_v1.fetch_log where kind = 'schedule' and watch = 'homes' and outcome <> 'skipped') x where gap < interval '45 minutes'`); n > 0 {
		t.Errorf("%d fetches came within three quarters of their interval", n)
	}
}
