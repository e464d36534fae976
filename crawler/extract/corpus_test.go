package extract

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/internal/need"
)

// response is one HTML response of a WARC file.
type response struct {
	url, contentType string
	body             []byte
}

// corpusFiles returns the WARC files of the folder STRANDLINE_CORPUS.
func corpusFiles(tb testing.TB) []string {
	tb.Helper()
	return need.Corpus(tb)
}

// eachResponse calls f for the responses of a WARC file until it returns false.
func eachResponse(tb testing.TB, file string, f func(response) bool) {
	tb.Helper()
	r, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	z, err := gzip.NewReader(bufio.NewReaderSize(r, 1<<20))
	if err != nil {
		tb.Fatal(err)
	}
	in := bufio.NewReaderSize(z, 1<<16)
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return // the end
		}
		head, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		block := make([]byte, n+4)
		if _, err := io.ReadFull(in, block); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		if head.Get("WARC-Type") != "response" {
			continue
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(block[:n])), nil)
		if err != nil {
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		if !f(response{head.Get("WARC-Target-URI"), resp.Header.Get("Content-Type"), body}) {
			return
		}
	}
}

// domPage reads a page with x/net/html whatever the light builder thinks of it.
func domPage(in Input) (*Page, error) {
	x := new(Extractor)
	d := x.decoder.decode(in.Body, in.ContentType)
	x.sink.reset()
	if err := x.parseDOM(&x.sink, d.text); err != nil {
		return nil, err
	}
	p := &Page{Charset: d.name, CharsetFrom: d.from, Flags: x.sink.flags}
	if d.misfit {
		p.Flags |= WrongCharset
	}
	x.sink.fill(p)
	p.Links = x.sink.resolve(in.URL)
	x.language(p)
	p.Sentences = x.sentences(p)
	return p, nil
}

// lightPage reads a page with the light builder and tells whether it is sure.
func lightPage(in Input) (*Page, bool) {
	x := new(Extractor)
	d := x.decoder.decode(in.Body, in.ContentType)
	p := &Page{}
	x.lightTree(&x.sink, d.text)
	p.Flags |= x.sink.flags
	x.sink.fill(p)
	return p, !x.builder.hard
}

var comparePage = cmp.AllowUnexported(Page{})

// TestCorpusTrees holds the light builder against x/net/html on real pages:
// where it is sure the whole page must be the same, and where it is not the
// text should be.
func TestCorpusTrees(t *testing.T) {
	t.Parallel()
	pages, hard, sameText := 0, 0, 0
	for _, file := range corpusFiles(t) {
		n, h, filePages := 0, 0, 0
		eachResponse(t, file, func(r response) bool {
			n++
			if n%97 != 1 && os.Getenv("STRANDLINE_CORPUS_FULL") == "" {
				return true
			}
			in := Input{Body: r.body, ContentType: r.contentType, URL: r.url}
			want, err := domPage(in)
			if err != nil {
				return true
			}
			filePages++
			light, sure := lightPage(in)
			if light.text == want.text {
				sameText++
			}
			if !sure {
				h++
				return true
			}
			got := new(Extractor).Extract(in)
			if diff := cmp.Diff(want, got, comparePage); diff != "" {
				t.Errorf("%s %d: light tree differs (-dom +light):\n%.2000s", r.url, n, diff)
				return false
			}
			return true
		})
		t.Logf("%s: %d pages, %d hard", filepath.Base(file), filePages, h)
		pages, hard = pages+filePages, hard+h
	}
	t.Logf("%d pages, %d hard, same text %d", pages, hard, sameText)
	if float64(sameText) < 0.99*float64(pages) {
		t.Errorf("light text equals DOM text on %d of %d pages, want 99 %%", sameText, pages)
	}
}
