package warc_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// FuzzReader: whatever the bytes, reading ends, in memory bounded by the limits,
// every error but the last is a *Damage, and offsets lie in the file and grow.
func FuzzReader(f *testing.F) {
	one, two := plainRecord(1, noise(90)), plainRecord(2, "")
	f.Add([]byte(one + two))
	f.Add([]byte(member(one) + member(two)))
	f.Add([]byte(member(one)[:150] + member(two)))
	f.Add([]byte(one + "garbage" + two))
	f.Add([]byte(rawRecord(1, "x", 9e18) + two))
	f.Add([]byte(member(one + two)[:99] + one))
	plain, _ := sample(f, warc.WriterOptions{Plain: true, Reproducible: true})
	f.Add(plain)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, in := range []io.Reader{bytes.NewReader(b), onlyReader{bytes.NewReader(b)}} {
			r, err := warc.NewReader(in, warc.Options{Verify: true, MaxHeader: 4 << 10})
			if err != nil {
				var nw *warc.NotWARCError
				if !errors.As(err, &nw) {
					t.Fatalf("NewReader: %v", err)
				}
				continue
			}
			// Each step passes at least a head's first byte, or goes back within
			// the allowance.
			steps, last := 0, int64(-1)
			for {
				if steps++; steps > 100*len(b)+1000 {
					t.Fatal("reading does not end")
				}
				rec, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err == nil {
					if rec.Offset < last || rec.Offset > int64(len(b)) {
						t.Fatalf("record at %d after one at %d", rec.Offset, last)
					}
					last = rec.Offset
					var block []byte
					if block, _, err = rec.AppendBlock(nil, 4096); len(block) > 4096 || rec.Length() > int64(len(b)) {
						t.Fatalf("%d bytes of block, length %d", len(block), rec.Length())
					}
				}
				var d *warc.Damage
				if err != nil && (!errors.As(err, &d) || d.Offset < 0 || d.Offset > int64(len(b))) {
					t.Fatalf("error %v", err)
				}
			}
		}
	})
}

// FuzzHTTP: ParseHTTP loses no byte, and Decode keeps the limit.
func FuzzHTTP(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd", "br, gzip"} {
		body := map[string]string{"gzip": member("abc"), "deflate": zlibbed("abc"), "br": brotlied("abc"), "zstd": zstded("abc"), "br, gzip": member(brotlied("abc"))}[coding]
		f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\n\r\n" + body))
		f.Add([]byte("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Encoding: " + coding + "\n\n" + chunk(body, 5)))
	}
	f.Add([]byte("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := warc.ParseHTTP(b)
		if err != nil && string(m.Payload) != string(b) {
			t.Fatal("an unreadable message is not kept whole")
		}
		if string(m.Head)+string(m.Payload) != string(b) {
			t.Fatal("head and payload are not the block")
		}
		for _, h := range m.Header {
			if strings.ContainsAny(h.Name+h.Value, "\n\x00") || strings.ToValidUTF8(h.Name+h.Value, "") != h.Name+h.Value {
				t.Fatalf("field %q: %q", h.Name, h.Value)
			}
		}
		const limit = 2000
		body := m.Decode(limit)
		if len(body.Data) > limit {
			t.Fatalf("%d bytes decoded", len(body.Data))
		}
		if len(body.Removed) == 0 && !strings.HasPrefix(string(m.Payload), string(body.Data)) {
			t.Fatal("a payload with nothing removed was changed")
		}
	})
}
