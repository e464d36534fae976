package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
)

const oneSitemap = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.test/page</loc></url></urlset>`

// TestReloadFollowsSources reloads a configuration with a sitemap that was not there: it is read
// at once, not when the hour is over.
func TestReloadFollowsSources(t *testing.T) {
	t.Parallel()
	const head = "crawler: {user_agent: test/1.0, host: {delay: 0s}}\n"
	s := newTestService(t, head+"watches: [{name: one, schedule: '@daily', urls: ['http://a.test/']}]\n", 30, answers(func(req *http.Request) (int, http.Header, string) {
		switch req.URL.Path {
		case "/s.xml":
			return 200, nil, oneSitemap
		case "/robots.txt":
			return 404, nil, ""
		}
		return 200, http.Header{"Content-Type": {"text/html"}}, "<p>A page with some words on it.</p>"
	}))
	stop := s.start()
	s.await("the first page", `select count(*) > 0 from api_v1.fetch_log`)
	s.configure(head + "watches: [{name: map, schedule: '@daily', sitemaps: ['http://a.test/s.xml']}]\n")
	before := s.clock.Now()
	if out := s.Reload(s.ctx); len(out.Errors) > 0 {
		t.Fatal(out.Errors)
	}
	s.await("the page that the sitemap names", `select count(*) > 0 from core.watch_page m join core.page p using (bucket, page_id) where p.url = 'http://a.test/page'`)
	if took := s.clock.Now().Sub(before); took >= sourcesEvery {
		t.Errorf("the sitemap was read after %s", took)
	}
	stop()
}

// TestSourceFails reads a source that fails and then does no more: it is said once each, tried
// again sooner than after an hour, and a daemon that does not have the host does not ask.
func TestSourceFails(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	status, asked := 500, 0
	s := newTestService(t, "crawler: {user_agent: test/1.0, host: {delay: 0s}}\nwatches: [{name: map, schedule: '@daily', sitemaps: ['http://a.test/s.xml']}]\n", 3600,
		answers(func(req *http.Request) (int, http.Header, string) {
			if req.URL.Path == "/robots.txt" {
				return 404, nil, ""
			}
			mu.Lock()
			defer mu.Unlock()
			asked++
			return status, nil, oneSitemap
		}))
	var log bytes.Buffer
	s.app.log = slog.New(slog.NewTextHandler(&log, nil))
	p, err := s.plan(s.config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.apply(s.ctx, p); err != nil {
		t.Fatal(err)
	}
	f := &follower{service: s.service, known: map[sourceKey]*followed{}}
	f.take()
	f.begin(s.ctx, &errgroup.Group{})
	if len(f.known) != 1 {
		t.Fatalf("%d sources, want one", len(f.known))
	}
	for _, one := range f.known {
		if one.reading || asked > 0 {
			t.Errorf("a daemon without leases reads the source: %v, %d requests", one.reading, asked)
		}
		for try := range 6 {
			before := f.clock.Now()
			f.read(s.ctx, one)
			if wait := one.next.Sub(before); try == 0 && wait >= sourcesEvery || wait < sourcesAgain {
				t.Errorf("after failure %d it is tried again in %s", try+1, wait)
			}
		}
		health := s.sourceHealth()
		if health.Failing != 1 || health.Pages != 1 || !strings.Contains(health.Reason, "http://a.test/s.xml") || !strings.Contains(health.Reason, "500") && !strings.Contains(health.Reason, "host") {
			t.Errorf("while it fails its schedule is %+v", health)
		}
		mu.Lock()
		status = 200
		mu.Unlock()
		// The host has failed so often that it takes a pause.
		for deadline := time.Now().Add(time.Minute); one.failures > 0 && time.Now().Before(deadline); {
			f.read(s.ctx, one)
		}
		if health := s.sourceHealth(); health.Failing != 0 || health.Reason != "" || health.Pages != 1 {
			t.Errorf("when it is read again its schedule is %+v", health)
		}
	}
	failed := single[int](s, `select count(*) from api_v1.fetch_log where kind = 'source' and watch = 'map' and url = 'http://a.test/s.xml' and outcome = 'error' and status = 500`)
	came := single[string](s, `select string_agg(outcome, ' ' order by started_at) from api_v1.fetch_log where kind = 'source' and outcome not in ('error', 'skipped')`)
	rest := single[int](s, `select count(*) from api_v1.fetch_log where kind = 'source' and outcome in ('error', 'skipped')`)
	if failed == 0 || failed+1 != asked || came != "new" || rest < 6 {
		t.Errorf("the log has %d attempts that failed of %d requests, and %q that came; %d without an answer too", failed, asked, came, rest)
	}
	if n := single[int](s, `select (select count(*) from api_v1.version) + (select count(*) from core.page_state) + (select count(*) from core.monitor_todo)`); n != 0 {
		t.Errorf("a source is %d versions, pages that were fetched or things to measure", n)
	}
	for text, want := range map[string]int{"it is tried again": 1, "source is read whole again": 1, "source changed a watch": 1} {
		if n := strings.Count(log.String(), text); n != want {
			t.Errorf("%q is in the log %d times, want %d:\n%s", text, n, want, log.String())
		}
	}
}

// sourceHealth is the row of the sources of the one watch.
func (s *testService) sourceHealth() store.ScheduleHealth {
	s.t.Helper()
	all, err := s.ScheduleHealth(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(h store.ScheduleHealth) bool { return h.Kind == "source" })
	if i < 0 {
		s.t.Fatalf("no row of sources: %+v", all)
	}
	if drift, err := s.HealthDrift(s.ctx, 5); err != nil || len(drift) > 0 {
		s.t.Errorf("schedule_health: %v, %v", drift, err)
	}
	return all[i]
}

// TestDocumentsAreAskedConditionally reads a document that has moved, twice, and then another one.
func TestDocumentsAreAskedConditionally(t *testing.T) {
	t.Parallel()
	var sent []string
	f, err := fetch.New(fetch.Options{UserAgent: "test/1.0", Gate: gate.New(gate.Options{Delay: -1}), Transport: answers(func(req *http.Request) (int, http.Header, string) {
		none := req.Header.Get("If-None-Match")
		switch req.URL.Path {
		case "/robots.txt":
			return 404, nil, ""
		case "/s.xml":
			sent = append(sent, "old "+none)
			return 302, http.Header{"Location": {"/new.xml"}}, ""
		}
		sent = append(sent, "new "+none)
		if none == `"1"` {
			return 304, nil, ""
		}
		return 200, http.Header{"Etag": {`"1"`}}, oneSitemap
	})})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var docs documents
	for range 3 {
		get, done := docs.reader(f, &attempts{reader: intake.New(canonical.New(canonical.Options{}))})
		doc, err := get(t.Context(), "http://a.test/s.xml")
		if err != nil || string(doc.Body) != oneSitemap || doc.URL != "http://a.test/new.xml" {
			t.Errorf("got %+v, %v", doc, err)
		}
		done()
	}
	if got, want := strings.Join(sent, ", "), `old , new , old , new "1", old , new "1"`; got != want {
		t.Errorf("asked %s; want %s", got, want)
	}
	_, done := docs.reader(f, &attempts{reader: intake.New(canonical.New(canonical.Options{}))})
	done()
	if len(docs) > 0 {
		t.Errorf("%d documents are kept that nothing names", len(docs))
	}
}
