package main

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/intake"
)

// roundTrip answers every request with a page and keeps what cookies came.
type roundTrip struct {
	mu   sync.Mutex
	seen map[string]string // by path
}

func (r *roundTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.seen[req.URL.Path] = req.Header.Get("Cookie")
	r.mu.Unlock()
	status, body := 200, "<p>A page with some words on it.</p>"
	if req.URL.Path == "/robots.txt" {
		status, body = 404, ""
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"text/html"}, "Set-Cookie": {"given=1"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// TestCookies sends cookies with the pages of a watch that asks for them, and with
// no others.
func TestCookies(t *testing.T) {
	t.Parallel()
	web := &roundTrip{seen: map[string]string{}}
	f, err := fetch.New(fetch.Options{UserAgent: "test/1.0", Transport: web, Gate: gate.New(gate.Options{Delay: -1})})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reader := intake.New(canonical.New(canonical.Options{}))
	asks := &daemon.Watch{Options: cookies(map[string]configs.Secret{"consent": "yes", "area": "north"})}
	for path, watch := range map[string]*daemon.Watch{"/with": asks, "/without": {}, "/none": nil} {
		if a := (pageFetcher{f, reader}).Fetch(t.Context(), daemon.Job{URL: "http://a.test" + path, Watch: watch}); a.Error != "" {
			t.Fatalf("%s: %s", path, a.Error)
		}
	}
	for path, want := range map[string]string{"/with": "area=north; consent=yes", "/without": "", "/none": ""} {
		if got := web.seen[path]; got != want {
			t.Errorf("%s was asked with cookies %q, want %q", path, got, want)
		}
	}
}
