package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// TestEachCaptureOf selects captures, and rows of views that name pages alone, by watch, series and topic.
func TestEachCaptureOf(t *testing.T) {
	t.Parallel()
	db := open(t)
	write(t, db,
		capture("http://a.test/", 0, "one"), capture("http://a.test/", 60, "two"), capture("http://b.test/", 60, "three"),
		capture("http://c.test/", 120, "four"), capture("http://d.test/", 180, "five"))
	apply(t, db, epoch, watching("w", time.Minute, "http://a.test/", "http://b.test/"), watching("other", time.Minute, "http://d.test/"))
	apply(t, db, epoch.Add(time.Hour), watching("w", time.Minute, "http://a.test/")) // b has left
	for _, sql := range []string{
		// A crawled snapshot that saw a's second version, and an imported capture of c.
		`with s as (insert into core.series (name, added_at, config) values ('s', now(), '{}') returning series_id),
		      n as (insert into core.snapshot (series_id, status, origin, started_at) select series_id, 'done', 'crawl', now() from s returning snapshot_id),
		      c as (insert into core.series_capture (series_id, page_id, bucket, captured_at, crawled, last_modified_valid)
		            select s.series_id, p.page_id, p.bucket, $1::timestamptz + interval '120 s', true, false from s, core.page p where p.url = 'http://c.test/')
		 insert into core.snapshot_page (snapshot_id, page_id, bucket, crawled_at, crawled, last_modified_valid)
		 select n.snapshot_id, p.page_id, p.bucket, $1::timestamptz + interval '60 s', true, false from n, core.page p where p.url = 'http://a.test/'`,
		// A topic with d; c is only proposed.
		`with t as (insert into core.topic (name, query, language, provider, rank, config, added_at) values ('t', 'q', 'en', 'local', 'click', '{}', $1) returning topic_id)
		 insert into core.topic_page (topic_id, page_id, bucket, added_by, reason, proposed_at, added_at)
		 select t.topic_id, p.page_id, p.bucket, 'query', 'x', $1, case when p.url = 'http://d.test/' then $1::timestamptz end
		 from t, core.page p where p.url in ('http://c.test/', 'http://d.test/')`,
	} {
		if _, err := db.Pool().Exec(t.Context(), sql, epoch); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name      string
		selection store.Selection
		want      []string
		versions  int // rows of the view version
	}{
		{"watch", store.Selection{Watch: "w"}, []string{"http://a.test/ 0", "http://a.test/ 60", "http://b.test/ 60"}, 3},
		{"watch, later", store.Selection{Watch: "w", From: epoch.Add(time.Minute), URL: "http://a*"}, []string{"http://a.test/ 60"}, 1},
		{"series", store.Selection{Series: "s"}, []string{"http://a.test/ 60", "http://c.test/ 120"}, 2},
		{"topic", store.Selection{Topic: "t"}, []string{"http://d.test/ 180"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			if err := db.EachCapture(t.Context(), test.selection, func(c store.CaptureRow) error {
				got = append(got, fmt.Sprintf("%s %d", c.URL, int(c.At.Sub(epoch).Seconds())))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			rows := 0
			q := store.ViewQuery{
				View: "version", URL: test.selection.URL, From: test.selection.From, Watch: test.selection.Watch, Series: test.selection.Series, Topic: test.selection.Topic,
			}
			if err := db.ReadView(t.Context(), q, func([]store.ViewColumn) error { return nil }, func([][]byte) error { rows++; return nil }); err != nil || rows != test.versions {
				t.Errorf("%d rows of the view version, %v, want %d", rows, err, test.versions)
			}
			slices.Sort(got)
			slices.Sort(test.want)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("captures (-want +got):\n%s", diff)
			}
		})
	}
	for _, s := range []store.Selection{{Watch: "none"}, {Series: "none"}, {Topic: "none"}} {
		if err := db.EachCapture(t.Context(), s, nil); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%+v: %v, want ErrNotFound", s, err)
		}
	}
}
