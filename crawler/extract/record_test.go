package extract

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

func checkRecord(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *Page,
) {
	t.Helper()
	rec := p.AppendRecord(nil)
	got, err := DecodeRecord(rec)
	if err != nil {
		t.Fatalf("DecodeRecord: %v", err)
	}
	want := *p
	want.Links = nil
	if diff := cmp.Diff(&want, got, comparePage, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("page differs after a round trip (-before +after):\n%.3000s", diff)
	}
	if again := got.AppendRecord(nil); !bytes.Equal(again, rec) {
		t.Fatalf("record of the decoded page differs")
	}
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	x := new(Extractor)
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Body: []byte(soup(t)), URL: "http://example.org/"}
		if rapid.IntRange(0, 9).Draw(t, "plain") == 0 {
			in.ContentType = "text/plain"
		}
		checkRecord(t, x.Extract(in))
	})
	checkRecord(t, x.Extract(Input{Body: samplePage(2), URL: "http://example.org/"}))
}

func FuzzDecodeRecord(f *testing.F) {
	x := new(Extractor)
	f.Add(x.Extract(Input{Body: samplePage(3)[:3000]}).AppendRecord(nil))
	f.Add(x.Extract(Input{Body: []byte("a\nb. C. D e"), ContentType: "text/plain"}).AppendRecord(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := DecodeRecord(b)
		if err != nil {
			return
		}
		again, err := DecodeRecord(p.AppendRecord(nil))
		if err != nil {
			t.Fatalf("second DecodeRecord: %v", err)
		}
		if diff := cmp.Diff(p, again, comparePage, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("second decode differs:\n%s", diff)
		}
		for i := range p.Sentences {
			p.SentenceText(i)
		}
		if len(p.Nodes) > 0 {
			p.SubtreeText(0)
			p.FullPath(len(p.Nodes) - 1)
		}
	})
}

func BenchmarkDecodeRecord(b *testing.B) {
	rec := new(Extractor).Extract(Input{Body: samplePage(1), URL: "http://example.org/"}).AppendRecord(nil)
	b.Logf("record %d bytes", len(rec))
	decode := func() *Page {
		p, err := DecodeRecord(rec)
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	b.Run("decode", func(b *testing.B) { reportCPU(b, func() { decode() }) })
	b.Run("words", func(b *testing.B) {
		var c Counter
		reportCPU(b, func() {
			c.Reset()
			c.Add(decode().Text())
		})
	})
}

func BenchmarkAppendRecord(b *testing.B) {
	p := new(Extractor).Extract(Input{Body: samplePage(1), URL: "http://example.org/"})
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = p.AppendRecord(buf[:0])
	}
}

// TestCorpusRecords reports what a record costs when it is compressed with the
// record of the version before as dictionary, and the body likewise.
func TestCorpusRecords(t *testing.T) {
	t.Parallel()
	x := new(Extractor)
	delta := func(prev, b []byte) int {
		if prev == nil {
			return 0
		}
		w, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, prev), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		return len(w.EncodeAll(b, nil))
	}
	for _, file := range corpusFiles(t) {
		switch filepath.Base(file) {
		case "gov-us-states-2020.warc.gz", "news-list-cdr.warc.gz":
		default:
			continue
		}
		type last struct{ body, record []byte }
		prev := map[string]last{}
		n, raw, rawRec, bodies, records := 0, 0, 0, 0, 0
		eachResponse(t, file, func(r response) bool {
			p := x.Extract(Input{Body: r.body, ContentType: r.contentType, URL: r.url})
			checkRecord(t, p)
			now := last{r.body, p.AppendRecord(nil)}
			if l, ok := prev[r.url]; ok && n < 300 {
				n++
				raw += len(now.body)
				rawRec += len(now.record)
				bodies += delta(l.body, now.body)
				records += delta(l.record, now.record)
			}
			prev[r.url] = now
			return n < 300
		})
		t.Logf("%s: %d versions: body %d bytes, delta %d; record %d bytes, delta %d", filepath.Base(file), n, raw/n, bodies/n, rawRec/n, records/n)
		if records > bodies {
			t.Errorf("%s: records take more than bodies", filepath.Base(file))
		}
	}
}
