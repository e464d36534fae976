package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/strandlinehq/strandline/crawler/fetch"
)

// TestFaults serves every way in which a host goes wrong on the bare connection, and beside each a
// good page, which must not be held up.
func TestFaults(t *testing.T) {
	t.Parallel()
	page := article(20_000)
	zipped := gzipped(t, page)
	bombs := map[string][]byte{
		"gzip": bomb(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"br":   bomb(t, func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }),
		"zstd": bomb(t, func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }),
	}
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	for _, tc := range []struct {
		name   string
		answer func(c net.Conn)
		kind   fetch.Kind
		reason fetch.Reason
		status int
	}{
		{"hangs", wait, fetch.Failed, fetch.HeaderTimeout, 0},
		{"hangs after half a header", func(c net.Conn) { io.WriteString(c, ok); wait(c) }, fetch.Failed, fetch.HeaderTimeout, 0},
		{"drips its header", func(c net.Conn) { io.WriteString(c, ok); drip(c, "X: 1\r\n", 20*time.Millisecond) }, fetch.Failed, fetch.HeaderTimeout, 0},
		{"sends a header without end", func(c net.Conn) { io.WriteString(c, ok); drip(c, "X-Field: "+strings.Repeat("x", 1000)+"\r\n", 0) }, fetch.Failed, fetch.HeaderTooLong, 0},
		{"sends one line without end", func(c net.Conn) { io.WriteString(c, ok); drip(c, strings.Repeat("x", 1000), 0) }, fetch.Failed, fetch.HeaderTooLong, 0},
		{"announces itself for ever", func(c net.Conn) { drip(c, "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", 0) }, fetch.Failed, fetch.HeaderTooLong, 0},
		{"drips its body", func(c net.Conn) {
			io.WriteString(c, ok+"Content-Length: 100000\r\n\r\n")
			drip(c, "x", 20*time.Millisecond)
		}, fetch.Failed, fetch.SlowBody, 200},
		{"hangs in its body", func(c net.Conn) { io.WriteString(c, ok+"Content-Length: 100000\r\n\r\n"+page); wait(c) }, fetch.Failed, fetch.SlowBody, 200},
		{"drips its chunks", func(c net.Conn) {
			io.WriteString(c, ok+"Transfer-Encoding: chunked\r\n\r\n")
			drip(c, "1\r\nx\r\n", 20*time.Millisecond)
		}, fetch.Failed, fetch.SlowBody, 200},
		{"sends a body without end", func(c net.Conn) { io.WriteString(c, ok+"\r\n"); drip(c, page, 0) }, fetch.Content, "", 200},
		{"closes at once", func(net.Conn) {}, fetch.Failed, fetch.ClosedEarly, 0},
		{"closes in its header", func(c net.Conn) { io.WriteString(c, ok) }, fetch.Failed, fetch.ClosedEarly, 0},
		{"resets", func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }, fetch.Failed, fetch.ClosedEarly, 0},
		{"closes in its body", func(c net.Conn) { io.WriteString(c, ok+"Content-Length: 100000\r\n\r\n"+page) }, fetch.Failed, fetch.ShortBody, 200},
		{"closes in its chunks", func(c net.Conn) { io.WriteString(c, ok+"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n") }, fetch.Failed, fetch.ShortBody, 200},
		{"sends no chunks as it says", func(c net.Conn) { io.WriteString(c, ok+"Transfer-Encoding: chunked\r\n\r\n"+page) }, fetch.Failed, fetch.ShortBody, 200},
		{"has two lengths", func(c net.Conn) {
			io.WriteString(c, ok+"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
		}, fetch.Failed, fetch.Malformed, 0},
		{"has no length but letters", func(c net.Conn) { io.WriteString(c, ok+"Content-Length: ten\r\n\r\nhello!") }, fetch.Failed, fetch.Malformed, 0},
		{"speaks no HTTP", func(c net.Conn) { io.WriteString(c, "220 mail.example.org ESMTP\r\n\r\n") }, fetch.Failed, fetch.Malformed, 0},
		{"says gzip and sends none", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: gzip\r\n\r\n"+page) }, fetch.Failed, fetch.BadEncoding, 200},
		{"says br and sends none", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: br\r\n\r\n"+page) }, fetch.Failed, fetch.BadEncoding, 200},
		{"says zstd and sends none", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: zstd\r\n\r\n"+page) }, fetch.Failed, fetch.BadEncoding, 200},
		{"says deflate and sends none", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: deflate\r\n\r\n"+page) }, fetch.Failed, fetch.BadEncoding, 200},
		{"sends gzip and does not say so", func(c net.Conn) { io.WriteString(c, ok+"\r\n"+string(zipped)) }, fetch.Failed, fetch.BadEncoding, 200},
		{"sends half of its gzip", func(c net.Conn) {
			fmt.Fprintf(c, "%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", ok, len(zipped)/2, zipped[:len(zipped)/2])
		}, fetch.Failed, fetch.BadEncoding, 200},
		{"closes in its gzip", func(c net.Conn) {
			fmt.Fprintf(c, "%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", ok, len(zipped), zipped[:len(zipped)/2])
		}, fetch.Failed, fetch.ShortBody, 200},
		{"piles up codings", func(c net.Conn) {
			io.WriteString(c, ok+"Content-Encoding: gzip, gzip, gzip, gzip\r\n\r\n"+string(zipped))
		}, fetch.Failed, fetch.BadEncoding, 200},
		{"sends a gzip bomb", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: gzip\r\n\r\n"); c.Write(bombs["gzip"]) }, fetch.Failed, fetch.Bomb, 200},
		{"sends a brotli bomb", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: br\r\n\r\n"); c.Write(bombs["br"]) }, fetch.Failed, fetch.Bomb, 200},
		{"sends a zstd bomb", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: zstd\r\n\r\n"); c.Write(bombs["zstd"]) }, fetch.Failed, fetch.Bomb, 200},
		{"sends gzip of nothing for ever", func(c net.Conn) {
			io.WriteString(c, ok+"Content-Encoding: gzip\r\n\r\n")
			drip(c, string(gzipped(t, "")), 0)
		}, fetch.Failed, fetch.Bomb, 200},
		{"ends at its length, sends more", func(c net.Conn) {
			fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", ok, len(page), page+page)
		}, fetch.Content, "", 200},
		{"sends nothing", func(c net.Conn) { io.WriteString(c, ok+"Content-Length: 0\r\n\r\n") }, fetch.Failed, fetch.Empty, 200},
		{"sends nothing as gzip", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n") }, fetch.Failed, fetch.Empty, 200},
		{"says a coding that means none", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: UTF-8\r\n\r\n"+page) }, fetch.Content, "", 200},
		{"says a coding of its own", func(c net.Conn) { io.WriteString(c, ok+"Content-Encoding: secret\r\n\r\n"+page) }, fetch.Content, "", 200},
		{"answers 304 unasked", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 304 Not Modified\r\n\r\n") }, fetch.Failed, fetch.UnexpectedStatus, 304},
		{"answers a part unasked", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 206 Partial\r\nContent-Length: 5\r\n\r\nhello") }, fetch.Failed, fetch.UnexpectedStatus, 206},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			bad := serveRaw(t, tc.answer)
			good := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) })
			f := newFetcher(t, fetch.Options{Timeouts: hasty(), MaxBody: 1 << 20, MaxHeader: 32 << 10})
			done := make(chan fetch.Result)
			go func() { done <- f.Fetch(t.Context(), fetch.Request{URL: bad + "/page"}) }()
			start := time.Now()
			beside := f.Fetch(t.Context(), fetch.Request{URL: good + "/page"})
			check(t, &beside, fetch.Content, "")
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("the page of the good host took %s", took)
			}
			r := <-done
			check(t, &r, tc.kind, tc.reason)
			if r.Status != tc.status {
				t.Errorf("status %d, want %d", r.Status, tc.status)
			}
			if len(r.Body) > 1<<20 {
				t.Errorf("a body of %d bytes was kept", len(r.Body))
			}
		})
	}
}

// bomb compresses 8 MiB of nothing.
func bomb(t *testing.T, open func(w io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var b bytes.Buffer
	z := open(&b)
	zeros := make([]byte, 1<<20)
	for range 8 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTruncated keeps the start of a long page, however it is compressed.
func TestTruncated(t *testing.T) {
	t.Parallel()
	page := article(100_000)
	zipped := gzipped(t, page)
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped)
			return
		}
		_, _ = io.WriteString(w, page)
	})
	for _, limit := range []int{1000, len(page) - 1, len(page), len(page) + 1} {
		f := newFetcher(t, fetch.Options{MaxBody: limit})
		for _, path := range []string{"/gzip", "/plain"} {
			r := f.Fetch(t.Context(), fetch.Request{URL: address + path})
			check(t, &r, fetch.Content, "")
			if want := page[:min(limit, len(page))]; string(r.Body) != want {
				t.Errorf("%s with a limit of %d: %d bytes, want %d", path, limit, len(r.Body), len(want))
			}
			if want := limit < len(page); r.Truncated != want {
				t.Errorf("%s with a limit of %d: truncated %t, want %t", path, limit, r.Truncated, want)
			}
		}
	}
}

// TestTotalTimeout ends a body that is fast enough and never done.
func TestTotalTimeout(t *testing.T) {
	t.Parallel()
	address := serveRaw(t, func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		drip(c, strings.Repeat("x", 1000), 10*time.Millisecond)
	})
	limits := hasty()
	limits.Total = 500 * time.Millisecond
	f := newFetcher(t, fetch.Options{Timeouts: limits})
	r := f.Fetch(t.Context(), fetch.Request{URL: address + "/"})
	check(t, &r, fetch.Failed, fetch.Timeout)
	if !bytes.HasPrefix(r.Body, []byte("xxx")) {
		t.Error("what had come of the body is not kept")
	}
}

// TestCancel ends a fetch at once, wherever it is.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, begin string
	}{
		{"before the header", ""},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			address := serveRaw(t, func(c net.Conn) {
				io.WriteString(c, tc.begin)
				cancel()
				wait(c)
			})
			f := newFetcher(t, fetch.Options{})
			start := time.Now()
			r := f.Fetch(ctx, fetch.Request{URL: address + "/"})
			check(t, &r, fetch.Failed, fetch.Cancelled)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("it took %s", took)
			}
			r = f.Fetch(ctx, fetch.Request{URL: address + "/"})
			check(t, &r, fetch.Failed, fetch.Cancelled)
			if s := f.Gate().State("127.0.0.1", time.Now()); s.Running != 0 || s.Failures != 0 {
				t.Errorf("the gate: %+v", s)
			}
		})
	}
}
