package monitor_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

var epoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func open(t testing.TB) *store.DB {
	t.Helper()
	return testdb.Open(t)
}

func capture(url string, hours float64, markup string) *store.Capture {
	at := epoch.Add(time.Duration(hours * float64(time.Hour)))
	return &store.Capture{
		URL: url, Kind: store.KindImport, StartedAt: at, FinishedAt: at, Status: 200, MediaType: "text/html",
		Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Payload: []byte(markup),
		Extract: func(payload []byte) store.Extract {
			var x extract.Extractor
			p := x.Extract(extract.Input{Body: payload, ContentType: "text/html; charset=utf-8", URL: url})
			return store.Extract{Record: p.AppendRecord(nil), TextHash: p.TextHash(), WordsHash: p.WordsHash(), Rules: 1}
		},
	}
}

type changeRow struct {
	version                                                    int
	hours, dice                                                float64
	wordsAdded, wordsRemoved, sentencesAdded, sentencesRemoved int
	textChanged, wordsChanged                                  bool
}

func changes(t testing.TB, db *store.DB, url string) []string {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `select version, hours, dice, words_added, words_removed, sentences_added, sentences_removed,
		text_changed, words_changed, significance from api_v1.change where url = $1 order by version`, url)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var r changeRow
		var s float64
		if err := rows.Scan(&r.version, &r.hours, &r.dice, &r.wordsAdded, &r.wordsRemoved, &r.sentencesAdded, &r.sentencesRemoved,
			&r.textChanged, &r.wordsChanged, &s); err != nil {
			t.Fatal(err)
		}
		if s < 0 || s > 1 || math.IsNaN(s) {
			t.Errorf("version %d: significance %v", r.version, s)
		}
		out = append(out, fmt.Sprintf("%d after %gh: dice %.4f, words +%d -%d, sentences +%d -%d, text %t, words %t", r.version, r.hours, r.dice,
			r.wordsAdded, r.wordsRemoved, r.sentencesAdded, r.sentencesRemoved, r.textChanged, r.wordsChanged))
	}
	return out
}

func write(t testing.TB, db *store.DB, caps ...*store.Capture) {
	t.Helper()
	if _, err := db.Write(t.Context(), caps); err != nil {
		t.Fatal(err)
	}
}

func drain(t testing.TB, db *store.DB) int {
	t.Helper()
	n, err := monitor.New(db, monitor.Options{}).Drain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestChanges measures each level of change (SCIENCE C2) and the time since the
// last change of the text (A9).
func TestChanges(t *testing.T) {
	t.Parallel()
	db := open(t)
	const url = "http://a.test/"
	write(t, db,
		capture(url, 0, `<p>The water rose. Nobody was hurt.</p>`),
		capture(url, 1, `<p class=x>The water rose. Nobody was hurt.</p>`),     // bytes only
		capture(url, 3, `<p>Nobody was hurt. The water rose.</p>`),             // same words, other text
		capture(url, 4, `<p>Nobody was hurt. The water rose to the quay.</p>`), // words
		capture(url, 9, `<p></p>`),                                             // nothing left
	)
	if n := drain(t, db); n != 5 {
		t.Errorf("drained %d versions, want 5", n)
	}
	want := []string{
		"2 after 1h: dice 1.0000, words +0 -0, sentences +0 -0, text false, words false",
		"3 after 3h: dice 1.0000, words +0 -0, sentences +0 -0, text true, words false",
		// {the water rose nobody was hurt} and the same with {to quay}: 2*6/(6+8)
		"4 after 1h: dice 0.8571, words +2 -0, sentences +1 -1, text true, words true",
		"5 after 5h: dice 0.0000, words +0 -8, sentences +0 -2, text true, words true",
	}
	if diff := cmp.Diff(want, changes(t, db, url)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if n := drain(t, db); n != 0 {
		t.Errorf("an empty queue gave %d versions", n)
	}
}

// TestLateCapture lays a version between two that were measured; all changes are
// measured anew.
func TestLateCapture(t *testing.T) {
	t.Parallel()
	db := open(t)
	const url = "http://a.test/"
	write(t, db, capture(url, 0, "<p>one two three four"), capture(url, 4, "<p>one two five six"))
	drain(t, db)
	write(t, db, capture(url, 1, "<p>one two three five"))
	drain(t, db)
	want := []string{
		"2 after 1h: dice 0.7500, words +1 -1, sentences +1 -1, text true, words true",
		"3 after 3h: dice 0.7500, words +1 -1, sentences +1 -1, text true, words true",
	}
	if diff := cmp.Diff(want, changes(t, db, url)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestDamagedRecord sets the version aside that cannot be read, and measures the others.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	db := open(t)
	bad := capture("http://a.test/bad", 1, "<p>one two")
	bad.Extract = func([]byte) store.Extract {
		return store.Extract{Record: []byte("no record"), TextHash: [16]byte{1}, Rules: 1}
	}
	write(t, db, capture("http://a.test/bad", 0, "<p>one"), bad, capture("http://a.test/good", 0, "<p>one"), capture("http://a.test/good", 1, "<p>two"))
	drain(t, db)
	if got := changes(t, db, "http://a.test/good"); len(got) != 1 {
		t.Errorf("the good page has changes %v, want one", got)
	}
	var stages []string
	if err := db.Pool().QueryRow(t.Context(), `select array_agg(stage || ' ' || version) from core.monitor_todo`).Scan(&stages); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"change (set aside) 2"}, stages); diff != "" {
		t.Errorf("left in the queue (-want +got):\n%s", diff)
	}
}

// TestIgnoredParts leaves out of a change what the page's watches ask to.
func TestIgnoredParts(t *testing.T) {
	t.Parallel()
	db := open(t)
	const url = "http://a.test/"
	now := func(_ string, now time.Time) (slot, due time.Time, err error) { return now, now, nil }
	if _, err := db.SetWatches(t.Context(), epoch, []store.WatchSpec{{
		Name: "w", Config: []byte(`{"ignore": [".ticker", "/served in [0-9.]+ s/"]}`), Every: time.Hour, Pages: []string{url}, First: now,
	}}); err != nil {
		t.Fatal(err)
	}
	write(t, db,
		capture(url, 0, `<p>The water rose. <i class=ticker>LIVE 1</i></p><p>served in 0.1 s</p>`),
		capture(url, 1, `<p>The water rose. <i class=ticker>LIVE 2 now</i></p><p>served in 0.25 s</p>`),
		capture(url, 2, `<p>The water fell. <i class=ticker>LIVE 3</i></p><p>served in 0.1 s</p>`),
	)
	drain(t, db)
	want := []string{
		"2 after 1h: dice 1.0000, words +0 -0, sentences +0 -0, text false, words false",
		"3 after 1h: dice 0.6667, words +1 -1, sentences +1 -1, text true, words true",
	}
	if diff := cmp.Diff(want, changes(t, db, url)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
