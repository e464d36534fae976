package archive_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/store"
)

// TestSeries imports captures into a series: what they say besides their content
// is kept, a revisit whose payload comes later becomes a page of its snapshot, and
// importing without the series before makes no difference.
func TestSeries(t *testing.T) {
	t.Parallel()
	first := "2021-05-01T10:00:00Z"
	link := `<p>text <a href="/linked">there</a>`
	files := []string{
		keep(t, "one.warc", revisit(b, first, sha1Of("later"))+
			page(a, first, link)+
			record(answer("", "HTTP/1.1 301 Moved", "Location: /page"), captured("response", "http://a.test/moved", first)...)+
			record(answer("no", "HTTP/1.1 404 Not Found"), captured("response", a2, first)...)+
			record(answer(link, ok, html, "Last-Modified: Fri, 02 Apr 2021 08:00:00 GMT", "Date: Sat, 01 May 2021 10:00:00 GMT"), captured("response", "http://a.test/dated", first)...)+
			record(answer("made now", ok, html, "Last-Modified: Sat, 01 May 2021 10:00:00 GMT", "Date: Sat, 01 May 2021 10:00:00 GMT"), captured("response", "http://a.test/made", first)...)),
		keep(t, "two.warc", page(b, "2021-06-01T10:00:00Z", "later")),
	}
	want := []string{
		`{"snapshot":1,"url":"http://a.test/dated","crawled":true,"status":200,"alias":null,"last_modified":"2021-04-02T08:00:00+00:00","last_modified_valid":true,"links":1}`,
		`{"snapshot":1,"url":"http://a.test/made","crawled":true,"status":200,"alias":null,"last_modified":"2021-05-01T10:00:00+00:00","last_modified_valid":false,"links":null}`,
		`{"snapshot":1,"url":"http://a.test/moved","crawled":false,"status":301,"alias":"http://a.test/page","last_modified":null,"last_modified_valid":false,"links":null}`,
		`{"snapshot":1,"url":"http://a.test/other","crawled":false,"status":404,"alias":null,"last_modified":null,"last_modified_valid":false,"links":null}`,
		`{"snapshot":1,"url":"http://a.test/page","crawled":true,"status":200,"alias":null,"last_modified":null,"last_modified_valid":false,"links":1}`,
		`{"snapshot":1,"url":"http://b.test/page","crawled":true,"status":200,"alias":null,"last_modified":null,"last_modified_valid":false,"links":null}`,
		`{"snapshot":2,"url":"http://b.test/page","crawled":true,"status":200,"alias":null,"last_modified":null,"last_modified_valid":false,"links":null}`,
	}
	for _, before := range []bool{false, true} {
		db := open(t)
		if before {
			load(t, db, archive.ImportOptions{}, files...)
		}
		s, err := db.EnsureSeries(t.Context(), "web", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.SetGap(t.Context(), s.ID, 24*time.Hour); err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			load(t, db, archive.ImportOptions{Series: s.ID}, files...)
			n, err := db.CutSnapshots(t.Context(), s.ID)
			if err != nil || n != 2*(1-round) {
				t.Errorf("round %d: %d snapshots cut, %v", round, n, err)
			}
			if diff := cmp.Diff(want, snapshotRows(t, db)); diff != "" {
				t.Errorf("imported before %v, round %d (-want +got):\n%s", before, round, diff)
			}
		}
	}
}

// snapshotRows are the URLs that the snapshots tried.
func snapshotRows(t *testing.T, db *store.DB) []string {
	t.Helper()
	return rows(t, db, `
		select n.snapshot, p.url, s.crawled, s.status, q.url as alias, s.last_modified, s.last_modified_valid, k.links
		from core.snapshot_page s join core.numbered_snapshot n using (snapshot_id) join core.page p using (page_id)
		left join core.page q on q.page_id = s.alias_of left join core.link_set k on k.bucket = s.bucket and k.links_hash = s.links_hash order by 1, 2`)
}
