package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// hostileFields are fields by which an answer would have power over our origin or
// over the reader's browser.
const hostileFields = "Set-Cookie: strandline_session=stolen; Path=/\r\nRefresh: 0; url=http://other.test/\r\nContent-Security-Policy: sandbox allow-scripts allow-same-origin\r\n" +
	"Service-Worker-Allowed: /\r\nAccess-Control-Allow-Origin: *\r\nClear-Site-Data: \"*\"\r\nLink: <http://other.test/x.js>; rel=preload; as=script\r\n" +
	"X-Content-Type-Options: sniff\r\nStrict-Transport-Security: max-age=99999\r\nContent-Disposition: inline; filename=x.html\r\nSourceMap: http://other.test/map\r\n" +
	"Cross-Origin-Opener-Policy: unsafe-none\r\nReport-To: {}\r\nAlt-Svc: h3=\":443\"\r\nWWW-Authenticate: Basic realm=x\r\nContent-Location: http://other.test/\r\n"

// hostileCaptures are captures built to run, load or take over something when they
// are opened raw. Plain says that the type has to be one that shows text only.
func hostileCaptures(other string) []struct {
	path, status, kind, body string
	plain                    bool
} {
	const run = `window.pwned=1;document.cookie="pwned=1";navigator.serviceWorker&&navigator.serviceWorker.register("/web/2026id_/http://hostile.test/worker.js")`
	return []struct {
		path, status, kind, body string
		plain                    bool
	}{
		{"html", "200 OK", "text/html", "<script>" + run + "</script><img src=" + other + "/i.png onerror='" + "window.pwned=1" + "'>", false},
		{"base", "200 OK", "text/html", `<base href="` + other + `/"><link rel=stylesheet href=s.css><script src=x.js></script><iframe src="/pages"></iframe><form action="/login" method=post><input name=token></form>`, false},
		{"refresh", "200 OK", "text/html", `<meta http-equiv=refresh content="0;url=javascript:window.pwned=1"><meta http-equiv=Set-Cookie content="a=b">`, false},
		{"svg", "200 OK", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"><script>` + "window.pwned=1" + `</script><image href="` + other + `/i.png"/></svg>`, false},
		{"xhtml", "200 OK", "application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script>window.pwned=1</script></head><body/></html>`, false},
		{"xslt", "200 OK", "text/xml", `<?xml-stylesheet type="text/xsl" href="` + other + `/x.xsl"?><a/>`, false},
		{"worker.js", "200 OK", "text/javascript", run, true},
		{"other.js", "200 OK", "application/x-javascript; charset=utf-8", run, true},
		{"module.wasm", "200 OK", "application/wasm", "\x00asm", true},
		{"style.css", "200 OK", "text/css", "@import '" + other + "/s.css'; body{display:none}", true},
		{"app.webmanifest", "200 OK", "application/manifest+json", "{}", true},
		{"parts", "200 OK", "multipart/x-mixed-replace; boundary=x", "--x\r\nContent-Type: text/html\r\n\r\n<script>window.pwned=1</script>\r\n--x--", true},
		{"untyped", "200 OK", "", "<!doctype html><script>window.pwned=1</script>", false},
		{"sniffed", "200 OK", "text/plain", "<!doctype html><script>window.pwned=1</script>", false},
		{"broken", "200 OK", "text/html; charset=\"", "<script>window.pwned=1</script>", false},
		{"utf7", "200 OK", "text/html; charset=utf-7", "+ADw-script+AD4-window.pwned=1+ADw-/script+AD4-", false},
		{"moved", "301 Moved\r\nLocation: javascript:window.pwned=1", "text/html", "<script>window.pwned=1</script>", false},
		{"away", "302 Found\r\nLocation: " + other + "/", "text/html", "<script>window.pwned=1</script>", false},
		{"missing", "404 Not Found", "text/html", "<script>window.pwned=1</script>", false},
		{"denied", "401 Unauthorized", "text/html", "<script>window.pwned=1</script>", false},
	}
}

// TestHostileCaptures opens raw captures that would take over our origin: by their
// fields, by their type, and in a browser.
func TestHostileCaptures(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64 // requests of another server
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(elsewhere.Close)
	other := elsewhere.URL
	var b bytes.Buffer
	out, err := warc.NewWriter(&b, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	at := noon.Add(-time.Hour)
	for _, c := range hostileCaptures(other) {
		head := "HTTP/1.1 " + c.status + "\r\n" + hostileFields
		if c.kind != "" {
			head += "Content-Type: " + c.kind + "\r\n"
		}
		if _, err := out.Response("http://hostile.test/"+c.path, at, []byte(head+"\r\n"), []byte(c.body), nil); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "hostile.warc")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := imported(t, file)
	ours := []string{
		"Cache-Control", "Content-Length", "Content-Security-Policy", "Content-Type", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Etag", "Link", "Location",
		"Memento-Datetime", "Permissions-Policy", "Referrer-Policy", "X-Content-Type-Options", "Vary",
	}
	address := func(path string) string {
		return "/web/" + at.Format("20060102150405") + "id_/http://hostile.test/" + path
	}
	for _, c := range hostileCaptures(other) {
		for _, ask := range [][]string{nil, {"Service-Worker", "script"}, {"Sec-Fetch-Dest", "script"}, {"Range", "bytes=0-5"}, {"Accept", "text/html"}} {
			r := get(t, s, address(c.path), ask...)
			h := r.Header
			for name := range h {
				if !slices.Contains(ours, name) && !strings.HasPrefix(name, "X-Archive-Orig-") {
					t.Errorf("%s: the field %s of a capture is one of ours: %s", c.path, name, h.Get(name))
				}
			}
			if h.Get("X-Archive-Orig-Set-Cookie") != "" || h.Get("X-Archive-Orig-Www-Authenticate") != "" || h.Get("X-Archive-Orig-Refresh") == "" {
				t.Errorf("%s: fields under other names: %v", c.path, h)
			}
			if h.Get("Content-Security-Policy") != "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox" || len(h.Values("Content-Security-Policy")) != 1 ||
				h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Opener-Policy") != "same-origin" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("%s: %v", c.path, h)
			}
			if to := h.Get("Location"); to != "" && !strings.HasPrefix(to, "http://localhost/web/") {
				t.Errorf("%s: leads to %s", c.path, to)
			}
			kind := h.Get("Content-Type")
			if kind == "" || c.plain != strings.HasPrefix(kind, "text/plain") && c.kind != "text/plain" || strings.Contains(kind, "utf-7") {
				t.Errorf("%s: served as %q", c.path, kind)
			}
		}
	}
	opened(t, s, other, address)
	if n := asked.Load(); n > 0 {
		t.Errorf("captures made %d requests of another server", n)
	}
}

// opened opens the captures in a browser, where nothing of them runs, also not from a
// page of ours.
func opened(t *testing.T, s http.Handler, other string, address func(string) string) {
	t.Helper()
	chromium(t)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	b := newBrowser(t, server.URL)
	for _, c := range hostileCaptures(other) {
		if c.path == "away" || c.path == "parts" {
			continue // the first leads to a page that no capture is stored of; the second has no end for a browser
		}
		if err := chromedp.Do(b, chromedp.Navigate(server.URL+address(c.path))); err != nil && !strings.Contains(err.Error(), "ERR_ABORTED") {
			t.Errorf("open %s: %v", c.path, err) // a browser stores what it cannot show, and goes nowhere
		}
		ran, err := chromedp.Run(b, chromedp.Evaluate[bool](`window.pwned === 1`))
		if err != nil || ran {
			t.Errorf("%s: ran %t, %v", c.path, ran, err)
		}
	}
	// Our own pages cannot take a capture for a script or a style sheet, and have no worker and no cookie of it.
	if err := chromedp.Do(b, chromedp.Navigate(server.URL+"/pages")); err != nil {
		t.Fatal(err)
	}
	taken, err := chromedp.Run(b, chromedp.Evaluate[string](fmt.Sprintf(`(async () => {
		let out = "";
		for (const [tag, name, path] of [["script", "src", %q], ["script", "src", %q], ["link", "href", %q]]) {
			const e = document.createElement(tag);
			e[name] = path;
			if (tag === "link") e.rel = "stylesheet";
			out += await new Promise((done) => { e.onload = () => done("loaded " + path + "; "); e.onerror = () => done(""); document.head.append(e); });
		}
		try { await navigator.serviceWorker.register(%q); out += "worker; "; } catch { /* as it should be */ }
		return out + document.cookie + (window.pwned === 1 ? "ran" : "");
	})()`, address("worker.js"), address("other.js"), address("style.css"), address("worker.js")), chromedp.EvalAwaitPromise))
	if err != nil || taken != "" {
		t.Errorf("our page takes captures: %q, %v", taken, err)
	}
}
