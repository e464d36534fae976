package fetch_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/fetch"
)

// cannedServer answers every request with the same bytes, at next to no cost of its own, so that
// the CPU time of the process is that of the client.
func cannedServer(b *testing.B, answer []byte) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	none := []byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for {
					line, err := r.ReadSlice('\n')
					if err != nil {
						return
					}
					out := answer
					if string(line) == "GET /robots.txt HTTP/1.1\r\n" {
						out = none
					}
					for len(line) > 2 {
						if line, err = r.ReadSlice('\n'); err != nil {
							return
						}
					}
					if _, err := c.Write(out); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// words is a page of about n bytes that compresses some fourfold, as real ones do.
func words(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 4000)
	for i := range vocabulary {
		w := make([]byte, 3+r.IntN(8))
		for j := range w {
			w[j] = "etaoinshrdlucmfwygpbvk"[min(r.IntN(22), r.IntN(22))]
		}
		vocabulary[i] = string(w)
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><title>A page of words</title><h1>Words</h1>")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "<p class=\"text\"><a href=\"/page/%d\">link</a>", i)
		for range 40 {
			x := r.Float64()
			b.WriteByte(' ')
			b.WriteString(vocabulary[int(x*x*x*4000)])
		}
		b.WriteString(".</p>\n")
	}
	return b.String()
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFetch reports the CPU time of a fetch by one worker, garbage collection and the
// canned server's system calls included, beside that of a bare net/http client which copies the
// compressed body to nowhere.
func BenchmarkFetch(b *testing.B) {
	zipped := gzipped(b, words(48<<10))
	page := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nDate: Tue, 01 Jul 2025 00:00:00 GMT\r\nServer: canned\r\nContent-Type: text/html; charset=utf-8\r\nETag: \"1\"\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(zipped), zipped)
	same := []byte("HTTP/1.1 304 Not Modified\r\nDate: Tue, 01 Jul 2025 00:00:00 GMT\r\nServer: canned\r\nETag: \"1\"\r\n\r\n")
	b.Logf("a page of %d bytes, compressed to %d", 48<<10, len(zipped))
	for _, tc := range []struct {
		name   string
		answer []byte
		kind   fetch.Kind
	}{
		{"page", page, fetch.Content},
		{"not-modified", same, fetch.NotModified},
	} {
		b.Run(tc.name, func(b *testing.B) {
			address := cannedServer(b, tc.answer)
			f := newFetcher(b, fetch.Options{})
			b.ReportAllocs()
			before := cpu(b)
			for b.Loop() {
				r := f.Fetch(b.Context(), fetch.Request{URL: address + "/some/page.html", ETag: `"1"`})
				if r.Kind != tc.kind {
					b.Fatalf("%s %s %s", r.Kind, r.Reason, r.Text)
				}
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
		})
		b.Run(tc.name+"-net-http", func(b *testing.B) {
			address := cannedServer(b, tc.answer)
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			defer client.CloseIdleConnections()
			b.ReportAllocs()
			before := cpu(b)
			for b.Loop() {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address+"/some/page.html", nil)
				if err != nil {
					b.Fatal(err)
				}
				res, err := client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, res.Body); err != nil {
					b.Fatal(err)
				}
				_ = res.Body.Close()
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
		})
	}
}
