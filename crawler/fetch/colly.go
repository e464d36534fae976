package fetch

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gocolly/colly/v2"
)

// worker is a collector of colly with the wire under it. It fetches one address at a time: a
// goroutine takes one, uses it, and puts it back.
//
// colly parses the address as browsers do, builds the request, keeps the cookies of a chain, and
// calls back. What it would do beyond that is switched off: its limits are one semaphore for all
// hosts, its robots.txt cache never forgets and knows no redirects, its set of visited addresses
// grows without bound, its body limit counts compressed bytes, and it rewrites bodies to UTF-8.
// Redirects are not followed by net/http below it either: each is a request of its own, so that
// gate, rules and guard see all of them.
type worker struct {
	collector *colly.Collector
	wire      wire
	answered  bool
}

func newWorker(f *Fetcher) *worker {
	w := &worker{wire: wire{f: f}}
	c := colly.NewCollector()
	// NewCollector has read the environment: every COLLY_ variable changes a setting. So all are
	// set here, those whose default would do too.
	c.UserAgent = f.opt.UserAgent
	c.Headers = nil
	c.MaxDepth = 0
	c.MaxRequests = 0
	c.MaxBodySize = 0
	c.CacheDir = ""
	c.AllowedDomains = nil
	c.DisallowedDomains = nil
	c.AllowURLRevisit = true
	c.IgnoreRobotsTxt = true
	c.ParseHTTPErrorResponse = true
	c.DetectCharset = false
	c.TraceHTTP = false
	c.CheckHead = false
	c.Async = false
	c.DisableCookies()
	c.SetRequestTimeout(0) // the watchdog's work
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	c.WithTransport(&w.wire)
	c.OnResponse(func(r *colly.Response) { w.answered = r.StatusCode == w.wire.x.status })
	w.collector = c
	return w
}

// order is what a worker is to fetch.
type order struct {
	url    string
	header http.Header
	jar    http.CookieJar    // nil for none
	base   http.RoundTripper // carries the request
	gate   barrier           // of a pair; nil for none
	max    int               // bytes of the body
}

// get fetches one address.
func (w *worker) get(ctx context.Context, o order) *exchange {
	x := &exchange{}
	w.wire.x, w.wire.base, w.wire.gate, w.wire.max, w.answered = x, o.base, o.gate, o.max, false
	w.collector.Context = ctx
	w.collector.SetCookieJar(o.jar)
	err := w.collector.Request(http.MethodGet, o.url, nil, nil, o.header)
	w.wire.x, w.wire.base, w.wire.gate = nil, nil, nil
	w.collector.Context = context.Background()
	switch {
	case x.err != nil: // it says more than what net/http and colly made of it
	case err != nil && 300 <= x.status && x.status < 400:
		// net/http gave up over a Location that it cannot read, of which we judge ourselves.
	case err != nil && x.url == "":
		x.err = &fault{BadURL, err.Error()}
	case err != nil:
		x.err = err
	case !w.answered:
		x.err = fmt.Errorf("colly dropped the answer of %s", o.url)
	}
	return x
}

// worker takes a worker that is at rest, or makes one.
func (f *Fetcher) worker() *worker {
	select {
	case w := <-f.workers:
		return w
	default:
		return newWorker(f)
	}
}

// rest puts a worker back. More than the list holds are left to the garbage collector.
func (f *Fetcher) rest(w *worker) {
	select {
	case f.workers <- w:
	default:
	}
}
