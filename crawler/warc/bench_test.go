package warc_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// benchFile holds 400 captures of 48 KB.
func benchFile(b *testing.B) []byte {
	b.Helper()
	var buf bytes.Buffer
	w, err := warc.NewWriter(&buf, warc.WriterOptions{Reproducible: true})
	if err != nil {
		b.Fatal(err)
	}
	words := bytes.Fields([]byte("the page that changes <p> and its words </p> are counted by date and place"))
	for i := range 400 {
		var body bytes.Buffer
		for n := i; body.Len() < 48<<10; n = n*7 + 3 {
			body.Write(words[uint(n)%uint(len(words))])
			fmt.Fprintf(&body, " %d ", n%997)
		}
		if _, err := w.Response(fmt.Sprintf("http://example.com/%d", i), day, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), body.Bytes(), nil); err != nil {
			b.Fatal(err)
		}
	}
	return buf.Bytes()
}

// readFile reads all records with their HTTP heads and returns their number and
// the bytes of their blocks.
func readFile(b *testing.B, in io.Reader, verify bool) (records int, size int64) {
	b.Helper()
	r, err := warc.NewReader(in, warc.Options{Verify: verify})
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return records, size
		}
		if err != nil {
			b.Fatal(err)
		}
		if buf, _, err = rec.AppendBlock(buf[:0], 64<<20); err != nil {
			b.Fatal(err)
		}
		if rec.IsHTTP() {
			if _, err := warc.ParseHTTP(buf); err != nil {
				b.Fatal(err)
			}
		}
		records++
		size += int64(len(buf))
	}
}

func BenchmarkRead(b *testing.B) {
	file := benchFile(b)
	for _, verify := range []bool{false, true} {
		b.Run(fmt.Sprintf("verify=%v", verify), func(b *testing.B) {
			b.ReportAllocs()
			records := 0
			for b.Loop() {
				n, size := readFile(b, bytes.NewReader(file), verify)
				records += n
				b.SetBytes(size) // text, not file
			}
			b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkReadCorpus reads all files of the corpus.
func BenchmarkReadCorpus(b *testing.B) {
	dir := corpus(b)
	for _, verify := range []bool{false, true} {
		b.Run(fmt.Sprintf("verify=%v", verify), func(b *testing.B) {
			b.ReportAllocs()
			records := 0
			for b.Loop() {
				var total int64
				for _, c := range corpusFiles {
					f, err := os.Open(filepath.Join(dir, c.name+".warc.gz"))
					if err != nil {
						b.Fatal(err)
					}
					n, size := readFile(b, f, verify)
					_ = f.Close()
					records += n
					total += size
				}
				b.SetBytes(total)
			}
			b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	body := bytes.Repeat([]byte("<p>a page of some length, which is written again and again</p>\n"), 750)
	head := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
	w, err := warc.NewWriter(io.Discard, warc.WriterOptions{Reproducible: true})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := w.Response("http://example.com/", day, head, body, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	page := string(bytes.Repeat([]byte("<p>a page of some length, with words in it</p>\n"), 1000))
	for coding, body := range map[string]string{"gzip": member(page), "br": brotlied(page), "zstd": zstded(page)} {
		b.Run(coding, func(b *testing.B) {
			m, err := warc.ParseHTTP([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\n\r\n" + body))
			if err != nil {
				b.Fatal(err)
			}
			var d warc.Decoder
			b.ReportAllocs()
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				if out := d.Decode(m, 1<<20); len(out.Data) != len(page) {
					b.Fatal("wrong length")
				}
			}
		})
	}
}
