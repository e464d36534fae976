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

// TestRulesOfMembership has a page join a watch with rules, leave it, and the watch go: its
// measures follow at once, without a new version. A page that keeps its rules is not
// measured again.
func TestRulesOfMembership(t *testing.T) {
	t.Parallel()
	const other = "http://a.test/other"
	db := open(t)
	for i := range 6 {
		markup := fmt.Sprintf(`<div class=ticker>stock%d</div><p>Text %d of the page`, i, i/2)
		write(t, db, capture(analysed, float64(i), markup), capture(other, float64(i), markup))
	}
	drain(t, db)
	set := func(pages ...string) {
		t.Helper()
		var specs []store.WatchSpec
		if len(pages) > 0 {
			specs = append(specs, store.WatchSpec{
				Name: "w", Config: []byte(`{"ignore": [".ticker"]}`), Timing: "hourly", Every: time.Hour, Pages: pages,
				First: func(string, time.Time) (slot, due time.Time, err error) { return epoch, epoch.AddDate(99, 0, 0), nil },
			})
		}
		if _, err := db.SetWatches(t.Context(), epoch, specs); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name   string
		pages  []string
		queued []string // pages to be measured again
		stocks string   // terms of the first and the other page that the rules take out
	}{
		{"nothing watched", nil, nil, "6 6"},
		{"one joins", []string{analysed}, []string{"page"}, "0 6"},
		{"the other joins", []string{analysed, other}, []string{"other"}, "0 0"},
		{"the first leaves", []string{other}, []string{"page"}, "6 0"},
		{"it joins again", []string{analysed, other}, []string{"page"}, "0 0"},
		{"the watch goes", nil, []string{"other", "page"}, "6 6"},
		{"the watch comes back", []string{analysed, other}, []string{"other", "page"}, "0 0"},
	} {
		set(step.pages...)
		queued := query(t, db, `select distinct split_part(p.url, '/', 4) from core.monitor_todo t join core.page p using (bucket, page_id)
			where $1 = '' order by 1`, "")
		if diff := cmp.Diff(step.queued, queued); diff != "" {
			t.Errorf("%s: queued (-want +got):\n%s", step.name, diff)
		}
		drain(t, db)
		got := query(t, db, `select format('%s %s', count(*) filter (where url like '%/page'), count(*) filter (where url like '%/other'))
			from api_v1.term where term like 'stock%' and $1 = ''`, "")
		if diff := cmp.Diff([]string{step.stocks}, got); diff != "" {
			t.Errorf("%s: terms of the ticker (-want +got):\n%s", step.name, diff)
		}
	}
}
