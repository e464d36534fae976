package web_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// datedSnapshots is how many snapshots datedSeries makes.
const datedSnapshots = 3

// datedSeries imports a series named dated, a snapshot every second day: a front page
// with, each time, four pages more, three with the month in their URLs and one with
// an earlier month.
func datedSeries(t *testing.T, db *store.DB) {
	t.Helper()
	var file bytes.Buffer
	out, err := warc.NewWriter(&file, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for n := range datedSnapshots {
		at := noon.AddDate(0, 0, 2*(n-datedSnapshots))
		for i := range 3 {
			urls = append(urls, fmt.Sprintf("http://dated.test/2026/03/tide-%d-%d.html", n, i))
		}
		urls = append(urls, fmt.Sprintf("http://dated.test/2025/06/wave-%d.html", n))
		front := "<title>Front</title>"
		for i, url := range urls {
			front += fmt.Sprintf(`<p><a href="%s">Report %d of the coast</a></p>`, url, i)
		}
		for i, url := range append([]string{"http://dated.test/"}, urls...) {
			page := front
			if i > 0 {
				page = fmt.Sprintf(`<title>Report %d</title><p>The water of day %d stood high. <a href="/">Front</a></p>`, i, n)
				if i > 1 {
					page += fmt.Sprintf(`<a href="%s">before</a>`, urls[i-2])
				}
			}
			if _, err := out.Response(url, at.Add(time.Duration(i)*time.Second), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), []byte(page), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	name := filepath.Join(t.TempDir(), "dated.warc")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := db.EnsureSeries(t.Context(), "dated", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetGap(t.Context(), s.ID, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Import(t.Context(), db, intake.New(canonical.New(canonical.Options{})), []string{name}, archive.ImportOptions{Series: s.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := series.Update(t.Context(), db, s.ID, series.Defaults()); err != nil {
		t.Fatal(err)
	}
}

// TestDatedSeries: figures have marks, and the accuracy at a threshold is what the
// dates in the URLs say. At threshold 0 all four new pages are judged novel, three
// of them rightly.
func TestDatedSeries(t *testing.T) {
	t.Parallel()
	db := open(t)
	datedSeries(t, db)
	s := newServer(t, db, nil)
	body := bodyOf(t, get(t, s, "/snapshots/dated?delta=0.1&threshold=0"))
	row := `<td class="num">0.100</td><td class="num">4</td><td class="num">3</td><td class="num">0.750</td><td class="num">1.000</td></tr>`
	if n := strings.Count(body, row); n != datedSnapshots-1 {
		_, after, _ := strings.Cut(body, "Pages judged")
		t.Errorf("%d snapshots with precision 3 of 4 and recall 1, want %d: %s", n, datedSnapshots-1, after)
	}
	body = bodyOf(t, get(t, s, "/snapshots/dated?delta=0.15&threshold=0.05"))
	for _, want := range []string{
		"Pages judged novel from a novelty of 0.05 on", `<td class="num">0.150</td><td class="num">4</td><td class="num">3</td><td class="num">0.750</td><td class="num">1.000</td></tr>`, "δ = .15",
	} {
		if !strings.Contains(body, want) {
			_, after, _ := strings.Cut(body, "Pages judged")
			t.Errorf("a delta that is not stored: no %q in %s", want, after)
		}
	}
	for address, want := range map[string]string{
		"convergence.svg?delta=0.1":            "δ = .1, iteration 1",
		"distribution.svg?delta=0.2":           "δ = .2",
		"accuracy.svg?delta=0.1&threshold=0.5": "threshold .5",
		"accuracy.svg":                         "δ = .2",
		"sizes.svg":                            "crawled before",
		"convergence?delta=0.1":                "L1 change",
		"accuracy?delta=0.1&threshold=0.5":     "precision",
	} {
		body := bodyOf(t, get(t, s, "/snapshots/dated/"+address))
		if !strings.Contains(body, want) {
			t.Errorf("GET %s has no %q", address, want)
		}
		if strings.Contains(address, "delta=0.1") && strings.Contains(body, "δ = .2") {
			t.Errorf("GET %s has another delta, too", address)
		}
	}
	// In a database of so many pages nothing is computed while a reader waits.
	if _, err := db.Pool().Exec(t.Context(), `select setval('core.page_no', 10000000)`); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"?delta=0.15":                  "too large to compute it while you wait",
		"?threshold=0.05":              "Pages judged novel from a novelty of 0.05 on",
		"?delta=0.15&order=number":     "--delta 0.15",
		"/accuracy.svg?delta=0.15":     "too large",
		"/accuracy.svg?threshold=0.05": "too large",
	} {
		r := get(t, s, "/snapshots/dated"+address)
		if body := bodyOf(t, r); !strings.Contains(body, want) || r.StatusCode != http.StatusOK && !strings.Contains(address, "svg") {
			t.Errorf("GET %s: %d without %q", address, r.StatusCode, want)
		}
	}
}

// snapshotsAreShown compares the pages of a series with what is stored.
func snapshotsAreShown(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	if body := bodyOf(t, get(t, s, "/snapshots")); !strings.Contains(body, `<a href="/snapshots/hourly%20web" data-row>`) {
		t.Errorf("the series is not listed: %s", body)
	}
	web, err := fx.SeriesByName(t.Context(), fixtureSeries)
	if err != nil {
		t.Fatal(err)
	}
	all, err := fx.Snapshots(t.Context(), web.ID)
	if err != nil {
		t.Fatal(err)
	}
	const base = "/snapshots/hourly%20web"
	for _, test := range []struct {
		address string
		status  int
		words   string
	}{
		{base, 200, `href="/snapshots/hourly%20web/sizes.csv"`},
		{base, 200, `href="/snapshots/hourly%20web?delta=0.2#figures"`},
		{base + "?delta=0.1&threshold=0.5", 200, `href="/snapshots/hourly%20web/accuracy.svg?delta=0.1&amp;threshold=0.5"`},
		{base + "?threshold=0.5", 200, "Pages judged novel from a novelty of 0.5 on"},
		{base + "/convergence?delta=0", 200, `href="/snapshots/hourly%20web?delta=0"`},
		{base + "?before=1", 200, "There are no further snapshots"},
		{base + "?before=-1", 400, "a number from 1"},
		{base + "?order=-pages&before=2", 200, `href="/snapshots/hourly%20web?order=-pages">First rows`},
		{base + "?order=-pages", 200, `aria-sort="ascending"`},
		{base + "?order=nothing", 400, "can be sorted by"},
		{"/snapshots?order=-name", 200, `aria-sort="descending"`},
		{base + "?delta=0.7", 200, "δ = .7"},
		{base + "?threshold=0.33", 200, "Pages judged novel from a novelty of 0.33 on"},
		{base + "?delta=NaN", 400, "δ is a number"},
		{base + "?delta=1", 400, "δ is a number"},
		{base + "?threshold=2", 400, "from 0 to 1"},
		{base + "/accuracy.svg?threshold=x", 400, "from 0 to 1"},
		{base + "/sizes.png", 404, "A series has the figures"},
		{base + "/other.svg", 404, "A series has the figures"},
		{"/snapshots/other/sizes.svg", 404, "no series of this name"},
	} {
		r := get(t, s, test.address)
		if body := bodyOf(t, r); r.StatusCode != test.status || !strings.Contains(body, test.words) {
			t.Errorf("GET %s: %d %.3000q, want %d with %q", test.address, r.StatusCode, body, test.status, test.words)
		}
	}
	body := bodyOf(t, get(t, s, base))
	if n := len(body); n > 300_000 {
		t.Errorf("the page has %d bytes, want at most 300,000", n)
	}
	last := all[len(all)-1]
	for name, n := range map[string]int64{"|L2|": last.L2, "|U|": last.Unidentified, "|W|": last.Pages} {
		if cell := fmt.Sprintf(`<td class="num" data-h="%s">%d</td>`, name, n); !strings.Contains(body, cell) {
			t.Errorf("the table has no cell %s", cell)
		}
	}
	for _, figure := range []string{"sizes", "convergence", "distribution", "accuracy"} {
		r := get(t, s, base+"/"+figure+".svg?delta=0.1")
		if body := bodyOf(t, r); r.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(body, "series "+fixtureSeries) {
			t.Errorf("%s.svg: %d %.100q", figure, r.StatusCode, body)
		}
	}
	rows := csvOf(t, s, base+"/sizes.csv")
	if len(rows) != len(all)+1 {
		t.Errorf("sizes.csv has %d rows, want %d and a head", len(rows), len(all))
	}
	for i, row := range rows[1:] {
		if want := strconv.FormatInt(all[i].Unidentified, 10); row[9] != want {
			t.Errorf("sizes.csv: |U| of snapshot %d is %s, want %s", i+1, row[9], want)
		}
	}
	every, one := csvOf(t, s, base+"/distribution.csv"), csvOf(t, s, base+"/distribution.csv?delta=0.2")
	if len(every) != 3*(len(one)-1)+1 || len(one) < 2 {
		t.Errorf("distribution.csv has %d rows of all deltas, %d of one; want three times as many", len(every)-1, len(one)-1)
	}
	for _, row := range one[1:] {
		if row[2] != "0.2" {
			t.Errorf("distribution.csv?delta=0.2 has a row of %s", row[2])
		}
	}
}

// csvOf gets a table.
func csvOf(t *testing.T, s http.Handler, address string) [][]string {
	t.Helper()
	r := get(t, s, address)
	rows, err := csv.NewReader(strings.NewReader(bodyOf(t, r))).ReadAll()
	if err != nil || r.StatusCode != http.StatusOK || len(rows) == 0 {
		t.Fatalf("GET %s: %d, %d rows, %v", address, r.StatusCode, len(rows), err)
	}
	return rows
}
