package robotcache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/robotcache"
	"github.com/strandlinehq/strandline/crawler/robots"
)

const (
	origin = "https://example.org"
	agent  = "Mozilla/5.0 (compatible; strandline/1.0)"
)

var epoch = time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)

// site is a web of robots.txt files.
type site struct {
	mu    sync.Mutex
	pages map[string]robotcache.Answer
	asked []string
}

func (s *site) get(_ context.Context, address string) (robotcache.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, address)
	a, ok := s.pages[address]
	if !ok {
		return robotcache.Answer{Status: 404}, nil
	}
	return a, nil
}

func (s *site) set(a robotcache.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = map[string]robotcache.Answer{origin + "/robots.txt": a}
}

func file(text string) robotcache.Answer { return robotcache.Answer{Status: 200, Body: []byte(text)} }

func to(location string) robotcache.Answer {
	return robotcache.Answer{Status: 301, Location: location}
}

func rulesOf(t *testing.T, c *robotcache.Cache) *robotcache.Rules {
	t.Helper()
	r, err := c.Rules(t.Context(), origin)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const private = "User-agent: strandline\nDisallow: /private\nCrawl-delay: 7\n\nUser-agent: *\nDisallow: /\n"
	down := errors.New("connection refused")
	for _, tc := range []struct {
		name           string
		pages          map[string]robotcache.Answer
		policy         robots.Policy
		page, private  bool
		delay, expires time.Duration
		redirects      int
	}{
		{name: "file", pages: map[string]robotcache.Answer{"/robots.txt": file(private)}, policy: robots.Parsed, page: true, delay: 7 * time.Second, expires: 24 * time.Hour},
		{name: "404", policy: robots.Unavailable, page: true, private: true, expires: 24 * time.Hour},
		{name: "403", pages: map[string]robotcache.Answer{"/robots.txt": {Status: 403}}, policy: robots.Unavailable, page: true, private: true, expires: 24 * time.Hour},
		{name: "500", pages: map[string]robotcache.Answer{"/robots.txt": {Status: 500, Body: []byte("User-agent: *\nAllow: /\n")}}, policy: robots.Unreachable, expires: time.Hour},
		{name: "503 with Retry-After", pages: map[string]robotcache.Answer{"/robots.txt": {Status: 503, RetryAfter: 3 * time.Hour}}, policy: robots.Unreachable, expires: 3 * time.Hour},
		{name: "429 with a week", pages: map[string]robotcache.Answer{"/robots.txt": {Status: 429, RetryAfter: 7 * 24 * time.Hour}}, policy: robots.Unreachable, expires: 24 * time.Hour},
		{name: "no answer", pages: map[string]robotcache.Answer{"/robots.txt": {Err: down}}, policy: robots.Unreachable, expires: time.Hour},
		{
			name: "five redirects, to another host too", policy: robots.Parsed, page: true, delay: 7 * time.Second, expires: 24 * time.Hour, redirects: 5,
			pages: map[string]robotcache.Answer{
				"/robots.txt": to("/1"), "/1": to("2#part"), "/2": to("//cdn.example.net/3"), "https://cdn.example.net/3": to("http://example.org/4"),
				"http://example.org/4": to("https://example.org/5?x=1"), "/5?x=1": file(private),
			},
		},
		{
			name: "six redirects", policy: robots.Unavailable, page: true, private: true, expires: 24 * time.Hour, redirects: 5,
			pages: map[string]robotcache.Answer{"/robots.txt": to("/1"), "/1": to("/2"), "/2": to("/3"), "/3": to("/4"), "/4": to("/5"), "/5": to("/6"), "/6": file(private)},
		},
		{
			name: "a redirect in a circle", policy: robots.Unavailable, page: true, private: true, expires: 24 * time.Hour, redirects: 5,
			pages: map[string]robotcache.Answer{"/robots.txt": to("/robots.txt")},
		},
		{name: "a redirect out of the web", pages: map[string]robotcache.Answer{"/robots.txt": to("ftp://example.org/robots.txt")}, policy: robots.Unavailable, page: true, private: true, expires: 24 * time.Hour},
		{name: "a redirect to nowhere", pages: map[string]robotcache.Answer{"/robots.txt": {Status: 302}}, policy: robots.Unavailable, page: true, private: true, expires: 24 * time.Hour},
		{name: "a redirect to a dead host", pages: map[string]robotcache.Answer{"/robots.txt": to("https://cdn.example.net/"), "https://cdn.example.net/": {Err: down}}, policy: robots.Unreachable, expires: time.Hour, redirects: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := &site{pages: map[string]robotcache.Answer{}}
			for path, a := range tc.pages {
				if strings.HasPrefix(path, "/") {
					path = origin + path
				}
				s.pages[path] = a
			}
			c := robotcache.New(s.get, robotcache.Options{Agent: agent, RetryAfter: time.Hour, Clock: clock.NewManual(epoch)})
			r := rulesOf(t, c)
			if r.Policy != tc.policy || r.Redirects != tc.redirects {
				t.Errorf("policy %s after %d redirects, want %s after %d", r.Policy, r.Redirects, tc.policy, tc.redirects)
			}
			if got := r.Allowed(origin + "/page"); got != tc.page {
				t.Errorf("Allowed(/page) = %t, want %t", got, tc.page)
			}
			if got := r.Allowed("/private/x"); got != tc.private {
				t.Errorf("Allowed(/private/x) = %t, want %t", got, tc.private)
			}
			if got := r.CrawlDelay(); got != tc.delay {
				t.Errorf("CrawlDelay = %s, want %s", got, tc.delay)
			}
			if got := r.Expires.Sub(epoch); got != tc.expires {
				t.Errorf("the rules expire after %s, want %s", got, tc.expires)
			}
			if (r.Err != nil) != (r.Status == 0) {
				t.Errorf("status %d with error %v", r.Status, r.Err)
			}
		})
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	s, c := &site{}, clock.NewManual(epoch)
	cache := robotcache.New(s.get, robotcache.Options{Agent: agent, Clock: c})
	s.set(file("User-agent: *\nDisallow: /a\nSitemap: https://example.org/map.xml"))
	if _, ok := cache.Lookup(origin); ok {
		t.Error("an empty cache has rules")
	}
	first := rulesOf(t, cache)
	if diff := cmp.Diff([]string{"https://example.org/map.xml"}, first.Sitemaps()); diff != "" {
		t.Errorf("sitemaps (-want +got):\n%s", diff)
	}
	s.set(file("User-agent: *\nDisallow: /b"))
	c.Advance(24*time.Hour - 1)
	if r, ok := cache.Lookup(origin); !ok || r != first {
		t.Error("the rules are gone before their day is over")
	}
	c.Advance(1)
	if _, ok := cache.Lookup(origin); ok {
		t.Error("rules of a day ago are used")
	}
	if r := rulesOf(t, cache); r.Allowed("/b") || !r.Allowed("/a") {
		t.Error("the rules are not those of the new file")
	}
	if len(s.asked) != 2 {
		t.Errorf("asked %q, want two requests", s.asked)
	}
}

// TestUnreachable follows a host that stops answering for longer than the limit, once with a copy
// of its rules and once without.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		s, c := &site{}, clock.NewManual(epoch)
		cache := robotcache.New(s.get, robotcache.Options{Agent: agent, RetryAfter: time.Hour, Clock: c})
		if known {
			s.set(file("User-agent: *\nDisallow: /private"))
			rulesOf(t, cache)
			c.Advance(24 * time.Hour)
		}
		s.set(robotcache.Answer{Status: 500})
		for h := range 24 * 30 {
			r := rulesOf(t, cache)
			if r.Allowed("/page") != known || r.Allowed("/private") || r.Stale != known {
				t.Fatalf("known %t, hour %d: %+v", known, h, r)
			}
			c.Advance(time.Hour)
		}
		r := rulesOf(t, cache)
		if !r.Allowed("/page") || r.Allowed("/private") == known {
			t.Errorf("known %t, after 30 days: %+v", known, r)
		}
		if got := c.Now().Sub(r.UnreachableSince); got != robots.UnreachableLimit {
			t.Errorf("unreachable for %s, want %s", got, robots.UnreachableLimit)
		}
		s.set(file("User-agent: *\nDisallow: /new"))
		c.Advance(time.Hour)
		if r := rulesOf(t, cache); r.Allowed("/new") || r.Stale || !r.UnreachableSince.IsZero() {
			t.Errorf("known %t, after its return: %+v", known, r)
		}
	}
}

func TestSingleFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32
		cache := robotcache.New(func(ctx context.Context, _ string) (robotcache.Answer, error) {
			requests.Add(1)
			time.Sleep(time.Second)
			return file("User-agent: *\nDisallow: /private"), nil
		}, robotcache.Options{Agent: agent})
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				r, err := cache.Rules(t.Context(), fmt.Sprintf("https://h%d.example.org", i%2))
				if err != nil || r.Allowed("/private") {
					t.Errorf("Rules = %v, %v", r, err)
				}
			})
		}
		wg.Wait()
		if n := requests.Load(); n != 2 {
			t.Errorf("%d requests for the files of two origins", n)
		}
	})
}

// TestLeaderGivesUp cancels the caller that fetches: the host has not failed, and another caller
// takes over.
func TestLeaderGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cache := robotcache.New(func(ctx context.Context, _ string) (robotcache.Answer, error) {
			if err := clock.Sleep(ctx, clock.Real{}, time.Second); err != nil {
				return robotcache.Answer{}, err
			}
			return file("User-agent: *\nDisallow: /private"), nil
		}, robotcache.Options{Agent: agent})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := cache.Rules(ctx, origin); !errors.Is(err, context.Canceled) {
				t.Errorf("the leader got %v, want %v", err, context.Canceled)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			r, err := cache.Rules(t.Context(), origin)
			if err != nil || r.Policy != robots.Parsed {
				t.Errorf("the follower got %+v, %v", r, err)
			}
		})
		synctest.Wait()
		impatient, stop := context.WithCancel(t.Context())
		stop()
		if _, err := cache.Rules(impatient, origin); !errors.Is(err, context.Canceled) {
			t.Errorf("a follower whose context is done got %v", err)
		}
		cancel()
		wg.Wait()
	})
}

func TestNotAsked(t *testing.T) {
	t.Parallel()
	busy := errors.New("busy")
	calls := 0
	cache := robotcache.New(func(context.Context, string) (robotcache.Answer, error) {
		if calls++; calls == 1 {
			return robotcache.Answer{}, busy
		}
		return file("User-agent: *\nDisallow: /private"), nil
	}, robotcache.Options{Agent: agent})
	if _, err := cache.Rules(t.Context(), origin); !errors.Is(err, busy) {
		t.Errorf("Rules = %v, want %v", err, busy)
	}
	if n, bytes := cache.Size(); n != 0 || bytes != 0 {
		t.Errorf("%d origins of %d bytes are held after no answer", n, bytes)
	}
	if r := rulesOf(t, cache); r.Policy != robots.Parsed {
		t.Errorf("policy %s, want %s", r.Policy, robots.Parsed)
	}
}

func TestPanicFreesTheFlight(t *testing.T) {
	t.Parallel()
	calls := 0
	cache := robotcache.New(func(context.Context, string) (robotcache.Answer, error) {
		if calls++; calls == 1 {
			panic("broken")
		}
		return file(""), nil
	}, robotcache.Options{Agent: agent})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, _ = cache.Rules(t.Context(), origin)
	}()
	rulesOf(t, cache)
}

func TestBounded(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	big := "User-agent: *\n" + strings.Repeat("Disallow: /a/path/of/no/special/interest\nDisallow: /b\n", 100)
	s := &site{}
	cache := robotcache.New(func(ctx context.Context, address string) (robotcache.Answer, error) {
		s.asked = append(s.asked, address)
		return file(big), nil
	}, robotcache.Options{Agent: agent, Bytes: limit, Clock: clock.NewManual(epoch)})
	rulesOf(t, cache)
	for i := range 2000 {
		if _, err := cache.Rules(t.Context(), fmt.Sprintf("https://h%d.example.org", i)); err != nil {
			t.Fatal(err)
		}
		rulesOf(t, cache) // asked for again and again, so it stays
	}
	if n, bytes := cache.Size(); bytes > limit || n < 10 {
		t.Errorf("%d origins of %d bytes are held, the limit is %d", n, bytes, limit)
	}
	if len(s.asked) != 2001 {
		t.Errorf("%d requests, want one an origin", len(s.asked))
	}
	if _, ok := cache.Lookup("https://h0.example.org"); ok {
		t.Error("the rules asked for longest ago are still held")
	}
}

func TestIgnoreHosts(t *testing.T) {
	t.Parallel()
	s := &site{}
	s.set(file("User-agent: *\nDisallow: /"))
	cache := robotcache.New(s.get, robotcache.Options{Agent: agent, IgnoreHosts: []string{"example.org"}})
	for _, o := range []string{origin, "http://example.org:8080"} {
		r, err := cache.Rules(t.Context(), o)
		if err != nil || r.Policy != robotcache.Ignored || !r.Allowed("/private") {
			t.Errorf("Rules(%s) = %+v, %v", o, r, err)
		}
	}
	if r, err := cache.Rules(t.Context(), "https://www.example.org"); err != nil || r.Policy == robotcache.Ignored {
		t.Errorf("another host is ignored too: %+v, %v", r, err)
	}
	if len(s.asked) != 1 {
		t.Errorf("asked %q", s.asked)
	}
}

func BenchmarkLookup(b *testing.B) {
	cache := robotcache.New(func(context.Context, string) (robotcache.Answer, error) {
		return file("User-agent: *\nDisallow: /private\nDisallow: /search\nCrawl-delay: 1\n"), nil
	}, robotcache.Options{Agent: agent})
	if _, err := cache.Rules(b.Context(), origin); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, ok := cache.Lookup(origin)
		if !ok || !r.Allowed("https://example.org/some/page?of=it") || r.CrawlDelay() != time.Second {
			b.Fatal("wrong rules")
		}
	}
}
