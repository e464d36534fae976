package snapshot

import (
	"time"

	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/frontier"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
)

// maxTries is how often a URL is asked for whose failure may pass.
const maxTries = 3

// finished is a URL with everything that is to be stored of it.
type finished struct {
	*frontier.URL
	host    *host
	capture *store.Capture
	row     store.SnapshotFetch
	alias   string // where it redirects to, canonical; empty: nowhere
	later   time.Time
	bytes   int

	language string // of what was read; empty: not read
}

// judge turns what came of a fetch into what is stored of it.
func (c *crawl) judge(h *host, u *frontier.URL, res fetch.Result) *finished {
	f := &finished{URL: u, host: h, bytes: len(res.Body) + 1024}
	f.capture = c.reader.Capture(u.URL, store.KindSnapshot, &res)
	f.capture.KeepLinks, f.capture.Quick = true, true
	if extract := f.capture.Extract; extract != nil {
		f.capture.Extract = func(payload []byte) store.Extract {
			e := c.read(u.URL, payload, extract)
			f.language = e.Language
			return e
		}
	}
	f.row = store.SnapshotFetch{
		Page: store.PageID(u.Page), At: res.StartedAt, Status: res.Status, Depth: u.Depth,
		Crawled: res.Kind == fetch.Content || res.Kind == fetch.NotModified,
	}
	modified := res.LastModified
	if modified == "" && res.Kind == fetch.NotModified {
		modified = u.LastModified
	}
	f.row.LastModified, f.row.Valid = intake.LastModified(modified, res.Header.Get("Date"), res.StartedAt)
	if res.Reason == fetch.Redirected && len(res.Redirects) > 0 {
		if to, err := c.reader.Resolve(u.URL, res.Redirects[0].To); err == nil && to != u.URL {
			f.alias = to
		}
	}
	if res.Status > 0 || res.Kind == fetch.Denied {
		h.failures = 0
	} else {
		h.failures++
	}
	if passing(res) && u.Tries+1 < maxTries && h.failures < c.opt.GiveUp {
		pause := c.opt.Retry
		for range u.Tries {
			pause *= 4
		}
		f.later = res.FinishedAt.Add(max(pause, res.RetryAfter))
	}
	return f
}

// read reads a payload; a panic is a fault of the payload.
func (c *crawl) read(url string, payload []byte, extract func([]byte) store.Extract) (e store.Extract) {
	defer func() {
		if p := recover(); p != nil {
			c.opt.Logger.Error("reading a page panicked", "url", url, "panic", p)
			e = store.Extract{Flags: []string{"unreadable"}, Rules: intake.Rules}
		}
	}()
	return extract(payload)
}

// passing reports whether another request may fare better.
func passing(res fetch.Result) bool {
	switch res.Reason {
	case fetch.Throttled, fetch.Unavailable, fetch.ServerError, fetch.RobotsUnreachable, fetch.DNS, fetch.Unconnected, fetch.HeaderTimeout,
		fetch.ClosedEarly, fetch.Network, fetch.Timeout, fetch.SlowBody, fetch.ShortBody, fetch.ProxyFailed, fetch.TLS:
		return true
	}
	return false
}

// trapShare is the share of a host's pages that may look like traps (SCIENCE T16),
// and fewestTraps how many may in any case.
const (
	trapShare   = 50
	fewestTraps = 10
)

// trapsOf is how many pages of a host may look like traps.
func (c *crawl) trapsOf() int64 {
	return max(fewestTraps, int64(c.series.Scope.MaxPagesPerHost)/trapShare)
}

// hasShare reports whether one more page of a host fits into its share. URLs that
// give no content count, too, when there are very many.
func (c *crawl) hasShare(h *host) bool {
	most := int64(c.series.Scope.MaxPagesPerHost)
	return most == 0 || h.Crawled+int64(h.unstored) < most && h.Tried+int64(h.unstored) < 4*most+64
}

// exhausted reports whether a host has had its share for good.
func (c *crawl) exhausted(h *host) bool {
	most := int64(c.series.Scope.MaxPagesPerHost)
	return most > 0 && (h.Crawled >= most || h.Tried >= 4*most+64)
}

// wanted reports whether a linked page belongs into the frontier.
func (c *crawl) wanted(url string, depth int) bool {
	most := c.series.Scope.MaxDepth
	return (most == 0 || depth <= most) && c.scope.has(url)
}
