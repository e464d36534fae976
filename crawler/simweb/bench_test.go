package simweb

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"time"
)

// benchWorld has pages of 48 KB, the size of the project's own figures.
func benchWorld(b *testing.B) (*World, []Page) {
	b.Helper()
	w := testWorld(b, Options{Seed: 51, Hosts: 20, PagesPerHost: 200, Size: 48 << 10, PlainRobots: true}, 10*day)
	var pages []Page
	for p := range w.Pages(w.at(10*day), w.at(10*day+1)) {
		if p.Kind == Document || p.Kind == Article || p.Kind == Product {
			pages = append(pages, p)
		}
	}
	return w, pages
}

func BenchmarkRender(b *testing.B) {
	w, pages := benchWorld(b)
	b.ReportAllocs()
	var bytes int64
	i := 0
	for b.Loop() {
		bytes += int64(len(w.Body(pages[i%len(pages)].URL, w.at(10*day), i).Body))
		i++
	}
	b.ReportMetric(float64(bytes)/float64(i), "bytes/page")
}

func serveBench(b *testing.B, conditional bool, encoding string) {
	w, pages := benchWorld(b)
	rt := w.Transport()
	pages = slices.DeleteFunc(pages, func(p Page) bool { return conditional && p.Validator != Exact })
	requests := make([]*http.Request, len(pages))
	for i, p := range pages {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, p.URL, nil)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", encoding)
		if conditional {
			req.Header.Set("If-None-Match", w.Body(p.URL, w.at(10*day), 1).Header.Get("ETag"))
		}
		requests[i] = req
	}
	b.ReportAllocs()
	var bytes int64
	i := 0
	for b.Loop() {
		res, err := rt.RoundTrip(requests[i%len(requests)])
		if err != nil {
			b.Fatal(err)
		}
		n, _ := io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		bytes += n
		i++
	}
	b.ReportMetric(float64(bytes)/float64(i), "bytes/page")
}

func BenchmarkServe(b *testing.B)            { serveBench(b, false, "identity") }
func BenchmarkServeGzip(b *testing.B)        { serveBench(b, false, "gzip") }
func BenchmarkServeNotModified(b *testing.B) { serveBench(b, true, "gzip") }

func BenchmarkChangesOfAWeek(b *testing.B) {
	w, pages := benchWorld(b)
	pages = slices.DeleteFunc(pages, func(p Page) bool { return p.Rate != Hourly })
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		w.Changes(pages[i%len(pages)].URL, w.at(0), w.at(7*day))
		i++
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(time.Now, Options{Hosts: 200, PagesPerHost: 500}); err != nil {
			b.Fatal(err)
		}
	}
}
