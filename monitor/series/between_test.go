package series_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// aligned is a random web whose snapshots are fetched each at one moment.
func aligned(r *rand.Rand, pages int) (first, second []sight) {
	snapshots := web(r, 2, pages)
	for k := range snapshots {
		// Redirects are followed by snapshots alone; who tries a URL has heard of it,
		// which is nothing to a snapshot where the URL fails.
		snapshots[k] = slices.DeleteFunc(snapshots[k], func(s sight) bool { return s.redirect != "" || s.failed })
		for i := range snapshots[k] {
			s := &snapshots[k][i]
			s.at = epoch.AddDate(0, k, 0)
			if s.valid && s.modified.After(s.at) {
				s.valid = false
			}
			s.markup = fmt.Sprintf("<p>%s of %s", s.url, s.at)
		}
	}
	return snapshots[0], snapshots[1]
}

// TestBetweenEqualsSnapshots holds that pages found between snapshots get the classes
// and scores that a snapshot would give them, where all fetches lie on two moments
// (SCIENCE T17): the second snapshot's fetches are stored twice, once as captures of
// a series and once as fetches of the recrawl after another series' only snapshot.
func TestBetweenEqualsSnapshots(t *testing.T) {
	t.Parallel()
	positive := 0
	for seed := range uint64(4) {
		db := open(t)
		first, second := aligned(rand.New(rand.NewPCG(seed, 3)), 60)
		short, whole := newSeries(t, db, "short"), newSeries(t, db, "whole")
		load(t, db, short, first, 7)
		load(t, db, whole, first, 7)
		load(t, db, whole, second, 7)
		opt := series.Defaults()
		if _, err := series.Update(t.Context(), db, short, opt); err != nil {
			t.Fatal(err)
		}
		if _, err := series.Update(t.Context(), db, whole, opt); err != nil {
			t.Fatal(err)
		}
		if err := series.Between(t.Context(), db, short, series.BetweenOptions{Options: opt, Until: epoch.AddDate(0, 1, 0)}); err != nil {
			t.Fatal(err)
		}
		type row struct {
			Class   string
			Novelty float32
			InLinks int32
		}
		read := func(sql string) map[string]row {
			rows, err := db.Pool().Query(t.Context(), sql)
			if err != nil {
				t.Fatal(err)
			}
			out := map[string]row{}
			for rows.Next() {
				var url string
				var r row
				if err := rows.Scan(&url, &r.Class, &r.Novelty, &r.InLinks); err != nil {
					t.Fatal(err)
				}
				out[url] = r
			}
			if rows.Err() != nil {
				t.Fatal(rows.Err())
			}
			return out
		}
		want := read(`select url, class, novelty, in_links from api_v1.snapshot_page where series = 'whole' and snapshot = 2 and old_by <> 1`)
		got := read(`select url, class, novelty, in_links from api_v1.novelty_between where series = 'short'`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: found between snapshots (-as a snapshot +as a window):\n%s", seed, diff)
		}
		for _, r := range got {
			if r.Novelty > 0 {
				positive++
			}
		}
	}
	if positive < 5 {
		t.Errorf("only %d pages have novelty: the comparison says nothing", positive)
	}
}

// TestBetweenByRecrawl follows a page that is found by recrawling the page that
// links to it.
func TestBetweenByRecrawl(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "s")
	home := sight{url: "http://a.test/", at: epoch, links: []string{"http://a.test/old"}}
	load(t, db, id, []sight{home, {url: "http://a.test/old", at: epoch}}, 2)
	if _, err := series.Update(t.Context(), db, id, series.Defaults()); err != nil {
		t.Fatal(err)
	}
	day := 24 * time.Hour
	fetch := func(s sight, after time.Duration) {
		s.at = epoch.Add(after)
		if _, err := db.Write(t.Context(), []*store.Capture{s.capture()}); err != nil {
			t.Fatal(err)
		}
	}
	fetch(home, 3*day)
	home.links = append(home.links, "http://a.test/new", "http://b.test/aged")
	fetch(home, 4*day)
	fetch(sight{url: "http://a.test/new", links: []string{"http://a.test/"}}, 4*day+time.Hour)
	fetch(sight{url: "http://b.test/aged", modified: epoch.Add(-90 * day), valid: true}, 5*day)
	opt := series.BetweenOptions{
		Options: series.Defaults(), Until: epoch.Add(10 * day), Scope: func(string) bool { return true },
	}
	if err := series.Between(t.Context(), db, id, opt); err != nil {
		t.Fatal(err)
	}
	var class string
	var novelty, chance float64
	var from, to time.Time
	q := `select class, novelty, born_from, born_to, new from api_v1.novelty_between where url = 'http://a.test/new'`
	if err := db.Pool().QueryRow(t.Context(), q).Scan(&class, &novelty, &from, &to, &chance); err != nil {
		t.Fatal(err)
	}
	if class != "U" || novelty != float64(float32(.9)) || to.After(epoch.Add(4*day)) || chance < .5 {
		t.Errorf("class %s, novelty %v, born from %v to %v, new with %v; want U, .9, before its link was seen, likely new", class, novelty, from, to, chance)
	}
	counts, err := db.Between(t.Context(), id, .1)
	if err != nil || counts.Pages != 2 || counts.Unidentified != 1 || counts.Novel != 1 || !counts.After.Equal(epoch) {
		t.Errorf("counts %+v, %v; want 2 pages, 1 in U, 1 novel since %v", counts, err, epoch)
	}
	opt.Scope = func(url string) bool { return url != "http://a.test/new" }
	if err := series.Between(t.Context(), db, id, opt); err != nil {
		t.Fatal(err)
	}
	if counts, err = db.Between(t.Context(), id, .1); err != nil || counts.Pages != 1 || counts.Unidentified != 0 {
		t.Errorf("out of scope: counts %+v, %v; want one old page", counts, err)
	}
	opt.Scope = nil
	if err := series.Between(t.Context(), db, id, opt); err != nil {
		t.Fatal(err)
	}
	if counts, err = db.Between(t.Context(), id, .1); err != nil || counts.Pages != 1 || counts.Novel != 1 {
		t.Errorf("hosts of the snapshot: counts %+v, %v; want the new page of a.test alone", counts, err)
	}
}

// TestBetweenOwnFinds holds that what a snapshot found while it was taken is known:
// a crawl takes time, and hears of pages after it began.
func TestBetweenOwnFinds(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "s")
	minutes := func(n int) time.Time { return epoch.Add(time.Duration(n) * time.Minute) }
	second := sight{url: "http://a.test/2", at: minutes(2), links: []string{"http://a.test/fringe"}}
	for _, s := range []sight{
		{url: "http://a.test/", at: epoch, links: []string{"http://a.test/1"}},
		{url: "http://a.test/1", at: minutes(1), links: []string{"http://a.test/2"}},
		second,
	} {
		load(t, db, id, []sight{s}, 1)
	}
	if _, err := series.Update(t.Context(), db, id, series.Defaults()); err != nil {
		t.Fatal(err)
	}
	between := func() store.BetweenCounts {
		if err := series.Between(t.Context(), db, id, series.BetweenOptions{Options: series.Defaults(), Until: epoch.AddDate(0, 0, 10)}); err != nil {
			t.Fatal(err)
		}
		counts, err := db.Between(t.Context(), id, .1)
		if err != nil {
			t.Fatal(err)
		}
		return counts
	}
	if counts := between(); counts.Pages != 0 {
		t.Errorf("nothing was fetched since the snapshot: counts %+v", counts)
	}
	second.at, second.links = epoch.AddDate(0, 0, 4), append(second.links, "http://a.test/new")
	for _, s := range []sight{
		second, {url: "http://a.test/new", at: epoch.AddDate(0, 0, 5)}, {url: "http://a.test/fringe", at: epoch.AddDate(0, 0, 5)},
	} {
		if _, err := db.Write(t.Context(), []*store.Capture{s.capture()}); err != nil {
			t.Fatal(err)
		}
	}
	if counts := between(); counts.Pages != 1 || counts.Novel != 1 {
		t.Errorf("counts %+v; want the page alone that no snapshot named, linked from one that was crawled without the link", counts)
	}
}

// header is the head of an answer.
func (s sight) header() []byte {
	head := "HTTP/1.1 200 OK\r\n"
	if s.valid {
		head += "Last-Modified: " + s.modified.UTC().Format(http.TimeFormat) + "\r\n"
	}
	return []byte(head + "\r\n")
}
