package monitor_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// shownOf prints what the views show of a page.
func shownOf(t testing.TB, db *store.DB, url string) []string {
	t.Helper()
	return slices.Concat(
		query(t, db, `select format('curve %s %s %s', step, dice::text, support) from api_v1.change_curve where url = $1 order by step`, url),
		query(t, db, `select format('term %s %s %s %s %s', term, staying_power::text, extract(epoch from first_seen), extract(epoch from last_seen),
			versions) from api_v1.term where url = $1 order by term collate "C"`, url),
		query(t, db, `select format('element %s %s %s', path, extract(epoch from first_seen), extract(epoch from last_seen))
			from api_v1.element_life where url = $1 order by path collate "C"`, url),
	)
}

// reportOf prints the same of the analysis that reports are made from.
func reportOf(t testing.TB, db *store.DB, url string) []string {
	t.Helper()
	page, err := db.PageByURL(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	a, err := monitor.ReadAnalysis(t.Context(), db, page)
	if err != nil {
		t.Fatal(err)
	}
	at := func(slot int) string { return fmt.Sprintf("%d.000000", a.SlotTime(slot).Unix()) }
	var points, words, elements []string
	for step, n := range a.Curve.Support {
		if n > 0 {
			points = append(points, fmt.Sprintf("curve %d %v %d", step, float32(a.Curve.Value[step]), n)) // views have four bytes of it
		}
	}
	for _, r := range a.Terms {
		power := ""
		if r.HasPower {
			power = fmt.Sprint(float32(r.Power))
		}
		words = append(words, fmt.Sprintf("term %s %s %s %s %d", r.Term, power, at(r.First()), at(r.Last()), r.Versions))
	}
	for _, l := range a.Lifespans {
		elements = append(elements, fmt.Sprintf("element %s %s %s", l.Path, at(int(l.First)), at(int(l.Last))))
	}
	slices.Sort(words)
	slices.Sort(elements)
	return slices.Concat(points, words, elements)
}

// TestViewsAgreeWithReports follows a page that is seen again and again after its last
// version: the views count up to its last fetch, as reports do, whatever the
// parts in which the fetches came.
func TestViewsAgreeWithReports(t *testing.T) {
	t.Parallel()
	caps := history(9, 80)
	last := caps[len(caps)-1]
	for hour := range 30 { // it stays as it is
		again := *last
		again.StartedAt = last.StartedAt.Add(time.Duration(hour+1) * time.Hour)
		again.FinishedAt = again.StartedAt
		caps = append(caps, &again)
	}
	whole, parts := open(t), open(t)
	write(t, whole, caps...)
	drain(t, whole)
	want := reportOf(t, whole, analysed)
	if len(want) < 100 {
		t.Fatalf("the report says only %d things", len(want))
	}
	if diff := cmp.Diff(want, shownOf(t, whole, analysed)); diff != "" {
		t.Errorf("report and views (-report +views):\n%.2000s", diff)
	}
	for part := range slices.Chunk(caps, 17) {
		write(t, parts, part...)
		drain(t, parts)
	}
	if diff := cmp.Diff(stored(t, whole), stored(t, parts)); diff != "" {
		t.Errorf("stored (-at once +in parts):\n%.2000s", diff)
	}
	got := query(t, parts, `select seen_until::text from api_v1.change_knot where url = $1`, analysed)
	wantUntil := query(t, parts, `select last_seen::text from api_v1.version where url = $1 order by version desc limit 1`, analysed)
	if diff := cmp.Diff(wantUntil, got); diff != "" {
		t.Errorf("seen_until (-last fetch +view):\n%s", diff)
	}
}

// TestShowStale wants the views of a running daemon to follow by shares of the history:
// each hour at first, rarely later.
func TestShowStale(t *testing.T) {
	t.Parallel()
	db := open(t)
	m := monitor.New(db, monitor.Options{})
	times := 0
	var late []int
	for hour := range 200 {
		write(t, db, capture(analysed, float64(hour), fmt.Sprintf("<p>always here, and %d", hour/9)))
		if _, err := m.DrainVersions(t.Context()); err != nil {
			t.Fatal(err)
		}
		n, err := m.ShowStale(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		times += n
		if n > 0 && hour > 150 {
			late = append(late, hour)
		}
		if n == 0 && hour < 32 {
			t.Errorf("hour %d: the views were not computed", hour)
		}
	}
	if len(late) < 5 || len(late) > 10 || times > 110 {
		t.Errorf("computed %d times, in hours %v of the last fifty", times, late)
	}
	if n, err := m.ShowStale(t.Context()); n != 0 || err != nil {
		t.Errorf("computed %d pages again that nobody saw since, %v", n, err)
	}
}
