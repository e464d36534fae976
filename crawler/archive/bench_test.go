package archive_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/store"
)

// BenchmarkImport imports the whole corpus into a fresh database.
func BenchmarkImport(b *testing.B) {
	files := corpus(b)
	b.ReportAllocs()
	captures := 0
	var took time.Duration
	for b.Loop() {
		b.StopTimer()
		db := open(b)
		b.StartTimer()
		start := time.Now()
		report, err := archive.Import(b.Context(), db, reader(), files, archive.ImportOptions{})
		if err != nil {
			b.Fatal(err)
		}
		captures += report.Captures
		took += time.Since(start)
	}
	b.ReportMetric(float64(captures)/took.Seconds(), "captures/s")
}

// BenchmarkReadBack reads versions of the corpus in random order, headers and
// body, as show does.
func BenchmarkReadBack(b *testing.B) {
	db := open(b)
	load(b, db, archive.ImportOptions{}, corpus(b, "news-de", "gov-us-states-2020", "terms-demo", "docs-httpd20")...)
	var pages []store.PageID
	r, err := db.Pool().Query(b.Context(), `select page_id from api_v1.version order by page_id, version`)
	if err != nil {
		b.Fatal(err)
	}
	for r.Next() {
		var id store.PageID
		if err := r.Scan(&id); err != nil {
			b.Fatal(err)
		}
		pages = append(pages, id)
	}
	if err := r.Err(); err != nil {
		b.Fatal(err)
	}
	var versions []store.Version
	for _, id := range slices.Compact(pages) {
		history, err := db.History(b.Context(), id)
		if err != nil {
			b.Fatal(err)
		}
		versions = append(versions, history...)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	var took []time.Duration
	for b.Loop() {
		v := versions[rng.IntN(len(versions))]
		start := time.Now()
		if _, err := db.VersionNumber(b.Context(), v.Page, v.Number); err != nil {
			b.Fatal(err)
		}
		if _, err := db.Body(b.Context(), v); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
