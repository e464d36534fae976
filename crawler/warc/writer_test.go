package warc_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/warc"
)

var day = time.Date(2021, 3, 4, 5, 6, 7, 0, time.UTC)

// sample writes one record of every sort.
func sample(t testing.TB, opt warc.WriterOptions) ([]byte, []warc.Span) {
	t.Helper()
	var b bytes.Buffer
	w, err := warc.NewWriter(&b, opt)
	if err != nil {
		t.Fatal(err)
	}
	var spans []warc.Span
	put := func(s warc.Span, err error) warc.Span {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		spans = append(spans, s)
		return s
	}
	const uri = "http://example.com/"
	put(w.Info("a.warc.gz", day, warc.Header{{"software", "strandline"}}))
	first := put(w.Response(uri, day, []byte("HTTP/1.1 200 OK\r\nA: b\r\n\r\n"), []byte("hello"), nil))
	put(w.Request(uri, day, []byte("GET / HTTP/1.1\r\n\r\n"), nil, first.ID))
	put(w.Revisit(uri, day.Add(time.Hour+1500*time.Microsecond), []byte("HTTP/1.1 200 OK\r\n\r\n"), first.Payload,
		warc.Revisit{Profile: warc.ProfileIdenticalPayload, RefersTo: first.ID, TargetURI: uri, Date: day}))
	put(w.Revisit(uri, day.Add(2*time.Hour), []byte("HTTP/1.1 304 Not Modified\r\n\r\n"), warc.Digest{},
		warc.Revisit{Profile: warc.ProfileNotModified, TargetURI: uri, Date: day}))
	put(w.Metadata(uri, day, warc.Header{{"depth", "1\n2"}}, first.ID))
	put(w.Resource("urn:x", day, "text/plain", []byte("text")))
	return b.Bytes(), spans
}

func TestWriter(t *testing.T) {
	t.Parallel()
	for _, opt := range []warc.WriterOptions{{Reproducible: true}, {Plain: true}, {Level: 1}} {
		file, spans := sample(t, opt)
		s := readAll(t, bytes.NewReader(file), warc.Options{Verify: true})
		if s.kinds != "" || len(s.recs) != len(spans) {
			t.Fatalf("%+v: %d records, damage %v", opt, len(s.recs), s.damage)
		}
		var types []string
		for i, r := range s.recs {
			types = append(types, string(r.Type))
			if sp := spans[i]; r.Offset != sp.Offset || r.Length() != sp.Length || r.ID != sp.ID || len(r.Flaws) > 0 || r.Version != "1.1" {
				t.Errorf("%+v: record %d is at %d+%d, written as %+v, flaws %v", opt, i, r.Offset, r.Length(), sp, r.Flaws)
			}
			if i > 0 && r.Header.Get("WARC-Warcinfo-ID") != "<"+spans[0].ID+">" {
				t.Errorf("record %d does not name its warcinfo", i)
			}
		}
		if got := strings.Join(types, " "); got != "warcinfo response request revisit revisit metadata resource" {
			t.Errorf("types %s", got)
		}
		want := warc.Revisit{Profile: warc.ProfileIdenticalPayload, RefersTo: spans[1].ID, TargetURI: "http://example.com/", Date: day}
		if diff := cmp.Diff(want, s.recs[3].Revisit()); diff != "" {
			t.Errorf("revisit (-want +got):\n%s", diff)
		}
		if got := s.recs[3].Header.Get("WARC-Date"); got != "2021-03-04T06:06:07.001500Z" {
			t.Errorf("date of the revisit is %s", got)
		}
		if got := s.recs[3].Header.Get("WARC-Payload-Digest"); got != warc.SumDigest("sha1", []byte("hello")).String() {
			t.Errorf("payload digest of the revisit is %s", got)
		}
		if s.recs[4].Header.Has("WARC-Payload-Digest") {
			t.Error("a revisit without payload digest got one")
		}
		if got := warc.ParseFields([]byte(s.blocks[5])).Get("Depth"); got != "1 2" {
			t.Errorf("metadata depth is %q", got)
		}
	}
}

func TestWriterReproducible(t *testing.T) {
	t.Parallel()
	a, _ := sample(t, warc.WriterOptions{Reproducible: true})
	b, _ := sample(t, warc.WriterOptions{Reproducible: true})
	if !bytes.Equal(a, b) {
		t.Error("two files of the same records differ")
	}
	c, _ := sample(t, warc.WriterOptions{})
	if bytes.Equal(a, c) {
		t.Error("random ids repeat")
	}
	plain, spans := sample(t, warc.WriterOptions{Reproducible: true, Plain: true})
	const id = "urn:uuid:0cec247b-9da1-5328-a5b1-de11672dc9f9"
	if spans[1].ID != id || !bytes.Contains(plain, []byte("WARC-Record-ID: <"+id+">\r\n")) {
		t.Errorf("id of the response is %s, and must never change from %s", spans[1].ID, id)
	}
}

func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	good := warc.Out{Type: "metadata", Date: day}
	for name, spoil := range map[string]func(*warc.Out){
		"no type":       func(o *warc.Out) { o.Type = "" },
		"no date":       func(o *warc.Out) { o.Date = time.Time{} },
		"year":          func(o *warc.Out) { o.Date = day.AddDate(9000, 0, 0) },
		"no URI":        func(o *warc.Out) { o.Type = warc.TypeResponse },
		"URI with LF":   func(o *warc.Out) { o.TargetURI = "http://a/\nX: y" },
		"type with CR":  func(o *warc.Out) { o.ContentType = "a\rb" },
		"field name":    func(o *warc.Out) { o.Extra = warc.Header{{"a b", "c"}} },
		"head not over": func(o *warc.Out) { o.Head, o.Payload = []byte("HTTP/1.1 200 OK\r\n"), []byte("x") },
		"head too long": func(o *warc.Out) { o.Head = []byte("HTTP/1.1 200 OK\r\n\r\nx") },
	} {
		var b bytes.Buffer
		w, err := warc.NewWriter(&b, warc.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o := good
		spoil(&o)
		if _, err := w.Write(o); err == nil || b.Len() > 0 {
			t.Errorf("%s: written (%v)", name, err)
		}
		if _, err := w.Write(good); err != nil {
			t.Errorf("%s: the writer stopped: %v", name, err)
		}
	}
	if _, err := warc.NewWriter(nil, warc.WriterOptions{Level: 99}); err == nil {
		t.Error("level 99 accepted")
	}
}

type failing struct{ left int }

var errFull = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterErrorStays(t *testing.T) {
	t.Parallel()
	w, err := warc.NewWriter(&failing{left: 20}, warc.WriterOptions{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := w.Resource("urn:x", day, "text/plain", nil); !errors.Is(err, errFull) {
			t.Errorf("Write to a full disk: %v", err)
		}
	}
}

// TestRoundTrip: everything written reads back equal.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	value := rapid.StringMatching(`[!-~é日]([ -~é日]{0,30}[!-~é日])?`)
	bytesOf := rapid.SliceOfN(rapid.Byte(), 0, 400)
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		w, err := warc.NewWriter(&b, warc.WriterOptions{Plain: rapid.Bool().Draw(t, "plain"), Reproducible: rapid.Bool().Draw(t, "reproducible")})
		if err != nil {
			t.Fatal(err)
		}
		var outs []warc.Out
		var spans []warc.Span
		for range rapid.IntRange(1, 6).Draw(t, "records") {
			o := warc.Out{
				Type:        warc.Type(rapid.SampledFrom([]string{"response", "resource", "metadata", "conversion", "x-other"}).Draw(t, "type")),
				Date:        time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "date")).UTC(),
				TargetURI:   "http://example.com/" + rapid.StringMatching(`[a-zé日?&=]{0,20}`).Draw(t, "uri"),
				ContentType: "text/plain",
				Payload:     bytesOf.Draw(t, "payload"),
			}
			if o.Type == warc.TypeResponse {
				o.ContentType = "application/http; msgtype=response"
				o.Head = []byte("HTTP/1.1 200 OK\r\nX: " + value.Draw(t, "field") + "\r\n\r\n")
			}
			if rapid.Bool().Draw(t, "extra") {
				o.Extra = warc.Header{{"X-One", value.Draw(t, "extra value")}, {"x-one", value.Draw(t, "extra value")}}
			}
			s, err := w.Write(o)
			if err != nil {
				t.Fatal(err)
			}
			outs, spans = append(outs, o), append(spans, s)
		}
		r, err := warc.NewReader(bytes.NewReader(b.Bytes()), warc.Options{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range outs {
			rec, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			block, whole, err := rec.AppendBlock(nil, 1<<20)
			if err != nil || !whole || len(rec.Flaws) > 0 {
				t.Fatal(err, whole, rec.Flaws)
			}
			got := warc.Out{Type: rec.Type, Date: rec.Date, TargetURI: rec.TargetURI, ContentType: rec.Header.Get("Content-Type"), Payload: block}
			for _, v := range rec.Header.Values("x-one") {
				got.Extra = append(got.Extra, warc.Field{Name: []string{"X-One", "x-one"}[len(got.Extra)], Value: v})
			}
			if o.Head != nil {
				m, err := warc.ParseHTTP(block)
				if err != nil {
					t.Fatal(err)
				}
				got.Head, got.Payload = m.Head, m.Payload
			}
			if !bytes.Equal(got.Payload, o.Payload) {
				t.Fatalf("payload %q, want %q", got.Payload, o.Payload)
			}
			got.Payload, o.Payload = nil, nil
			if diff := cmp.Diff(o, got); diff != "" {
				t.Fatalf("record %d (-want +got):\n%s", i, diff)
			}
			if rec.ID != spans[i].ID || rec.Offset != spans[i].Offset || rec.Length() != spans[i].Length {
				t.Fatalf("record %d at %d+%d, written at %+v", i, rec.Offset, rec.Length(), spans[i])
			}
		}
	})
}
