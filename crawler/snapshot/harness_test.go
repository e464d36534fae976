package snapshot_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/store"
)

var epoch = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func open(t testing.TB) (*store.DB, string) {
	t.Helper()
	url := testdb.URL(t)
	return connect(t, url), url
}

func connect(t testing.TB, url string) *store.DB {
	t.Helper()
	return testdb.Connect(t, url)
}

// web is a web in memory: what pages there are and what they link to is a function.
type web struct {
	page func(url string) answer

	mu    sync.Mutex
	asked []string // without robots.txt, in order
}

type answer struct {
	status   int // 0 is 200
	links    []string
	text     string
	location string
	modified time.Time
	hang     bool
}

// RoundTrip implements http.RoundTripper.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	u := r.URL.String()
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Date": {epoch.Format(http.TimeFormat)}}
	reply := func(status int, body string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	}
	if r.URL.Path == "/robots.txt" {
		return reply(http.StatusOK, "User-agent: *\nDisallow: /private/\n")
	}
	w.mu.Lock()
	w.asked = append(w.asked, u)
	w.mu.Unlock()
	a := w.page(u)
	if a.hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if a.location != "" {
		header.Set("Location", a.location)
		return reply(http.StatusMovedPermanently, "")
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if !a.modified.IsZero() {
		header.Set("Last-Modified", a.modified.Format(http.TimeFormat))
		if t, err := http.ParseTime(r.Header.Get("If-Modified-Since")); err == nil && !a.modified.After(t) {
			return reply(http.StatusNotModified, "")
		}
	}
	var b strings.Builder
	if a.text == "" {
		a.text = "The page at " + u + " tells of the river, the harbour and the people who live there, and of what they did last summer."
	}
	fmt.Fprintf(&b, "<!doctype html><title>Page %s</title><p>%s</p>", u, a.text)
	for _, l := range a.links {
		fmt.Fprintf(&b, "<a href=%q>to</a> ", l)
	}
	return reply(a.status, b.String())
}

func (w *web) log() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.asked...)
}

// lab is a crawler on a database and a web.
type lab struct {
	*snapshot.Crawler
	db      *store.DB
	Keeper  *snapshot.Keeper
	patient bool // the database may fail the test's own questions
}

// setup is what tests change of a lab.
type setup struct {
	clock   clock.Clock
	options snapshot.Options
	total   time.Duration // of a request
	delay   time.Duration
}

func newLab(t testing.TB, db *store.DB, transport http.RoundTripper, s setup) *lab {
	t.Helper()
	if s.clock == nil {
		s.clock = clock.Real{}
	}
	delay := s.delay
	if delay == 0 {
		delay = -1
	}
	g := gate.New(gate.Options{Delay: delay, BreakFor: time.Millisecond, Backoff: time.Millisecond, MaxBackoff: time.Millisecond})
	f, err := fetch.New(fetch.Options{UserAgent: "strandline-test/1.0", Gate: g, Clock: s.clock, Transport: transport, Timeouts: fetch.Timeouts{Total: s.total}})
	if err != nil {
		t.Fatal(err)
	}
	k, err := snapshot.NewKeeper(t.Context(), db, s.clock)
	if err != nil {
		t.Fatal(err)
	}
	o := s.options
	if o.Poll == 0 {
		o.Poll = 20 * time.Millisecond
	}
	if o.Flush == 0 {
		o.Flush = 20 * time.Millisecond
	}
	if o.Retry == 0 {
		o.Retry = time.Millisecond
	}
	if o.Workers == 0 {
		o.Workers = 8
	}
	return &lab{snapshot.New(db, f, g, intake.New(canonical.New(canonical.Options{})), s.clock, k, o), db, k, false}
}

// series makes a series of the lab.
func (l *lab) series(t testing.TB, s snapshot.Series) {
	t.Helper()
	if s.Name == "" {
		s.Name = "s"
	}
	s.Config = []byte("{}")
	if err := l.SetSeries(t.Context(), []snapshot.Series{s}); err != nil {
		t.Fatal(err)
	}
}

// take takes a snapshot of the series s and returns it.
func (l *lab) take(t testing.TB) store.SeriesSnapshot {
	t.Helper()
	id, err := l.Start(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	return l.await(t, id)
}

// await runs the crawler until a snapshot has ended.
func (l *lab) await(t testing.TB, id store.SnapshotID) store.SeriesSnapshot {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		s, err := l.db.Snapshot(ctx, id)
		if err != nil && !l.patient {
			t.Fatal(err)
		}
		if err == nil && s.Status != store.SnapshotRunning {
			stop()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			return s
		}
		<-tick.C
	}
	t.Fatalf("the snapshot has not ended: %+v", l.Running())
	return store.SeriesSnapshot{}
}

// row is a row of a snapshot.
type row struct {
	Depth   int
	Crawled bool
	Status  int
	Alias   string
}

// rows reads the pages of a snapshot by URL.
func rows(t testing.TB, db *store.DB, id store.SnapshotID) map[string]row {
	t.Helper()
	q, err := db.Pool().Query(t.Context(), `
		select p.url, s.depth, s.crawled, coalesce(s.status, 0), coalesce(a.url, '')
		from core.snapshot_page s join core.page p using (page_id, bucket) left join core.page a on a.page_id = s.alias_of
		where s.snapshot_id = $1`, id)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]row{}
	for q.Next() {
		var u string
		var r row
		if err := q.Scan(&u, &r.Depth, &r.Crawled, &r.Status, &r.Alias); err != nil {
			t.Fatal(err)
		}
		out[u] = r
	}
	if q.Err() != nil {
		t.Fatal(q.Err())
	}
	return out
}

func count(t testing.TB, db *store.DB, sql string, args ...any) int {
	t.Helper()
	var n int
	if err := db.Pool().QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// tree is a web of hosts whose pages have three links each, one of them elsewhere.
func tree(hosts, depth int) func(string) answer {
	return func(address string) answer {
		u, err := url.Parse(address)
		if err != nil {
			return answer{status: http.StatusBadRequest}
		}
		path := strings.Trim(u.Path, "/")
		level := 0
		if path != "" {
			level = strings.Count(path, "/") + 1
		}
		a := answer{modified: epoch.AddDate(-1, 0, 0)}
		if level >= depth {
			return a
		}
		for i := range 3 {
			host := u.Host
			if i == 2 {
				host = fmt.Sprintf("h%d.test", (len(path)*7+level+3)%hosts)
			}
			a.links = append(a.links, fmt.Sprintf("http://%s/%s", host, strings.TrimPrefix(path+fmt.Sprintf("/l%dp%d", level, i), "/")))
		}
		return a
	}
}
