package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"

	"golang.org/x/net/publicsuffix"

	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/robots"
)

// leg is what carries one of the requests that go together.
type leg struct {
	w    *worker
	base http.RoundTripper
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
		var next string
		for i, x := range xs {
			to := f.take(&results[i], x, address, len(seen) == 1)
			if i > 0 && to != next {
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
		case req.NoFollow:
			return all(Failed, Redirected, "redirects to "+next)
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
