package snapshot_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

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
