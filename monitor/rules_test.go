package monitor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// watchIgnoring watches the page with some rules.
func watchIgnoring(t testing.TB, db *store.DB, rules ...string) {
	t.Helper()
	quoted := make([]string, len(rules))
	for i, r := range rules {
		quoted[i] = fmt.Sprintf("%q", r)
	}
	never := func(string, time.Time) (slot, due time.Time, err error) { return epoch, epoch.AddDate(99, 0, 0), nil }
	_, err := db.SetWatches(t.Context(), epoch, []store.WatchSpec{{
		Name: "w", Config: []byte(`{"ignore": [` + strings.Join(quoted, ", ") + `]}`), Timing: "hourly", Every: time.Hour,
		Pages: []string{analysed}, First: never,
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// measured prints all that is measured of the pages.
func measured(t testing.TB, db *store.DB) []string {
	t.Helper()
	out := append(stored(t, db), model(t, db)...)
	return append(out, query(t, db, `select (to_jsonb(c) - 'computed_at' - 'page_id')::text from core.change c where $1 = '' order by version`, "")...)
}

// TestRulesChange changes the rules of a watch when all is measured: no measure sees
// what they take out, and all are as if the rules had always been there.
func TestRulesChange(t *testing.T) {
	t.Parallel()
	var caps []*store.Capture
	for i := range 40 {
		markup := fmt.Sprintf(`<div class=ticker>stock%d<b>up%d</b></div><p>load%d units<p>Text %d of the page`, i, i, i*i, i/5)
		caps = append(caps, capture(analysed, float64(i), markup))
	}
	db := open(t)
	watchIgnoring(t, db)
	write(t, db, caps...)
	drain(t, db)
	plain := measured(t, db)
	rules := []string{".ticker", "/load[0-9]+/"}

	always := open(t)
	watchIgnoring(t, always, rules...)
	write(t, always, caps...)
	drain(t, always)
	want := measured(t, always)
	for _, line := range append(want, query(t, always, `select term from api_v1.term where url = $1`, analysed)...) {
		if strings.Contains(line, "stock") || strings.Contains(line, "load") {
			t.Errorf("ignored text is measured: %.200s", line)
		}
	}
	page, err := db.PageByURL(t.Context(), analysed)
	if err != nil {
		t.Fatal(err)
	}
	watchIgnoring(t, db, rules...)
	for range 2 { // before the measures follow, and after
		a, err := monitor.ReadAnalysis(t.Context(), db, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Terms {
			if strings.HasPrefix(r.Term, "stock") || strings.HasPrefix(r.Term, "load") {
				t.Errorf("the report has %s", r.Term)
			}
		}
		drain(t, db)
	}
	if diff := cmp.Diff(want, measured(t, db)); diff != "" {
		t.Errorf("measures (-rules from the start +rules later):\n%.3000s", diff)
	}
	got := query(t, db, `select format('%s %s %s', words_changed, text_changed, to_char(dice, 'FM0.00')) from core.change where $1 = '' and version in (3, 6) order by version`, "")
	if len(got) != 2 || got[0] != "f f 1.00" || !strings.HasPrefix(got[1], "t t 0.") {
		t.Errorf("changes %q: the first is only of what is ignored", got)
	}
	watchIgnoring(t, db)
	drain(t, db)
	if diff := cmp.Diff(plain, measured(t, db)); diff != "" {
		t.Errorf("measures (-without rules +rules taken back):\n%.3000s", diff)
	}
}
