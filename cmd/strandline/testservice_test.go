package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/internal/testdb"
)

// testService is a whole daemon on a database of its own and a network of the test's.
type testService struct {
	*service
	t    *testing.T
	ctx  context.Context
	file string // its configuration
	url  string // of its database
}

// newTestService makes one that does nothing until it runs. Its clock starts in March 2026.
func newTestService(t *testing.T, config string, speed float64, transport http.RoundTripper) *testService {
	t.Helper()
	url := testdb.URL(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	s := &testService{t: t, ctx: ctx, file: filepath.Join(t.TempDir(), "strandline.yaml"), url: url}
	s.configure(config)
	a := &app{flags: globals{Config: s.file, Database: url}, stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	o, err := a.create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	s.service, err = a.newService(o, clock.NewScaled(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), speed), transport)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// configure writes the configuration that the next start or reload takes.
func (s *testService) configure(text string) {
	s.t.Helper()
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// start runs the service until the returned function is called, which wants it to end well.
func (s *testService) start() (stop func()) {
	running, cancel := context.WithCancel(s.ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.run(running) }()
	return func() {
		s.t.Helper()
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("the service ended with %v", err)
		}
	}
}

// await asks until a query gives true.
func (s *testService) await(what, query string, args ...any) {
	s.t.Helper()
	for !single[bool](s, query, args...) {
		select {
		case <-s.ctx.Done():
			s.t.Fatalf("waited too long for %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// single returns the one value that a query gives.
func single[T any](s *testService, query string, args ...any) T {
	s.t.Helper()
	var v T
	if err := s.Pool().QueryRow(s.ctx, query, args...).Scan(&v); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return v
}

// answers is a network that answers by a function.
type answers func(req *http.Request) (status int, head http.Header, body string)

// RoundTrip answers a request.
func (f answers) RoundTrip(req *http.Request) (*http.Response, error) {
	status, head, body := f(req)
	if head == nil {
		head = http.Header{}
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req, Header: head,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}
