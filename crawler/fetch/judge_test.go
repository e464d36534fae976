package fetch_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/fetch"
)

// para is a paragraph of ordinary text.
const para = "<p>The council met on Tuesday evening and spoke for a long time about the old bridge, which has been closed since the flood of last year and which nobody, as it seems, wants to pay for.</p>\n"

func html(title, body string) string {
	return "<!doctype html><html><head><meta charset=utf-8><title>" + title + "</title><style>p{}</style></head><body>" + body + "</body></html>"
}

var menu = "<nav><ul>" + strings.Repeat("<li><a href=/x>Some entry of the menu</a></li>", 60) + "</ul></nav>"

// TestJudge holds the words of stand-ins against those of ordinary pages.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, body string
		want       fetch.Reason
	}{
		{"soft 404", html("Page not found", "<h1>Oops!</h1><p>We looked everywhere.</p>"), fetch.SoftNotFound},
		{"in a title of two parts", html("Not Found | The Coast", "<p>Try the <a href=/>home page</a>.</p>"), fetch.SoftNotFound},
		{"in the heading alone", html("The Coast", "<h1>Sorry, we can’t find that page.</h1><p>Try again.</p>"), fetch.SoftNotFound},
		{"with menus", html("404 – The Coast", menu+"<h1>404 - Page Not Found</h1><p>Sorry.</p>"), ""}, // no phrase as a whole: content rather than a guess
		{"with menus, plainly", html("Page not found – The Coast", menu+"<h1>Page not found</h1><p>Sorry.</p>"), fetch.SoftNotFound},
		{"German", html("Seite nicht gefunden - Die Küste", "<h1>Fehler 404</h1>"), fetch.SoftNotFound},
		{"French, with an entity", html("Erreur", "<h1>Cette page n&#39;existe pas</h1>"), fetch.SoftNotFound},
		{"Spanish", html("Página no encontrada", "<p>Lo sentimos.</p>"), fetch.SoftNotFound},
		{"Japanese", html("ページが見つかりません", "<p>申し訳ございません。</p>"), fetch.SoftNotFound},
		{"no markup to speak of", "<html>404 Not Found</html>", fetch.SoftNotFound},
		{"an article on it", html("404 Not Found", "<h1>404 Not Found</h1>"+para+para+para), ""},
		{"a short note on it", html("Page not found: why servers say so | Blog", "<h1>Page not found: why servers say so</h1><p>Soon more.</p>"), ""},
		{"a question on it", html("nginx returns 404 not found for a folder - Questions", "<h1>nginx returns 404 not found for a folder</h1><p>Why?</p>"), ""},
		{"a room number", html("Room 404 | Hotel", "<h1>Room 404</h1><p>Two beds.</p>"), ""},
		{"a number as its title", html("404", "<h1>A film of 2011</h1>"+menu), ""},
		{"things found", html("Lost and found", "<h1>Not found yet</h1><p>One umbrella, black.</p>"), ""},

		{"a check for robots", html("Are you a robot?", "<p>Unusual traffic was seen from your network.</p>"), fetch.Blocked},
		{"a check by script", html("Just a moment...", "<script src=/cdn-cgi/challenge-platform/x.js></script><noscript>Enable JavaScript and cookies to continue</noscript>"), fetch.Blocked},
		{"a captcha alone", html("shop.example", "<form><div class=g-recaptcha></div></form>"), fetch.Blocked},
		{"a refusal", html("Access Denied", "<h1>Access Denied</h1>You don't have permission to access this on this server.<p>Reference #18.2f"), fetch.Blocked},
		{"a form with a captcha on a page", html("Contact", "<h1>Contact us</h1>"+para+para+para+"<div class=g-recaptcha></div>"), ""},
		{"an article on captchas", html("Are you a robot? How captchas came to be", "<h1>Are you a robot?</h1>"+para+para+para), ""},
		{"a film", html("Access Denied (film) | Database of films", "<h1>Access Denied (film)</h1>"+menu), ""},

		{"an error template", html("Something went wrong", "<h1>Something went wrong</h1><p>Please try again later.</p>"), fetch.ErrorPage},
		{"a database that is away", "<html><body><h1>Error establishing a database connection</h1></body></html>", fetch.ErrorPage},
		{"a program's error", "<br />\n<b>Fatal error: Uncaught</b> Error: Call to undefined function in /var/www/html/index.php:3", fetch.ErrorPage},
		{"maintenance", html("Wartungsarbeiten", "<p>Wir sind bald zurück.</p>"), fetch.ErrorPage},
		{"a status page", html("Status", "<h1>All systems work</h1><p>Incident of May: service unavailable for ten minutes.</p>"), ""},
		{"a story on a mishap", html("Something went wrong at the harbour", "<h1>Something went wrong at the harbour</h1>"+para+para+para), ""},

		{"a form to log in", html("Sign in | Forum", "<form><input name=u><input type=password name=p></form>"), fetch.LoginWall},
		{"a page with a form to log in", html("Forum of the coast", "<form><input type=password></form><h1>Threads</h1>"+menu), ""},
		{"an article on logging in", html("Sign in", "<h1>Sign in</h1>"+para+para+para+"<input type=password>"), ""},

		{"short", html("Hours", "Open from 9 to 5."), ""},
		{"no text", html("", "<div id=app></div><script>boot()</script>"), ""},
		{"long", html("Page not found", strings.Repeat(para, 40)), ""},
		{"broken", "<title>Page not found", fetch.SoftNotFound},
		{"a comment without end", "<!-- page not found", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = io.WriteString(w, tc.body)
			})
			r := newFetcher(t, fetch.Options{}).Fetch(t.Context(), fetch.Request{URL: address + "/some/page"})
			kind := fetch.Failed
			if tc.want == "" {
				kind = fetch.Content
			}
			check(t, &r, kind, tc.want)
			if string(r.Body) != tc.body {
				t.Error("the body is not kept")
			}
		})
	}
}

func TestJudgeOthers(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/members":
			http.Redirect(w, r, "/login?next=/members", http.StatusFound)
			return
		case "/blocked":
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, html("Attention Required!", "<h1>Sorry, you have been blocked</h1>"))
			return
		case "/text":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "404 Not Found")
			return
		}
		_, _ = io.WriteString(w, html("Welcome", "<p>Members only.</p><form><input type='password'></form>"))
	})
	f := newFetcher(t, fetch.Options{})
	for _, tc := range []struct {
		path string
		kind fetch.Kind
		want fetch.Reason
	}{
		{"/members", fetch.Failed, fetch.LoginWall},
		{"/login", fetch.Content, ""}, // it is what was asked for
		{"/blocked", fetch.Failed, fetch.Blocked},
		{"/text", fetch.Content, ""},
	} {
		r := f.Fetch(t.Context(), fetch.Request{URL: address + tc.path})
		check(t, &r, tc.kind, tc.want)
	}
}

// FuzzJudge gives any bytes to the judge, through a transport without a network.
func FuzzJudge(f *testing.F) {
	f.Add([]byte(html("Page not found", "<h1>x</h1>")), "text/html", "", "60")
	f.Add([]byte("<title>a</title><h1>b<script>c</scr"), "", "gzip", "Tue, 01 Jul 2025 00:00:00 GMT")
	f.Add([]byte("<<a <!-- </h1 <input password"), "text/html", "br, zstd", "-1")
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00\x09\x00\x00a"), "html", "zstd", "99999999999999999999")
	const limit = 1 << 16
	f.Fuzz(func(t *testing.T, body []byte, contentType, coding, retry string) {
		transport := roundTripper(func(r *http.Request) (*http.Response, error) {
			res := &http.Response{StatusCode: 404, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r}
			if r.URL.Path != "/robots.txt" {
				res.StatusCode = 200
				res.Header = http.Header{"Content-Type": {contentType}, "Content-Encoding": {coding}, "Retry-After": {retry}}
				res.Body = io.NopCloser(strings.NewReader(string(body)))
			}
			return res, nil
		})
		fetcher := newFetcher(t, fetch.Options{Transport: transport, MaxBody: limit})
		r := fetcher.Fetch(t.Context(), fetch.Request{URL: "http://example.org/a/page"})
		if (r.Kind == fetch.Content) != (r.Reason == "") || len(r.Body) > limit || r.RetryAfter < 0 {
			t.Errorf("%s %q, %d bytes, Retry-After %s", r.Kind, r.Reason, len(r.Body), r.RetryAfter)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
