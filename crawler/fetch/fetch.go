// Package fetch gets one page at a time from the web, politely and safely, and says what came of
// it.
//
// [Fetcher.Fetch] takes a [Request] and returns a [Result]: never an error, since what hosts do
// wrong is data. On the way every request, those for robots.txt and behind redirects too, passes
// the host's gate, the robots rules of its origin, and the guard of addresses. The answer is read
// under limits of time, rate and size, decompressed, and judged: status, redirects and content
// decide between content, not modified and a [Reason] of a closed set.
//
// [Fetcher.FetchPair] fetches a page twice at the same moment (SCIENCE A6).
//
// colly, behind colly.go, makes the requests. Timeouts count the machine's time, everything else
// goes by Options.Clock. With a proxy, the proxy makes the connection and so has the last word on
// addresses: we refuse what we can see to be private, by name or number, but the proxy may look a
// name up differently. Give it rules of its own.
//
// Left out: what to fetch and when, the outcomes that need the page's past (new, changed, same,
// gone; see [Absence]), and storing.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/robotcache"
	"github.com/strandlinehq/strandline/crawler/robots"
)

// Fetcher fetches pages. It may be used by any number of goroutines; how many is what bounds the
// connections.
type Fetcher struct {
	opt      Options
	gate     *gate.Gate
	robots   *robotcache.Cache
	former   *canonical.Former
	net      *network             // nil with Options.Transport
	base     http.RoundTripper    // of single requests
	legs     [2]http.RoundTripper // of pairs, which share no connection
	workers  chan *worker         // at rest
	decoders decoders
}

// maxResting is how many workers are kept for reuse.
const maxResting = 256

// New returns a Fetcher. The error says which option is wrong.
func New(opt Options) (*Fetcher, error) {
	opt, proxy, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &Fetcher{
		opt: opt, gate: opt.Gate, workers: make(chan *worker, maxResting),
		former: canonical.New(canonical.Options{Tracking: []string{}}),
	}
	f.robots = robotcache.New(f.getRobots, opt.robots())
	if opt.Transport != nil {
		f.base = opt.Transport
		f.legs = [2]http.RoundTripper{opt.Transport, opt.Transport}
		return f, nil
	}
	f.net = newNetwork(&f.opt, proxy)
	f.base = f.net.transport(true)
	f.legs = [2]http.RoundTripper{f.net.transport(false), f.net.transport(false)}
	return f, nil
}

// Close ends the connections that are kept for reuse. Fetches that run are not disturbed.
func (f *Fetcher) Close() {
	for _, t := range []http.RoundTripper{f.base, f.legs[0], f.legs[1]} {
		if c, ok := t.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
	}
}

// Robots returns the rules by host, which the scheduler may ask before it plans a fetch.
func (f *Fetcher) Robots() *robotcache.Cache { return f.robots }

// Gate returns the gate that all requests pass.
func (f *Fetcher) Gate() *gate.Gate { return f.gate }

// Fetch fetches a page. It returns at once when the context is done.
func (f *Fetcher) Fetch(ctx context.Context, req Request) Result {
	w := f.worker()
	defer f.rest(w)
	return f.visit(ctx, req, []leg{{w, f.base}}, nil)[0]
}

// leg is what carries one of the requests that go together.
type leg struct {
	w    *worker
	base http.RoundTripper
}

// place is where an address belongs.
type place struct{ origin, host string }

func (f *Fetcher) place(address string) (place, error) {
	c, err := f.former.URL("", address)
	if err != nil {
		return place{}, err
	}
	facts, err := canonical.FactsOf(c)
	if err != nil {
		return place{}, err
	}
	return place{facts.Origin, facts.Host}, nil
}

// visit sends a request by every leg, follows where all are redirected to, and judges each answer.
// A single fetch has one leg.
func (f *Fetcher) visit(ctx context.Context, req Request, legs []leg, together func() barrier) []Result {
	now := f.opt.Clock.Now()
	results := make([]Result, len(legs))
	for i := range results {
		results[i] = Result{StartedAt: now, FinishedAt: now, FinalURL: req.URL}
	}
	all := func(kind Kind, reason Reason, text string) []Result {
		for i := range results {
			results[i].fail(kind, reason, text)
		}
		return results
	}
	jars, err := jarsFor(req, len(legs))
	if err != nil {
		f.calledOff(req)
		return all(Failed, BadURL, err.Error())
	}
	address, admitted, seen := req.URL, req.Admitted, []string{req.URL}
	for {
		at, err := f.place(address)
		if err != nil {
			f.calledOff(req)
			return all(Failed, BadURL, fmt.Sprintf("%s: %v", address, err))
		}
		if stop := f.admit(ctx, at, address, admitted); stop != nil {
			for i := range results {
				results[i].fail(stop.Kind, stop.Reason, stop.Text)
				results[i].RetryAt = stop.RetryAt
			}
			return results
		}
		admitted = false
		xs := f.send(ctx, req, address, at, legs, jars, together)
		next := ""
		for i, x := range xs {
			to := f.take(&results[i], x, address, len(seen) == 1)
			if i > 0 && to != next {
				next = ""
				all(Failed, RedirectsDiffer, "the two requests were not redirected alike")
				return results
			}
			next = to
		}
		switch {
		case next == "":
			for i, x := range xs {
				f.judge(&results[i], &req, x)
			}
			return results
		case len(seen) > f.opt.MaxRedirects:
			return all(Failed, TooManyRedirects, fmt.Sprintf("more than %d redirects", f.opt.MaxRedirects))
		case slices.Contains(seen, next) && jars[0] == nil:
			// With cookies an address may answer differently the second time.
			return all(Failed, RedirectLoop, "redirects lead in a circle to "+next)
		}
		address = next
		seen = append(seen, next)
	}
}

// calledOff gives back what the caller was admitted to when the address itself was no good.
func (f *Fetcher) calledOff(req Request) {
	if req.Admitted {
		if at, err := f.place(req.URL); err == nil {
			f.gate.Cancel(at.host)
		}
	}
}

// admit asks the robots rules and the gate. It returns nil when a request was started at the gate,
// or what keeps us from it. Nobody who waits for a robots.txt holds a place at the gate, or those
// who wait and those who fetch it could wait for each other.
func (f *Fetcher) admit(ctx context.Context, at place, address string, admitted bool) *Result {
	stop := func(kind Kind, reason Reason, text string) *Result {
		if admitted {
			f.gate.Cancel(at.host)
		}
		return &Result{Kind: kind, Reason: reason, Text: text}
	}
	rules, ok := f.robots.Lookup(at.origin)
	if !ok {
		if admitted {
			f.gate.Cancel(at.host)
			admitted = false
		}
		var err error
		if rules, err = f.robots.Rules(ctx, at.origin); err != nil {
			return notStarted(err)
		}
	}
	f.gate.SetCrawlDelay(at.host, rules.CrawlDelay(), f.opt.Clock.Now())
	if !rules.Allowed(address) {
		if rules.Policy != robots.Unreachable {
			return stop(Denied, RobotsDenied, (&robots.Denied{Agent: robots.Token(f.opt.UserAgent), URL: address}).Error())
		}
		if rules.Err == nil {
			return stop(Failed, RobotsUnreachable, fmt.Sprintf("robots.txt was answered with status %d", rules.Status))
		}
		reason := reasonOf(rules.Err)
		kind := Failed
		if reason == AddressRefused {
			kind = Denied
		}
		return stop(kind, reason, "robots.txt: "+rules.Err.Error())
	}
	if admitted {
		return nil
	}
	if err := f.gate.Acquire(ctx, f.opt.Clock, at.host, f.opt.Patience); err != nil {
		return notStarted(err)
	}
	return nil
}

// notStarted is the result of a request that the gate did not let start.
func notStarted(err error) *Result {
	if busy, ok := errors.AsType[*gate.Busy](err); ok {
		return &Result{Kind: Skipped, Reason: Busy, Text: busy.Error(), RetryAt: busy.Until}
	}
	return &Result{Kind: Failed, Reason: Cancelled, Text: err.Error()}
}

// send sends the request by every leg at once, and ends it at the gate.
func (f *Fetcher) send(ctx context.Context, req Request, address string, at place, legs []leg, jars []http.CookieJar, together func() barrier) []*exchange {
	xs := make([]*exchange, len(legs))
	defer func() { f.gate.End(at.host, f.opt.Clock.Now(), f.feedback(xs)) }()
	order := func(i int) order {
		return order{url: address, header: f.header(&req, address), jar: jars[i], base: legs[i].base, max: f.opt.MaxBody}
	}
	if len(legs) == 1 {
		xs[0] = legs[0].w.get(ctx, order(0))
		return xs
	}
	meet := together()
	done := make(chan struct{})
	for i := range legs {
		go func() {
			defer func() { done <- struct{}{} }()
			defer meet.leave()
			o := order(i)
			o.gate = meet
			xs[i] = legs[i].w.get(ctx, o)
		}()
	}
	for range legs {
		<-done
	}
	return xs
}

// feedback tells the gate how the host did; of a pair, the answer that says more against it.
func (f *Fetcher) feedback(xs []*exchange) gate.Feedback {
	var worst gate.Feedback
	for i, x := range xs {
		if x == nil {
			return gate.Feedback{Unknown: true} // a panic is on its way up
		}
		b := gate.Feedback{Status: x.status, RetryAfter: retryAfter(x.header, f.opt.Clock.Now())}
		if x.err != nil {
			if reason := reasonOf(x.err); reason.hostFault() {
				b.Failed = string(reason)
			} else if x.status == 0 {
				b.Unknown = true
			}
		}
		if i == 0 || b.Failed != "" || b.Status == http.StatusTooManyRequests || b.Status == http.StatusServiceUnavailable {
			worst = b
		}
	}
	return worst
}

// header returns the fields of a request.
func (f *Fetcher) header(req *Request, address string) http.Header {
	h := http.Header{
		"User-Agent":      {f.opt.UserAgent},
		"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Encoding": {acceptEncoding},
	}
	from := req.ValidatedURL
	if from == "" {
		from = req.URL
	}
	if address == from {
		if req.ETag != "" {
			h["If-None-Match"] = []string{req.ETag}
		}
		if req.LastModified != "" {
			h["If-Modified-Since"] = []string{req.LastModified}
		}
	}
	return h
}

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

// jarsFor returns the cookie jars of a fetch, one a leg; nil jars without cookies.
func jarsFor(req Request, n int) ([]http.CookieJar, error) {
	jars := make([]http.CookieJar, n)
	if len(req.Cookies) == 0 {
		return jars, nil
	}
	u, err := url.Parse(req.URL)
	if err != nil {
		return nil, fmt.Errorf("%s: not a URL", req.URL)
	}
	for i := range jars {
		jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
		if err != nil {
			return nil, fmt.Errorf("cookies: %w", err)
		}
		jar.SetCookies(u, req.Cookies)
		jars[i] = jar
	}
	return jars, nil
}

// getRobots is the robotcache.Get of the fetcher.
func (f *Fetcher) getRobots(ctx context.Context, address string) (robotcache.Answer, error) {
	at, err := f.place(address)
	if err != nil {
		return robotcache.Answer{Err: &fault{BadURL, err.Error()}}, nil //nolint:nilerr // it is the host's answer that led here
	}
	if err := f.gate.Acquire(ctx, f.opt.Clock, at.host, f.opt.Patience); err != nil {
		return robotcache.Answer{}, err
	}
	w := f.worker()
	defer f.rest(w)
	xs := []*exchange{nil}
	defer func() { f.gate.End(at.host, f.opt.Clock.Now(), f.feedback(xs)) }()
	x := w.get(ctx, order{url: address, header: f.header(&Request{}, address), base: f.base, max: robots.MaxBytes + 1})
	xs[0] = x
	if err := ctx.Err(); err != nil && x.err != nil {
		return robotcache.Answer{}, err
	}
	a := robotcache.Answer{Status: x.status, Location: x.header.Get("Location"), Body: x.body, RetryAfter: retryAfter(x.header, f.opt.Clock.Now())}
	if x.err != nil && (x.status < 300 || x.status > 499) {
		// Behind a status that says all, a body that broke off does not matter.
		a.Status, a.Err = 0, x.err
		f.opt.Logger.Debug("robots.txt not read", "url", address, "reason", string(reasonOf(x.err)))
	}
	return a, nil
}

// retryAfter reads the header field: seconds, or a date (RFC 9110 section 10.2.3). What cannot be
// read, or has passed, is zero.
func retryAfter(h http.Header, now time.Time) time.Duration {
	field := strings.TrimSpace(h.Get("Retry-After"))
	if field == "" {
		return 0
	}
	return parseRetryAfter(field, h.Get("Date"), now)
}
