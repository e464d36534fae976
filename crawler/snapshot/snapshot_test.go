package snapshot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/store"
)

// walk is breadth-first search over a web, the plain way.
func walk(page func(string) answer, seeds []string, within func(url string, depth int) bool) map[string]int {
	depth := map[string]int{}
	queue := slices.Clone(seeds)
	for _, s := range seeds {
		depth[s] = 0
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, l := range page(u).links {
			if _, ok := depth[l]; !ok && within(l, depth[u]+1) {
				depth[l] = depth[u] + 1
				queue = append(queue, l)
			}
		}
	}
	return depth
}

func TestBreadthFirst(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	w := &web{page: tree(5, 4)}
	l := newLab(t, db, w, setup{options: snapshot.Options{Batch: 7}})
	seeds := []string{"http://h0.test/", "http://h3.test/"}
	l.series(t, snapshot.Series{Seeds: seeds, Scope: snapshot.Scope{Sites: []string{"test"}}})
	for number := 1; number <= 2; number++ { // the second one's pages are unchanged
		s := l.take(t)
		if s.Status != store.SnapshotDone || s.Number != number {
			t.Fatalf("snapshot %d: %+v", number, s)
		}
		want := walk(w.page, seeds, func(string, int) bool { return true })
		got := map[string]int{}
		for u, r := range rows(t, db, s.ID) {
			got[u] = r.Depth
			if !r.Crawled {
				t.Errorf("%s: %+v, want it crawled", u, r)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("snapshot %d, depths (-want +got):\n%s", number, diff)
		}
		if n := count(t, db, `select count(*) from core.snapshot_page a join core.snapshot_page b using (snapshot_id)
			where a.snapshot_id = $1 and a.depth < b.depth and a.crawled_at > b.crawled_at`, s.ID); n > 0 {
			t.Errorf("%d pairs of pages out of the order of their depths", n)
		}
		if n := count(t, db, `select count(*) from core.snapshot_frontier`); n > 0 {
			t.Errorf("%d URLs are left in the frontier", n)
		}
		if n := count(t, db, `select count(*) from core.snapshot_page where snapshot_id = $1 and links_hash is null and depth < 4`, s.ID); n > 0 {
			t.Errorf("%d pages without links", n)
		}
		asked := w.log()
		slices.Sort(asked)
		if n := len(asked); n != number*len(want) {
			t.Errorf("%d requests for %d pages in %d snapshots", n, len(want), number)
		}
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	w := &web{page: tree(5, 4)}
	l := newLab(t, db, w, setup{})
	seeds := []string{"http://h0.test/"}
	l.series(t, snapshot.Series{Seeds: seeds, Scope: snapshot.Scope{Hosts: []string{"h0.test", "h2.test"}, Exclude: []string{"/l0p1/*p1"}, MaxDepth: 3}})
	s := l.take(t)
	want := walk(w.page, seeds, func(u string, depth int) bool {
		host, path, _ := strings.Cut(strings.TrimPrefix(u, "http://"), "/")
		i := strings.Index("/"+path, "/l0p1/")
		excluded := i >= 0 && strings.Contains(("/" + path)[i+6:], "p1")
		return depth <= 3 && (host == "h0.test" || host == "h2.test") && !excluded
	})
	got := map[string]int{}
	for u, r := range rows(t, db, s.ID) {
		got[u] = r.Depth
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	w := &web{page: func(u string) answer { // one host without end, and three small ones
		if strings.Contains(u, "giant") {
			return answer{links: []string{u + "a", u + "b", u + "c"}}
		}
		return answer{links: []string{"http://giant.test/", u + "x"}}
	}}
	l := newLab(t, db, w, setup{})
	seeds := []string{"http://giant.test/", "http://s1.test/", "http://s2.test/", "http://s3.test/"}
	l.series(t, snapshot.Series{Seeds: seeds, Scope: snapshot.Scope{MaxDepth: 9, MaxPagesPerHost: 20}})
	s := l.take(t)
	if n := count(t, db, `select count(*) from core.snapshot_page join core.page using (page_id, bucket) where snapshot_id = $1 and url like 'http://giant%'`, s.ID); n != 20 {
		t.Errorf("%d pages of the giant host, want 20", n)
	}
	if n := count(t, db, `select count(*) from core.snapshot_page join core.page using (page_id, bucket) where snapshot_id = $1 and url like 'http://s%'`, s.ID); n != 30 {
		t.Errorf("%d pages of the others, want all 30", n)
	}
	if n := count(t, db, `select count(*) from core.snapshot_host where closed = 'pages'`); n != 1 || s.Status != store.SnapshotDone {
		t.Errorf("%d hosts closed, snapshot %s; want 1, done", n, s.Status)
	}
	l.series(t, snapshot.Series{Seeds: seeds, Scope: snapshot.Scope{MaxPages: 17}})
	s = l.take(t)
	if n := len(rows(t, db, s.ID)); n != 17 || s.Status != store.SnapshotDone {
		t.Errorf("%d pages, snapshot %s; want 17, done", n, s.Status)
	}
}

func TestRedirectsFailuresRobots(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	w := &web{page: func(u string) answer {
		switch strings.TrimPrefix(u, "http://a.test") {
		case "/":
			return answer{links: []string{"/old", "/gone", "/private/x", "/loop1", "/busy", "/away"}}
		case "/old":
			return answer{location: "/older"}
		case "/older":
			return answer{location: "/new"}
		case "/gone":
			return answer{status: 410}
		case "/loop1":
			return answer{location: "/loop2"}
		case "/loop2":
			return answer{location: "/loop1"}
		case "/busy":
			return answer{status: 500}
		case "/away":
			return answer{location: "http://other.test/"}
		}
		return answer{}
	}}
	l := newLab(t, db, w, setup{})
	l.series(t, snapshot.Series{Seeds: []string{"http://a.test/"}, Scope: snapshot.Scope{Sites: []string{"a.test"}}})
	s := l.take(t)
	want := map[string]row{
		"http://a.test/":          {0, true, 200, ""},
		"http://a.test/old":       {1, false, 301, "http://a.test/older"},
		"http://a.test/older":     {1, false, 301, "http://a.test/new"},
		"http://a.test/new":       {1, true, 200, ""},
		"http://a.test/gone":      {1, false, 410, ""},
		"http://a.test/private/x": {1, false, 0, ""},
		"http://a.test/loop1":     {1, false, 301, "http://a.test/loop2"},
		"http://a.test/loop2":     {1, false, 301, "http://a.test/loop1"},
		"http://a.test/busy":      {1, false, 500, ""},
		"http://a.test/away":      {1, false, 301, "http://other.test/"},
	}
	if diff := cmp.Diff(want, rows(t, db, s.ID)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	busy := 0
	for _, u := range w.log() {
		if strings.HasSuffix(u, "/busy") {
			busy++
		}
		if strings.Contains(u, "private") || strings.Contains(u, "other") {
			t.Errorf("%s was asked for", u)
		}
	}
	if busy != 3 {
		t.Errorf("%d requests for a page that fails, want 3", busy)
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	const german = "Die Feuerwehr der Stadt hat am Montag mitgeteilt, dass der Brand im Hafen gelöscht ist und niemand verletzt wurde. " +
		"Die Ursache wird noch untersucht, und die Straße bleibt bis zum Abend gesperrt."
	const english = "The fire brigade of the town said on Monday that the fire in the harbour was out and that nobody had been hurt. " +
		"The cause is still being looked into, and the street stays closed until the evening."
	db, _ := open(t)
	w := &web{page: func(u string) answer {
		a := answer{text: english, links: []string{u + "a", u + "b"}}
		if strings.Contains(u, "de.test") && len(u) > len("http://www.de.test/") {
			a.text = german
		}
		return a
	}}
	l := newLab(t, db, w, setup{})
	l.series(t, snapshot.Series{
		Seeds: []string{"http://www.de.test/", "http://www.en.test/", "http://m.en.test/"}, Language: "de", FirstPages: 3,
		Scope: snapshot.Scope{MaxDepth: 3},
	})
	s := l.take(t)
	got := map[string]int{}
	for u := range rows(t, db, s.ID) {
		got[strings.Split(u, ".")[1]]++
	}
	if diff := cmp.Diff(map[string]int{"de": 15, "en": 3}, got); diff != "" {
		t.Errorf("pages by site (-want +got):\n%s", diff)
	}
}

func TestTraps(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	w := &web{page: func(u string) answer {
		if strings.Contains(u, "sid=") || u == "http://a.test/" {
			out := answer{links: []string{"/x"}}
			for i := range 6 {
				out.links = append(out.links, "/p?sid=0123456789abcdef"+strings.Repeat("0", i)+string(rune('a'+len(u)%6)))
			}
			return out
		}
		return answer{}
	}}
	l := newLab(t, db, w, setup{})
	l.series(t, snapshot.Series{Seeds: []string{"http://a.test/"}})
	s := l.take(t)
	if n := count(t, db, `select count(*) from core.snapshot_page s join core.page p using (page_id, bucket) where s.snapshot_id = $1 and p.trap is not null`, s.ID); n > 10 {
		t.Errorf("%d pages that look like traps, want 10 at most", n)
	}
	if _, ok := rows(t, db, s.ID)["http://a.test/x"]; !ok {
		t.Error("a page beside the traps is missing")
	}
}

func TestHangingHost(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	w := &web{page: func(u string) answer {
		if strings.Contains(u, "hang") {
			return answer{hang: true}
		}
		a := tree(1, 3)(u)
		for i := range 12 {
			a.links = append(a.links, "http://hang.test/"+string(rune('a'+i)))
		}
		return a
	}}
	l := newLab(t, db, w, setup{total: 50 * time.Millisecond, options: snapshot.Options{GiveUp: 4}})
	l.series(t, snapshot.Series{Seeds: []string{"http://h0.test/", "http://hang.test/"}})
	s := l.take(t)
	good := 0
	for _, r := range rows(t, db, s.ID) {
		if r.Crawled {
			good++
		}
	}
	if good != 40 || s.Status != store.SnapshotDone {
		t.Errorf("%d pages of the host beside it, snapshot %s %s; want 40, done", good, s.Status, s.Error)
	}
	if n := count(t, db, `select count(*) from core.snapshot_host where closed = 'unreachable'`); n != 1 {
		t.Errorf("%d hosts given up, want 1", n)
	}
}

// TestFairWithinLevel: of a level that does not fit into the budget, pages first heard of
// before are taken no sooner than others, and the same ones in every database.
func TestFairWithinLevel(t *testing.T) {
	t.Parallel()
	var taken []map[string]row
	for range 2 {
		db, _ := open(t)
		pages := 200
		w := &web{page: func(u string) answer {
			var a answer
			if u == "http://h0.test/" {
				for i := range pages {
					a.links = append(a.links, fmt.Sprintf("/p%d", i))
				}
			}
			return a
		}}
		l := newLab(t, db, w, setup{})
		s := snapshot.Series{Seeds: []string{"http://h0.test/"}}
		l.series(t, s)
		l.take(t)
		pages = 400
		s.Scope.MaxPages = 201
		l.series(t, s)
		taken = append(taken, rows(t, db, l.take(t).ID))
	}
	fresh := 0
	for u := range taken[0] {
		var n int
		if _, err := fmt.Sscanf(u, "http://h0.test/p%d", &n); err == nil && n >= 200 {
			fresh++
		}
	}
	if len(taken[0]) != 201 || fresh < 75 || fresh > 125 {
		t.Errorf("%d pages, %d of them new: want 201 and about 100", len(taken[0]), fresh)
	}
	if diff := cmp.Diff(taken[0], taken[1]); diff != "" {
		t.Errorf("two crawls of one web differ (-first +second):\n%s", diff)
	}
}
