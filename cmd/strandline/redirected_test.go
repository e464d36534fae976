package main

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// TestWatchedPageIsRedirected runs the daemon on a page that has moved for good and
// on one that is too long. What their fetches found is kept: the way, the address
// that links are relative to, that something is missing. The page is asked for
// conditionally where it is now, and only there.
func TestWatchedPageIsRedirected(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string][]string{} // If-None-Match by path
	home := "/dir/new"
	s := newTestService(t, `
crawler: {user_agent: test/1.0, workers: 2, max_body: 4KiB, host: {delay: 0s}}
watches: [{name: w, schedule: '@every 10m', urls: ['http://a.test/old', 'http://a.test/long']}]
`, 1800, answers(func(req *http.Request) (int, http.Header, string) {
		mu.Lock()
		defer mu.Unlock()
		path := req.URL.Path
		asked[path] = append(asked[path], req.Header.Get("If-None-Match"))
		switch {
		case path == "/old":
			return 301, http.Header{"Location": {home}}, ""
		case path == "/long":
			return 200, http.Header{"Content-Type": {"text/html"}}, "<p>" + strings.Repeat("Many words follow each other here. ", 1000)
		case path == home && req.Header.Get("If-None-Match") == `"n1"`:
			return 304, nil, ""
		case path == home:
			return 200, http.Header{"Content-Type": {"text/html"}, "Etag": {`"n1"`}},
				`<title>Moved</title><p>The page lives in another directory now.</p><a href="sub">below</a>`
		}
		return 404, nil, ""
	}))
	stop := s.start()
	s.await("a page that was not modified", `select count(*) >= 2 from api_v1.fetch_log where url = 'http://a.test/old' and outcome = 'not_modified'`)
	s.await("the long page", `select count(*) > 0 from api_v1.version where url = 'http://a.test/long'`)
	stop()
	var out strings.Builder
	s.app.stdout = &out
	if err := (&historyCmd{URL: "http://a.test/dir/new"}).Run(s.ctx, s.app); err != nil || !strings.Contains(out.String(), "fetched as http://a.test/old,") {
		t.Errorf("history of where it moved: %v\n%s", err, out.String())
	}

	hop := "http://a.test/old 301 http://a.test/dir/new"
	for what, test := range map[string]struct {
		query string
		want  []string
	}{
		"redirects": {`select distinct from_url || ' ' || status || ' ' || to_url from api_v1.redirect where step = 1 and url = 'http://a.test/old'`, []string{hop}},
		"fetches without a way": {`select f.outcome from api_v1.fetch_log f where f.url = 'http://a.test/old' and f.status in (200, 304)
			and not exists (select 1 from api_v1.redirect r where (r.bucket, r.page_id, r.started_at) = (f.bucket, f.page_id, f.started_at))`, nil},
		"aliases": {`select a.url || ' is ' || p.url from api_v1.alias a join api_v1.page p on p.page_id = a.alias_of`, []string{"http://a.test/old is http://a.test/dir/new"}},
		"links":   {`select url from api_v1.page where url like '%sub'`, []string{"http://a.test/dir/sub"}},
		"flagged": {`select p.url from core.version v join core.page p using (bucket, page_id) where 'truncated' = any(v.flags)`, []string{"http://a.test/long"}},
	} {
		rows, err := s.Pool().Query(s.ctx, test.query)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" && len(got)+len(test.want) > 0 {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for path, want := range map[string]string{"/old": "", home: `"n1"`} {
		for i, got := range asked[path] {
			if i > 0 && got != want {
				t.Errorf("request %d for %s had If-None-Match %q, want %q", i, path, got, want)
			}
		}
	}
}
