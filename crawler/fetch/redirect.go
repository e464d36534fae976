package fetch

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// take writes an exchange with an address into a result, and returns the address it redirects to;
// empty if none.
func (f *Fetcher) take(r *Result, x *exchange, address string, first bool) (next string) {
	if first && !x.started.IsZero() {
		r.StartedAt = x.started
	}
	if !x.finished.IsZero() {
		r.FinishedAt = x.finished
	}
	r.FinalURL = address
	r.SentAt = x.sent
	r.BytesOnWire += x.onWire
	r.Status, r.Head, r.HeadExact, r.Header = x.status, x.head, x.headExact, x.header
	r.Body, r.Removed, r.Coding, r.Truncated = x.body, x.removed, x.coding, x.truncated
	r.ETag, r.LastModified, r.ContentType = x.header.Get("Etag"), x.header.Get("Last-Modified"), x.header.Get("Content-Type")
	r.RetryAfter = retryAfter(x.header, f.opt.Clock.Now())
	if !isRedirect(x.status) {
		return ""
	}
	// A body that broke off does not matter here.
	next = target(address, x.header)
	r.Redirects = append(r.Redirects, Hop{URL: address, Status: x.status, To: next, Head: x.head})
	if next != "" && isPermanent(x.status) && len(r.Redirects) == permanentSoFar(r)+1 {
		r.PermanentURL = next
	}
	return next
}

// permanentSoFar counts the permanent redirects at the start of the chain, but for its last.
func permanentSoFar(r *Result) int {
	n := 0
	for _, h := range r.Redirects[:len(r.Redirects)-1] {
		if !isPermanent(h.Status) {
			return n
		}
		n++
	}
	return n
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func isPermanent(status int) bool {
	return status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect
}

// target returns the absolute address of a redirect, empty if it has none that can be asked.
func target(from string, h http.Header) string {
	location := strings.TrimSpace(h.Get("Location"))
	if location == "" || len(location) > canonical.MaxLength {
		return ""
	}
	base, err := url.Parse(from)
	if err != nil {
		return ""
	}
	to, err := base.Parse(location)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return ""
	}
	to.Fragment, to.RawFragment, to.User = "", "", nil
	if to.Path == "" {
		to.Path = "/"
	}
	return to.String()
}
