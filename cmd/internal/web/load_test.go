package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLoadFigure holds the figure of the last day to what the database counts.
func TestLoadFigure(t *testing.T) {
	t.Parallel()
	fx := fill(t, open(t))
	s := newServer(t, fx.DB, nil)
	var want [][]string
	fetches, failed, marks := 0, 0, 0
	for at := noon.Add(-23 * time.Hour); !at.After(noon); at = at.Add(time.Hour) {
		var all, bad int
		if err := fx.Pool().QueryRow(t.Context(), `
			select coalesce((select sum(fetches) from core.schedule_lag where hour = $1), 0)::int,
			       (select count(*) from core.page_schedule s join core.fetch f using (page_id)
			        where f.started_at >= $1 and f.started_at < $2 and f.started_at >= s.failing_since and f.kind = 'schedule')`, at, at.Add(time.Hour)).Scan(&all, &bad); err != nil {
			t.Fatal(err)
		}
		want = append(want, []string{at.Format(time.RFC3339), fmt.Sprint(all), fmt.Sprint(bad)})
		fetches, failed = fetches+all, failed+bad
		marks += min(all, 1) + min(bad, 1)
	}
	if fetches < 100 || failed < 2 {
		t.Fatalf("the fixture has %d fetches, %d of them failed", fetches, failed)
	}
	text := bodyOf(t, get(t, s, "/load.csv"))
	_, data, _ := strings.Cut(text, "\n")
	rows, err := csv.NewReader(strings.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("CSV (-database +figure):\n%s", d)
	}
	title := fmt.Sprintf("The last day: %d scheduled fetches, %d failed", fetches, failed)
	home := bodyOf(t, get(t, s, "/"))
	_, inPage, found := strings.Cut(home, `id="figure-load"`)
	inPage, _, _ = strings.Cut(inPage, "</svg>")
	if !found || !strings.Contains(home, fmt.Sprintf("<dd>%d, at most 68 in an hour</dd>", fetches)) {
		t.Error("the first page has no figure of its fetches, or another count")
	}
	for name, svg := range map[string]string{
		"/": inPage, "/load": bodyOf(t, get(t, s, "/load")), "/load.svg": bodyOf(t, get(t, s, "/load.svg")), "/load.svg?width=390": bodyOf(t, get(t, s, "/load.svg?width=390")),
	} {
		for _, words := range []string{"<title", title, "<desc", "10 Mar 10:00: 40 fetches, 1 failed"} {
			if !strings.Contains(svg, words) {
				t.Errorf("%s has no %q", name, words)
			}
		}
		bars := strings.Count(svg, "<title>9 Mar") + strings.Count(svg, "<title>10 Mar")
		if bars != marks {
			t.Errorf("%s has %d bars, want %d", name, bars, marks)
		}
	}
	if r := get(t, s, "/load.svg?width=390"); r.StatusCode != http.StatusOK || !strings.Contains(bodyOf(t, r), `width="390"`) {
		t.Error("no picture for phones")
	}
}

// TestNoLoad: a database that never fetched for a watch has no figure on its first page,
// and one in words where it is asked for.
func TestNoLoad(t *testing.T) {
	t.Parallel()
	db := open(t)
	s := newServer(t, db, nil)
	if strings.Contains(bodyOf(t, get(t, s, "/")), "figure-load") {
		t.Error("a figure of nothing")
	}
	if svg := bodyOf(t, get(t, s, "/load.svg")); !strings.Contains(svg, "No page was fetched for a watch") {
		t.Error("it does not say that there is nothing")
	}
}
