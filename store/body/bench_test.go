package body_test

import (
	"crypto/sha256"
	"testing"

	"github.com/strandlinehq/strandline/store/body"
)

// hourly gives successive versions of a page of 48 KB with their names.
func hourly(n int) []body.Body {
	page := newSite(1, 1, 48_000)
	out := make([]body.Body, n)
	for i := range out {
		page.hour()
		raw := page.page()
		out[i] = body.Body{Ref: body.Ref{Page: 1, Hash: sha256.Sum256(raw)}, Raw: raw}
	}
	return out
}

// BenchmarkEncodeHourly is one changed version of a page of 48 KB, bases at hand.
func BenchmarkEncodeHourly(b *testing.B) {
	versions := hourly(200)
	s := newShelf(b, body.New(body.Options{Workers: 1}))
	for _, v := range versions {
		s.raw[v.Ref] = v.Raw
	}
	var state body.State
	var host body.Host
	b.SetBytes(int64(len(versions[0].Raw)))
	b.ReportAllocs()
	total, n := 0, 0
	for b.Loop() {
		if n%len(versions) == 0 {
			state, host = body.State{}, body.Host{}
		}
		f, err := s.codec.Encode(b.Context(), versions[n%len(versions)], &state, &host, s.load)
		if err != nil {
			b.Fatal(err)
		}
		total += len(f.Data)
		n++
	}
	b.ReportMetric(float64(total)/float64(n), "stored-B/op")
}

// BenchmarkEncodeFull is a page of 48 KB that stands alone.
func BenchmarkEncodeFull(b *testing.B) {
	v := hourly(1)[0]
	codec := body.New(body.Options{Workers: 1})
	b.SetBytes(int64(len(v.Raw)))
	b.ReportAllocs()
	for b.Loop() {
		var state body.State
		if _, err := codec.Encode(b.Context(), v, &state, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead reads a version of 48 KB through four frames.
func BenchmarkRead(b *testing.B) {
	s := newShelf(b, body.New(body.Options{Workers: 1}))
	var last body.Frame
	for _, v := range hourly(4) {
		last = s.put(1, v.Raw)
	}
	if last.Depth != body.MaxDepth {
		b.Fatalf("depth %d", last.Depth)
	}
	b.SetBytes(int64(last.RawSize))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.codec.Read(b.Context(), s.get, last.Ref); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadMany reads a history of 200 versions, per history.
func BenchmarkReadMany(b *testing.B) {
	s := newShelf(b, body.New(body.Options{Workers: 1}))
	for _, v := range hourly(200) {
		s.put(1, v.Raw)
	}
	b.ReportAllocs()
	for b.Loop() {
		err := s.codec.ReadMany(b.Context(), s.getAll, s.order, func(_ body.Ref, _ []byte, err error) error { return err })
		if err != nil {
			b.Fatal(err)
		}
	}
}
