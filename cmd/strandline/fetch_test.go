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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/crawler/canonical"
)

// countingHost is a network of one host that notes how its requests follow each other.
type countingHost struct {
	now func() time.Time

	mu       sync.Mutex // guards what follows
	last     time.Time
	shortest time.Duration // from start to start
	running  int
	most     int
	asked    map[string]int // by path
}

// RoundTrip answers with a page that differs each time.
func (h *countingHost) RoundTrip(req *http.Request) (*http.Response, error) {
	h.mu.Lock()
	now := h.now()
	if !h.last.IsZero() {
		h.shortest = min(h.shortest, now.Sub(h.last))
	}
	h.last = now
	h.running++
	h.most = max(h.most, h.running)
	h.asked[req.URL.Path]++
	n := len(h.asked) + h.asked[req.URL.Path]
	h.mu.Unlock()
	time.Sleep(20 * time.Millisecond) // a request takes its time: two of them would meet
	h.mu.Lock()
	h.running--
	h.mu.Unlock()
	return answers(func(req *http.Request) (int, http.Header, string) {
		if req.URL.Path == "/robots.txt" {
			return 404, nil, ""
		}
		return 200, http.Header{"Content-Type": {"text/html"}}, fmt.Sprintf("<p>Page %s has been asked for, and this is state %d of it.</p>", req.URL.Path, n)
	}).RoundTrip(req)
}

// TestFetchBesideADaemon fetches by hand, by two commands at once, while a daemon crawls the same host: the host sees
// one request at a time and its delay, and robots.txt once.
func TestFetchBesideADaemon(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "strandline-fetch") //nolint:usetesting // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	const watched, byHand, delay = 8, 4, 10 * time.Second // of a clock that runs twenty times as fast
	var urls []string
	for i := range watched {
		urls = append(urls, fmt.Sprintf("'http://a.test/watched/%d'", i))
	}
	host := &countingHost{shortest: time.Hour, asked: map[string]int{}}
	s := newTestService(t, fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: test/1.0, host: {delay: %s}}\nwatches: [{name: one, schedule: '@every 1h', urls: [%s]}]\n",
		dir, delay, strings.Join(urls, ", ")), 20, host)
	host.now = s.clock.Now
	stop := s.start()
	defer stop()
	listening, cancel := context.WithCancel(s.ctx)
	heard := make(chan error, 1)
	go func() { heard <- control.Listen(listening, dir, s) }()
	for client := control.Dial(dir); !client.Running(s.ctx); {
		if s.ctx.Err() != nil {
			t.Fatal("the control socket did not come up")
		}
	}
	command := func(args ...string) (string, error) {
		var out bytes.Buffer
		a := &app{flags: globals{Config: s.file, Database: s.url, JSON: true}, stdout: &out, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
		err := (&fetchCmd{URLs: args}).Run(s.ctx, a)
		return out.String(), err
	}
	var both sync.WaitGroup
	for k := range 2 {
		both.Go(func() {
			var args []string
			for i := range byHand {
				args = append(args, fmt.Sprintf("http://a.test/hand/%d/%d", k, i))
			}
			out, err := command(args...)
			if n := strings.Count(out, `"outcome":"new"`); err != nil || n != byHand {
				t.Errorf("fetch printed %s, %v; want %d pages that are new", out, err, byHand)
			}
		})
	}
	both.Wait()
	s.await("the watched pages", `select count(distinct page_id) = $1 from api_v1.fetch_log where watch = 'one'`, watched)
	out, err := command("http://a.test/hand/0/0")
	var report fetchReport
	if err != nil || json.Unmarshal([]byte(out), &report) != nil || report.Outcome != "changed" || report.Dice == nil {
		t.Errorf("fetched again: %s, %v; want a change with its Dice", out, err)
	}
	host.mu.Lock()
	defer host.mu.Unlock()
	// The clock goes on between the gate and the network, by half of the delay on a very busy machine.
	if host.most != 1 || host.shortest < delay/2 || host.asked["/robots.txt"] != 1 {
		t.Errorf("the host saw %d requests at once, %s from one to the next, robots.txt %d times; want 1, %s, 1", host.most, host.shortest, host.asked["/robots.txt"], delay)
	}
	if n := single[int](s, `select count(*) from api_v1.fetch_log where kind = 'manual'`); n != 2*byHand+1 {
		t.Errorf("%d fetches by hand are stored, want %d", n, 2*byHand+1)
	}
	// Another database is another collection.
	if got, err := control.Dial(dir).Fetch(s.ctx, control.FetchRequest{URL: "http://a.test/", Database: databaseKey("postgres://elsewhere/x")}); err != nil || !got.Elsewhere {
		t.Errorf("for another database: %+v, %v", got, err)
	}
	cancel()
	if err := <-heard; err != nil {
		t.Errorf("the control socket ended with %v", err)
	}
}

// TestFetchWithoutADaemon leases a page: neither a daemon elsewhere nor another fetch by hand gets it meanwhile, and a host that a
// daemon elsewhere crawls is not asked.
func TestFetchWithoutADaemon(t *testing.T) {
	t.Parallel()
	s := newTestService(t, "crawler: {user_agent: test/1.0}\nwatches: [{name: one, schedule: '@hourly', urls: ['http://a.test/']}]\n", 1, answers(nil))
	p, err := s.plan(s.config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.apply(s.ctx, p); err != nil {
		t.Fatal(err)
	}
	end, err := s.leaseAlone(s.ctx, "http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.leaseAlone(s.ctx, "http://a.test/"); err == nil || !strings.Contains(err.Error(), "fetched by hand") {
		t.Errorf("a second lease: %v", err)
	}
	claims := func() int {
		return single[int](s, `select count(*) from core.page_schedule where lease_until is null or lease_until <= now()`)
	}
	if n := claims(); n != 0 {
		t.Errorf("a daemon could claim %d pages that are fetched by hand", n)
	}
	end()
	if n := claims(); n != 1 {
		t.Errorf("a daemon can claim %d pages afterwards, want 1", n)
	}
	facts, err := canonical.FactsOf("http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	id, err := s.RegisterDaemon(s.ctx, "elsewhere", 1, now, now.Add(time.Hour), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool().Exec(s.ctx, `update core.bucket_lease set owner = $1, until = $2 where bucket = $3`, id, now.Add(time.Hour), int32(facts.Bucket)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.leaseAlone(s.ctx, "http://a.test/"); err == nil || !strings.Contains(err.Error(), "daemon on elsewhere") {
		t.Errorf("a host that another daemon crawls: %v", err)
	}
}
