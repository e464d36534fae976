package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// pageBytes is what a page may weigh.
const pageBytes = 300_000

// weigh fails where a page is too heavy.
func weigh(t *testing.T, s http.Handler, address string) {
	t.Helper()
	r := get(t, s, address)
	if n := len(bodyOf(t, r)); r.StatusCode != http.StatusOK || n > pageBytes {
		t.Errorf("GET %s: %d, %d bytes, want at most %d", address, r.StatusCode, n, pageBytes)
	}
}

// siteIsLight: the pages with the most figures stay light on a real site with many
// snapshots, and what a figure leaves out its subtitle tells.
func siteIsLight(t *testing.T, s http.Handler) {
	t.Helper()
	for _, address := range []string{
		"/snapshots/site", "/snapshots/site?threshold=0.5", "/snapshots/site?delta=0.1&threshold=0.5", "/snapshots/site?order=-pages",
		"/search?q=flink&series=site", "/search?q=flink&series=site&by=share", "/pages",
	} {
		weigh(t, s, address)
	}
	body := bodyOf(t, get(t, s, "/snapshots/site"))
	for _, k := range []string{"convergence", "distribution", "accuracy"} {
		_, after, found := strings.Cut(body, `<svg xmlns="http://www.w3.org/2000/svg" id="figure-`+k+`"`)
		if !found {
			t.Errorf("there is no figure %s", k)
			continue
		}
		svg, _, _ := strings.Cut(after, "</svg>")
		if len(svg) > 50_000 || !strings.Contains(svg, "; the last ") || strings.Count(svg, "<path") < 6 {
			t.Errorf("the figure %s has %d bytes and %d lines", k, len(svg), strings.Count(svg, "<path"))
		}
	}
}

// TestManySnapshots: the table of a series goes on by the number of its last row, also
// while snapshots come, and a year of snapshots is no heavier than the page may be.
func TestManySnapshots(t *testing.T) {
	t.Parallel()
	db := open(t)
	site, err := db.EnsureSeries(t.Context(), "daily", nil)
	if err != nil {
		t.Fatal(err)
	}
	begin := func(n int) {
		t.Helper()
		if _, err := db.Pool().Exec(t.Context(), `
			insert into core.snapshot (series_id, status, origin, started_at, finished_at, pages, links, fringe, aliases, failed, traps, l2, old_other, unidentified, delta, iterations, computed_at)
			values ($1, 'done', 'crawl', $3, $3, 1000 + $2, 20000, 0, 0, 0, 0, 900, 50, 50 + $2, 0.1, 10, $3)`, site.ID, n, noon.AddDate(0, 0, n-400)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= 365; n++ {
		begin(n)
	}
	s := newServer(t, db, nil)
	weigh(t, s, "/snapshots/daily")
	if body := bodyOf(t, get(t, s, "/snapshots/daily")); !strings.Contains(body, "of 365 snapshots") {
		t.Error("the figure does not say that it leaves snapshots out")
	}
	seen, next := []string{}, "/snapshots/daily"
	for next != "" {
		body := bodyOf(t, get(t, s, next))
		for _, part := range strings.Split(body, `data-h="Snapshot">`)[1:] {
			number, _, _ := strings.Cut(part, "<")
			seen = append(seen, number)
		}
		next = ""
		if _, rest, ok := strings.Cut(body, `rel="next" href="`); ok {
			next, _, _ = strings.Cut(rest, `"`)
			next = strings.ReplaceAll(next, "&amp;", "&")
		}
		if len(seen) == 50 {
			begin(366) // none is shown twice for it
		}
	}
	for i, number := range seen {
		if want := fmt.Sprint(365 - i); number != want {
			t.Fatalf("row %d is of snapshot %s, want %s", i, number, want)
		}
	}
	if len(seen) != 365 {
		t.Errorf("%d rows, want 365", len(seen))
	}
}

// TestManySnapshotsSearched: a search in a series of hundreds of snapshots is no heavier
// than a page may be; its figure draws neighbours as one, says so, and leads to their days.
func TestManySnapshotsSearched(t *testing.T) {
	t.Parallel()
	fx := fill(t, open(t))
	if _, err := fx.Pool().Exec(t.Context(), `
		insert into core.snapshot (series_id, status, origin, started_at, finished_at, pages, links, fringe, aliases, failed, traps, l2, old_other, unidentified, delta, iterations, computed_at)
		select r.series_id, 'done', 'crawl', d.at, d.at, 1000, 20000, 0, 0, 0, 0, 900, 50, 50, 0.1, 10, d.at
		from core.series r, (select $2::timestamptz + n * interval '1 day' as at from generate_series(1, 300) n) d where r.name = $1`, fixtureSeries, noon); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, fx.DB, nil)
	const address = "/search?q=tide&series=hourly+web"
	for _, by := range []string{"", "&by=share", "&sort=novelty"} {
		weigh(t, s, address+by)
	}
	body := bodyOf(t, get(t, s, address))
	for _, id := range []string{"figure-novelty", "figure-novelty-narrow"} {
		_, svg, found := strings.Cut(body, `id="`+id+`"`)
		svg, _, _ = strings.Cut(svg, "</svg>")
		if n := strings.Count(svg, "<path"); !found || len(svg) > 50_000 || n < 30 {
			t.Errorf("%s: %d bytes with %d paths", id, len(svg), n)
		}
		for _, words := range []string{"312 snapshots, neighbours drawn", "from=2026-"} {
			if !strings.Contains(svg, words) {
				t.Errorf("%s has no %q", id, words)
			}
		}
	}
	svg := strings.ReplaceAll(strings.TrimPrefix(address, "/search"), "+", "%20")
	if alone := bodyOf(t, get(t, s, "/search.svg"+svg)); len(alone) > pageBytes || !strings.Contains(alone, "312 snapshots, neighbours drawn") {
		t.Errorf("the figure alone has %d bytes", len(alone))
	}
	weigh(t, s, address+"&from=2026-04-01&to=2026-04-07")
}
