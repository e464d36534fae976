package fetch_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
)

func TestCodings(t *testing.T) {
	t.Parallel()
	page := article(60_000)
	pack := func(open func(w io.Writer) io.WriteCloser) []byte {
		var b bytes.Buffer
		z := open(&b)
		if _, err := io.WriteString(z, page); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	bodies := map[string][]byte{
		"":         []byte(page),
		"gzip":     gzipped(t, page),
		"x-gzip":   append(gzipped(t, page), 0, 0, 0),
		"GZIP":     append(gzipped(t, page[:1000]), gzipped(t, page[1000:])...),
		"br":       pack(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }),
		"zstd":     pack(func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }),
		"deflate":  pack(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		"deflate ": pack(func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 6); return z }),
		"br, gzip": gzipped(t, string(pack(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }))),
	}
	var accepted atomic.Value
	var connections atomic.Int32
	s := httptest.NewUnstartedServer(noRobots(func(w http.ResponseWriter, r *http.Request) {
		accepted.Store(r.Header.Get("Accept-Encoding"))
		coding := r.URL.Query().Get("c")
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1") // the bytes are not touched for it
		if coding != "" {
			w.Header().Set("Content-Encoding", coding)
		}
		_, _ = w.Write(bodies[coding])
	}))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	f := newFetcher(t, fetch.Options{})
	for range 2 { // by reused decoders
		for coding, body := range bodies {
			r := f.Fetch(t.Context(), fetch.Request{URL: s.URL + "/page.xml.gz?c=" + strings.ReplaceAll(coding, " ", "%20")})
			check(t, &r, fetch.Content, "")
			if string(r.Body) != page {
				t.Errorf("%q: %d bytes, want %d", coding, len(r.Body), len(page))
			}
			if r.BytesOnWire != int64(len(body)) {
				t.Errorf("%q: %d bytes on the wire, want %d", coding, r.BytesOnWire, len(body))
			}
			if (len(r.Removed) > 0) != (coding != "") || r.Coding != "" {
				t.Errorf("%q: removed %q, left %q", coding, r.Removed, r.Coding)
			}
		}
	}
	if got := accepted.Load(); got != "gzip, br, zstd" {
		t.Errorf("Accept-Encoding %q", got)
	}
	if n := connections.Load(); n > 3 {
		t.Errorf("%d connections for %d requests one after the other", n, 2*len(bodies)+1)
	}
}

// TestHeadIsExact keeps order, case and spaces of a header, behind an announcement too, with and
// without TLS.
func TestHeadIsExact(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 Fine, thanks\r\nserver:  odd\r\nX-B: 2\r\nx-a: 1\r\nX-B: 1\r\nCONTENT-length: 5\r\n\r\n"
	answer := noRobots(func(w http.ResponseWriter, _ *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		_, _ = rw.WriteString("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + "hello")
		_ = rw.Flush()
	})
	plain, secure := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	defer plain.Close()
	defer secure.Close()
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	f := newFetcher(t, fetch.Options{TrustedRoots: roots})
	for _, address := range []string{plain.URL, secure.URL} {
		r := f.Fetch(t.Context(), fetch.Request{URL: address + "/"})
		check(t, &r, fetch.Content, "")
		if diff := cmp.Diff(head, string(r.Head)); diff != "" || !r.HeadExact {
			t.Errorf("%s: head, exact %t (-want +got):\n%s", address, r.HeadExact, diff)
		}
	}
	r := newFetcher(t, fetch.Options{}).Fetch(t.Context(), fetch.Request{URL: secure.URL + "/"})
	check(t, &r, fetch.Failed, fetch.BadCertificate)
}

func TestConditional(t *testing.T) {
	t.Parallel()
	var moved atomic.Bool
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && moved.Load() {
			http.Redirect(w, r, "/moved", http.StatusFound)
			return
		}
		w.Header().Set("ETag", `W/"7"`)
		w.Header().Set("Last-Modified", "Tue, 01 Jul 2025 00:00:00 GMT")
		if r.Header.Get("If-None-Match") == `W/"7"` && r.Header.Get("If-Modified-Since") == "Tue, 01 Jul 2025 00:00:00 GMT" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, article(4000))
	})
	f := newFetcher(t, fetch.Options{})
	first := f.Fetch(t.Context(), fetch.Request{URL: address + "/"})
	check(t, &first, fetch.Content, "")
	again := fetch.Request{URL: address + "/", ETag: first.ETag, LastModified: first.LastModified}
	second := f.Fetch(t.Context(), again)
	check(t, &second, fetch.NotModified, "")
	if second.ETag != first.ETag || second.LastModified != first.LastModified || len(second.Body) != 0 {
		t.Errorf("not modified: %q, %q, %d bytes", second.ETag, second.LastModified, len(second.Body))
	}
	// The same validators mean nothing to another address, until it is where they came from.
	moved.Store(true)
	third := f.Fetch(t.Context(), again)
	check(t, &third, fetch.Content, "")
	again.ValidatedURL = third.FinalURL
	fourth := f.Fetch(t.Context(), again)
	check(t, &fourth, fetch.NotModified, "")
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		if status >= 200 && status != 204 && status != 304 {
			_, _ = io.WriteString(w, article(3000))
		}
	})
	f := newFetcher(t, fetch.Options{})
	for status, want := range map[int]fetch.Reason{
		200: "", 203: "", 204: fetch.Empty, 206: fetch.UnexpectedStatus, 301: fetch.BadRedirect, 300: fetch.UnexpectedStatus, 305: fetch.UnexpectedStatus,
		400: fetch.ClientError, 401: fetch.LoginNeeded, 403: fetch.Forbidden, 404: fetch.NotFound, 410: fetch.Removed, 418: fetch.ClientError,
		429: fetch.Throttled, 451: fetch.Legal, 500: fetch.ServerError, 502: fetch.ServerError, 503: fetch.Unavailable, 599: fetch.ServerError, 777: fetch.UnexpectedStatus,
	} {
		r := f.Fetch(t.Context(), fetch.Request{URL: fmt.Sprintf("%s/%d", address, status)})
		kind := fetch.Failed
		if want == "" {
			kind = fetch.Content
		}
		check(t, &r, kind, want)
		if r.Status != status {
			t.Errorf("status %d, want %d", r.Status, status)
		}
	}
}

func TestRetryAfterReachesTheGate(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		now := time.Now().Add(-5 * time.Hour) // by a clock that is wrong
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		w.Header().Set("Retry-After", now.Add(20*time.Minute).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusTooManyRequests)
	})
	g := gate.New(gate.Options{Delay: -1})
	f := newFetcher(t, fetch.Options{Gate: g})
	r := f.Fetch(t.Context(), fetch.Request{URL: address + "/"})
	check(t, &r, fetch.Failed, fetch.Throttled)
	if r.RetryAfter != 20*time.Minute {
		t.Errorf("RetryAfter = %s, want 20m", r.RetryAfter)
	}
	s := g.State("127.0.0.1", time.Now())
	if wait := time.Until(s.ReadyAt); s.Why != gate.RetryAfter || wait < 19*time.Minute || wait > 20*time.Minute || s.Running != 0 {
		t.Errorf("the gate: %+v", s)
	}
	r = f.Fetch(t.Context(), fetch.Request{URL: address + "/other"})
	check(t, &r, fetch.Skipped, fetch.Busy)
	if !r.RetryAt.Equal(s.ReadyAt) {
		t.Errorf("RetryAt = %s, want %s", r.RetryAt, s.ReadyAt)
	}
}

func TestCookies(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/set" {
			http.SetCookie(w, &http.Cookie{Name: "given", Value: "1"})
			http.Redirect(w, r, "/set2", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "cookies: "+r.Header.Get("Cookie"))
	})
	f := newFetcher(t, fetch.Options{})
	mine := []*http.Cookie{{Name: "consent", Value: "yes"}}
	for _, tc := range []struct {
		path    string
		cookies []*http.Cookie
		want    string
	}{
		{"/set", nil, "cookies: "},
		{"/set", mine, "cookies: consent=yes; given=1"},
		{"/again", mine, "cookies: consent=yes"}, // those given before are forgotten
		{"/again", nil, "cookies: "},
	} {
		r := f.Fetch(t.Context(), fetch.Request{URL: address + tc.path, Cookies: tc.cookies})
		if string(r.Body) != tc.want {
			t.Errorf("%s: %q, want %q", tc.path, r.Body, tc.want)
		}
	}
}

// TestEnvironment sets every variable that colly reads, and the usual ones for proxies: none
// changes anything.
func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"ALLOWED_DOMAINS": "nowhere.example", "CACHE_DIR": t.TempDir(), "DETECT_CHARSET": "yes", "DISABLE_COOKIES": "yes",
		"DISALLOWED_DOMAINS": "127.0.0.1", "IGNORE_ROBOTSTXT": "no", "FOLLOW_REDIRECTS": "no", "MAX_BODY_SIZE": "10", "MAX_DEPTH": "1",
		"MAX_REQUESTS": "1", "PARSE_HTTP_ERROR_RESPONSE": "no", "TRACE_HTTP": "yes", "USER_AGENT": "somebody else",
	} {
		t.Setenv("COLLY_"+name, value)
	}
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	var agents []string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/page":
			_, _ = io.WriteString(w, article(1000))
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	})
	f := newFetcher(t, fetch.Options{})
	r := f.Fetch(t.Context(), fetch.Request{URL: address + "/"})
	check(t, &r, fetch.Content, "")
	if len(r.Body) < 1000 {
		t.Errorf("%d bytes", len(r.Body))
	}
	r = f.Fetch(t.Context(), fetch.Request{URL: address + "/error"})
	check(t, &r, fetch.Failed, fetch.ClientError)
	if diff := cmp.Diff([]string{agent, agent, agent}, agents); diff != "" {
		t.Errorf("user agents (-want +got):\n%s", diff)
	}
}

func TestBadURLs(t *testing.T) {
	t.Parallel()
	g := eager()
	f := newFetcher(t, fetch.Options{Gate: g})
	for _, address := range []string{"", "page", "ftp://example.org/", "http://", "mailto:a@example.org", "http://[::1/", "http://a b/", "http://example.org:99999/"} {
		r := f.Fetch(t.Context(), fetch.Request{URL: address})
		check(t, &r, fetch.Failed, fetch.BadURL)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []fetch.Options{
		{},
		{UserAgent: agent, MaxBody: -1},
		{UserAgent: agent, Proxy: "ftp://proxy.example"},
		{UserAgent: agent, Proxy: "http://"},
		{UserAgent: agent, Proxy: "http://user:secret@%zz"},
	} {
		_, err := fetch.New(o)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("New(%+v) = %v", o, err)
		}
	}
	if _, err := fetch.New(fetch.Options{UserAgent: agent, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}); err != nil {
		t.Error(err)
	}
}
