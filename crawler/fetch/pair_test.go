package fetch_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/simweb"
)

// TestPair sends both requests before either is answered, over two connections, and takes one
// place at the gate for it (SCIENCE A6: a page with a counter differs in every pair).
func TestPair(t *testing.T) {
	t.Parallel()
	var count, connections atomic.Int32
	meet := make(chan struct{})
	s := httptest.NewUnstartedServer(noRobots(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/page", http.StatusMovedPermanently)
			return
		}
		// Neither is answered before the other has come.
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-r.Context().Done():
		}
		n := count.Add(1)
		fmt.Fprintf(w, "<title>Visits</title>You are visitor %d.", n)
	}))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	g := gate.New(gate.Options{Delay: -1})
	f := newFetcher(t, fetch.Options{Gate: g})
	p := f.FetchPair(t.Context(), fetch.Request{URL: s.URL + "/old", ETag: `"1"`})
	check(t, &p.A, fetch.Content, "")
	check(t, &p.B, fetch.Content, "")
	if !p.Accepted || p.Skew > fetch.MaxSkew || p.Attempts > 2 {
		t.Errorf("accepted %t, skew %s, %d attempts", p.Accepted, p.Skew, p.Attempts)
	}
	if string(p.A.Body) == string(p.B.Body) {
		t.Errorf("both got %q", p.A.Body)
	}
	if p.A.PermanentURL != s.URL+"/page" || p.A.SentAt.IsZero() || p.B.SentAt.IsZero() {
		t.Errorf("permanent %s, sent %s and %s", p.A.PermanentURL, p.A.SentAt, p.B.SentAt)
	}
	if n := connections.Load(); n < 5 { // robots.txt, and two for each address
		t.Errorf("%d connections", n)
	}
	if st := g.State("127.0.0.1", time.Now()); st.Running != 0 {
		t.Errorf("the gate: %+v", st)
	}
}

// TestPairOfOne fails one of two: the other is not held up, and the pair is not accepted.
func TestPairOfOne(t *testing.T) {
	t.Parallel()
	var count atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if count.Add(1) == 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, article(500))
	})
	p := newFetcher(t, fetch.Options{}).FetchPair(t.Context(), fetch.Request{URL: address + "/"})
	if p.Accepted || p.Attempts != 1 || (p.A.Kind == fetch.Content) == (p.B.Kind == fetch.Content) {
		t.Errorf("accepted %t after %d attempts, %s and %s", p.Accepted, p.Attempts, p.A.Kind, p.B.Kind)
	}
	p = newFetcher(t, fetch.Options{Timeouts: hasty()}).FetchPair(t.Context(), fetch.Request{URL: "http://127.0.0.1:1/"})
	check(t, &p.A, fetch.Failed, fetch.Unconnected)
	check(t, &p.B, fetch.Failed, fetch.Unconnected)
}

// TestSimulatedWeb crawls a simulated web in virtual time: politeness and robots rules hold by the
// web's own account.
func TestSimulatedWeb(t *testing.T) {
	t.Parallel()
	c := clock.NewScaled(time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC), 2000)
	w, err := simweb.New(c.Now, simweb.Options{Hosts: 12, PagesPerHost: 40, OwnDomains: true})
	if err != nil {
		t.Fatal(err)
	}
	const delay = 2 * time.Second
	g := gate.New(gate.Options{Delay: delay})
	f := newFetcher(t, fetch.Options{Transport: w.Transport(), Clock: c, Gate: g, Patience: 24 * time.Hour})
	var wg sync.WaitGroup
	var contents, denied atomic.Int32
	for _, h := range w.Hosts() {
		paths := []string{"/", "/private/", "/private/open", h.Feed[len("http://"+h.Name):], "/no/such/page"}
		for i := range 3 { // workers that crowd each host
			wg.Go(func() {
				for j := range 8 {
					r := f.Fetch(t.Context(), fetch.Request{URL: "http://" + h.Name + paths[(i+j)%len(paths)]})
					switch r.Kind {
					case fetch.Content:
						contents.Add(1)
						if r.HeadExact || len(r.Head) == 0 || r.FinishedAt.Before(r.StartedAt) {
							t.Errorf("%s: head %q, exact %t", r.FinalURL, r.Head, r.HeadExact)
						}
					case fetch.Denied:
						denied.Add(1)
					}
				}
			})
		}
	}
	wg.Wait()
	if contents.Load() < 50 || denied.Load() < 10 {
		t.Errorf("%d pages came, %d were denied", contents.Load(), denied.Load())
	}
	for name, s := range w.Stats().Hosts {
		if s.MaxConcurrent > 1 || s.RobotsViolations > 0 || s.DelayViolations > 0 || s.Requests > 1 && s.MinEndGap < delay {
			t.Errorf("%s was treated badly: %+v", name, s)
		}
	}
}

// TestPairInVirtualTime measures the skew by the machine's clock: on one that runs a million times
// faster no pair would ever be at one moment.
func TestPairInVirtualTime(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		res := &http.Response{StatusCode: 404, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r}
		if r.URL.Path != "/robots.txt" {
			res.StatusCode = 200
			res.Body = io.NopCloser(strings.NewReader(fmt.Sprintf("visitor %d", n.Add(1))))
		}
		return res, nil
	})
	c := clock.NewScaled(time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC), 1e6)
	f := newFetcher(t, fetch.Options{Transport: transport, Clock: c, Gate: gate.New(gate.Options{})})
	p := f.FetchPair(t.Context(), fetch.Request{URL: "http://example.org/"})
	if !p.Accepted || p.Skew > fetch.MaxSkew || string(p.A.Body) == string(p.B.Body) {
		t.Errorf("accepted %t, skew %s, %q and %q", p.Accepted, p.Skew, p.A.Body, p.B.Body)
	}
	if p.A.StartedAt.Year() < 2025 || p.A.SentAt.Before(p.A.StartedAt) {
		t.Errorf("started %s, sent %s", p.A.StartedAt, p.A.SentAt)
	}
}
