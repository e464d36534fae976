package warc_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/warc"
)

func TestParseHTTP(t *testing.T) {
	t.Parallel()
	type want struct {
		Proto, Reason, Method, Target, Payload string
		Status, Fields, BadLines               int
		Ended                                  bool
	}
	for _, c := range []struct {
		name, in string
		want     want
	}{
		{"usual", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", want{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: 1, Payload: "body", Ended: true}},
		{"no reason", "HTTP/1.1 204\r\n\r\n", want{Proto: "HTTP/1.1", Status: 204, Ended: true}},
		{"LF, spaces, lower case", "http/1.0   404   Not  Found \nA:b\n\n\nx", want{Proto: "http/1.0", Status: 404, Reason: "Not  Found", Fields: 1, Payload: "\nx", Ended: true}},
		{"HTTP/2", "HTTP/2 200\r\n\r\n", want{Proto: "HTTP/2", Status: 200, Ended: true}},
		{"ICY", "ICY 200 OK\r\n\r\n", want{Proto: "ICY", Status: 200, Reason: "OK", Ended: true}},
		{"no code", "HTTP/1.1 OK\r\n\r\n", want{Proto: "HTTP/1.1", Reason: "OK", Ended: true}},
		{"head alone, cut", "HTTP/1.1 200 OK\r\nA: b", want{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: 1}},
		{"bad lines", "HTTP/1.1 200 OK\r\nnothing\r\n: x\r\n folded\r\nA: b\r\n\r\n", want{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: 1, BadLines: 3, Ended: true}},
		{"request", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", want{Proto: "HTTP/1.1", Method: "GET", Target: "/a b", Fields: 1, Ended: true}},
		{"mixed line ends", "HTTP/1.1 200 OK\r\nA: b\n\r\nx\r\n\r\n", want{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: 1, Payload: "x\r\n\r\n", Ended: true}},
	} {
		m, err := warc.ParseHTTP([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := want{m.Proto, m.Reason, m.Method, m.Target, string(m.Payload), m.Status, len(m.Header), m.BadLines, m.Ended}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if string(m.Head)+string(m.Payload) != c.in {
			t.Errorf("%s: head %q and payload %q are not the block", c.name, m.Head, m.Payload)
		}
	}
	for _, in := range []string{"", "<html>", "GET /", "HTTPS/1.1 200\r\n\r\n", "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 1<<18)} {
		m, err := warc.ParseHTTP([]byte(in))
		var d *warc.Damage
		if !errors.As(err, &d) || d.Kind != warc.BadHTTP || string(m.Payload) != in {
			t.Errorf("ParseHTTP(%.20q) = %v", in, err)
		}
	}
}

func chunk(s string, size int) string {
	var b strings.Builder
	for len(s) > 0 {
		n := min(size, len(s))
		fmt.Fprintf(&b, "%x;ext=1\r\n%s\r\n", n, s[:n])
		s = s[n:]
	}
	return b.String() + "0\r\nTrailer: x\r\n\r\n"
}

func through(s string, open func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	w := open(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

func deflated(s string) string {
	return through(s, func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f })
}

func zlibbed(s string) string {
	return through(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func brotlied(s string) string {
	return through(s, func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
}

func zstded(s string) string {
	return through(s, func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z })
}

func TestDecode(t *testing.T) {
	t.Parallel()
	page := "<!DOCTYPE html><title>A page</title><p>" + noise(3000)
	const all = 1 << 20
	for _, c := range []struct {
		name, fields, payload string
		limit                 int64
		want                  string
		removed, kept         string
		cut, damage           bool
	}{
		{"nothing", "", page, all, page, "", "", false, false},
		{"chunked", "Transfer-Encoding: chunked\r\n", chunk(page, 700), all, page, "chunked", "", false, false},
		{"chunked already removed", "Transfer-Encoding: chunked\r\n", page, all, page, "", "chunked", false, false},
		{"chunked cut", "Transfer-Encoding: chunked\r\n", chunk(page, 700)[:1000], all, page[:1000-2*len("2bc;ext=1\r\n")-2], "chunked", "", false, true},
		{"gzip", "Content-Encoding: gzip\r\n", member(page), all, page, "gzip", "", false, false},
		{"x-gzip", "content-encoding: X-GZIP\r\n", member(page), all, page, "gzip", "", false, false},
		{"gzip not there", "Content-Encoding: gzip\r\n", page, all, page, "", "gzip", false, false},
		{"gzip, garbage behind", "Content-Encoding: gzip\r\n", member(page) + "garbage behind it", all, page, "gzip", "", false, false},
		{"zlib", "Content-Encoding: deflate\r\n", zlibbed(page), all, page, "deflate", "", false, false},
		{"raw deflate", "Content-Encoding: deflate\r\n", deflated(page), all, page, "deflate", "", false, false},
		{"deflate not there", "Content-Encoding: deflate\r\n", page, all, page, "", "deflate", false, false},
		{"br", "Content-Encoding: br\r\n", brotlied(page), all, page, "br", "", false, false},
		{"br not there", "Content-Encoding: br\r\n", page, all, page, "", "br", false, false},
		{"zstd", "Content-Encoding: zstd\r\n", zstded(page), all, page, "zstd", "", false, false},
		{"zstd not there", "Content-Encoding: zstd\r\n", page, all, page, "", "zstd", false, false},
		{"unknown", "Content-Encoding: utf-8\r\n", page, all, page, "", "utf-8", false, false},
		{"identity", "Content-Encoding: identity\r\n", page, all, page, "", "", false, false},
		{"two and chunked", "Content-Encoding: br, gzip\r\nTransfer-Encoding: chunked\r\n", chunk(member(brotlied(page)), 99), all, page, "chunked gzip br", "", false, false},
		{"transfer gzip", "Transfer-Encoding: gzip, chunked\r\n", chunk(member(page), 99), all, page, "chunked gzip", "", false, false},
		{"chunked removed, gzip there", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", member(page), all, page, "gzip", "chunked", false, false},
		{"no body", "Content-Encoding: gzip\r\n", "", all, "", "", "", false, false},
		{"limit", "", page, 10, page[:10], "", "", true, false},
		{"limit exact", "Content-Encoding: gzip\r\n", member(page), int64(len(page)), page, "gzip", "", false, false},
		{"limit gzip", "Content-Encoding: gzip\r\n", member(page), 10, page[:10], "gzip", "", true, false},
		{"limit br", "Content-Encoding: br\r\n", brotlied(page), 10, page[:10], "br", "", true, false},
		{"limit zstd", "Content-Encoding: zstd\r\n", zstded(page), 10, page[:10], "zstd", "", true, false},
		{"limit chunked", "Transfer-Encoding: chunked\r\n", chunk(page, 7), 10, page[:10], "chunked", "", true, false},
		{"bomb", "Content-Encoding: gzip\r\n", member(strings.Repeat("a", 4<<20)), 5, "aaaaa", "gzip", "", true, false},
		{"many", "Content-Encoding: gzip,gzip,gzip,gzip,gzip,gzip\r\n", page, all, page, "", "gzip gzip gzip gzip gzip gzip", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, err := warc.ParseHTTP([]byte("HTTP/1.1 200 OK\r\n" + c.fields + "\r\n" + c.payload))
			if err != nil {
				t.Fatal(err)
			}
			var d warc.Decoder
			for range 2 { // the second time with buffers in use
				b := d.Decode(m, c.limit)
				if string(b.Data) != c.want {
					t.Errorf("Data is %.60q (%d bytes), want %.60q (%d)", b.Data, len(b.Data), c.want, len(c.want))
				}
				if got := strings.Join(b.Removed, " "); got != c.removed {
					t.Errorf("Removed = %q, want %q", got, c.removed)
				}
				if got := strings.Join(b.Kept, " "); got != c.kept {
					t.Errorf("Kept = %q, want %q", got, c.kept)
				}
				if b.Cut != c.cut || (b.Damage != nil) != c.damage {
					t.Errorf("Cut = %v, Damage = %v", b.Cut, b.Damage)
				}
			}
		})
	}
}

// TestDecodeCut: a coded body cut anywhere gives a prefix of the text, or is
// kept as it is.
func TestDecodeCut(t *testing.T) {
	t.Parallel()
	page := noise(2000)
	for coding, body := range map[string]string{"gzip": member(page), "deflate": deflated(page), "br": brotlied(page), "zstd": zstded(page)} {
		for cut := range len(body) {
			m, err := warc.ParseHTTP([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\n\r\n" + body[:cut]))
			if err != nil {
				t.Fatal(err)
			}
			b := m.Decode(1 << 20)
			switch {
			case b.Damage != nil && strings.HasPrefix(page, string(b.Data)):
			case b.Kept != nil && string(b.Data) == body[:cut]:
			case cut == 0:
			default:
				t.Fatalf("%s cut at %d: %+v", coding, cut, b)
			}
		}
	}
}

// TestChunkedSplit: the state machine of the digests gets a body in pieces; its
// result must not depend on where they are cut.
func TestChunkedSplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		page := rapid.StringN(1, 300, 600).Draw(t, "page")
		body := chunk(page, rapid.IntRange(1, 50).Draw(t, "chunk"))
		block := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
		for _, payload := range []string{page, body} { // what either sort of writer digests
			digest := warc.SumDigest("sha256", []byte(payload)).String()
			file := fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"+
				"WARC-Target-URI: http://example.com/\r\nContent-Type: application/http\r\nWARC-Payload-Digest: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", digest, len(block), block)
			r, err := warc.NewReader(strings.NewReader(file), warc.Options{Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			rec, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = rec.Read(make([]byte, rapid.IntRange(1, 40).Draw(t, "piece")))
			}
			if err := rec.Finish(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestDigest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"}, // of nothing
		{"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"},
		{"SHA-1:da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"},
		{"sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"md5:d41d8cd98f00b204e9800998ecf8427e", "md5:2QOYZWMPACZAJ2MABGMOZ6CCPY"},
	} {
		d, err := warc.ParseDigest(c.in)
		if err != nil || d.String() != c.want || !d.Equal(warc.SumDigest(d.Algo)) {
			t.Errorf("ParseDigest(%q) = %v, %v, want %s", c.in, d, err, c.want)
		}
	}
	for _, in := range []string{"", "sha1:", "sha1:abc", "crc:1", "sha256:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY!"} {
		if d, err := warc.ParseDigest(in); err == nil {
			t.Errorf("ParseDigest(%q) = %v, want an error", in, d)
		}
	}
}
