package fetch

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// judge decides what the last exchange of a fetch came to.
func (f *Fetcher) judge(r *Result, req *Request, x *exchange) {
	if x.err != nil {
		reason, kind := reasonOf(x.err), Failed
		if reason == AddressRefused {
			kind = Denied
		}
		r.fail(kind, reason, x.err.Error())
		return
	}
	reason, text := f.judgeStatus(r, req)
	if reason == "" && r.Kind == "" {
		reason, text = judgeContent(r, req)
	}
	switch {
	case reason != "":
		r.fail(Failed, reason, text)
	case r.Kind == "":
		r.Kind = Content
	}
}

// judgeStatus judges by the status. It sets the Kind if nothing is left to judge.
func (f *Fetcher) judgeStatus(r *Result, req *Request) (Reason, string) {
	text := fmt.Sprintf("status %d %s", r.Status, http.StatusText(r.Status))
	switch s := r.Status; {
	case s == http.StatusNotModified:
		sent := f.header(req, r.FinalURL)
		if sent["If-None-Match"] == nil && sent["If-Modified-Since"] == nil {
			return UnexpectedStatus, text + ", unasked"
		}
		r.Kind = NotModified
		if r.ETag == "" {
			r.ETag = req.ETag
		}
		if r.LastModified == "" {
			r.LastModified = req.LastModified
		}
		return "", ""
	case s == http.StatusNoContent, s == http.StatusResetContent:
		return Empty, text
	case s == http.StatusPartialContent:
		return UnexpectedStatus, text
	case 200 <= s && s < 300:
		return "", ""
	case isRedirect(s):
		return BadRedirect, text + ", Location " + fmt.Sprintf("%q", r.Header.Get("Location"))
	case s == http.StatusNotFound:
		return NotFound, text
	case s == http.StatusGone:
		return Removed, text
	case s == http.StatusUnauthorized, s == http.StatusProxyAuthRequired:
		return LoginNeeded, text
	case s == http.StatusUnavailableForLegalReasons:
		return Legal, text
	case s == http.StatusTooManyRequests:
		return Throttled, text
	case s == http.StatusForbidden, s == http.StatusServiceUnavailable:
		if isHTML(r) {
			if phrase := sketchOf(r.Body).blocked(); phrase != "" {
				return Blocked, text + ", the page says " + quote(phrase)
			}
		}
		if s == http.StatusForbidden {
			return Forbidden, text
		}
		return Unavailable, text
	case 400 <= s && s < 500:
		return ClientError, text
	case 500 <= s && s < 600:
		return ServerError, text
	default:
		return UnexpectedStatus, text
	}
}

// judgeContent judges an answer whose status says that all is well. It errs on the side of
// content: a page kept wrongly is seen and can be ignored, a page dropped wrongly is not.
func judgeContent(r *Result, req *Request) (Reason, string) {
	switch {
	case r.Coding != "":
		return "", "" // nothing can be seen of it
	case len(r.Body) == 0:
		return Empty, "the body is empty"
	case len(r.Redirects) > 0 && isHomeRedirect(req.URL, r.FinalURL):
		return HomeRedirect, "redirected to the home page " + r.FinalURL
	case !isHTML(r):
		return "", ""
	case bytes.HasPrefix(r.Body, []byte("\x1f\x8b\x08")):
		return BadEncoding, "gzip, without saying so"
	}
	return sketchOf(r.Body).judge(r)
}

// isHTML reports whether a body is a web page by its declared type, or without one by its look.
func isHTML(r *Result) bool {
	t := strings.ToLower(r.ContentType)
	if t == "" {
		return bytes.HasPrefix(bytes.TrimLeft(r.Body[:min(len(r.Body), 512)], "\xef\xbb\xbf \t\r\n"), []byte("<"))
	}
	return strings.Contains(t, "html")
}

// isHomeRedirect reports whether a page below the home page redirects to it, on the same site:
// what many servers do in place of 404. The names by which a home page is known do not count as
// below it, nor do names of two letters, which are languages.
func isHomeRedirect(from, to string) bool {
	a, errA := url.Parse(from)
	b, errB := url.Parse(to)
	if errA != nil || errB != nil || b.RawQuery != "" || strings.Trim(b.Path, "/") != "" {
		return false
	}
	path := strings.Trim(strings.ToLower(a.Path), "/")
	if path == "" || len(path) == 2 || site(from) != site(to) {
		return false
	}
	name, _, _ := strings.Cut(path, ".")
	switch name {
	case "index", "default", "home", "homepage", "main", "start", "startseite", "accueil", "inicio":
		return false
	}
	return true
}

// site returns the registrable domain of an address.
func site(address string) string {
	u, err := canonical.New(canonical.Options{}).URL("", address)
	if err != nil {
		return address
	}
	facts, err := canonical.FactsOf(u)
	if err != nil {
		return address
	}
	return facts.Site
}

func quote(phrase string) string { return fmt.Sprintf("%q", phrase) }
