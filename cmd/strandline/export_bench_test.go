package main

import (
	"bufio"
	"io"
	"os"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
	"github.com/strandlinehq/strandline/cmd/internal/tablefile"
	"github.com/strandlinehq/strandline/store"
)

// BenchmarkExport writes the log of five million fetches of 20,000 pages in each
// format: rows a second by the clock and of the program's processor time, what PostgreSQL takes of it
// beside, and the most memory that the program held.
func BenchmarkExport(b *testing.B) {
	const rows = 5_000_000
	db, err := store.Open(b.Context(), newDatabase(b), store.Options{MaxConns: 4})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	for _, sql := range []string{
		`select core.ensure_partition('fetch', '2026-03-01')`,
		`insert into core.host (host_id, bucket, name, site, tld, created_at) values (7::bigint << 40, 7, 'a.test', 'a.test', 'test', '2026-03-01')`,
		`insert into core.page (page_id, bucket, host_id, url, url_hash, depth, first_seen)
		 select (7::bigint << 40) + i, 7, 7::bigint << 40, 'https://a.test/news/article-' || i, uuid_in(md5(i::text)::cstring), 2, '2026-03-01' from generate_series(1, 20000) i`,
		`insert into core.fetch (page_id, bucket, started_at, finished_at, due_at, outcome, status, kind, version, bytes)
		 select (7::bigint << 40) + 1 + i % 20000, 7, t, t + interval '1 s', t, 'same', 200, 'schedule', 1, 1000 + i % 999
		 from (select i, '2026-03-01'::timestamptz + i * interval '0.4 s' as t from generate_series(1, 5000000) i) x`,
		`analyze`,
	} {
		if _, err := db.Pool().Exec(b.Context(), sql); err != nil {
			b.Fatalf("%v\n%s", err, sql)
		}
	}
	var backend int
	if err := db.Pool().QueryRow(b.Context(), `select pg_backend_pid()`).Scan(&backend); err != nil {
		b.Fatal(err)
	}
	postgres, err := bench.Processes().Parent(backend)
	if err != nil {
		b.Fatal(err)
	}
	for _, format := range []tablefile.Format{tablefile.Parquet, tablefile.CSV, tablefile.NDJSON} {
		b.Run(string(format), func(b *testing.B) {
			b.ReportAllocs()
			if err := resetPeak(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				begin := time.Now()
				own, beside := processorTimes(b, postgres)
				n, err := writeTable(b.Context(), db, bufio.NewWriterSize(io.Discard, 1<<20), format, store.ViewQuery{View: "fetch_log"})
				if err != nil || n != rows {
					b.Fatalf("%d rows, error %v", n, err)
				}
				b.ReportMetric(rows/time.Since(begin).Seconds(), "rows/s")
				ownNow, besideNow := processorTimes(b, postgres)
				b.ReportMetric(rows/(ownNow-own).Seconds(), "rows/CPU-s")
				b.ReportMetric((besideNow - beside).Seconds(), "CPU-s-of-PostgreSQL")
			}
			b.ReportMetric(float64(peakMemory())/1e6, "MB-peak")
		})
	}
}

// processorTimes are those of the program and of a PostgreSQL server.
func processorTimes(b *testing.B, postgres int) (own, beside time.Duration) {
	b.Helper()
	own, err := bench.Processes().Process(os.Getpid())
	if err != nil {
		b.Fatal(err)
	}
	if beside, err = bench.Processes().Family(postgres); err != nil {
		b.Fatal(err)
	}
	return own, beside
}
