package simweb

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// An answer is what goes out for a request, before any fault of the connection.
type answer struct {
	status int
	header http.Header
	body   []byte
	fault  Fault
	page   bool // the answer of a page, which robots.txt speaks of
}

// Response is the rendered answer of a URL.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // in the host's charset, not compressed
}

// Body renders the answer for request number n of a URL at a time, without faults and conditions. It is the same
// bytes whenever it is asked for. The status is 404 for what does not exist, and 502 for an unknown host.
func (w *World) Body(url string, at time.Time, n int) Response {
	rest, _ := strings.CutPrefix(url, "http://")
	name, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut("/"+path, "?")
	h := w.byName[strings.ToLower(name)]
	if h == nil {
		return Response{Status: http.StatusBadGateway, Header: http.Header{}}
	}
	t := w.offset(at)
	a, ok := h.service(path, t)
	if !ok {
		if p, found := h.find(path); found {
			a = p.answer(t, n)
		} else {
			a = h.missing()
		}
	}
	return Response{Status: a.status, Header: a.header, Body: a.body}
}

// respond works out the answer to a request of a host, or of a name that is none.
func (w *World) respond(r *http.Request, h *host, name string, t time.Duration) answer {
	if h == nil {
		return w.elsewhere(name)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return h.notice(http.StatusMethodNotAllowed, "Method not allowed", "This host can only be read.")
	}
	path := r.URL.Path
	a, ok := h.service(path, t)
	if !ok {
		a = h.respondPage(r, path, t)
		a.page = true
	}
	a.header.Set("Date", w.time(t).Format(http.TimeFormat))
	if len(a.body) > 0 && acceptsGzip(r.Header) {
		a.body = w.compress(a.body)
		a.header.Set("Content-Encoding", "gzip")
		a.header.Set("Vary", "Accept-Encoding")
	}
	return a
}

func (h *host) respondPage(r *http.Request, path string, t time.Duration) answer {
	p, ok := h.find(path)
	if !ok {
		return h.missing()
	}
	n := h.w.stats.visit(&p, h.w.time(t))
	fault := p.fault(n)
	if a, ok := p.failing(fault, t, n); ok {
		return a
	}
	if p.alive(t) && p.kind != Redirect {
		header := http.Header{}
		p.validators(header, t, n)
		if notModified(r.Header, header) {
			return answer{status: http.StatusNotModified, header: header}
		}
	}
	a := p.answer(t, n)
	a.fault = fault
	return a
}

// answer is the page's answer at t to request number n: the page, a redirect, or what is left of it.
func (p *page) answer(t time.Duration, n int) answer {
	h := p.h
	switch {
	case t < p.born:
		return h.missing()
	case t >= p.died:
		switch p.death {
		case Gone:
			return h.notice(http.StatusGone, "Gone", "This page has been removed.")
		case SoftNotFound:
			return h.notice(http.StatusOK, h.Name, h.lang.notFound)
		case ToHome:
			return h.redirect(http.StatusFound, "/")
		case Moved:
			return h.redirect(http.StatusMovedPermanently, h.path(firstSection+p.section, 0))
		}
		return h.missing()
	case p.kind == Redirect:
		status := http.StatusMovedPermanently
		if p.idx == temporary || p.idx == chain2 {
			status = http.StatusFound
		}
		return h.redirect(status, h.path(p.target, 0))
	}
	a := answer{status: http.StatusOK, header: h.htmlHeader(), body: h.encode(p.render(t, n))}
	p.validators(a.header, t, n)
	return a
}

func (h *host) htmlHeader() http.Header {
	kind := "text/html"
	if !h.charsetByMeta {
		kind += "; charset=" + h.Charset
	}
	return http.Header{"Content-Type": {kind}, "Server": {"simweb"}}
}

// validators sets ETag and Last-Modified as the page has them, honest or not.
func (p *page) validators(header http.Header, t time.Duration, n int) {
	if p.validator == NoValidator {
		return
	}
	print, changed := p.fingerprint(t)
	switch p.validator {
	case Exact:
		header.Set("ETag", fmt.Sprintf("\"%016x\"", print))
	case Weak:
		header.Set("ETag", fmt.Sprintf("W/\"%016x\"", print))
	case StaleETag:
		header.Set("ETag", fmt.Sprintf("\"%016x\"", p.seed))
		return
	case RandomETag:
		header.Set("ETag", fmt.Sprintf("\"%016x\"", mix(p.seed, forNoise, uint64(n), 3)))
		return
	case FreshDate:
		changed = t
	}
	header.Set("Last-Modified", p.h.w.time(changed).Format(http.TimeFormat))
}

// notModified applies the conditions of RFC 9110, 13.2.2: If-None-Match by weak comparison, and only without
// it If-Modified-Since.
func notModified(request, page http.Header) bool {
	if match := request.Get("If-None-Match"); match != "" {
		etag := strings.TrimPrefix(page.Get("ETag"), "W/")
		for tag := range strings.SplitSeq(match, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if etag != "" && (tag == etag || tag == "*") {
				return true
			}
		}
		return false
	}
	since, err1 := http.ParseTime(request.Get("If-Modified-Since"))
	changed, err2 := http.ParseTime(page.Get("Last-Modified"))
	return err1 == nil && err2 == nil && !changed.After(since)
}

// service answers the addresses that are not pages: robots.txt, sitemaps, the feed.
func (h *host) service(path string, t time.Duration) (answer, bool) {
	header, status, body := http.Header{"Server": {"simweb"}}, http.StatusOK, []byte(nil)
	switch {
	case path == "/robots.txt":
		text, code := h.robotsTxt()
		header.Set("Content-Type", "text/plain; charset=utf-8")
		status, body = code, []byte(text)
	case "http://"+h.Name+path == h.Feed:
		header.Set("Content-Type", "application/xml; charset=utf-8")
		body = h.feed(t)
	case strings.HasPrefix(path, "/sitemap"):
		header.Set("Content-Type", "application/xml; charset=utf-8")
		body = h.sitemap(path, t)
	}
	return answer{status: status, header: header, body: body}, body != nil
}

func (h *host) redirect(status int, path string) answer {
	a := h.notice(status, http.StatusText(status), "This page is elsewhere.")
	a.header.Set("Location", path)
	return a
}

func (h *host) missing() answer { return h.notice(http.StatusNotFound, "404", h.lang.notFound) }

// notice is a small page in the host's template.
func (h *host) notice(status int, title, text string) answer {
	b := fmt.Appendf(nil, "<!DOCTYPE html>\n<html lang=\"%s\"><head>\n", h.Language)
	if h.charsetByMeta {
		b = fmt.Appendf(b, "<meta charset=\"%s\">\n", h.Charset)
	}
	b = fmt.Appendf(b, "<title>%s</title></head><body class=\"notice\">\n<h1>%s</h1>\n<p>%s</p>\n<p><a href=\"/\">%s</a></p>\n</body></html>\n",
		title, title, text, h.lang.home)
	return answer{status: status, header: h.htmlHeader(), body: h.encode(b)}
}

// elsewhere answers requests to hosts that are not of this world: on a bare address the list of all home
// pages, else 502 as a proxy does that cannot reach a host.
func (w *World) elsewhere(name string) answer {
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	if name != "localhost" && net.ParseIP(name) == nil {
		return answer{status: http.StatusBadGateway, header: header, body: []byte("<p>no such host in this simulated web</p>\n")}
	}
	b := []byte("<!DOCTYPE html>\n<html lang=\"en\"><title>Simulated web</title><ul>\n")
	for _, home := range w.Homes() {
		b = fmt.Appendf(b, "<li><a href=\"%s\">%s</a></li>\n", home, home)
	}
	return answer{status: http.StatusOK, header: header, body: append(b, "</ul></html>\n"...)}
}

func acceptsGzip(h http.Header) bool {
	for part := range strings.SplitSeq(h.Get("Accept-Encoding"), ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" || coding == "*" {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(params), "q="), 64)
			return err != nil || q > 0
		}
	}
	return false
}

func (w *World) compress(body []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(body)/2 + 64)
	z, ok := w.gzips.Get().(*gzip.Writer)
	if !ok {
		z, _ = gzip.NewWriterLevel(&out, gzip.BestSpeed) // the level is valid
	}
	z.Reset(&out)
	// A bytes.Buffer takes everything, so neither call can fail.
	_, _ = z.Write(body)
	_ = z.Close()
	w.gzips.Put(z)
	return out.Bytes()
}
