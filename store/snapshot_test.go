package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/store"
)

// TestNextLinkReadsWhatUnpackLinksReads holds the reader of streams against the
// plain one, on sound links and on any bytes.
func TestNextLinkReadsWhatUnpackLinksReads(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		packed := rapid.SliceOf(rapid.Byte()).Draw(rt, "bytes")
		if rapid.Bool().Draw(rt, "sound") {
			var targets []store.Target
			for _, id := range rapid.SliceOf(rapid.Int64Range(1, 1<<52-1)).Draw(rt, "ids") {
				targets = append(targets, store.Target{Page: store.PageID(id), NoFollow: id%3 == 0})
			}
			packed, _, _ = store.PackLinks(targets)
		}
		want, err := store.UnpackLinks(packed)
		var got []store.PageID
		sound := true
		var page store.PageID
		for rest := packed; len(rest) > 0 && sound; {
			if page, rest, sound = store.NextLink(rest, page); sound {
				got = append(got, page)
			}
		}
		// A first target 0 is none; both may refuse it.
		if sound != (err == nil) && !(len(want) > 0 && want[0].Page == 0) {
			rt.Fatalf("%x: sound %v, UnpackLinks %v", packed, sound, err)
		}
		if err != nil || !sound {
			return
		}
		for i, w := range want {
			if got[i] != w.Page {
				rt.Fatalf("%x: target %d is %d, want %d", packed, i, got[i], w.Page)
			}
		}
	})
}

// TestUnpackLinksInSQL: the function that the views use reads what Go packs.
func TestUnpackLinksInSQL(t *testing.T) {
	t.Parallel()
	db := open(t)
	rapid.Check(t, func(rt *rapid.T) {
		var targets []store.Target
		for _, id := range rapid.SliceOfDistinct(rapid.Int64Range(1, 1<<52-1), rapid.ID).Draw(rt, "ids") {
			targets = append(targets, store.Target{Page: store.PageID(id), NoFollow: rapid.Bool().Draw(rt, "nofollow")})
		}
		packed, _, _ := store.PackLinks(targets)
		want, err := store.UnpackLinks(packed)
		if err != nil {
			rt.Fatal(err)
		}
		rows, err := db.Pool().Query(context.Background(), `select target_id, nofollow from core.unpack_links($1)`, packed)
		if err != nil {
			rt.Fatal(err)
		}
		defer rows.Close()
		var got []store.Target
		for rows.Next() {
			var target store.Target
			if err := rows.Scan(&target.Page, &target.NoFollow); err != nil {
				rt.Fatal(err)
			}
			got = append(got, target)
		}
		if diff := cmp.Diff(want, got); rows.Err() != nil || diff != "" {
			rt.Fatalf("%v (-want +got):\n%s", rows.Err(), diff)
		}
	})
}

// snapshotOf makes a crawled snapshot of pages that are stored as captures.
func snapshotOf(t testing.TB, db *store.DB, at time.Time, caps ...*store.Capture) store.SnapshotID {
	t.Helper()
	s, err := db.EnsureSeries(t.Context(), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	id, err := db.StartSnapshot(t.Context(), s.ID, time.Time{}, at)
	if err != nil {
		t.Fatal(err)
	}
	put(t, db, id, caps...)
	return id
}

func put(t testing.TB, db *store.DB, id store.SnapshotID, caps ...*store.Capture) {
	t.Helper()
	_, err := db.WriteWith(t.Context(), caps, func(ctx context.Context, tx *store.Tx, stored []store.Stored) error {
		var fetches []store.SnapshotFetch
		for i, s := range stored {
			fetches = append(fetches, store.SnapshotFetch{Page: s.Page, At: caps[i].StartedAt, Crawled: true, Status: caps[i].Status, Depth: i})
		}
		return tx.PutSnapshotPages(ctx, id, fetches)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSnapshotPages: a snapshot has the links of the versions that it saw, of an
// unchanged page too; the first word on a page stands.
func TestSnapshotPages(t *testing.T) {
	t.Parallel()
	db := open(t)
	write(t, db, capture(page, 0, "one"))
	id := snapshotOf(t, db, epoch, capture(page, 10, "one"), capture("http://c.test/", 11, "two"))
	put(t, db, id, capture(page, 20, "three"))
	var pages []string
	err := db.SnapshotPages(t.Context(), id, func(p store.SnapshotPage) error {
		pages = append(pages, fmt.Sprintf("%s at %d, depth %d, crawled %v", p.URL, int(p.At.Sub(epoch).Seconds()), p.Depth, p.Crawled))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(pages)
	want := []string{"http://a.test/page at 10, depth 0, crawled true", "http://c.test/ at 11, depth 1, crawled true"}
	if diff := cmp.Diff(want, pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	linked := []store.PageID{pageOf(t, db, "http://a.test/linked"), pageOf(t, db, "http://b.test/")}
	slices.Sort(linked)
	n := 0
	err = db.SnapshotLinks(t.Context(), id, func(source store.PageID, packed []byte) error {
		n++
		var got []store.PageID
		var page store.PageID
		for ok := true; ok && len(packed) > 0; {
			if page, packed, ok = store.NextLink(packed, page); ok {
				got = append(got, page)
			}
		}
		if diff := cmp.Diff(linked, got); diff != "" {
			t.Errorf("links of %d (-want +got):\n%s", source, diff)
		}
		return nil
	})
	if err != nil || n != 2 {
		t.Errorf("%d pages with links, %v", n, err)
	}
	got := column[string](t, db.Pool(), `
		select p.url || ' -> ' || q.url || ' ' || l.nofollow from api_v1.link l
		join core.page p on p.page_id = l.source_id join core.page q on q.page_id = l.target_id order by 1`)
	want = []string{
		"http://a.test/page -> http://a.test/linked false", "http://a.test/page -> http://b.test/ true",
		"http://c.test/ -> http://a.test/linked false", "http://c.test/ -> http://b.test/ true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("view link (-want +got):\n%s", diff)
	}
}

// TestEndSnapshot: a snapshot ends once.
func TestEndSnapshot(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := snapshotOf(t, db, epoch, capture(page, 0, "one"))
	if err := db.EndSnapshot(t.Context(), id, store.SnapshotRunning, epoch, ""); err == nil {
		t.Error("running is no end")
	}
	for _, status := range []store.SnapshotStatus{store.SnapshotCutShort, store.SnapshotDone} {
		if err := db.EndSnapshot(t.Context(), id, status, epoch.Add(time.Hour), string(status)); err != nil {
			t.Fatal(err)
		}
		s, err := db.Snapshot(t.Context(), id)
		if err != nil || s.Status != store.SnapshotCutShort || s.Error != "cut short" || s.Number != 1 {
			t.Errorf("after %s: %+v, %v", status, s, err)
		}
	}
}

// TestNoveltyIsReplaced: what is computed is read back, and replaced as a whole.
func TestNoveltyIsReplaced(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := snapshotOf(t, db, epoch, capture(page, 0, "one"))
	p := pageOf(t, db, page)
	known := []store.PageID{p, pageOf(t, db, "http://b.test/"), p}
	for round := range 2 {
		res := &store.NoveltyResult{
			Counts: store.NoveltyCounts{Pages: 1, Unidentified: 1}, Delta: .1, Iterations: 3 + round, Rules: []string{"seen"},
			Convergence:  []store.NoveltyStep{{Delta: .1, Iteration: 1, L1: .5}},
			Distribution: []store.NoveltyBin{{Delta: .1, Bin: 5, Pages: 1}},
			Truths:       []store.NoveltyTruth{{Truth: "url", New: 1}},
			Accuracy:     []store.NoveltyAccuracy{{Truth: "url", Delta: .1, Threshold: .5, Judged: 1, Hits: 1}},
			Misses:       []store.NoveltyMiss{{Delta: .1, Pages: 4, AboveZero: 2, AboveTenth: 1}},
		}
		given := false
		err := db.PutNovelty(t.Context(), id, res, known, func() (store.PageNovelty, bool) {
			if given {
				return store.PageNovelty{}, false
			}
			given = true
			return store.PageNovelty{Page: p, Class: store.ClassUnidentified, Novelty: .5, InLinks: 2}, true
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := db.Snapshot(t.Context(), id)
		if err != nil || s.NoveltyCounts != res.Counts || s.Iterations != 3+round || s.ComputedAt.IsZero() {
			t.Errorf("round %d: %+v, %v", round, s, err)
		}
		got, err := db.Novelty(t.Context(), s.Series)
		want := map[int]*store.NoveltyResult{1: {Convergence: res.Convergence, Distribution: res.Distribution, Truths: res.Truths, Accuracy: res.Accuracy, Misses: res.Misses}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("round %d: %v (-want +got):\n%s", round, err, diff)
		}
		for threshold, want := range map[float64]int64{0: 1, .5: 1, .51: 0} {
			if judged, err := db.JudgedNovel(t.Context(), s.Series, threshold); err != nil || judged[1] != want {
				t.Errorf("round %d: %v pages are judged novel from %v on, want %d; %v", round, judged, threshold, want, err)
			}
		}
		var heard []store.PageID
		if err := db.KnownPages(t.Context(), []store.SnapshotID{id}, func(p store.PageID) { heard = append(heard, p) }); err != nil {
			t.Fatal(err)
		}
		slices.Sort(heard)
		distinct := slices.Compact(slices.Sorted(slices.Values(known)))
		if diff := cmp.Diff(distinct, heard); diff != "" {
			t.Errorf("known pages (-want +got):\n%s", diff)
		}
	}
	rows := column[string](t, db.Pool(), `select class || ' ' || novelty || ' ' || in_links from api_v1.snapshot_page`)
	if diff := cmp.Diff([]string{"U 0.5 2"}, rows); diff != "" {
		t.Errorf("view snapshot_page (-want +got):\n%s", diff)
	}
	accuracy := column[string](t, db.Pool(), `select precision || ' ' || recall || ' ' || judged from api_v1.novelty_accuracy`)
	if diff := cmp.Diff([]string{"1 1 1"}, accuracy); diff != "" {
		t.Errorf("view novelty_accuracy (-want +got):\n%s", diff)
	}
}
