package warc_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// plainRecord writes a record by hand, so that the reader is not tested by what
// our own writer does alone.
func plainRecord(n int, block string) string {
	return rawRecord(n, block, len(block))
}

func rawRecord(n int, block string, length int) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:%d>\r\n"+
		"WARC-Date: 2020-02-03T04:05:06Z\r\nWARC-Target-URI: http://example.com/%d\r\n"+
		"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", n, n, length, block)
}

func member(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// onlyReader hides that a reader can seek.
type onlyReader struct{ r io.Reader }

func (o onlyReader) Read(p []byte) (int, error) { return o.r.Read(p) }

// seen is what reading a file gave.
type seen struct {
	ids    string // of the sound records, in order
	kinds  string // of the damage, in order
	blocks []string
	damage []*warc.Damage
	recs   []*warc.Record
}

// readAll reads a file to its end and fails the test on a final error.
func readAll(t testing.TB, in io.Reader, opt warc.Options) seen {
	t.Helper()
	r, err := warc.NewReader(in, opt)
	if err != nil {
		t.Fatal(err)
	}
	var s seen
	var ids, kinds []string
	add := func(err error) {
		var d *warc.Damage
		if !errors.As(err, &d) {
			t.Fatalf("final error: %v", err)
		}
		s.damage = append(s.damage, d)
		kinds = append(kinds, string(d.Kind))
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			s.ids, s.kinds = strings.Join(ids, " "), strings.Join(kinds, " ")
			return s
		}
		if err != nil {
			add(err)
			continue
		}
		block, _, err := rec.AppendBlock(nil, 1<<20)
		if err != nil {
			add(err)
			continue
		}
		ids = append(ids, strings.TrimPrefix(rec.ID, "urn:uuid:"))
		s.blocks = append(s.blocks, string(block))
		s.recs = append(s.recs, rec)
	}
}

// bothWays reads a file that can seek and one that cannot, which must agree.
func bothWays(t *testing.T, file string, opt warc.Options) seen {
	t.Helper()
	a := readAll(t, strings.NewReader(file), opt)
	b := readAll(t, onlyReader{strings.NewReader(file)}, opt)
	if a.ids != b.ids || a.kinds != b.kinds {
		t.Fatalf("with seeking: records %q damage %q; without: records %q damage %q", a.ids, a.kinds, b.ids, b.kinds)
	}
	return a
}
