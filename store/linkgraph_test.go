package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// linkedCapture is a page that links to others.
func linkedCapture(url string, seconds int, links []string) *store.Capture {
	c := capture(url, seconds, fmt.Sprint(url, links))
	c.Extract = func([]byte) store.Extract {
		e := store.Extract{Record: []byte("record"), Rules: 1}
		for _, l := range links {
			e.Links = append(e.Links, store.Link{URL: l})
		}
		return e
	}
	return c
}

// TestLinkGraph holds both directions against maps.
func TestLinkGraph(t *testing.T) {
	t.Parallel()
	db := open(t)
	r := rand.New(rand.NewPCG(3, 4))
	url := func() string { return fmt.Sprintf("http://h%d.test/%d", r.IntN(4), r.IntN(12)) }
	var caps []*store.Capture
	links := map[string]map[string]bool{}
	for i := range 30 {
		from := url()
		if links[from] != nil {
			continue
		}
		links[from] = map[string]bool{}
		var to []string
		for range r.IntN(9) {
			to = append(to, url())
			links[from][to[len(to)-1]] = true
		}
		caps = append(caps, linkedCapture(from, i, slices.Compact(slices.Sorted(slices.Values(to)))))
	}
	id := snapshotOf(t, db, epoch, caps...)
	g, err := db.ReadLinkGraph(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	out, in := map[store.PageID][]store.PageID{}, map[store.PageID][]store.PageID{}
	n := 0
	for from, targets := range links {
		for to := range targets {
			a, b := pageOf(t, db, from), pageOf(t, db, to)
			out[a], in[b] = append(out[a], b), append(in[b], a)
			n++
		}
	}
	if g.Links() != n || n == 0 {
		t.Errorf("%d links, want %d", g.Links(), n)
	}
	pages := map[store.PageID]bool{}
	for _, lists := range []map[store.PageID][]store.PageID{out, in} {
		for p := range lists {
			slices.Sort(lists[p])
			pages[p] = true
		}
	}
	if g.Pages() != len(pages) {
		t.Errorf("%d pages, want %d", g.Pages(), len(pages))
	}
	pages[1] = true // unknown
	for p := range pages {
		if diff := cmp.Diff(out[p], g.Out(nil, p)); diff != "" {
			t.Errorf("out of %d (-want +got):\n%s", p, diff)
		}
		if diff := cmp.Diff(in[p], g.In(nil, p)); diff != "" {
			t.Errorf("into %d (-want +got):\n%s", p, diff)
		}
	}
}

// fill makes a snapshot of made-up rows: pages with 40 links each, most of them
// nearby.
func fill(b *testing.B, db *store.DB, pages int) store.SnapshotID {
	b.Helper()
	s, err := db.EnsureSeries(b.Context(), "web", nil)
	if err != nil {
		b.Fatal(err)
	}
	id, err := db.StartSnapshot(b.Context(), s.ID, time.Time{}, epoch)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for first := 0; first < pages; first += 5000 {
		var ids []store.PageID
		var hashes [][16]byte
		var packed [][]byte
		for i := first; i < min(first+5000, pages); i++ {
			var targets []store.Target
			for range 40 {
				targets = append(targets, store.Target{Page: store.PageID(7<<40 | max(1, i+r.IntN(400)-200))})
			}
			bytes, hash, _ := store.PackLinks(targets)
			ids, hashes, packed = append(ids, store.PageID(7<<40|(i+1))), append(hashes, hash), append(packed, bytes)
		}
		for _, sql := range []string{
			`insert into core.link_set select 7, h, 40, t from unnest($1::uuid[], $2::bytea[], $3::bigint[]) v(h, t, p) on conflict do nothing`,
			`insert into core.snapshot_page (snapshot_id, page_id, bucket, crawled_at, crawled, last_modified_valid, links_hash)
			 select ` + fmt.Sprint(id) + `, p, 7, now(), true, false, h from unnest($1::uuid[], $2::bytea[], $3::bigint[]) v(h, t, p)`,
		} {
			if _, err := db.Pool().Exec(b.Context(), sql, hashes, packed, ids); err != nil {
				b.Fatal(err)
			}
		}
	}
	if _, err := db.Pool().Exec(b.Context(), `analyze core.snapshot_page, core.link_set`); err != nil {
		b.Fatal(err)
	}
	return id
}

// BenchmarkSnapshotLinks reads the links of 50,000 pages, 40 each.
func BenchmarkSnapshotLinks(b *testing.B) {
	db := open(b)
	id := fill(b, db, 50_000)
	b.ReportAllocs()
	links := 0
	for b.Loop() {
		links = 0
		err := db.SnapshotLinks(context.Background(), id, func(_ store.PageID, packed []byte) error {
			var page store.PageID
			for ok := true; ok && len(packed) > 0; links++ {
				page, packed, ok = store.NextLink(packed, page)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(links)*float64(b.N)/b.Elapsed().Seconds(), "links/s")
}
