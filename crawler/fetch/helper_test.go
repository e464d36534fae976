package fetch_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
)

const agent = "strandline/1.0 (+https://example.org/contact)"

// loopback are the addresses that tests listen on.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128")}
}

// hasty are timeouts that a test can wait for.
func hasty() fetch.Timeouts {
	return fetch.Timeouts{
		Connect: time.Second, TLS: time.Second, Header: time.Second, Total: 10 * time.Second,
		Rate: 1000, Window: 300 * time.Millisecond,
	}
}

// eager is a gate that never waits.
func eager() *gate.Gate {
	return gate.New(gate.Options{Delay: -1, Connections: 64, BreakAfter: 1 << 30, Backoff: 1, BreakFor: 1})
}

func newFetcher(t testing.TB, o fetch.Options) *fetch.Fetcher {
	t.Helper()
	if o.UserAgent == "" {
		o.UserAgent = agent
	}
	if o.AllowNetworks == nil {
		o.AllowNetworks = loopback()
	}
	if o.Gate == nil {
		o.Gate = eager()
	}
	f, err := fetch.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// serve starts a server that has no robots.txt unless the handler answers for it.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(noRobots(h))
	t.Cleanup(s.Close)
	return s.URL
}

func noRobots(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}
}

// serveRaw starts a server that answers every request but that for robots.txt with what the
// function writes on the bare connection.
func serveRaw(t testing.TB, answer func(c net.Conn)) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		_ = rw.Flush()
		answer(c)
	})
}

// wait keeps a connection open until the other side closes it.
func wait(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// drip writes a piece again and again until the other side closes the connection.
func drip(c net.Conn, piece string, every time.Duration) {
	tick := time.NewTicker(max(every, 1))
	defer tick.Stop()
	for {
		if _, err := io.WriteString(c, piece); err != nil {
			return
		}
		if every > 0 {
			<-tick.C
		}
	}
}

// article is an ordinary page of about n bytes.
func article(n int) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=en><head><title>The harbour in spring | The Coast</title></head><body><h1>The harbour in spring</h1>\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "<p>On day %d the boats came in late, and the nets that they brought were torn in %d places by what the storm of the week before had left on the ground of the bay. <a href=\"/days/%d\">More</a> about that day can be read elsewhere.</p>\n", i, i*i%97, i)
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// check compares what every test looks at.
func check(t *testing.T, r *fetch.Result, kind fetch.Kind, reason fetch.Reason) {
	t.Helper()
	if r.Kind != kind || r.Reason != reason {
		t.Errorf("%s is %s %q (%s), want %s %q", r.FinalURL, r.Kind, r.Reason, r.Text, kind, reason)
	}
	if (r.Reason == "") != (r.Text == "") {
		t.Errorf("reason %q with text %q", r.Reason, r.Text)
	}
	if r.FinishedAt.Before(r.StartedAt) || r.StartedAt.IsZero() {
		t.Errorf("from %s to %s", r.StartedAt, r.FinishedAt)
	}
}
