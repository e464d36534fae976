package warc_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/internal/need"
)

// corpusFiles are the files of the corpus of real page histories with their
// numbers of response and revisit records.
var corpusFiles = []struct {
	name                string
	responses, revisits int
}{
	{"news-de", 372, 0},
	{"news-list-cdr", 635, 2},
	{"gov-fire-dispatch", 1524, 27},
	{"gov-us-states-2020", 1229, 191},
	{"terms-demo", 427, 1},
	{"site-flink", 2282, 100},
	{"blog-ja", 819, 553},
	{"docs-httpd20", 1566, 11},
	{"docs-teraterm", 1430, 4456},
}

func corpus(t testing.TB) string {
	t.Helper()
	return filepath.Dir(need.Corpus(t)[0])
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := corpus(t)
	for _, c := range corpusFiles {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(filepath.Join(dir, c.name+".warc.gz"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			st, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			r, err := warc.NewReader(f, warc.Options{Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			count := map[warc.Type]int{}
			var buf []byte
			var end int64
			for {
				rec, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				count[rec.Type]++
				block, whole, err := rec.AppendBlock(buf[:0], 64<<20)
				if buf = block; err != nil || !whole || len(rec.Flaws) > 0 {
					t.Fatalf("record at %d: %v, whole %v, flaws %v", rec.Offset, err, whole, rec.Flaws)
				}
				if rec.Offset != end {
					t.Fatalf("record at %d, the one before ended at %d", rec.Offset, end)
				}
				if end = rec.Offset + rec.Length(); rec.Length() <= 0 {
					t.Fatalf("record at %d has length %d", rec.Offset, rec.Length())
				}
				if rec.Type == warc.TypeWarcinfo {
					continue
				}
				checkCapture(t, rec, block)
			}
			if end != st.Size() {
				t.Errorf("last record ends at %d of %d bytes", end, st.Size())
			}
			if count[warc.TypeResponse] != c.responses || count[warc.TypeRevisit] != c.revisits || count[warc.TypeWarcinfo] != 1 {
				t.Errorf("records %v, want %d responses and %d revisits", count, c.responses, c.revisits)
			}
		})
	}
}

// checkCapture checks what every capture of the corpus is known to be.
func checkCapture(t *testing.T, rec *warc.Record, block []byte) {
	t.Helper()
	m, err := warc.ParseHTTP(block)
	if err != nil || m.Status != 200 || !m.Ended || m.BadLines > 0 || rec.Date.IsZero() {
		t.Fatalf("record at %d: %v, %+v", rec.Offset, err, m)
	}
	if rec.Type == warc.TypeRevisit {
		v := rec.Revisit()
		if len(m.Payload) > 0 || v.Profile != warc.ProfileIdenticalPayload || v.TargetURI != rec.TargetURI || v.Date.IsZero() || v.RefersTo == "" {
			t.Fatalf("revisit at %d: %+v, %d bytes of payload", rec.Offset, v, len(m.Payload))
		}
		return
	}
	want, err := warc.ParseDigest(rec.Header.Get("WARC-Payload-Digest"))
	if err != nil || !warc.SumDigest("sha1", m.Payload).Equal(want) {
		t.Fatalf("record at %d: payload does not fit its digest (%v)", rec.Offset, err)
	}
	if b := m.Decode(64 << 20); !bytes.Equal(b.Data, m.Payload) || b.Removed != nil || b.Kept != nil {
		t.Fatalf("record at %d: Decode changed an uncoded payload", rec.Offset)
	}
}

// TestCorpusRandomAccess reads records by the offset and length found before.
func TestCorpusRandomAccess(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(corpus(t), "gov-fire-dispatch.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := warc.NewReader(bytes.NewReader(raw), warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = rec.Finish()
		}
		if err != nil {
			t.Fatal(err)
		}
		one, err := warc.NewReader(bytes.NewReader(raw[rec.Offset:rec.Offset+rec.Length()]), warc.Options{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := one.Next()
		if err != nil || got.ID != rec.ID {
			t.Fatalf("record alone: %v", err)
		}
		if _, err = one.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("behind the record alone: %v", err)
		}
	}
}
