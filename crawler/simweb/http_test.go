package simweb

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// get asks through a transport and reads the whole body. The header is given as pairs.
func get(t testing.TB, rt http.RoundTripper, url string, header ...string) (*http.Response, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatalf("request %s: %v", url, err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := rt.RoundTrip(req)
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	return res, body, err
}

func TestSocketProxyAndMemoryServeTheSame(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 21}, day)
	server, err := w.Serve(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy := &http.Transport{Proxy: http.ProxyURL(server.Proxy)}
	defer proxy.CloseIdleConnections()
	for i, p := range allPages(w, w.at(day)) {
		if i%40 != 0 || len(p.Noise) > 0 {
			continue
		}
		want := w.Body(p.URL, w.at(day), 1)
		_, memory, err1 := get(t, w.Transport(), p.URL)
		res, proxied, err2 := get(t, proxy, p.URL)
		if err1 != nil || err2 != nil || !bytes.Equal(memory, want.Body) || !bytes.Equal(proxied, want.Body) {
			t.Errorf("%s: Body %d bytes, in memory %d (%v), by proxy %d (%v)", p.URL, len(want.Body), len(memory), err1, len(proxied), err2)
		}
		if res != nil && res.StatusCode != want.Status {
			t.Errorf("%s: status %d by proxy, want %d", p.URL, res.StatusCode, want.Status)
		}
		// As an origin server: the address of the server and a Host header.
		req := httptest.NewRequest(http.MethodGet, strings.TrimPrefix(p.URL, "http://"+p.Host), nil)
		req.Host = p.Host
		rec := httptest.NewRecorder()
		w.Handler().ServeHTTP(rec, req)
		if !bytes.Equal(rec.Body.Bytes(), want.Body) {
			t.Errorf("%s: by Host header %d bytes, want %d", p.URL, rec.Body.Len(), len(want.Body))
		}
		head := req.Clone(t.Context())
		head.Method = http.MethodHead
		rec = httptest.NewRecorder()
		w.Handler().ServeHTTP(rec, head)
		if rec.Body.Len() != 0 || rec.Code != want.Status {
			t.Errorf("HEAD %s: status %d with %d bytes", p.URL, rec.Code, rec.Body.Len())
		}
	}
	if _, body, err := get(t, http.DefaultTransport, server.Proxy.String()+"/"); err != nil || !bytes.Contains(body, []byte(w.Homes()[3])) {
		t.Errorf("the bare address answers %q, %v; want a list of homes", body, err)
	}
	if _, _, err := get(t, w.Transport(), "http://nowhere.test/"); err == nil {
		t.Error("an unknown host answers in memory")
	}
	if res, _, err := get(t, proxy, "http://nowhere.test/"); err != nil || res.StatusCode != http.StatusBadGateway {
		t.Errorf("an unknown host by proxy: %v, %v; want 502", res, err)
	}
	if err := server.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, _, err := get(t, proxy, w.Homes()[0]); err == nil {
		t.Error("a closed server answers")
	}
}

func TestGzipCarriesTheSameBytes(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 22}, day)
	home := w.Homes()[0]
	for _, accept := range []string{"gzip", "br, gzip;q=0.5", "*"} {
		res, packed, err := get(t, w.Transport(), home, "Accept-Encoding", accept)
		if err != nil || res.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("Accept-Encoding %q: %v, header %v", accept, err, res.Header)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := io.ReadAll(z); err != nil || !bytes.Equal(plain, w.Body(home, w.at(day), 1).Body) {
			t.Errorf("Accept-Encoding %q: %d bytes, %v", accept, len(plain), err)
		}
	}
	for _, accept := range []string{"", "identity", "gzip;q=0"} {
		if res, _, _ := get(t, w.Transport(), home, "Accept-Encoding", accept); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("Accept-Encoding %q is answered with gzip", accept)
		}
	}
}

// TestNotModifiedTellsTheTruth asks again with the validators of an earlier answer. Where they are honest a 304 means
// the same content and an unchanged page is a 304; where they lie, they lie in the way that is said.
func TestNotModifiedTellsTheTruth(t *testing.T) {
	t.Parallel()
	var after atomic.Int64
	var w *World
	w, err := New(func() time.Time { return w.at(time.Duration(after.Load())) }, Options{Seed: 23, Hosts: 12, PagesPerHost: 90, Size: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for i, p := range allPages(w, w.at(day)) {
		if p.Kind == Redirect {
			continue
		}
		after.Store(int64(day))
		first, _, err := get(t, w.Transport(), p.URL)
		if err != nil {
			t.Fatal(err)
		}
		etag, modified := first.Header.Get("ETag"), first.Header.Get("Last-Modified")
		if at, err := http.ParseTime(modified); modified != "" && (err != nil || at.After(w.at(day))) {
			t.Errorf("%s: Last-Modified %q, %v", p.URL, modified, err)
		}
		for _, later := range []time.Duration{0, time.Duration(1+i%50) * time.Hour} {
			after.Store(int64(day + later))
			a, b := w.at(day), w.at(day+later)
			if !w.Alive(p.URL, b) {
				continue
			}
			unchanged := sameText(w.Sentences(p.URL, a), w.Sentences(p.URL, b)) && len(missing(w.Links(p.URL, a), w.Links(p.URL, b), itself)) == 0 &&
				len(missing(w.Links(p.URL, b), w.Links(p.URL, a), itself)) == 0
			var conditions []string
			if etag != "" {
				conditions = append(conditions, "If-None-Match", etag)
			}
			if modified != "" {
				conditions = append(conditions, "If-Modified-Since", modified)
			}
			res, body, err := get(t, w.Transport(), p.URL, conditions...)
			if err != nil {
				t.Fatal(err)
			}
			is304 := res.StatusCode == http.StatusNotModified
			if is304 && len(body) > 0 {
				t.Errorf("%s: a 304 with %d bytes", p.URL, len(body))
			}
			name := p.Validator.String()
			switch p.Validator {
			case Exact, Weak:
				if is304 != unchanged {
					t.Errorf("%s (%s, %s): 304 is %v after %s, unchanged is %v", p.URL, p.Kind, name, is304, later, unchanged)
				}
			case DateOnly:
				if is304 && !unchanged || !is304 && later == 0 {
					t.Errorf("%s (%s, %s): 304 is %v after %s, unchanged is %v", p.URL, p.Kind, name, is304, later, unchanged)
				}
			case StaleETag:
				if !is304 {
					t.Errorf("%s (%s): status %d", p.URL, name, res.StatusCode)
				}
			case NoValidator, RandomETag:
				if is304 {
					t.Errorf("%s (%s): a 304", p.URL, name)
				}
			case FreshDate:
				if is304 != (later == 0) {
					t.Errorf("%s (%s): 304 is %v after %s", p.URL, name, is304, later)
				}
			}
			if later > 0 && is304 {
				count[name+" 304"]++
			} else if later > 0 {
				count[name+" 200"]++
			}
		}
	}
	for _, want := range []string{"exact 304", "exact 200", "weak 304", "weak 200", "date-only 304", "date-only 200", "none 200", "stale-etag 304", "fresh-date 200", "random-etag 200"} {
		if count[want] == 0 {
			t.Errorf("no answer of kind %s; have %v", want, count)
		}
	}
}

func TestEndsAndDetours(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 24, Hosts: 6, PagesPerHost: 300, Deaths: 0.5}, 60*day)
	seen := make(map[Death]bool)
	for p := range w.Pages(w.at(0), w.at(60*day)) {
		if p.Died.IsZero() || p.Died.After(w.at(60*day)) {
			continue
		}
		seen[p.Death] = true
		res, body, err := get(t, w.Transport(), p.URL)
		want := map[Death]int{NotFound: 404, Gone: 410, SoftNotFound: 200, ToHome: 302, Moved: 301}[p.Death]
		if err != nil || res.StatusCode != want || len(w.Sentences(p.URL, w.at(60*day))) > 0 {
			t.Errorf("dead %s: %v, %v, want status %d", p.URL, res, err, want)
		}
		if p.Death == ToHome && res.Header.Get("Location") != "/" || p.Death == SoftNotFound && !bytes.Contains(body, []byte("notice")) {
			t.Errorf("dead %s (%s): location %q, body %q", p.URL, p.Death, res.Header.Get("Location"), body)
		}
		before := w.Body(p.URL, p.Died.Add(-1), 1)
		if before.Status != 200 {
			t.Errorf("%s just before its end: status %d", p.URL, before.Status)
		}
		if res := w.Body(p.URL, p.Born.Add(-1), 1); res.Status != 404 {
			t.Errorf("%s before its birth: status %d", p.URL, res.Status)
		}
	}
	if len(seen) != 5 {
		t.Errorf("saw ends %v, want all five", seen)
	}
	host := w.Hosts()[0].Home
	client := &http.Client{Transport: w.Transport()}
	for path, want := range map[string]string{"go/campaign": "about", "today": "live", "company/about-us.htm": "about"} {
		res, err := client.Get(host + path)
		if err != nil || res.Request.URL.String() != host+want {
			t.Errorf("%s%s leads to %v, %v; want %s", host, path, res.Request.URL, err, want)
			continue
		}
		_ = res.Body.Close()
	}
	if res, err := client.Get(host + "go/round"); err == nil {
		_ = res.Body.Close()
		t.Error("the loop of redirects ends")
	}
}

func TestFaultsComeAsAnnounced(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 25, FailShare: 0.5, Drip: time.Millisecond}, day)
	server, err := w.Serve(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	proxy := &http.Transport{Proxy: http.ProxyURL(server.Proxy), DisableKeepAlives: true}
	for _, rt := range []http.RoundTripper{w.Transport(), proxy} {
		w.Reset()
		seen := make(map[Fault]int)
		for i, p := range allPages(w, w.at(day)) {
			if i%9 != 0 || p.Kind == Redirect {
				continue
			}
			for n := 1; n <= 2; n++ {
				fault := w.Fault(p.URL, n)
				seen[fault]++
				res, body, err := get(t, rt, p.URL)
				var ok bool
				switch fault {
				case NoFault, Slow:
					ok = err == nil && res.StatusCode == 200 && bytes.Equal(body, w.Body(p.URL, w.at(day), n).Body)
				case ServerError:
					ok = err == nil && res.StatusCode == 500
				case BusySeconds:
					ok = err == nil && res.StatusCode == 503 && !strings.Contains(res.Header.Get("Retry-After"), " ")
				case BusyDate:
					at, parse := http.ParseTime(res.Header.Get("Retry-After"))
					ok = res.StatusCode == 503 && parse == nil && at.After(w.at(day))
				case TooMany:
					ok = err == nil && res.StatusCode == 429 && res.Header.Get("Retry-After") != ""
				case Reset:
					ok = errors.Is(err, syscall.ECONNRESET) || err != nil && res == nil
				case Truncated:
					ok = errors.Is(err, io.ErrUnexpectedEOF) && len(body) > 0
				case Blocked:
					ok = err == nil && (res.StatusCode == 403 || res.StatusCode == 200) && bytes.Contains(body, []byte("robot"))
				case ErrorTemplate:
					ok = err == nil && res.StatusCode == 200 && bytes.Contains(body, []byte("went wrong"))
				}
				if !ok {
					t.Errorf("%T %s, request %d, fault %s: %v, %v, %d bytes", rt, p.URL, n, fault, res, err, len(body))
				}
			}
		}
		if len(seen) != int(ErrorTemplate)+1 {
			t.Errorf("saw faults %v, want every kind", seen)
		}
	}
}

func TestRobotsSitemapsAndFeeds(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 26}, 10*day)
	policies := make(map[RobotsPolicy]bool)
	for _, h := range w.Hosts() {
		policies[h.Robots] = true
		res, body, err := get(t, w.Transport(), h.Home+"robots.txt")
		if err != nil {
			t.Fatal(err)
		}
		want := map[RobotsPolicy]int{RobotsMissing: 404, RobotsError: 503}[h.Robots]
		if want == 0 {
			want = 200
		}
		if res.StatusCode != want || (h.CrawlDelay > 0) != bytes.Contains(body, []byte("Crawl-delay: ")) {
			t.Errorf("%s: robots.txt %d %q under policy %s", h.Name, res.StatusCode, body, h.Robots)
		}
		private := h.Home + "private/x-30.html"
		if got, want := w.Allowed(private), h.Robots == RobotsAllowAll || h.Robots == RobotsMissing; got != want {
			t.Errorf("Allowed(%s) = %v under %s", private, got, h.Robots)
		}
		var sitemap struct {
			URLs []struct {
				Loc     string    `xml:"loc"`
				LastMod time.Time `xml:"lastmod"`
			} `xml:"url"`
		}
		_, body, _ = get(t, w.Transport(), h.Sitemap)
		if err := xml.Unmarshal(body, &sitemap); err != nil || len(sitemap.URLs) < 40 {
			t.Fatalf("%s: %d URLs, %v", h.Sitemap, len(sitemap.URLs), err)
		}
		for _, u := range sitemap.URLs {
			if !w.Alive(u.Loc, w.at(10*day)) {
				t.Errorf("%s lists %s, which is not alive", h.Sitemap, u.Loc)
			}
			if h.SitemapLies != u.LastMod.Equal(w.at(10*day)) {
				t.Errorf("%s: %s has lastmod %s, lies: %v", h.Sitemap, u.Loc, u.LastMod, h.SitemapLies)
			}
		}
		var feed struct {
			Entries []struct{} `xml:"entry"`
			Items   []struct{} `xml:"channel>item"`
		}
		_, body, _ = get(t, w.Transport(), h.Feed)
		if err := xml.Unmarshal(body, &feed); err != nil || len(feed.Entries)+len(feed.Items) < 4 {
			t.Errorf("%s: %d entries, %v", h.Feed, len(feed.Entries)+len(feed.Items), err)
		}
	}
	if len(policies) != 6 {
		t.Errorf("robots policies %v, want all six", policies)
	}
	big := testWorld(t, Options{Seed: 26, Hosts: 1, PagesPerHost: 25_000}, 0)
	_, index, _ := get(t, big.Transport(), big.Hosts()[0].Sitemap)
	if got := bytes.Count(index, []byte("<loc>")); got != 3 {
		t.Errorf("index of 25000 pages names %d sitemaps, want 3", got)
	}
	if _, last, _ := get(t, big.Transport(), big.Hosts()[0].Home+"sitemap-3.xml"); bytes.Count(last, []byte("<loc>")) < 3000 {
		t.Errorf("the third sitemap has %d URLs", bytes.Count(last, []byte("<loc>")))
	}
}

func TestStatisticsHoldACrawlerToItsManners(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	var w *World
	w, err := New(func() time.Time { return w.at(time.Duration(now.Load())) }, Options{Seed: 27, Hosts: 16, PagesPerHost: 60, LogPerURL: 2})
	if err != nil {
		t.Fatal(err)
	}
	rt := w.Transport()
	start := func(url string) *http.Response {
		req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
		res, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	h := w.Hosts()[2] // with a crawl delay
	if h.Robots != RobotsCrawlDelay {
		t.Fatalf("host 2 has policy %s", h.Robots)
	}
	first := start(h.Home)
	now.Store(int64(10 * time.Second))
	second := start(h.Home)
	now.Store(int64(11 * time.Second))
	third := start(h.Home + "about")
	_, _ = first.Body.Close(), second.Body.Close()
	_, _ = third.Body.Close(), third.Body.Close() // closing twice counts once
	now.Store(int64(17 * time.Second))
	_ = start(h.Home + "private/").Body.Close()
	_ = start(w.Hosts()[0].Home + "robots.txt").Body.Close()
	got := w.Stats().Hosts[h.Name]
	if got.Requests != 4 || got.MaxConcurrent != 3 || got.MinStartGap != time.Second || got.MinEndGap != 0 || got.DelayViolations != 1 || got.RobotsViolations != 1 || got.Statuses[200] != 4 {
		t.Errorf("Stats of %s: %+v", h.Name, got)
	}
	if n, times := w.Requests(h.Home); n != 2 || len(times) != 2 || !times[1].Equal(w.at(10*time.Second)) {
		t.Errorf("Requests(%s) = %d, %v", h.Home, n, times)
	}
	if s := w.Stats(); s.Requests != 5 || s.Bytes == 0 || len(s.Hosts) != 2 {
		t.Errorf("Stats: %+v", s)
	}
	w.Reset()
	if s := w.Stats(); s.Requests != 0 || len(s.Hosts) != 0 {
		t.Errorf("Stats after Reset: %+v", s)
	}
	_ = start(h.Home).Body.Close()
	now.Store(int64(20 * time.Second))
	_ = start(h.Home).Body.Close()
	if got := w.Stats().Hosts[h.Name]; got.MinEndGap != 3*time.Second || got.MinStartGap != 3*time.Second || got.MaxConcurrent != 1 {
		t.Errorf("Stats of %s after Reset: %+v", h.Name, got)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 28, FailShare: 0.1, Drip: time.Millisecond}, day)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, home := range w.Homes() {
				_, _, _ = get(t, w.Transport(), home, "Accept-Encoding", "gzip")
			}
		})
	}
	group.Wait()
	s := w.Stats()
	if s.Requests != 8*16 {
		t.Errorf("%d requests counted, want %d", s.Requests, 8*16)
	}
	for name, h := range s.Hosts {
		if h.Requests != 8 || h.MaxConcurrent < 1 || h.MaxConcurrent > 8 {
			t.Errorf("%s: %+v", name, h)
		}
	}
}
