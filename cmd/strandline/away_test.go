package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/internal/need"
	"github.com/strandlinehq/strandline/store/localpg"
)

// TestDatabaseStopped stops the private PostgreSQL under the whole daemon for ten virtual
// minutes and more. Until it starts it again the daemon says why it is not ready, to
// readiness checks and to status, and afterwards nothing is lost and nothing was fetched twice.
func TestDatabaseStopped(t *testing.T) {
	t.Parallel()
	if _, err := localpg.Find(""); err != nil {
		need.Missing(t, "%v", err)
	}
	const speed = 240 // ten minutes are 2.5 s
	dir := t.TempDir()
	if err := enterable(dir); err != nil {
		t.Fatal(err)
	}
	options := simweb.Options{Hosts: 8, PagesPerHost: 40, Epoch: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Births: -1, Deaths: -1, Size: 4096, LogPerURL: 100, PlainRobots: true}
	clk := clock.NewScaled(options.Epoch, speed)
	world, err := simweb.New(clk.Now, options)
	if err != nil {
		t.Fatal(err)
	}
	urls := schedulePages(world, 40, options.Epoch)
	file := filepath.Join(dir, "strandline.yaml")
	text := fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: test/1.0, workers: 8}\nwatches: [{name: pages, schedule: '@every 20m', jitter: 0s, urls: [%s]}]\n",
		dir, strings.Join(urls, ", "))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	newApp := func(out io.Writer) *app {
		return &app{flags: globals{Config: file}, stdout: out, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	}
	a := newApp(io.Discard)
	o, err := a.create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	s, err := a.newService(o, clk, world.Transport())
	if err != nil {
		t.Fatal(err)
	}
	s.reviveAfter = 3 * time.Second
	address, err := s.serve(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	g, both := errgroup.WithContext(running)
	g.Go(func() error { return s.run(both) })
	g.Go(func() error { return control.Listen(both, o.stateDir, s) })

	get := func(path string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	await := func(what string, done func() bool) {
		t.Helper()
		for !done() {
			select {
			case <-both.Done():
				t.Fatalf("the service ended while waiting for %s: %v", what, g.Wait())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	requests := func() int {
		n := 0
		for _, u := range urls {
			k, _ := world.Requests(u)
			n += k
		}
		return n
	}
	await("fetches", func() bool { return requests() > len(urls)*5/4 })
	if status, body := get("readyz"); status != http.StatusOK {
		t.Errorf("readyz before: %d %s", status, body)
	}

	// As an operator's mistake or the machine would: at once, without a word to anybody.
	pidFile, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.SplitN(string(pidFile), "\n", 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	stopped := clk.Now()
	await("the daemon to notice", func() bool { return !s.daemon.Health().AwaySince.IsZero() })
	if status, body := get("readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "has not reached the database since") {
		t.Errorf("readyz while the database is away: %d %s", status, body)
	}
	if status, body := get("healthz"); status != http.StatusOK {
		t.Errorf("healthz while the database is away: %d %s", status, body)
	}
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		asks := newApp(&out)
		asks.flags.JSON = asJSON
		if err := (statusCmd{}).Run(ctx, asks); err != nil {
			t.Errorf("status while the database is away: %v", err)
		}
		if want := "the database does not answer since"; !asJSON && !strings.Contains(out.String(), want) {
			t.Errorf("status while the database is away lacks %q:\n%s", want, &out)
		}
		var told struct{ Daemon daemonState }
		if err := json.Unmarshal(out.Bytes(), &told); asJSON && (err != nil || told.Daemon.AwaySince == nil || told.Daemon.Reason == "") {
			t.Errorf("status --json while the database is away: %v\n%s", err, &out)
		}
	}
	await("the database to be started again", func() bool { status, _ := get("readyz"); return status == http.StatusOK })
	if away := clk.Now().Sub(stopped); away < 10*time.Minute {
		t.Errorf("the database was away for %s only", away)
	}
	back := requests()
	await("fetches afterwards", func() bool { return requests() > back+len(urls) })
	stop()
	if err := g.Wait(); err != nil {
		t.Errorf("the service ended with %v", err)
	}

	stored := 0
	if err := o.Pool().QueryRow(ctx, `select count(*) from api_v1.fetch_log where outcome <> 'skipped'`).Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if asked := requests(); stored != asked {
		t.Errorf("%d fetches are stored of %d", stored, asked)
	}
	for _, u := range urls {
		_, times := world.Requests(u)
		for i := 1; i < len(times); i++ {
			if gap := times[i].Sub(times[i-1]); gap < 15*time.Minute {
				t.Errorf("%s was asked for twice within %s", u, gap)
			}
		}
	}
}
