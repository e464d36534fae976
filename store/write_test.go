package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/store"
)

const page = "http://a.test/page"

// timelineOf tells a page's versions in words: content, span and number of fetches.
func timelineOf(t testing.TB, db *store.DB, url string) []string {
	t.Helper()
	versions, err := db.History(t.Context(), pageOf(t, db, url))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range versions {
		body, err := db.Body(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		record, err := db.Record(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if string(record) != "record "+string(body) {
			t.Errorf("version %d: record %q beside body %q", v.Number, record, body)
		}
		out = append(out, fmt.Sprintf("%d: %s from %d to %d, %d fetches, head %s, title %s", v.Number, body[:min(12, len(body))],
			int(v.FirstSeen.Sub(epoch).Seconds()), int(v.LastSeen.Sub(epoch).Seconds()), v.Fetches,
			strings.Split(string(v.Head), "\r\n")[2], v.Title))
	}
	return out
}

func TestVersions(t *testing.T) {
	t.Parallel()
	db := open(t)
	stored := write(t, db,
		capture(page, 0, "one"), capture(page, 10, "one"), capture(page, 20, "two"), capture(page, 30, "one"))
	var outcomes []string
	for _, s := range stored {
		outcomes = append(outcomes, fmt.Sprint(s.Outcome, " ", s.Version))
	}
	if diff := cmp.Diff([]string{"new 1", "same 1", "changed 2", "changed 3"}, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	write(t, db, capture(page, 40, "one"))
	want := []string{
		"1: one from 0 to 10, 2 fetches, head X-At: 0, title title of one",
		"2: two from 20 to 20, 1 fetches, head X-At: 20, title title of two",
		"3: one from 30 to 40, 2 fetches, head X-At: 30, title title of one",
	}
	if diff := cmp.Diff(want, timelineOf(t, db, page)); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

func TestNotModifiedExtendsTheVersion(t *testing.T) {
	t.Parallel()
	db := open(t)
	write(t, db, capture(page, 0, "one"))
	again := &store.Capture{URL: page, Kind: store.KindSchedule, StartedAt: epoch.Add(time.Hour), Status: 304, Outcome: store.NotModified, ETag: `"2"`, Payload: []byte{}}
	got := write(t, db, again)
	if got[0].Outcome != store.NotModified || got[0].Version != 1 {
		t.Errorf("got %+v, want version 1 not modified", got[0])
	}
	id := pageOf(t, db, page)
	states, err := db.States(t.Context(), []store.PageID{id})
	if err != nil {
		t.Fatal(err)
	}
	if s := states[id]; s.ETag != `"2"` || !s.VersionSeen.Equal(epoch.Add(time.Hour)) {
		t.Errorf("state %+v", s)
	}
	v, err := db.LastVersion(t.Context(), id)
	if err != nil || v.Fetches != 2 {
		t.Errorf("last version has %d fetches, %v; want 2", v.Fetches, err)
	}
}

func TestFailuresAreFetches(t *testing.T) {
	t.Parallel()
	db := open(t)
	write(t, db, capture(page, 0, "one"))
	gone := &store.Capture{
		URL: page, Kind: store.KindSchedule, StartedAt: epoch.Add(time.Minute), Status: 404, Outcome: store.Failed,
		Error: "status 404\x00", Payload: []byte("not here"),
	}
	if got := write(t, db, gone); got[0].Version != 0 || got[0].Outcome != store.Failed {
		t.Errorf("got %+v, want an error without version", got[0])
	}
	id := pageOf(t, db, page)
	states, err := db.States(t.Context(), []store.PageID{id})
	if err != nil {
		t.Fatal(err)
	}
	if s := states[id]; s.Failures != 1 || s.Version != 1 || s.LastStatus != 404 {
		t.Errorf("state after a failure: %+v", s)
	}
	var n int
	if err := db.Pool().QueryRow(t.Context(), `select count(*) from api_v1.fetch_log where outcome = 'error' and status = 404`).Scan(&n); err != nil || n != 1 {
		t.Errorf("fetch_log has %d rows of the failure, %v; want 1", n, err)
	}
}

func TestWriteTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	db := open(t)
	caps := func() []*store.Capture {
		return []*store.Capture{capture(page, 0, "one"), capture(page, 0, "other"), capture(page, 10, "two"), capture(page, 20, "two")}
	}
	write(t, db, caps()...)
	want := timelineOf(t, db, page)
	for _, s := range write(t, db, caps()...) {
		if !s.Duplicate {
			t.Errorf("second write: %+v, want a duplicate", s)
		}
	}
	if diff := cmp.Diff(want, timelineOf(t, db, page)); diff != "" {
		t.Errorf("versions after the second write (-first +second):\n%s", diff)
	}
}

// TestOrderHasNoSay writes random histories in order and in a random order, in
// batches of random size, and wants the same versions and fetches.
func TestOrderHasNoSay(t *testing.T) {
	t.Parallel()
	db := open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		var history []func(url string) *store.Capture
		for i := range 4 + rng.IntN(20) {
			content := fmt.Sprintf("content %c %s", 'a'+rng.IntN(4), strings.Repeat("text ", 40))
			at := i * 10
			if rng.IntN(6) == 0 && i > 0 {
				at -= 10 // two captures of one moment
			}
			history = append(history, func(url string) *store.Capture { return capture(url, at, content) })
		}
		inOrder, shuffled := fmt.Sprintf("http://a.test/%d/ordered", round), fmt.Sprintf("http://a.test/%d/shuffled", round)
		put := func(url string, order []int, batch int) {
			for len(order) > 0 {
				n := min(len(order), batch)
				var caps []*store.Capture
				for _, i := range order[:n] {
					caps = append(caps, history[i](url))
				}
				write(t, db, caps...)
				order = order[n:]
			}
		}
		order := make([]int, len(history))
		for i := range order {
			order[i] = i
		}
		put(inOrder, order, len(order))
		put(shuffled, rng.Perm(len(history)), 1+rng.IntN(5))
		if diff := cmp.Diff(timelineOf(t, db, inOrder), timelineOf(t, db, shuffled)); diff != "" {
			t.Fatalf("round %d: versions (-in order +shuffled):\n%s", round, diff)
		}
		if diff := cmp.Diff(fetchesOf(t, db, inOrder), fetchesOf(t, db, shuffled)); diff != "" {
			t.Fatalf("round %d: fetches (-in order +shuffled):\n%s", round, diff)
		}
	}
}

func fetchesOf(t testing.TB, db *store.DB, url string) []string {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `select format('%s %s v%s', started_at, outcome, version) from api_v1.fetch_log where url = $1 order by started_at, version`, url)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func TestRevisitBeforeItsPayload(t *testing.T) {
	t.Parallel()
	db := open(t)
	first := capture(page, 0, "the payload")
	write(t, db, capture("http://a.test/other", 0, "x")) // the host is known
	probe := capture("http://probe.test/", 0, "the payload")
	write(t, db, probe)
	revisit := func() *store.Capture {
		c := capture(page, 60, "")
		c.Payload, c.PayloadSHA1 = nil, probe.PayloadSHA1
		return c
	}
	if got := write(t, db, revisit()); got[0].Outcome != store.Failed {
		t.Errorf("revisit without its payload: %+v, want an error", got[0])
	}
	write(t, db, first)
	want := []string{"1: the payload from 0 to 60, 2 fetches, head X-At: 0, title title of the payl"}
	if diff := cmp.Diff(want, timelineOf(t, db, page)); diff != "" {
		t.Errorf("versions once the payload came (-want +got):\n%s", diff)
	}
	if got := write(t, db, revisit()); !got[0].Duplicate {
		t.Errorf("revisit again: %+v, want a duplicate", got[0])
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	db := open(t)
	write(t, db, capture(page, 0, "one"))
	v, err := db.LastVersion(t.Context(), pageOf(t, db, page))
	if err != nil {
		t.Fatal(err)
	}
	links, err := db.Links(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, l := range links {
		got[l.URL] = l.NoFollow
	}
	if diff := cmp.Diff(map[string]bool{"http://a.test/linked": false, "http://b.test/": true}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// TestDamageIsNamed spoils a stored frame and wants an error that names the page.
func TestDamageIsNamed(t *testing.T) {
	t.Parallel()
	url, db := openURL(t)
	write(t, db, capture(page, 0, strings.Repeat("some text that is long enough ", 20)))
	if _, err := db.Pool().Exec(t.Context(), `update core.body set data = set_byte(data, length(data) - 3, (get_byte(data, length(data) - 3) + 1) % 256)`); err != nil {
		t.Fatal(err)
	}
	fresh, err := store.Open(t.Context(), url, store.Options{MaxConns: 2}) // without what the writer remembers
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	v, err := fresh.LastVersion(t.Context(), pageOf(t, fresh, page))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fresh.Body(t.Context(), v)
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "version 1 of "+page) {
		t.Errorf("Body of a spoilt frame: %v; want ErrDamaged naming the version and page", err)
	}
}

// TestWritersMeet lets several writers store the same contents in months that
// have no partition yet.
func TestWritersMeet(t *testing.T) {
	t.Parallel()
	db := open(t)
	g, ctx := errgroup.WithContext(t.Context())
	for w := range 4 {
		g.Go(func() error {
			for i := range 10 {
				c := capture(fmt.Sprintf("http://a.test/%d", w), 0, fmt.Sprintf("the same on all pages, number %d", i))
				c.StartedAt = epoch.AddDate(-i, 0, w)
				if _, err := db.Write(ctx, []*store.Capture{c}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for w := range 4 {
		if n := len(timelineOf(t, db, fmt.Sprintf("http://a.test/%d", w))); n != 10 {
			t.Errorf("page %d has %d versions, want 10", w, n)
		}
	}
}
