package series_test

import (
	"context"
	"crypto/md5"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/store"
)

var epoch = time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC)

func open(t testing.TB) *store.DB {
	t.Helper()
	return testdb.Open(t)
}

// sight is what a snapshot saw of a URL.
type sight struct {
	url      string
	at       time.Time
	links    []string
	redirect string // then there are no links
	failed   bool
	modified time.Time
	valid    bool
	markup   string // what the record is extracted from
}

// capture is the sight as the store takes it. Its payload names its links.
func (s sight) capture() *store.Capture {
	c := &store.Capture{URL: s.url, Kind: store.KindImport, StartedAt: s.at, FinishedAt: s.at, Status: 200, Head: s.header()}
	switch {
	case s.redirect != "":
		c.Status, c.Outcome, c.Error = 301, store.Failed, "redirect to "+s.redirect
	case s.failed:
		c.Status, c.Outcome, c.Error = 404, store.Failed, "status 404"
	default:
		c.Payload = []byte(s.url + "\n" + strings.Join(s.links, "\n"))
		c.Extract = func(payload []byte) store.Extract {
			var x extract.Extractor
			page := x.Extract(extract.Input{Body: []byte(s.markup), ContentType: "text/html; charset=utf-8", URL: s.url})
			e := store.Extract{Record: page.AppendRecord(nil), Rules: 1, TextHash: md5.Sum([]byte(page.Text()))}
			for _, l := range strings.Split(string(payload), "\n")[1:] {
				if l != "" {
					e.Links = append(e.Links, store.Link{URL: l})
				}
			}
			return e
		}
	}
	return c
}

// load imports sights into a series, as many as n at a time.
func load(t testing.TB, db *store.DB, id store.SeriesID, sights []sight, n int) {
	t.Helper()
	for len(sights) > 0 {
		batch := sights[:min(n, len(sights))]
		sights = sights[len(batch):]
		var caps []*store.Capture
		var targets []store.Sighting
		for _, s := range batch {
			caps = append(caps, s.capture())
			if s.redirect != "" {
				targets = append(targets, store.Sighting{URL: s.redirect, At: s.at})
			}
		}
		ids, err := db.ResolvePages(t.Context(), targets)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.WriteWith(t.Context(), caps, func(ctx context.Context, tx *store.Tx, stored []store.Stored) error {
			var members []store.SnapshotFetch
			for i, s := range batch {
				members = append(members, store.SnapshotFetch{
					Page: stored[i].Page, At: s.at, Status: caps[i].Status, Depth: -1, Crawled: !s.failed && s.redirect == "",
					Alias: ids[s.redirect], LastModified: s.modified, Valid: s.valid,
				})
			}
			return tx.PutSeriesCaptures(ctx, id, members)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// crawlInto stores a page as a crawl does.
func crawlInto(t testing.TB, db *store.DB, id store.SnapshotID, s sight) {
	t.Helper()
	_, err := db.WriteWith(t.Context(), []*store.Capture{s.capture()}, func(ctx context.Context, tx *store.Tx, stored []store.Stored) error {
		return tx.PutSnapshotPages(ctx, id, []store.SnapshotFetch{{Page: stored[0].Page, At: s.at, Status: 200, Crawled: true}})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// newSeries makes a series whose snapshots lie a day and more apart.
func newSeries(t testing.TB, db *store.DB, name string) store.SeriesID {
	t.Helper()
	s, err := db.EnsureSeries(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetGap(t.Context(), s.ID, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// web makes snapshots of a random web: pages on a few hosts that link to each
// other, some of them redirects, failures, dated or with a Last-Modified.
func web(r *rand.Rand, snapshots, pages int) [][]sight {
	name := func(i int) string {
		if i%5 == 0 {
			return fmt.Sprintf("http://h%d.test/2025/%02d/p%d", i%3, 1+i%6, i)
		}
		return fmt.Sprintf("http://h%d.test/p%d", i%3, i)
	}
	var out [][]sight
	for k := range snapshots {
		start := epoch.AddDate(0, k, 0)
		var all []sight
		for i := range pages {
			if r.IntN(3) == 0 || i > pages*(k+2)/(snapshots+1) {
				continue
			}
			s := sight{url: name(i), at: start.Add(time.Duration(i) * time.Minute)}
			switch r.IntN(12) {
			case 0:
				s.redirect = name(r.IntN(pages))
				if s.redirect == s.url {
					s.redirect, s.failed = "", true
				}
			case 1:
				s.failed = true
			default:
				for range r.IntN(6) {
					s.links = append(s.links, name(r.IntN(pages)))
				}
				if r.IntN(8) == 0 {
					s.modified, s.valid = start.AddDate(0, -r.IntN(3), 0), r.IntN(4) > 0
				}
			}
			all = append(all, s)
		}
		out = append(out, all)
	}
	return out
}

// dump is every row that is derived of a series, pages by their URLs, without times
// of computation and ids that depend on the order of imports.
func dump(t testing.TB, db *store.DB) []string {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `
		select 'snapshot ' || (to_jsonb(v) - 'computed_at')::text from api_v1.snapshot v
		union all select 'page ' || (to_jsonb(v) - 'page_id')::text from api_v1.snapshot_page v
		union all select 'link ' || v.series || v.snapshot || s.url || ' ' || d.url || v.nofollow from api_v1.link v
			join api_v1.page s on s.page_id = v.source_id join api_v1.page d on d.page_id = v.target_id
		union all select 'convergence ' || v::text from api_v1.novelty_convergence v
		union all select 'distribution ' || v::text from api_v1.novelty_distribution v
		union all select 'accuracy ' || v::text from api_v1.novelty_accuracy_by_truth v
		union all select 'copies ' || v::text from api_v1.snapshot_copies v
		union all select 'copy ' || (to_jsonb(v) - 'page_id' - 'source_id' - 'computed_at')::text from api_v1.page_copy v
		union all select 'miss ' || v::text from api_v1.novelty_miss v
		union all select 'known ' || n.series || n.snapshot || ' ' || p.url from core.snapshot_known k
			join core.numbered_snapshot n using (snapshot_id) cross join lateral core.unpack_links(k.targets) l
			join api_v1.page p on p.page_id = l.target_id
		order by 1`)
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
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
