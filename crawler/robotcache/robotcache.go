// Package robotcache keeps the robots.txt rules of the hosts that a crawler visits.
//
// A [Cache] is asked for the [Rules] of an origin (scheme, host and port, the scope of a
// robots.txt in RFC 9309). Rules at hand are returned at once. Otherwise one caller fetches the
// file, whoever else asks meanwhile waits for it, and the answer is judged as RFC 9309 section
// 2.3.1 says: up to five redirects are followed, also to other hosts; a 4xx means that there are
// no rules; a 5xx, 429 or no answer at all means that nothing may be fetched, which is tried again
// sooner. A host that stops answering is judged by the rules it had. One that never answered in 30
// days has none.
//
// The cache holds a bounded number of bytes; the rules asked for longest ago go first. Nothing is
// written to disk: after a restart every host is asked again, as the RFC would want it once a day
// anyway.
//
// Left out: the request itself with its politeness, which the caller brings as a [Get], and
// reading the file, which is package robots.
package robotcache

import (
	"container/list"
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/robots"
)

// Get fetches one address, without following redirects. It reads up to robots.MaxBytes+1 bytes of
// the body. An error says that the host was not asked, or that the context was done: it says
// nothing about the host, is not remembered, and is what Rules returns.
type Get func(ctx context.Context, address string) (Answer, error)

// Answer is what came of a request.
type Answer struct {
	Status     int    // 0 if there was no answer, or its body broke off
	Location   string // of a redirect: the header field
	Body       []byte
	RetryAfter time.Duration
	Err        error // why Status is 0
}

// Options are the choices of a Cache. The zero value is a good default, but for the agent.
type Options struct {
	// Agent is the User-Agent header or product token by which we are named in the files.
	Agent string
	// TTL is how long rules are used; zero means robots.MaxAge, a day, which is also the most.
	TTL time.Duration
	// RetryAfter is how soon a host that could not be asked is asked again; zero means half an
	// hour. A host that names a longer time is given it, up to TTL.
	RetryAfter time.Duration
	// Bytes bounds the memory of all rules; zero means 64 MiB.
	Bytes int
	// IgnoreHosts are host names whose robots.txt is neither fetched nor obeyed. They should be
	// the operator's own.
	IgnoreHosts []string
	// Clock is the time; nil means the machine's.
	Clock clock.Clock
}

// Cache holds the rules of many origins. It may be used concurrently.
type Cache struct {
	get    Get
	opt    Options
	ignore map[string]bool

	mu      sync.Mutex // guards what follows; never held during a request
	entries map[string]*entry
	recent  list.List // of *entry, the one asked for last in front
	bytes   int
}

// entry is one origin: its rules, the request for them, or both while they are renewed.
type entry struct {
	origin string
	rules  *Rules        // nil before the first answer
	flight chan struct{} // closed when the running request is over; nil if none runs
	at     *list.Element
}

// New returns an empty cache.
func New(get Get, opt Options) *Cache {
	if opt.TTL <= 0 || opt.TTL > robots.MaxAge {
		opt.TTL = robots.MaxAge
	}
	if opt.RetryAfter <= 0 {
		opt.RetryAfter = 30 * time.Minute
	}
	if opt.Bytes <= 0 {
		opt.Bytes = 64 << 20
	}
	if opt.Clock == nil {
		opt.Clock = clock.Real{}
	}
	c := &Cache{get: get, opt: opt, ignore: make(map[string]bool), entries: make(map[string]*entry)}
	for _, h := range opt.IgnoreHosts {
		c.ignore[h] = true
	}
	return c
}

// Lookup returns the rules of an origin ("https://example.org:8443") if they are at hand and not
// too old. It never waits.
func (c *Cache) Lookup(origin string) (*Rules, bool) {
	if r := c.ignored(origin); r != nil {
		return r, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[origin]
	if e == nil || !e.fresh(c.opt.Clock.Now()) {
		return nil, false
	}
	c.recent.MoveToFront(e.at)
	return e.rules, true
}

// Rules returns the rules of an origin, which it fetches if they are not at hand. That the host
// gives no proper answer is no error but makes rules of its own; an error is that of Get, or the
// context's.
func (c *Cache) Rules(ctx context.Context, origin string) (*Rules, error) {
	for {
		if r, ok := c.Lookup(origin); ok {
			return r, nil
		}
		e, leads, flight := c.join(origin)
		if leads {
			return c.fly(ctx, e)
		}
		select {
		case <-flight:
			// Whether it brought rules is seen above. If it did not, for its leader gave up, another
			// caller leads.
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// join makes the caller the leader of a request for an origin, or lets it wait for the one that
// is running.
func (c *Cache) join(origin string) (e *entry, leads bool, flight <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e = c.entries[origin]
	if e == nil {
		e = &entry{origin: origin}
		e.at = c.recent.PushFront(e)
		c.entries[origin] = e
		c.bytes += e.size()
	}
	if e.flight != nil {
		return e, false, e.flight
	}
	e.flight = make(chan struct{})
	return e, true, e.flight
}

// fly fetches the rules of an entry that the caller leads.
func (c *Cache) fly(ctx context.Context, e *entry) (*Rules, error) {
	var rules *Rules
	defer func() { // also when get panics, or its goroutine ends: others must not wait for ever
		c.mu.Lock()
		defer c.mu.Unlock()
		close(e.flight)
		e.flight = nil
		c.bytes -= e.size()
		if rules != nil {
			e.rules = rules
		}
		if e.rules == nil {
			c.recent.Remove(e.at)
			delete(c.entries, e.origin)
			return
		}
		c.bytes += e.size()
		c.shrink(e)
	}()
	answer, hops, err := c.follow(ctx, e.origin)
	if err != nil {
		return nil, err
	}
	// Only the leader changes rules, so they are read without the lock.
	rules = c.judge(e.origin, e.rules, answer, hops)
	return rules, nil
}

// follow asks for the file of an origin and follows its redirects. The answer is the last one.
func (c *Cache) follow(ctx context.Context, origin string) (a Answer, hops int, err error) {
	address := origin + "/robots.txt"
	for {
		a, err = c.get(ctx, address)
		if err != nil || a.Status < 300 || a.Status >= 400 || a.Location == "" || hops == robots.MaxRedirects {
			return a, hops, err
		}
		base, parseErr := url.Parse(address)
		if parseErr != nil {
			return a, hops, nil
		}
		to, parseErr := base.Parse(a.Location)
		if parseErr != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
			return a, hops, nil // leads nowhere
		}
		to.Fragment = ""
		address = to.String()
		hops++
	}
}

// shrink drops the rules that were asked for longest ago, but for those of keep and those that are
// being fetched. The lock is held.
func (c *Cache) shrink(keep *entry) {
	for at := c.recent.Back(); at != nil && c.bytes > c.opt.Bytes; {
		e, before := at.Value.(*entry), at.Prev()
		if e != keep && e.flight == nil {
			c.recent.Remove(at)
			delete(c.entries, e.origin)
			c.bytes -= e.size()
		}
		at = before
	}
}

// Size returns how many origins are held, and about how many bytes.
func (c *Cache) Size() (origins, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries), c.bytes
}

// ignored returns the rules of a host whose robots.txt is not obeyed, nil for all others.
func (c *Cache) ignored(origin string) *Rules {
	if len(c.ignore) == 0 {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || !c.ignore[u.Hostname()] {
		return nil
	}
	return &Rules{Origin: origin, Policy: Ignored, file: &robots.File{}}
}

func (e *entry) fresh(now time.Time) bool { return e.rules != nil && now.Before(e.rules.Expires) }

// size is about what the entry takes in memory, its places in map and list included.
func (e *entry) size() int {
	n := 256 + len(e.origin)
	if e.rules != nil {
		n += e.rules.file.Size()
	}
	return n
}
