package fetch_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
)

func TestRedirects(t *testing.T) {
	t.Parallel()
	to := map[string]struct {
		status   int
		location string
	}{
		"/old":        {301, "/newer"},
		"/newer":      {308, "final?x=1#part"},
		"/temp":       {302, "/old"},
		"/mixed":      {301, "/temp"},
		"/loop":       {302, "/loop2"},
		"/loop2":      {302, "/loop"},
		"/self":       {301, "/self"},
		"/nowhere":    {301, ""},
		"/mail":       {302, "mailto:a@example.org"},
		"/broken":     {302, "http://[::1/%zz"},
		"/deep/a/b":   {302, "/"},
		"/de":         {302, "/"},
		"/index.html": {301, "/"},
	}
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if hop, ok := to[r.URL.Path]; ok {
			if hop.location != "" {
				w.Header()["Location"] = []string{hop.location}
			}
			w.WriteHeader(hop.status)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/n") {
			http.Redirect(w, r, r.URL.Path+"n", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, article(2000))
	})
	f := newFetcher(t, fetch.Options{})
	for _, tc := range []struct {
		path      string
		kind      fetch.Kind
		reason    fetch.Reason
		final     string
		permanent string
		hops      []fetch.Hop
	}{
		{"/old", fetch.Content, "", "/final?x=1", "/final?x=1", []fetch.Hop{{URL: "/old", Status: 301, To: "/newer"}, {URL: "/newer", Status: 308, To: "/final?x=1"}}},
		{"/temp", fetch.Content, "", "/final?x=1", "", []fetch.Hop{{URL: "/temp", Status: 302, To: "/old"}, {URL: "/old", Status: 301, To: "/newer"}, {URL: "/newer", Status: 308, To: "/final?x=1"}}},
		{"/mixed", fetch.Content, "", "/final?x=1", "/temp", []fetch.Hop{{URL: "/mixed", Status: 301, To: "/temp"}, {URL: "/temp", Status: 302, To: "/old"}, {URL: "/old", Status: 301, To: "/newer"}, {URL: "/newer", Status: 308, To: "/final?x=1"}}},
		{"/loop", fetch.Failed, fetch.RedirectLoop, "/loop2", "", []fetch.Hop{{URL: "/loop", Status: 302, To: "/loop2"}, {URL: "/loop2", Status: 302, To: "/loop"}}},
		{"/self", fetch.Failed, fetch.RedirectLoop, "/self", "/self", []fetch.Hop{{URL: "/self", Status: 301, To: "/self"}}},
		{"/nowhere", fetch.Failed, fetch.BadRedirect, "/nowhere", "", []fetch.Hop{{URL: "/nowhere", Status: 301}}},
		{"/mail", fetch.Failed, fetch.BadRedirect, "/mail", "", []fetch.Hop{{URL: "/mail", Status: 302}}},
		{"/broken", fetch.Failed, fetch.BadRedirect, "/broken", "", []fetch.Hop{{URL: "/broken", Status: 302}}},
		{"/deep/a/b", fetch.Failed, fetch.HomeRedirect, "/", "", []fetch.Hop{{URL: "/deep/a/b", Status: 302, To: "/"}}},
		{"/de", fetch.Content, "", "/", "", []fetch.Hop{{URL: "/de", Status: 302, To: "/"}}},
		{"/index.html", fetch.Content, "", "/", "/", []fetch.Hop{{URL: "/index.html", Status: 301, To: "/"}}},
	} {
		r := f.Fetch(t.Context(), fetch.Request{URL: address + tc.path})
		check(t, &r, tc.kind, tc.reason)
		for i := range r.Redirects {
			h := &r.Redirects[i]
			h.URL, h.To = strings.TrimPrefix(h.URL, address), strings.TrimPrefix(h.To, address)
			if !strings.HasPrefix(string(h.Head), fmt.Sprintf("HTTP/1.1 %d ", h.Status)) {
				t.Errorf("%s: head of a hop %q", tc.path, h.Head)
			}
		}
		if diff := cmp.Diff(tc.hops, r.Redirects, cmpopts.IgnoreFields(fetch.Hop{}, "Head")); diff != "" {
			t.Errorf("%s: redirects (-want +got):\n%s", tc.path, diff)
		}
		if r.FinalURL != address+tc.final || strings.TrimPrefix(r.PermanentURL, address) != tc.permanent {
			t.Errorf("%s: final %s, permanent %s, want %s and %s", tc.path, r.FinalURL, r.PermanentURL, tc.final, tc.permanent)
		}
	}
	r := f.Fetch(t.Context(), fetch.Request{URL: address + "/n"})
	check(t, &r, fetch.Failed, fetch.TooManyRedirects)
	if len(r.Redirects) != 11 {
		t.Errorf("%d redirects were received, want the 11th not to be followed", len(r.Redirects))
	}
}

// TestRobots checks the rules before every request, behind redirects too, and that nothing that
// they forbid is sent.
func TestRobots(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	rules, status := "User-agent: strandline\nDisallow: /private\n", 200
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		switch r.URL.Path {
		case "/robots.txt":
			http.Redirect(w, r, "/rules", http.StatusMovedPermanently)
		case "/rules":
			w.WriteHeader(status)
			_, _ = io.WriteString(w, rules)
		case "/open":
			http.Redirect(w, r, "/private/page", http.StatusFound)
		default:
			_, _ = io.WriteString(w, article(1000))
		}
	}))
	defer s.Close()
	f := newFetcher(t, fetch.Options{})
	for _, path := range []string{"/private/page", "/open"} {
		r := f.Fetch(t.Context(), fetch.Request{URL: s.URL + path})
		check(t, &r, fetch.Denied, fetch.RobotsDenied)
	}
	want := []string{"/robots.txt", "/rules", "/open"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	mine := newFetcher(t, fetch.Options{RobotsIgnoreHosts: []string{"127.0.0.1"}})
	r := mine.Fetch(t.Context(), fetch.Request{URL: s.URL + "/private/page"})
	check(t, &r, fetch.Content, "")

	mu.Lock()
	asked, status = nil, 503
	mu.Unlock()
	f = newFetcher(t, fetch.Options{})
	for range 2 {
		r := f.Fetch(t.Context(), fetch.Request{URL: s.URL + "/page"})
		check(t, &r, fetch.Failed, fetch.RobotsUnreachable)
	}
	if diff := cmp.Diff([]string{"/robots.txt", "/rules"}, asked); diff != "" {
		t.Errorf("requests to a host whose rules are unreachable (-want +got):\n%s", diff)
	}
}

// TestAdmitted ends at the gate what the caller has started there, whatever comes of it.
func TestAdmitted(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/page", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, article(1000))
	})
	g := gate.New(gate.Options{Delay: 20 * time.Millisecond})
	f := newFetcher(t, fetch.Options{Gate: g})
	for _, tc := range []struct {
		url  string
		kind fetch.Kind
	}{
		{address + "/page", fetch.Content}, // with its robots.txt
		{address + "/page", fetch.Content},
		{address + "/moved", fetch.Content},
		{"http://127.0.0.1:99999/", fetch.Failed},
	} {
		if err := g.Acquire(t.Context(), clock.Real{}, "127.0.0.1", time.Minute); err != nil {
			t.Fatal(err)
		}
		r := f.Fetch(t.Context(), fetch.Request{URL: tc.url, Admitted: true})
		if r.Kind != tc.kind {
			t.Errorf("%s is %s (%s), want %s", tc.url, r.Kind, r.Text, tc.kind)
		}
		if tc.kind == fetch.Failed {
			g.Cancel("127.0.0.1") // no host can be read from it
		}
		if s := g.State("127.0.0.1", time.Now()); s.Running != 0 {
			t.Fatalf("after %s: %+v", tc.url, s)
		}
	}
}
