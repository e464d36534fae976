package web_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/strandlinehq/strandline/cmd/internal/web"
)

// addresses are all kinds of pages of one page.
func addresses(id int64) []string {
	p := fmt.Sprintf("/pages/%d", id)
	out := []string{p, p + "/versions/2", p + "/versions/" + noon.Format("2006-01-02")}
	for _, f := range []string{"calendar", "curve", "changes", "lifespans", "staying-power", "blocks"} {
		out = append(out, p+"/"+f, p+"/"+f+".svg", p+"/"+f+".csv")
	}
	for _, by := range []string{"words", "sentences", "links", "headers"} {
		for _, view := range []string{"inline", "side"} {
			out = append(out, p+"/diff?by="+by+"&view="+view, p+"/diff?a=2&b=9&all=1&by="+by+"&view="+view)
		}
	}
	return out
}

// attacksAreText wants every page of attacking pages to hold no script, no handler, no
// address of another site but as text, and no style of its own.
func attacksAreText(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	list := []string{
		"/", "/pages", "/pages?host=evil.test", "/schedule", "/pages?q=" + url.QueryEscape(`"><script>window.pwned=1</script>`),
		"/search?q=" + url.QueryEscape(`hour OR script OR pwned -"><img src=x onerror=pwned>"`), "/search?series=hourly+web&q=" + url.QueryEscape(`hour OR "<script>"`),
		"/search.svg?series=hourly+web&q=" + url.QueryEscape(`hour OR "<script>"`), "/search.csv?series=hourly+web&q=hour",
	}
	for _, u := range fx.urls {
		list = append(list, addresses(int64(fx.page(t, u)))...)
	}
	for _, address := range list {
		r := get(t, s, address)
		body := bodyOf(t, r)
		if r.StatusCode != http.StatusOK {
			t.Errorf("GET %s: %d %.400q", address, r.StatusCode, body)
			continue
		}
		if len(body) > 300_000 {
			t.Errorf("GET %s: %d bytes, want at most 300,000", address, len(body))
		}
		if got := r.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("GET %s: X-Content-Type-Options %q", address, got)
		}
		if csp := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("GET %s: policy %q", address, csp)
		}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "text/csv") {
			continue
		}
		for _, f := range active(t, body) {
			t.Errorf("GET %s: %s", address, f)
		}
		if strings.ContainsAny(body, "\u202e\u2066\ufeff") {
			t.Errorf("GET %s: characters that turn the text around", address)
		}
	}
}

// active lists what in a page would run, load or style by itself.
func active(t *testing.T, page string) (found []string) {
	t.Helper()
	own := regexp.MustCompile(`^(/[^/\\].*|/|#.*|)$`)
	z := html.NewTokenizer(strings.NewReader(page))
	standalone := strings.HasPrefix(page, "<?xml")
	for {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			return found
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			switch tok.Data {
			case "script":
				if len(tok.Attr) != 1 || !strings.HasPrefix(tok.Attr[0].Val, "/static/") {
					found = append(found, tok.String())
				}
			case "style":
				if !standalone {
					found = append(found, tok.String())
				}
			case "img": // a figure of ours, for phones
				if !slices.ContainsFunc(tok.Attr, func(a html.Attribute) bool {
					return a.Key == "src" && own.MatchString(a.Val) && strings.Contains(a.Val, ".svg?")
				}) {
					found = append(found, tok.String())
				}
			case "iframe", "object", "embed", "base", "video", "audio", "foreignobject", "use", "image", "animate", "set":
				found = append(found, tok.String())
			}
			for _, a := range tok.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc":
					found = append(found, tok.String())
				case a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "xlink:href":
					if !own.MatchString(a.Val) {
						found = append(found, tok.String())
					}
				}
			}
		}
	}
}

// TestPages looks at pages that have something to show.
func TestPages(t *testing.T) {
	t.Parallel()
	fx := fill(t, open(t))
	t.Run("attacks", func(t *testing.T) {
		t.Parallel()
		attacksAreText(t, fx)
	})
	t.Run("searches", func(t *testing.T) {
		t.Parallel()
		searchesAnswer(t, fx)
	})
	t.Run("snapshots", func(t *testing.T) {
		t.Parallel()
		snapshotsAreShown(t, fx)
	})
	t.Run("feeds", func(t *testing.T) {
		t.Parallel()
		feedsAreValid(t, fx)
	})
	t.Run("memento", func(t *testing.T) {
		t.Parallel()
		mementosAnswer(t, fx)
	})
	t.Run("captures", func(t *testing.T) {
		t.Parallel()
		capturesAreHarmless(t, fx)
	})
	t.Run("cdx", func(t *testing.T) {
		t.Parallel()
		cdxAnswers(t, fx)
	})
	t.Run("api", func(t *testing.T) {
		t.Parallel()
		apiAnswers(t, fx)
		apiTells(t, fx)
	})
	t.Run("content", func(t *testing.T) {
		t.Parallel()
		pagesShow(t, fx)
	})
	t.Run("versions", func(t *testing.T) {
		t.Parallel()
		versionsInOrder(t, fx)
	})
}

// pagesShow follows the list from its first rows to its last and
// looks at sorting, filters and the two forms of a diff.
func pagesShow(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	row := regexp.MustCompile(`<td class="page"><a href="(/pages/\d+)"`)
	next := regexp.MustCompile(`<a rel="next" href="([^"]+)"`)
	for _, sort := range []string{"", "?sort=changed&dir=reverse", "?sort=every", "?sort=every&dir=reverse", "?sort=knot", "?sort=knot&dir=reverse"} {
		seen := map[string]bool{}
		address, pages := "/pages"+sort, 0
		for address != "" && pages < 10 {
			body := bodyOf(t, get(t, s, address))
			for _, m := range row.FindAllStringSubmatch(body, -1) {
				if seen[m[1]] {
					t.Errorf("%s: %s is listed twice", sort, m[1])
				}
				seen[m[1]] = true
			}
			address, pages = "", pages+1
			if m := next.FindStringSubmatch(body); m != nil {
				address = html.UnescapeString(m[1])
			}
		}
		if !strings.Contains(sort, "reverse") && (len(seen) < fixturePages || pages != 2) {
			t.Errorf("%q: %d pages listed on %d pages, want all of at least %d on 2", sort, len(seen), pages, fixturePages)
		}
	}
	for _, tt := range []struct{ address, want, not string }{
		{"/pages?host=evil.test", "evil.test/svg", "sim.test"},
		{"/pages?q=EVIL.test%2Fdata", "evil.test/data", "evil.test/svg"},
		{"/pages?q=%25_x", "No page fits", ""},
		{"/pages?watch=all&category=News", `rel="next"`, ""},
		{"/pages?state=failing", "/wildlife/", ""},
		{"/pages?state=aside", "No page fits", ""},
		{"/", "worth reading", "Nothing changed"},
		{"/schedule", fmt.Sprintf("%d pages are due", fixturePages+len(attacks)), ""},
		{fmt.Sprintf("/pages/%d", fx.page(t, fx.urls[0])), "Compare the two marked", ""},
		{fmt.Sprintf("/pages/%d", fx.page(t, fx.urls[0])), "published 2020-01-02 (markup)", "modified"},
		{fmt.Sprintf("/pages/%d", fx.page(t, fx.urls[2])), "Versions", "Its own dates"},
		{fmt.Sprintf("/pages/%d/diff?a=3&b=4", fx.page(t, fx.urls[0])), "<del>2.</del>", "was rewritten"},
		{fmt.Sprintf("/pages/%d/diff?a=3&b=4", fx.page(t, fx.urls[0])), "added</ins> 1 word ·", ""},
		{"/?order=-dice", `aria-sort="descending"><a href="/?order=dice"`, ""},
		{"/?order=when", `aria-sort="descending"><a href="/?order=-when"`, ""},
		{"/schedule?watches=-late&hosts=host", `aria-sort="ascending"`, ""},
		{fmt.Sprintf("/pages/%d/diff?a=4&b=3", fx.page(t, fx.urls[0])), "Versions 3 and 4", ""},
		{fmt.Sprintf("/pages/%d/diff?b=4&by=links", fx.page(t, fx.urls[0])), "links of both versions are the same", ""},
	} {
		r := get(t, s, tt.address)
		body := bodyOf(t, r)
		if r.StatusCode != 200 || !strings.Contains(body, tt.want) || tt.not != "" && strings.Contains(body, tt.not) {
			t.Errorf("GET %s: %d, want %q and not %q in\n%.2000s", tt.address, r.StatusCode, tt.want, tt.not, body)
		}
	}
	for _, tt := range []struct {
		address string
		status  int
	}{
		{"/diff?a=0", 400},
		{"/diff?a=x", 400},
		{"/diff?a=2026-02-31", 400},
		{"/diff?a=1&b=99999", 404},
		{"/diff?b=1", 404},
		{"/diff?by=taste", 400},
		{"/diff?view=upside", 400},
		{"/versions/99999", 404},
		{"/versions/1e9", 400},
		{"?before=x", 400},
		{"?before=1", 200},
		{"/diff?a=1000-01-01", 404},
	} {
		address := fmt.Sprintf("/pages/%d%s", fx.page(t, fx.urls[0]), tt.address)
		if r := get(t, s, address); r.StatusCode != tt.status {
			t.Errorf("GET %s: %d, want %d", address, r.StatusCode, tt.status)
		}
	}
}

// TestNotice wants the sentence above every page, those of errors too, as text.
func TestNotice(t *testing.T) {
	t.Parallel()
	s := newServer(t, open(t), func(o *web.Options) { o.Notice = func() string { return "A <b>demo</b>." } })
	for _, address := range []string{"/", "/pages", "/nothing"} {
		if body := bodyOf(t, get(t, s, address)); !strings.Contains(body, `role="note">A &lt;b&gt;demo&lt;/b&gt;.</p>`) {
			t.Errorf("GET %s: no notice in %.2000s", address, body)
		}
	}
	if body := bodyOf(t, get(t, newServer(t, open(t), nil), "/")); strings.Contains(body, `class="notice"`) {
		t.Error("a notice where there is none")
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	s := newServer(t, open(t), nil)
	tag := get(t, s, "/pages").Header.Get("ETag")
	if tag == "" {
		t.Fatal("no ETag")
	}
	for field, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, `"x"`: 200, "*": 304} {
		if got := get(t, s, "/pages", "If-None-Match", field).StatusCode; got != want {
			t.Errorf("If-None-Match %s: %d, want %d", field, got, want)
		}
	}
}

func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	db := open(t)
	s := newServer(t, db, nil)
	db.Close()
	for address, want := range map[string]string{
		"/": "does not answer", "/pages": "Nothing that is stored is lost", "/schedule": "does not answer", "/pages/1": "does not answer", "/readyz": "the database does not answer",
		"/pages/1/diff": "tries again by itself", "/pages/1/versions/1": "does not answer", "/pages/1/curve": "does not answer", "/search?q=tide": "does not answer", "/topics": "does not answer",
		"/topics/tides": "does not answer", "/snapshots": "does not answer", "/snapshots/web": "does not answer", "/search.csv?q=tide&series=web": "does not answer",
		"/feeds/all.atom": "does not answer", "/feeds/watch/all.atom": "does not answer", "/feeds/topic/tides.atom": "does not answer", "/cdx?url=a.test": "does not answer",
		"/timegate/http://a.test/": "does not answer", "/timemap/link/http://a.test/": "does not answer", "/web/20260310000000id_/http://a.test/": "does not answer",
		"/api/v1/pages": "does not answer", "/api/v1/schedule": "does not answer", "/api/v1/changes": "does not answer",
	} {
		r := get(t, s, address)
		if body := bodyOf(t, r); r.StatusCode != 503 || !strings.Contains(body, want) || strings.Contains(body, "goroutine") || strings.Contains(body, "closed pool") {
			t.Errorf("GET %s: %d %s, want 503 and %q", address, r.StatusCode, body, want)
		}
	}
	if r := get(t, s, "/healthz"); r.StatusCode != 200 {
		t.Errorf("healthz: %d", r.StatusCode)
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	db := open(t)
	closed := newServer(t, db, func(o *web.Options) { o.Access = web.Access{ViewerToken: "look", EditorToken: "change"} })
	proxied := newServer(t, db, func(o *web.Options) { o.Access = web.Access{UserHeader: "X-User", Editors: []string{"ada"}} })
	for _, tt := range []struct {
		name   string
		server *web.Server
		header []string
		want   int
	}{
		{"no token", closed, nil, 401},
		{"wrong token", closed, []string{"Authorization", "Bearer lo"}, 401},
		{"viewer", closed, []string{"Authorization", "Bearer look"}, 200},
		{"editor", closed, []string{"Authorization", "Bearer change"}, 200},
		{"empty token", closed, []string{"Authorization", "Bearer "}, 401},
		{"token as cookie", closed, []string{"Cookie", "strandline_session=look"}, 401},
		{"user of an unknown proxy", proxied, []string{"X-User", "ada"}, 401}, // httptest comes from 192.0.2.1
		{"no user", proxied, nil, 401},
	} {
		if r := get(t, tt.server, "/pages", tt.header...); r.StatusCode != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, r.StatusCode, tt.want)
		}
	}
	request := func(s http.Handler, r *http.Request) *http.Response {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Result()
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://watch.example/pages", http.NoBody)
	r.RemoteAddr = "127.0.0.1:999"
	r.Header.Set("X-User", "eve")
	if got := request(proxied, r).StatusCode; got != 200 {
		t.Errorf("user of our own proxy: %d", got)
	}
	// The form: without its token, from another site, and right.
	form := bodyOf(t, get(t, closed, "/login"))
	token := regexp.MustCompile(`name="form_token" value="([0-9a-f]+)"`).FindStringSubmatch(form)
	if token == nil {
		t.Fatal("no token in the form")
	}
	post := func(values url.Values, header ...string) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/login", strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return request(closed, r)
	}
	if got := post(url.Values{"token": {"look"}}).StatusCode; got != 403 {
		t.Errorf("form without token: %d, want 403", got)
	}
	if got := post(url.Values{"token": {"look"}, "form_token": {token[1]}}, "Sec-Fetch-Site", "cross-site").StatusCode; got != 403 {
		t.Errorf("form of another site: %d, want 403", got)
	}
	if got := post(url.Values{"token": {"wrong"}, "form_token": {token[1]}}).Header.Get("Location"); got != "/login?wrong" {
		t.Errorf("wrong token leads to %q", got)
	}
	in := post(url.Values{"token": {"look"}, "form_token": {token[1]}})
	if len(in.Cookies()) != 1 || !in.Cookies()[0].HttpOnly || in.Cookies()[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("cookies %v", in.Cookies())
	}
	if got := get(t, closed, "/pages", "Cookie", in.Cookies()[0].String()).StatusCode; got != 200 {
		t.Errorf("with the cookie: %d", got)
	}
	// A name that another site made point here.
	if got := get(t, newServer(t, db, nil), "/pages").StatusCode; got != 200 {
		t.Errorf("localhost: %d", got)
	}
	r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://rebound.example/pages", http.NoBody)
	if got := request(newServer(t, db, nil), r).StatusCode; got != http.StatusMisdirectedRequest {
		t.Errorf("another name: %d, want 421", got)
	}
}
