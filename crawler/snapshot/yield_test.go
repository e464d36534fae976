package snapshot_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/store"
)

// growing is a web of hosts with a folder that grows and one that does not. Hosts of
// odd number do not grow at all.
func growing(hosts int, grown *atomic.Int64) func(string) answer {
	return func(address string) answer {
		u, err := url.Parse(address)
		if err != nil {
			return answer{status: 400}
		}
		var number int
		_, _ = fmt.Sscanf(u.Host, "h%d.", &number)
		n := int64(20)
		if number%2 == 0 {
			n += 40 * grown.Load()
		}
		var a answer
		switch u.Path {
		case "/":
			a.links = []string{"/news/", "/docs/"}
			for h := range hosts {
				a.links = append(a.links, fmt.Sprintf("http://h%d.test/", h))
			}
		case "/news/":
			for i := range n {
				a.links = append(a.links, fmt.Sprintf("/news/%d", i))
			}
		case "/docs/":
			for i := range 60 {
				a.links = append(a.links, fmt.Sprintf("/docs/%d", i))
			}
		}
		return a
	}
}

// TestNovelFirst holds the order by novelty against breadth-first order, and against
// fetching in any order: novel pages among as many fetches, half of the web.
func TestNovelFirst(t *testing.T) {
	t.Parallel()
	const hosts = 8
	found := map[bool]float64{}
	var chance float64
	for _, novel := range []bool{false, true} {
		db, _ := open(t)
		var grown atomic.Int64
		w := &web{page: growing(hosts, &grown)}
		l := newLab(t, db, w, setup{})
		s := snapshot.Series{Seeds: []string{"http://h0.test/"}, Scope: snapshot.Scope{Sites: []string{"test"}}, Novel: novel}
		l.series(t, s)
		first := l.take(t)
		grown.Add(1)
		l.series(t, s)
		whole := l.take(t) // in which folders show what they give
		if n := len(rows(t, db, whole.ID)) - len(rows(t, db, first.ID)); n != 40*hosts/2 {
			t.Fatalf("%d new pages, want %d", n, 40*hosts/2)
		}
		grown.Add(1)
		all := len(rows(t, db, whole.ID)) + 40*hosts/2
		s.Scope.MaxPages = all / 2
		l.series(t, s)
		last := l.take(t)
		if last.Status != store.SnapshotDone {
			t.Fatalf("snapshot is %s: %s", last.Status, last.Error)
		}
		for u := range rows(t, db, last.ID) {
			var host, page int
			if n, _ := fmt.Sscanf(strings.TrimPrefix(u, "http://"), "h%d.test/news/%d", &host, &page); n == 2 && page >= 60 {
				found[novel]++
			}
		}
		chance = 40 * hosts / 2 * float64(s.Scope.MaxPages) / float64(all)
		t.Logf("novel %t: %.0f novel pages in %d fetches (%.0f per 1,000), of 160 there are; %.0f in any order", novel, found[novel], s.Scope.MaxPages, 1000*found[novel]/float64(s.Scope.MaxPages), chance)
	}
	// Breadth-first order is fair within a level, so it finds about as many as any order would.
	if found[true] < 1.5*found[false] || found[true] < 1.5*chance {
		t.Errorf("%.0f novel pages by novelty, %.0f breadth-first, %.0f in any order: want 1.5 times as many", found[true], found[false], chance)
	}
}

// TestOrderSwitched changes the order of a series in the middle of a snapshot, both
// ways: each URL is fetched, once.
func TestOrderSwitched(t *testing.T) {
	t.Parallel()
	for _, novel := range []bool{false, true} {
		t.Run(fmt.Sprintf("novel first %t", novel), func(t *testing.T) {
			t.Parallel()
			db, _ := open(t)
			var grown atomic.Int64
			w := &web{page: growing(4, &grown)}
			s := snapshot.Series{Seeds: []string{"http://h0.test/"}, Scope: snapshot.Scope{Sites: []string{"test"}}, Novel: novel}
			l := newLab(t, db, w, setup{})
			l.series(t, s)
			id, err := l.Start(t.Context(), "s")
			if err != nil {
				t.Fatal(err)
			}
			running, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- l.Run(running) }()
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for len(w.log()) < 40 {
				<-tick.C
			}
			stop()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			left := count(t, db, `select count(*) from core.snapshot_frontier where snapshot_id = $1 and (priority > 0) = $2`, id, novel)
			if left == 0 {
				t.Fatal("nothing of the first order was left for the second")
			}
			s.Novel = !novel
			l.series(t, s)
			if end := l.await(t, id); end.Status != store.SnapshotDone {
				t.Fatalf("snapshot is %s: %s", end.Status, end.Error)
			}
			// Home pages, the two lists, and what they list.
			if got, want := len(rows(t, db, id)), 4*(3+20+60); got != want {
				t.Errorf("%d URLs, want %d", got, want)
			}
			asked := map[string]int{}
			for _, u := range w.log() {
				if asked[u]++; asked[u] > 1 {
					t.Errorf("%s was fetched %d times", u, asked[u])
				}
			}
			if n := count(t, db, `select count(*) from core.snapshot_frontier where snapshot_id = $1`, id); n != 0 {
				t.Errorf("%d URLs are left in the frontier", n)
			}
		})
	}
}
