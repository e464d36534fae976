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
// gone), and storing.
package fetch

import (
	"context"
	"net/http"

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
