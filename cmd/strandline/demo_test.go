package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// output is what a command prints, to be read while it runs.
type output struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// demoShows is what a demo comes to, by what counts it, and how many there have to be.
var demoShows = []struct {
	what, query string
	least       int
}{
	{"pages fetched in at least four hours", `select count(*) from (select page_id from api_v1.fetch_log where kind = 'schedule' and outcome <> 'skipped' group by page_id having count(distinct date_trunc('hour', started_at)) >= 4) x`, 20},
	{"changes", `select count(*) from api_v1.change where dice < 1`, 100},
	{"compared rounds", `select count(*) from core.burst_result where round >= 0`, 6},
	{"accepted pairs", `select count(*) from core.burst_result where round < 0`, 2},
	{"pages of the topic", `select count(*) from api_v1.topic_page where left_at is null`, 10},
	{"sentences of the topic", `select count(*) from api_v1.topic_sentence`, 5},
	{"snapshots", `select count(*) from api_v1.snapshot where finished_at is not null`, 2},
	{"judged pages of the second snapshot", `select count(*) from api_v1.snapshot_page where snapshot = 2 and novelty is not null`, 1},
}

// demoPagesShow is what its pages and feeds have to show then.
var demoPagesShow = []struct{ path, want string }{
	{"/", "talk-"},
	{"/pages", "<td"},
	{"/topics", "floods"},
	{"/topics/floods", "new sentences"},
	{"/snapshots", "sim-web"},
	{"/snapshots/sim-web", "<svg"},
	{"/search?q=flood&series=sim-web", "<svg"},
	{"/schedule", "busy"},
	{"/feeds/all.atom", "<entry"},
	{"/feeds/watch/busy.atom", "<entry"},
	{"/feeds/topic/floods.atom", "<entry"},
}

// TestDemo runs the demo until each page of the interface has something to show, and looks.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := enterable(dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	running, stop := context.WithCancel(ctx)
	defer stop()
	var printed output
	ended := make(chan int, 1)
	go func() {
		ended <- Main(running, []string{"demo", "--dir", dir, "--listen", "127.0.0.1:0"}, strings.NewReader(""), &printed, &printed)
	}()
	await := func(what string, done func() bool) {
		t.Helper()
		for !done() {
			select {
			case status := <-ended:
				t.Fatalf("the demo ended with %d while waiting for %s:\n%s", status, what, printed.String())
			case <-ctx.Done():
				t.Fatalf("no %s:\n%s", what, printed.String())
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	await("address", func() bool { return strings.Contains(printed.String(), "Messages go to") })
	_, base, _ := strings.Cut(printed.String(), "Look at it: ")
	base = strings.TrimSuffix(base[:strings.IndexByte(base, '\n')], "/")
	hint := "--config " + filepath.Join(dir, "strandline.yaml") + " status"
	if !strings.Contains(printed.String(), hint) {
		t.Errorf("the demo does not say %q:\n%s", hint, printed.String())
	}
	// By the configuration that the demo names, other commands reach it.
	a := &app{flags: globals{Config: filepath.Join(dir, "strandline.yaml")}, stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	o, err := a.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for _, s := range demoShows {
		n := 0
		await(s.what, func() bool {
			if err := o.Pool().QueryRow(ctx, s.query).Scan(&n); err != nil && ctx.Err() == nil {
				t.Fatalf("%s: %v", s.what, err)
			}
			return n >= s.least
		})
	}
	get := func(path string) string {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return ""
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusOK {
			return ""
		}
		return string(body)
	}
	for _, p := range demoPagesShow {
		await(p.path+" with "+p.want, func() bool { return strings.Contains(get(p.path), p.want) })
	}
	stop()
	if status := <-ended; status != 0 {
		t.Errorf("the demo ended with %d:\n%s", status, printed.String())
	}
}

// TestDemoIsApart has the demo refuse what would put its made-up pages into a database of real ones.
func TestDemoIsApart(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--state-dir", "--database", "--config"} {
		var printed output
		status := Main(t.Context(), []string{"demo", flag, filepath.Join(t.TempDir(), "x"), "--for", "1s", "--listen", ""}, strings.NewReader(""), io.Discard, &printed)
		if status != 2 || !strings.Contains(printed.String(), "demo has a configuration and a database of its own") {
			t.Errorf("%s: status %d, %s", flag, status, printed.String())
		}
	}
}
