package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// labelsInView reads what analysts see of the labels, by URL.
func labelsInView(t testing.TB, db *store.DB) map[string]string {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `
		select url, concat_ws(' ', coalesce(category, '-'), coalesce(genre, '-'), coalesce(visitors::text, '-'), coalesce(weight::text, '-')) from api_v1.page`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var url, labels string
		if err := rows.Scan(&url, &labels); err != nil {
			t.Fatal(err)
		}
		out[url] = labels
	}
	return out
}

// TestPageLabels applies one configuration after the other and looks at the labels
// of the pages.
func TestPageLabels(t *testing.T) {
	t.Parallel()
	db := open(t)
	label := func(w store.WatchSpec, category, genre string, pages map[string]store.PageLabels) store.WatchSpec {
		w.Category, w.Genre, w.Labels = category, genre, pages
		return w
	}
	x := func() store.WatchSpec { return watching("x", time.Minute, pageA, pageB) }
	y := func() store.WatchSpec { return watching("y", time.Minute, pageB, pageC) }
	for i, step := range []struct {
		what  string
		specs []store.WatchSpec
		want  map[string]string
	}{
		{"of the watch", []store.WatchSpec{label(x(), "News", "", nil)}, map[string]string{pageA: "News - - -", pageB: "News - - -"}},
		{"of a page, and by the first of two watches", []store.WatchSpec{
			label(x(), "News", "", map[string]store.PageLabels{pageA: {Category: "Law", Visitors: 12, Weight: 2.5}}),
			label(y(), "Shops", "list", map[string]store.PageLabels{pageC: {Visitors: 99, Top: true}}),
		}, map[string]string{pageA: "Law - 12 2.5", pageB: "News list - -", pageC: "Shops list 99 0"}},
		{"the category alone changes", []store.WatchSpec{
			label(x(), "Press", "", map[string]store.PageLabels{pageA: {Category: "Law", Visitors: 12, Weight: 2.5}}),
			label(y(), "Shops", "list", map[string]store.PageLabels{pageC: {Visitors: 99, Top: true}}),
		}, map[string]string{pageA: "Law - 12 2.5", pageB: "Press list - -", pageC: "Shops list 99 0"}},
		{
			"auto is none",
			[]store.WatchSpec{label(x(), "auto", "", nil), label(y(), "Shops", "list", nil)},
			map[string]string{pageA: "- - - -", pageB: "Shops list - -", pageC: "Shops list - -"},
		},
		{
			"a page that left one watch, of another that is paused",
			[]store.WatchSpec{label(watching("x", time.Minute, pageA), "News", "", nil)},
			map[string]string{pageA: "News - - -", pageB: "Shops list - -", pageC: "Shops list - -"},
		},
	} {
		apply(t, db, epoch.Add(time.Duration(i)*time.Minute), step.specs...)
		if diff := cmp.Diff(step.want, labelsInView(t, db)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}
}

// TestPageLabelsOfSource labels pages that a feed brings.
func TestPageLabelsOfSource(t *testing.T) {
	t.Parallel()
	db := open(t)
	w := watching("x", time.Minute, pageA)
	w.Category = "News"
	got := apply(t, db, epoch, w)
	if _, _, err := db.SetSource(t.Context(), got.Watches[0].ID, "http://a.test/feed", []string{pageC}, epoch, w.First); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{pageA: "News - - -", pageC: "News - - -"}, labelsInView(t, db)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

// TestChangeByClassKinds has a row of the view for each kind of class that a page is in.
func TestChangeByClassKinds(t *testing.T) {
	t.Parallel()
	db := open(t)
	w := watching("x", time.Minute, pageA)
	w.Category, w.Genre, w.Labels = "News", "list", map[string]store.PageLabels{pageA: {Visitors: 12}}
	apply(t, db, epoch, w)
	write(t, db, capture(pageA, 0, "one"), capture(pageA, 3600, "two"), capture(pageA, 7200, "three"))
	rows, err := db.PageChanges(t.Context())
	if err != nil || len(rows) != 1 || rows[0].Category != "News" || rows[0].Genre != "list" || rows[0].Visitors != 12 {
		t.Errorf("PageChanges %+v, %v", rows, err)
	}
	var got string
	err = db.Pool().QueryRow(t.Context(), `select string_agg(class_kind || ' ' || class, ', ' order by class_kind) from api_v1.change_by_class`).Scan(&got)
	if want := "all all, category News, depth 0, genre list, site a.test, tld test, visitors 7-38"; err != nil || got != want {
		t.Errorf("classes %q, %v, want %q", got, err, want)
	}
}

// TestLabelsTakenOff takes the labels of pages off again, in all the ways in which a configuration can.
func TestLabelsTakenOff(t *testing.T) {
	t.Parallel()
	labels := map[string]store.PageLabels{pageA: {Category: "Law", Visitors: 12, Weight: 2.5}}
	for _, tc := range []struct {
		what   string
		change func(*store.WatchSpec)
		want   string
	}{
		{"of the page", func(w *store.WatchSpec) { w.Category = "News" }, "News - - -"},
		{"of the watch", func(w *store.WatchSpec) { w.Labels = labels }, "Law - 12 2.5"},
		{"of both", func(*store.WatchSpec) {}, "- - - -"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			w := watching("x", time.Minute, pageA, pageB)
			w.Category, w.Labels = "News", labels
			apply(t, db, epoch, w)
			w = watching("x", time.Minute, pageA, pageC)
			tc.change(&w)
			apply(t, db, epoch.Add(time.Minute), w)
			if got := labelsInView(t, db)[pageA]; got != tc.want {
				t.Errorf("labels %q, want %q", got, tc.want)
			}
		})
	}
}
