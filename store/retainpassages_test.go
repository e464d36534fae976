package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/thin"
)

// index gives a page passages of each of its versions: some that stood for one version
// only, some for many, and some that stand still.
func index(t testing.TB, db *store.DB, url string, each int) {
	t.Helper()
	if _, err := db.Pool().Exec(t.Context(), `
		with v as (select v.* from core.version v where v.page_id = $1),
		     p as (select v.*, i, v.version + 1 + (hashint8(v.version * 37 + i) & 7) ^ (1 + i % 3) as until from v, generate_series(1, $2) i)
		insert into core.passage (page_id, bucket, from_version, part, to_version, from_at, to_at, lines, words)
		select p.page_id, p.bucket, p.version, p.i, e.version, p.first_seen, e.first_seen, '', to_tsvector('simple', 'word' || p.i)
		from p left join v e on e.version = p.until`, pageOf(t, db, url), each); err != nil {
		t.Fatal(err)
	}
}

// TestRetainPassages thins pages in several steps: a passage stays in the index for as long
// as a version that has it keeps its content.
func TestRetainPassages(t *testing.T) {
	t.Parallel()
	const n = 240
	db, now := openAt(t, epoch.Add(n*6*time.Hour))
	for i, url := range []string{"http://a.test/one", "http://a.test/two"} {
		writeAll(t, db, lived(url, uint64(i), n, 6*time.Hour))
		index(t, db, url, 6)
	}
	if _, err := db.Pool().Exec(t.Context(), `create table kept as select page_id, bucket, from_version, part, to_version from core.passage`); err != nil {
		t.Fatal(err)
	}
	const name = `page_id || ' ' || from_version || ' ' || part`
	all := len(column1(t, db, `select `+name+` from kept`))
	for _, days := range []time.Duration{0, 15, 40} {
		now.Store(epoch.Add(n*6*time.Hour + days*oneDay).UnixNano())
		got, err := db.Retain(t.Context(), store.RetainOptions{Versions: &thin.Policy{All: 10 * oneDay, Daily: 30 * oneDay, Monthly: 60 * oneDay}})
		if err != nil || got.Versions == 0 || got.Waiting > 0 {
			t.Fatalf("after %d days: %+v, %v", days, got, err)
		}
		want := column1(t, db, `select `+name+` from kept k where to_version is null or exists (
			select from core.version v where v.page_id = k.page_id and v.version >= k.from_version and v.version < k.to_version and v.thinned_at is null) order by 1`)
		left := column1(t, db, `select `+name+` from core.passage order by 1`)
		if diff := cmp.Diff(want, left); diff != "" {
			t.Fatalf("passages after %d days (-want +got):\n%s", days, diff)
		}
		if len(left) == all || len(left) == 0 {
			t.Errorf("%d of %d passages are left after %d days", len(left), all, days)
		}
		all = len(left)
	}
}

// BenchmarkRetainOnePage thins a single page of many versions, each with passages of its own.
func BenchmarkRetainOnePage(b *testing.B) {
	const n = 5000
	for b.Loop() {
		db, _ := openAt(b, epoch.Add(n*time.Hour))
		writeAll(b, db, lived(page, 1, n, time.Hour))
		index(b, db, page, 3)
		from := time.Now()
		got, err := db.Retain(b.Context(), store.RetainOptions{Versions: &thin.Policy{All: oneDay, Daily: 60 * oneDay, Monthly: 90 * oneDay}})
		if err != nil || got.Versions == 0 {
			b.Fatalf("%+v, %v", got, err)
		}
		b.ReportMetric(time.Since(from).Seconds(), "s/retention")
		b.ReportMetric(float64(got.Longest.Milliseconds()), "ms/longest")
		b.ReportMetric(float64(got.Versions), "versions")
	}
}
