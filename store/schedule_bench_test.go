package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// million fills the schedule with n pages on n/100 hosts that are due evenly over an
// hour from the epoch on.
func million(t testing.TB, db *store.DB, n int) {
	t.Helper()
	for _, sql := range []string{
		`insert into core.host (host_id, bucket, name, site, tld, created_at)
		 select (b::bigint << 40) | i, b, name, 'test', 'test', $2::timestamptz
		 from (select i, 'h' || i || '.test' as name, core.bucket_of_host('h' || i || '.test') as b from generate_series(1, $1 / 100) i) h`,
		`insert into core.page (page_id, bucket, host_id, url, url_hash, depth, first_seen)
		 select (h.bucket::bigint << 40) | ((h.host_id & 1048575) * 100 + i), h.bucket, h.host_id, 'http://' || h.name || '/p' || i, gen_random_uuid(), 1, $2::timestamptz
		 from core.host h, generate_series(1, 100) i where $1 > 0 order by i, h.name`,
		`insert into core.page_state (page_id, bucket, version, etag, last_fetched)
		 select page_id, bucket, 1, '"0123456789abcdef"', $2::timestamptz - interval '1 hour' from core.page where $1 > 0`,
		`insert into core.watch (name, added_at, config, timing, every) select 'w' || i, $2::timestamptz, '{}', '', interval '1 hour' from generate_series(1, 10) i where $1 > 0`,
		`insert into core.watch_page (page_id, bucket, watch_id, slot_at, due_at, joined_at)
		 select page_id, bucket, 1 + (page_id % 10), $2::timestamptz, $2::timestamptz + interval '1 hour' * (hashint8(page_id)::bigint & 1048575) / 1048576, $2 from core.page where $1 > 0`,
		`insert into core.page_schedule (page_id, bucket, next_due_at, due_at) select page_id, bucket, due_at, due_at from core.watch_page where $1 > 0 and $2::timestamptz is not null`,
	} {
		if _, err := db.Pool().Exec(t.Context(), sql, n, epoch); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if _, err := db.Pool().Exec(t.Context(), `vacuum analyze`); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkClaim claims and completes batches of 192 out of a million pages, as a
// daemon alone does, which has no bucket filter, and as one of two: medians of the
// statement that leases pages, and until all is known of them that a fetch needs.
func BenchmarkClaim(b *testing.B) {
	db := open(b)
	million(b, db, 1_000_000)
	if _, err := db.RegisterDaemon(b.Context(), "h", 1, epoch, epoch.Add(time.Hour), 0); err != nil {
		b.Fatal(err)
	}
	half := make([]int32, store.Buckets/2)
	for i := range half {
		half[i] = int32(2 * i)
	}
	for _, name := range []string{"alone", "half"} {
		var buckets []int32
		if name == "half" {
			buckets = half
		}
		b.Run(name, func(b *testing.B) {
			if buckets != nil {
				// The other daemon has its pages done.
				if _, err := db.Pool().Exec(b.Context(), `update core.page_schedule set next_due_at = next_due_at + interval '1 hour' where bucket % 2 = 1`); err != nil {
					b.Fatal(err)
				}
				// As autovacuum does, should it come about.
				if _, err := db.Pool().Exec(b.Context(), `vacuum core.page_schedule`); err != nil {
					b.Fatal(err)
				}
			}
			now := epoch.Add(30 * time.Minute)
			var leasing, claiming []time.Duration
			var completing time.Duration
			for b.Loop() {
				start := time.Now()
				got, err := db.Lease(b.Context(), store.ClaimRequest{Daemon: 1, Buckets: buckets, Now: now, Horizon: now, Until: now.Add(time.Minute), Limit: 192})
				leasing = append(leasing, time.Since(start))
				if err == nil {
					err = db.ReadClaims(b.Context(), got)
				}
				claiming = append(claiming, time.Since(start))
				if err != nil || len(got) != 192 || len(got[0].Watches) != 1 {
					b.Fatalf("claimed %d: %v", len(got), err)
				}
				done := make([]store.Completion, len(got))
				for i, c := range got {
					w := c.Watches[0]
					w.Slot, w.Due = w.Slot.Add(time.Hour), w.Due.Add(time.Hour)
					done[i] = store.Completion{Page: c.Page, Watches: []store.WatchDue{w}}
				}
				start = time.Now()
				_, err = db.WriteWith(b.Context(), nil, func(ctx context.Context, tx *store.Tx, _ []store.Stored) error {
					return tx.Complete(ctx, 1, now, done)
				})
				if err != nil {
					b.Fatal(err)
				}
				completing += time.Since(start)
			}
			slices.Sort(leasing)
			slices.Sort(claiming)
			ms := func(all []time.Duration, part float64) float64 {
				return float64(all[int(part*float64(len(all)-1))].Microseconds()) / 1000
			}
			b.ReportMetric(ms(leasing, 0.5), "ms/lease")
			b.ReportMetric(ms(leasing, 0.9), "ms/lease-p90")
			b.ReportMetric(ms(claiming, 0.5), "ms/claim")
			b.ReportMetric(ms(claiming, 0.9), "ms/claim-p90")
			b.ReportMetric(float64(completing.Microseconds())/float64(b.N)/1000, "ms/complete")
		})
	}
	// A daemon that keeps up has few pages due.
	if _, err := db.Pool().Exec(b.Context(), `update core.daemon set speed = 0, seen_at = $1, real_at = now()`, epoch.Add(time.Second)); err != nil {
		b.Fatal(err)
	}
	b.Run("health", func(b *testing.B) {
		for b.Loop() {
			if _, err := db.ScheduleHealth(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
