package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
	"github.com/strandlinehq/strandline/crawler/clock"
)

// benchRestartCmd watches many pages, ends the daemon, and measures how long a new one
// takes until it fetches, and how much memory it has then. The network is left out: every
// page answers at once.
type benchRestartCmd struct {
	Pages  int           `help:"How many pages are watched." default:"1000000"`
	Settle time.Duration `help:"How long each daemon runs after its first fetch." default:"10s"`

	Profile string `help:"Write a processor profile of the second daemon to this file." placeholder:"FILE"`
}

// restartHosts is one host in so many pages.
const restartHosts = 100

// restartFigures is what the command prints.
type restartFigures struct {
	Pages int          `json:"pages"`
	First daemonFigure `json:"first_start"` // joins the pages to their watch
	Again daemonFigure `json:"restart"`
	Peak  uint64       `json:"peak_memory_bytes"` // of both
}

// daemonFigure is of one life of a daemon.
type daemonFigure struct {
	Opened  float64 `json:"seconds_until_database"`    // configuration read, server started
	Fetched float64 `json:"seconds_until_first_fetch"` // from the start of the command
	Program float64 `json:"program_cpu_seconds"`       // until then
	Server  float64 `json:"postgresql_cpu_seconds"`    // from the opened database until then; 0 where it cannot be told
	Fetches int64   `json:"fetches"`
	Memory  uint64  `json:"memory_bytes"` // in the end, still running
}

// Run prints the figures as one JSON document.
func (c *benchRestartCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 1 || c.Pages > 10_000_000 || c.Settle <= 0 {
		return usagef("want 1 to 10000000 pages and a time above 0")
	}
	dir, err := os.MkdirTemp("", "strandline-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if os.Geteuid() == 0 { // the account that the private PostgreSQL runs as has to pass
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	a.flags.Config = filepath.Join(dir, "strandline.yaml")
	if !a.flags.Verbose {
		a.log = slog.New(slog.DiscardHandler)
	}
	text := fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: strandline-bench/1.0}\nwatches: [{name: bench, schedule: '@hourly', urls_file: urls.txt}]\n", dir)
	if err := errors.Join(os.WriteFile(a.flags.Config, []byte(text), 0o600), c.writePages(filepath.Join(dir, "urls.txt"))); err != nil {
		return err
	}
	out := restartFigures{Pages: c.Pages}
	if out.First, err = c.live(ctx, a); err != nil {
		return err
	}
	debug.FreeOSMemory() // what the first one had is not the second one's
	stop, err := startProfile(c.Profile)
	if err != nil {
		return err
	}
	out.Again, err = c.live(ctx, a)
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	out.Peak = peakMemory()
	return a.printJSON(out)
}

func (c *benchRestartCmd) writePages(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for i := range c.Pages {
		fmt.Fprintf(w, "http://h%d.test/p%d\n", i/restartHosts, i)
	}
	return errors.Join(w.Flush(), f.Close())
}

// live opens the database and runs a daemon until some time after its first fetch.
func (c *benchRestartCmd) live(ctx context.Context, a *app) (daemonFigure, error) {
	var out daemonFigure
	begin := time.Now()
	cpu := bench.Processes()
	before, err := cpu.Process(os.Getpid())
	if err != nil {
		return out, err
	}
	o, err := a.create(ctx)
	if err != nil {
		return out, err
	}
	defer o.Close()
	out.Opened = round3(time.Since(begin).Seconds())
	var backend int
	if err := o.Pool().QueryRow(ctx, `select pg_backend_pid()`).Scan(&backend); err != nil {
		return out, err
	}
	server, _ := cpu.Parent(backend) // 0 on another machine
	serverBefore, _ := cpu.Family(server)
	web := &answering{first: make(chan struct{})}
	s, err := a.newService(o, clock.Real{}, web)
	if err != nil {
		return out, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx) }()
	select {
	case <-web.first:
		out.Fetched = round3(time.Since(begin).Seconds())
		if used, err := cpu.Process(os.Getpid()); err == nil {
			out.Program = round3((used - before).Seconds())
		}
		if used, err := cpu.Family(server); err == nil && server > 1 {
			out.Server = round3((used - serverBefore).Seconds())
		}
	case err := <-ended:
		return out, errors.Join(errors.New("the daemon ended before its first fetch"), err)
	}
	select {
	case <-time.After(c.Settle):
		out.Memory = kernelFigure("/proc/self/status", "VmRSS:")
	case <-ctx.Done():
	}
	stop()
	err = <-ended
	out.Fetches = web.fetches.Load()
	return out, err
}

// answering is a web in which every page answers at once, and no host has rules.
type answering struct {
	fetches atomic.Int64
	first   chan struct{} // closed with the first fetch of a page
}

// RoundTrip answers.
func (w *answering) RoundTrip(req *http.Request) (*http.Response, error) {
	res := &http.Response{StatusCode: http.StatusNotFound, Status: "404 Not Found", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: req}
	if req.URL.Path == "/robots.txt" {
		return res, nil
	}
	if w.fetches.Add(1) == 1 {
		close(w.first)
	}
	const page = "<!doctype html><title>page</title><p>The quay is open.</p>"
	res.StatusCode, res.Status = http.StatusOK, "200 OK"
	res.Header.Set("Content-Type", "text/html; charset=utf-8")
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(page)), int64(len(page))
	return res, nil
}
