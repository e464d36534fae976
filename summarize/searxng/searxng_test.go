package searxng

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server answers by a function of the number of the request, from 1.
func server(t *testing.T, f func(n int, w http.ResponseWriter, r *http.Request)) (*Client, *[]time.Duration) {
	t.Helper()
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(int(n.Add(1)), w, r) }))
	t.Cleanup(s.Close)
	slept := &[]time.Duration{}
	c, err := New(s.URL+"/sub/", Options{Page: 2 * time.Second, Sleep: func(_ context.Context, d time.Duration) error {
		*slept = append(*slept, d)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c, slept
}

func results(w http.ResponseWriter, from, to int) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"results":[`)
	for i := from; i < to; i++ {
		if i > from {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, `{"url":"https://host%d.test/","title":"T"}`, i)
	}
	fmt.Fprint(w, `]}`)
}

func TestPages(t *testing.T) {
	t.Parallel()
	c, _ := server(t, func(n int, w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/sub/search" || q.Get("q") != "flood OR rain" || q.Get("format") != "json" || q.Get("language") != "de" || q.Get("pageno") != fmt.Sprint(n) {
			t.Errorf("request %d for %s", n, r.URL)
		}
		results(w, 8*(n-1), 10*n) // pages overlap
	})
	hits, err := c.Search(t.Context(), "flood OR rain", "de", 25)
	if err != nil || len(hits) != 25 || hits[0].URL != "https://host0.test/" || hits[24].URL != "https://host24.test/" {
		t.Errorf("%d hits, error %v: %v", len(hits), err, hits)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	asked := 0
	c, _ := server(t, func(n int, w http.ResponseWriter, _ *http.Request) { asked = n; results(w, 0, 7) })
	hits, err := c.Search(t.Context(), "flood", "", 200)
	if err != nil || len(hits) != 7 || asked != 2 {
		t.Errorf("%d hits after %d requests, error %v", len(hits), asked, err)
	}
	c, _ = server(t, func(_ int, w http.ResponseWriter, _ *http.Request) { results(w, 0, 0) })
	if hits, err := c.Search(t.Context(), "flood", "", 200); err != nil || len(hits) != 0 {
		t.Errorf("no results are no error: %v, %v", hits, err)
	}
}

func TestRepeats(t *testing.T) {
	t.Parallel()
	c, slept := server(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		switch n {
		case 1:
			w.WriteHeader(http.StatusBadGateway)
		case 2:
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			results(w, 0, 5)
		}
	})
	hits, err := c.Search(t.Context(), "flood", "", 5)
	if err != nil || len(hits) != 5 || fmt.Sprint(*slept) != "[2s 30s]" {
		t.Errorf("%d hits, error %v, slept %v", len(hits), err, *slept)
	}
}

func TestWhatWentWrongIsSaid(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		f     func(http.ResponseWriter)
		want  string
		tries int
	}{
		{"a web page", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<h1>Router login</h1>")
		}, "not with JSON; is this a SearXNG server? The page begins: <h1>Router login</h1>", 1},
		{"JSON switched off", func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, "settings.yml", 1},
		{"not there", func(w http.ResponseWriter) { http.NotFound(w, nil) }, "status 404: 404 page not found", 1},
		{"broken", func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }, "status 500: (empty)", 3},
		{"no JSON", func(w http.ResponseWriter) { fmt.Fprint(w, "{oops") }, "what is no JSON", 1},
		{"engines failed", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"results":[],"unresponsive_engines":[["first","timeout"],["second","CAPTCHA"]]}`)
		}, "its engines failed: first timeout; second CAPTCHA", 1},
	} {
		tries := 0
		c, _ := server(t, func(n int, w http.ResponseWriter, _ *http.Request) { tries = n; tt.f(w) })
		_, err := c.Search(t.Context(), "flood", "", 10)
		if err == nil || !strings.Contains(err.Error(), tt.want) || tries != tt.tries {
			t.Errorf("%s: %d tries, error %v; want %d and %q", tt.name, tries, err, tt.tries, tt.want)
		}
	}
}

func TestDownAndSlow(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	address := s.URL
	s.Close()
	c, err := New(address, Options{Pause: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Search(t.Context(), "flood", "", 10); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a server that is down: %v", err)
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	if c, err = New(slow.URL, Options{Page: 20 * time.Millisecond, Tries: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Search(t.Context(), "flood", "", 10); err == nil || !strings.Contains(err.Error(), "no answer within 20ms") {
		t.Errorf("a server that is slow: %v", err)
	}
	if _, err := New("localhost:8888", Options{}); err == nil {
		t.Error("an address without scheme is taken")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(200, "application/json", `{"results":[{"url":"https://a.test/"}]}`)
	f.Add(200, "text/html", "<p>")
	f.Fuzz(func(t *testing.T, status int, kind, body string) {
		a, err := read(&http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}}, []byte(body))
		if (a == nil) == (err == nil) {
			t.Fatalf("answer %v, error %v", a, err)
		}
	})
}
