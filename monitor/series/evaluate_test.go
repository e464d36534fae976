package series_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// published is a page that says when it was.
func published(date string) string {
	return `<html><head><meta property="article:published_time" content="` + date + `"></head><body>text</body></html>`
}

// TestTruths: pages of U are dated by their URLs and by what they say themselves,
// and judged by the months of the two snapshots.
func TestTruths(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	later := epoch.AddDate(0, 3, 0) // from January to April 2025
	p := func(name, markup string) sight {
		return sight{url: "http://a.test/" + name, at: later.Add(time.Hour), markup: markup}
	}
	home := sight{url: "http://a.test/", at: epoch, links: []string{"http://a.test/index"}}
	again := home
	again.at, again.links = later, nil
	pages := []sight{
		p("2024/12/old", published("2024-12-31")), p("2025/01/new", published("2025-01-01T00:00:00Z")), p("2025-04/new", published("Tue, 08 Apr 2025 08:00:00 GMT")),
		p("20250501/ahead", ""), p("undated", published("spring")), p("said", published("2019/07/01")),
		p("both", published("2025-02-02")+published("2024-02-02")), p("far", published("1066-10-14")),
	}
	for _, s := range pages {
		again.links = append(again.links, s.url)
	}
	load(t, db, id, append([]sight{home, again}, pages...), 50)
	got := update(t, db, id, series.Defaults())
	res, err := db.Novelty(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	want := []store.NoveltyTruth{
		{Truth: "page", Old: 3, New: 2, Undated: 3},
		{Truth: "url", Old: 1, New: 2, Future: 1, Undated: 4},
	}
	if diff := cmp.Diff(want, res[got[1].Number].Truths); diff != "" {
		t.Errorf("truths (-want +got):\n%s", diff)
	}
	// All are linked from a page of L2 and from nowhere else: each has 0.9.
	var accuracy []string
	for _, a := range res[2].Accuracy {
		if a.Delta == .1 && slices.Contains([]float64{0, .9, 1}, a.Threshold) {
			accuracy = append(accuracy, fmt.Sprintf("%s %g: %d of %d", a.Truth, a.Threshold, a.Hits, a.Judged))
		}
	}
	if diff := cmp.Diff([]string{"page 0: 2 of 5", "page 0.9: 2 of 5", "page 1: 0 of 0", "url 0: 3 of 4", "url 0.9: 3 of 4", "url 1: 0 of 0"}, accuracy); diff != "" {
		t.Errorf("accuracy (-want +got):\n%s", diff)
	}
	for _, b := range res[2].Distribution {
		if full := b.Pages == int64(len(pages)); full != (b.Bin == 10-int(b.Delta*10)) || b.Pages != 0 && !full {
			t.Errorf("delta %g: %d pages in bin %d", b.Delta, b.Pages, b.Bin)
		}
	}
	if _, ok := res[1]; ok && len(res[1].Truths) > 0 {
		t.Error("the first snapshot has nothing to be judged by")
	}
}

// TestMisses: a page that only its Last-Modified shows to be old is scored by the
// first rule alone (SCIENCE T9).
func TestMisses(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	later := epoch.AddDate(0, 3, 0)
	old := sight{url: "http://a.test/old", at: later, modified: epoch.AddDate(-1, 0, 0), valid: true}
	unlinked := old
	unlinked.url = "http://a.test/unlinked"
	load(t, db, id, []sight{
		{url: "http://a.test/", at: epoch, links: []string{"http://a.test/index"}},
		{url: "http://a.test/", at: later, links: []string{old.url}},
		old, unlinked,
	}, 50)
	got := update(t, db, id, series.Defaults())
	if diff := cmp.Diff(store.NoveltyCounts{Pages: 3, Links: 1, L2: 1, OldOther: 2}, got[1].NoveltyCounts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	res, err := db.Novelty(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	want := []store.NoveltyMiss{{Delta: 0, Pages: 2, AboveZero: 1, AboveTenth: 1}, {Delta: .1, Pages: 2, AboveZero: 1, AboveTenth: 1}, {Delta: .2, Pages: 2, AboveZero: 1, AboveTenth: 1}}
	if diff := cmp.Diff(want, res[2].Misses); diff != "" {
		t.Errorf("misses (-want +got):\n%s", diff)
	}
}

// TestRelink: a crawled snapshot takes over the links that its versions have after
// they were read anew.
func TestRelink(t *testing.T) {
	t.Parallel()
	db := open(t)
	s, err := db.EnsureSeries(t.Context(), "crawl", nil)
	if err != nil {
		t.Fatal(err)
	}
	id, err := db.StartSnapshot(t.Context(), s.ID, time.Time{}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	crawlInto(t, db, id, sight{url: "http://a.test/", at: epoch, links: []string{"http://a.test/x"}})
	if err := db.EndSnapshot(t.Context(), id, store.SnapshotDone, epoch, ""); err != nil {
		t.Fatal(err)
	}
	if got := update(t, db, s.ID, series.Defaults()); got[0].Links != 1 {
		t.Fatalf("%d links", got[0].Links)
	}
	if _, err := db.Pool().Exec(t.Context(), `update core.version set links_hash = null`); err != nil {
		t.Fatal(err)
	}
	got, err := series.Recompute(t.Context(), db, s.ID, series.All, series.Defaults())
	if err != nil || got[0].Links != 0 || got[0].Pages != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOwnDateRule: a page that dates itself before the snapshot before is old where
// rule 4 is asked for, by its markup or its text, and new where not.
func TestOwnDateRule(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	later := epoch.AddDate(0, 3, 0)
	p := func(name, markup string) sight {
		return sight{url: "http://a.test/" + name, at: later.Add(time.Hour), markup: markup}
	}
	load(t, db, id, []sight{
		{url: "http://a.test/", at: epoch},
		{url: "http://a.test/", at: later},
		p("markup", published("2024-12-31")), p("text", `<html lang="de"><p>Veröffentlicht am 9. Januar 2025</p>`), p("changed", `<html lang="en"><p>Last updated: January 3, 2025</p>`),
		p("2024/11/address", ""), p("after", published("2025-01-11")), p("silent", "text"),
	}, 50)
	opt := series.Defaults()
	if got := update(t, db, id, opt); got[1].Unidentified != 6 {
		t.Errorf("without the rule %d pages of U, want 6", got[1].Unidentified)
	}
	opt.Rules |= novelty.RuleDated
	got, err := series.Recompute(t.Context(), db, id, series.All, opt)
	if err != nil {
		t.Fatal(err)
	}
	if got[1].Unidentified != 2 || got[1].OldOther != 4 {
		t.Errorf("with it %d pages of U and %d old ones, want 2 and 4", got[1].Unidentified, got[1].OldOther)
	}
	var by []int32
	rows, err := db.Pool().Query(t.Context(), `select distinct old_by::int from api_v1.snapshot_page where snapshot = 2 and class = 'O'`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var n int32
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		by = append(by, n)
	}
	if diff := cmp.Diff([]int32{4}, by); diff != "" {
		t.Errorf("old by (-want +got):\n%s", diff)
	}
}
