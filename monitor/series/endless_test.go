package series_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// TestEndlessHost: a host that answers every address with a new page gives no novelty,
// while one that grows, and one that shows nothing but news, do.
func TestEndlessHost(t *testing.T) {
	t.Parallel()
	db := open(t)
	s, err := db.EnsureSeries(t.Context(), "crawl", nil)
	if err != nil {
		t.Fatal(err)
	}
	const pages = 30
	for k := range 3 {
		start := epoch.AddDate(0, 0, 7*k)
		id, err := db.StartSnapshot(t.Context(), s.ID, time.Time{}, start)
		if err != nil {
			t.Fatal(err)
		}
		seconds := 0
		see := func(url string, links ...string) {
			seconds++
			crawlInto(t, db, id, sight{url: url, at: start.Add(time.Duration(seconds) * time.Second), links: links})
		}
		trap := func(i int) string { return fmt.Sprintf("http://trap.test/%d-%d", k, i) }
		made := func(i int) (out []string) { // eight addresses that it makes up, a few of which are followed
			for j := range 8 {
				out = append(out, trap(8*i+j+1))
			}
			return out
		}
		see("http://trap.test/", made(0)...)
		for i := range pages {
			see(trap(i+1), made(i+1)...)
		}
		var grown, news []string
		for i := range pages + 3*k {
			grown = append(grown, fmt.Sprintf("http://grows.test/%d", i))
		}
		for i := range pages {
			news = append(news, fmt.Sprintf("http://news.test/%d-%d", k, i))
		}
		see("http://grows.test/", append(grown, "http://trap.test/", "http://news.test/")...)
		see("http://news.test/", news...)
		for _, u := range append(grown, news...) {
			see(u)
		}
		if err := db.EndSnapshot(t.Context(), id, store.SnapshotDone, start.Add(time.Hour), ""); err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			if err := addGain(t, db, s.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := update(t, db, s.ID, series.Defaults())
	for _, x := range got[1:] {
		if x.Traps != pages || x.Unidentified != 3+pages {
			t.Errorf("snapshot %d: %d traps, %d pages in U; want %d and %d", x.Number, x.Traps, x.Unidentified, pages, 3+pages)
		}
	}
	rows, err := db.Pool().Query(t.Context(), `
		select substring(url from '//([a-z]+)') || ' ' || (novelty >= .1)::text || ' ' || count(*)
		from api_v1.snapshot_page where snapshot > 1 and class = 'U' group by substring(url from '//([a-z]+)'), novelty >= .1 order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	have, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"grows true 6", fmt.Sprintf("news true %d", 2*pages)}, have); diff != "" {
		t.Errorf("pages of U by host (-want +got):\n%s", diff)
	}
	yields, err := db.Yields(t.Context(), s.ID)
	if err != nil || len(yields) != 1 || yields[0].Gained != 0 {
		t.Errorf("yields %+v, %v; want that the trap's were forgotten", yields, err)
	}
	if err := series.Between(t.Context(), db, s.ID, series.BetweenOptions{Options: series.Defaults(), Until: epoch.AddDate(0, 1, 0)}); err != nil {
		t.Fatal(err)
	}
	if n, err := db.Between(t.Context(), s.ID, .1); err != nil || n.Pages != 0 {
		t.Errorf("found since: %+v, %v; want nothing, for nothing was fetched", n, err)
	}
}

// addGain lets the trap look as if it had given novel pages.
func addGain(t testing.TB, db *store.DB, id store.SeriesID) error {
	t.Helper()
	var host store.HostID
	if err := db.Pool().QueryRow(t.Context(), `select host_id from core.page where url = 'http://trap.test/'`).Scan(&host); err != nil {
		return err
	}
	_, err := db.Pool().Exec(t.Context(), `insert into core.series_yield (series_id, host_id, bucket, folder, fetched, gained) values ($1, $2, $3, '/', 30, 30)`, id, host, host.Bucket())
	return err
}
