package monitor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// asked makes a watch of a category.
func asked(name, category string, urls ...string) store.WatchSpec {
	return store.WatchSpec{
		Name: name, Category: category, Timing: "hourly", Every: time.Hour, Pages: urls,
		First: func(_ string, now time.Time) (slot, due time.Time, err error) { return now, now, nil },
	}
}

func found(t testing.TB, db *store.DB) map[string]string {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `select url, coalesce(category, '-'), category_found, coalesce(category_margin, 0) > 0 from api_v1.page`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var url, category string
		var found, margin bool
		if err := rows.Scan(&url, &category, &found, &margin); err != nil {
			t.Fatal(err)
		}
		out[url] = fmt.Sprint(category, " ", found, " ", margin)
	}
	return out
}

// TestCategorise finds categories by those that are configured, again when a page or
// the labels change, and not otherwise.
func TestCategorise(t *testing.T) {
	t.Parallel()
	db := open(t)
	var roses, boats []string
	want := map[string]string{}
	for i := range 6 {
		rose, boat := fmt.Sprintf("http://r%d.test/", i), fmt.Sprintf("http://b%d.test/", i)
		roses, boats = append(roses, rose), append(boats, boat)
		write(t, db, capture(rose, 0, fmt.Sprintf("<p>the rose has a thorn and a petal r%d", i)), capture(boat, 0, fmt.Sprintf("<p>the keel and the sail of a boat b%d", i)))
		want[rose], want[boat] = "Roses false false", "Boats false false"
	}
	const x, y, z = "http://x.test/", "http://y.test/", "http://z.test/"
	write(t, db, capture(x, 0, "<p>a petal and a thorn"), capture(y, 0, "<p>quite unheard"))
	set := func(specs ...store.WatchSpec) {
		t.Helper()
		if _, err := db.SetWatches(t.Context(), epoch, specs); err != nil {
			t.Fatal(err)
		}
	}
	pass := func(after time.Duration, id int32, looked int) store.Classifier {
		t.Helper()
		c, n, err := monitor.Categorise(t.Context(), db, epoch.Add(after))
		if err != nil || c.ID != id || n != looked {
			t.Errorf("after %v: classifier %d looked at %d pages, %v; want %d and %d", after, c.ID, n, err, id, looked)
		}
		return c
	}
	open := asked("open", "auto", x, y, z) // z was never fetched
	set(asked("boats", "Boats", boats[:3]...), asked("roses", "Roses", roses...), open)
	if c := pass(0, 1, 0); c.Refused != "finding categories wants two categories with 5 labelled pages each: Boats has 3, Roses has 6" {
		t.Errorf("with few labels: %+v", c)
	}
	pass(time.Hour, 1, 0) // the same labels are not tried again

	set(asked("boats", "Boats", boats...), asked("roses", "Roses", roses...), open)
	if c := pass(2*time.Hour, 2, 2); c.Tested != 12 || c.Correct != 12 || c.Largest != 6 || !c.SitesApart || c.Refused != "" {
		t.Errorf("classifier %+v", c)
	}
	want[x], want[y], want[z] = "Roses true true", "- false false", "- false false"
	if diff := cmp.Diff(want, found(t, db)); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
	pass(3*time.Hour, 2, 0)
	write(t, db, capture(x, 4, "<p>a keel and a sail"))
	pass(4*time.Hour, 2, 1)
	want[x] = "Boats true true"
	if diff := cmp.Diff(want, found(t, db)); diff != "" {
		t.Errorf("categories after a change (-want +got):\n%s", diff)
	}
	pass(8*24*time.Hour, 3, 2) // a new model is made after a week
}
