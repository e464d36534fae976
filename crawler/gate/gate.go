// Package gate keeps a crawler polite: it says when the next request to a host may start.
//
// A [Gate] is pure scheduling. It does nothing by itself and never looks at a clock: every method
// is told the time, so that a year of politeness is tested in an instant, and simulated time works
// as well as real. Each request is a [Gate.TryStart] that was granted and an [Gate.End] that says
// how it went. A scheduler with many hosts asks [Gate.Ready] and keeps a heap of hosts by the
// answer; code in the middle of a fetch, which must wait, calls [Gate.Acquire].
//
// For each host, with
//
//	gap = max(Options.Delay, what robots.txt asks for)
//
// a request starts only when all of these hold:
//
//   - fewer than Options.Connections requests are running;
//   - gap has passed since the last start and since the last end;
//   - the Retry-After of an earlier answer is over;
//   - the back-off is over: each answer of 429 or 503 doubles it, each success takes one doubling back;
//   - the circuit is closed: Options.BreakAfter failures in a row open it for a time that doubles
//     with every further failure, after each of which a single request is let through as a probe.
//
// A host that has been idle for long is forgotten, so memory follows the number of hosts in use.
// Requests of every kind count, those for robots.txt and behind redirects too.
//
// Left out: which page of a host comes first, and the budget of the machine as a whole.
package gate

import (
	"sync"
	"time"
)

// Options are the rules. The zero value is polite: one connection, one second.
type Options struct {
	// Connections is how many requests to one host may run at once; zero means 1.
	Connections int
	// Delay is the least time between requests to one host; zero means a second, negative none.
	Delay time.Duration
	// Backoff is the pause after a first answer of 429 or 503; zero means 30 seconds.
	Backoff time.Duration
	// MaxBackoff is the longest pause that we choose ourselves; zero means an hour.
	MaxBackoff time.Duration
	// MaxRetryAfter is the longest pause that a host may ask for; zero means a day.
	MaxRetryAfter time.Duration
	// BreakAfter is how many failures in a row open the circuit; zero means 5.
	BreakAfter int
	// BreakFor is how long the circuit is open the first time; zero means a minute. It doubles up
	// to MaxBackoff.
	BreakFor time.Duration
	// Forget is how long a host is remembered after nothing about it matters; zero means an hour.
	Forget time.Duration
	// Freed, if set, is called when a host may have become ready earlier than Ready said: a request
	// ended or was called off. It is called without locks, by the goroutine that ended the request,
	// and must not wait.
	Freed func(host string)
}

func (o Options) withDefaults() Options {
	set(&o.Connections, 1)
	set(&o.Delay, time.Second)
	set(&o.Backoff, 30*time.Second)
	set(&o.MaxBackoff, time.Hour)
	set(&o.MaxRetryAfter, 24*time.Hour)
	set(&o.BreakAfter, 5)
	set(&o.BreakFor, time.Minute)
	set(&o.Forget, time.Hour)
	o.Delay = max(o.Delay, 0)
	return o
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Gate is the state of all hosts. Its methods may be used concurrently. A host is named by its
// host name without port: ports of one machine share its patience.
type Gate struct {
	opt Options

	mu      sync.Mutex // guards all below, for a few instructions at a time
	hosts   map[string]*host
	sweepAt int // number of hosts at which idle ones are next looked for
}

// New returns a gate to which no host is known.
func New(opt Options) *Gate {
	return &Gate{opt: opt.withDefaults(), hosts: make(map[string]*host), sweepAt: minSweep}
}

// minSweep is the number of hosts under which looking for idle ones is not worth the time.
const minSweep = 1024

// Why says what a host is waiting for.
type Why string

// What a host waits for.
const (
	Free       Why = ""             // nothing
	Full       Why = "connections"  // its requests are running
	Gap        Why = "delay"        // the delay, ours or of its robots.txt
	RetryAfter Why = "retry-after"  // the time that it named
	BackedOff  Why = "back-off"     // we give it rest after answers of 429 or 503
	Broken     Why = "circuit-open" // it failed too often in a row
)

// Ready says when a request may start: now with Free, or the earliest moment that is known, and
// what for. With Full that moment is a guess, since requests end when they end; see Options.Freed.
func (g *Gate) Ready(name string, now time.Time) (time.Time, Why) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.hosts[name]; h != nil {
		return h.ready(&g.opt, now)
	}
	return now, Free
}

// TryStart starts a request if one may start now, with the answer of Ready. The caller that got
// Free must call End or Cancel, once.
func (g *Gate) TryStart(name string, now time.Time) (time.Time, Why) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tryStart(g.host(name, now), now)
}

func (g *Gate) tryStart(h *host, now time.Time) (time.Time, Why) {
	at, why := h.ready(&g.opt, now)
	if why == Free {
		h.start(now)
	}
	return at, why
}

// End says that a request is over, with everything that was read of its answer.
func (g *Gate) End(name string, now time.Time, f Feedback) {
	g.mu.Lock()
	h := g.hosts[name]
	if h == nil || h.running == 0 {
		g.mu.Unlock()
		return // ended twice: there is nothing to take back
	}
	h.end(&g.opt, now, f)
	h.wake()
	g.mu.Unlock()
	if g.opt.Freed != nil {
		g.opt.Freed(name)
	}
}

// Cancel says that a request which was granted was not sent after all. It leaves no trace.
func (g *Gate) Cancel(name string) {
	g.mu.Lock()
	h := g.hosts[name]
	if h == nil || h.running == 0 {
		g.mu.Unlock()
		return
	}
	h.cancel()
	h.wake()
	g.mu.Unlock()
	if g.opt.Freed != nil {
		g.opt.Freed(name)
	}
}

// SetCrawlDelay says what delay the robots.txt of a host asks for; zero takes it back. It is
// forgotten with the host, so it is set whenever the rules of the host are looked at.
func (g *Gate) SetCrawlDelay(name string, d time.Duration, now time.Time) {
	d = max(d, 0)
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.hosts[name]; h != nil {
		h.crawlDelay = d
	} else if d > 0 {
		g.host(name, now).crawlDelay = d
	}
}

// host returns the state of a host, which it makes if need be. The lock is held.
func (g *Gate) host(name string, now time.Time) *host {
	h := g.hosts[name]
	if h != nil {
		return h
	}
	if len(g.hosts) >= g.sweepAt {
		g.sweep(now)
	}
	h = &host{touched: now}
	g.hosts[name] = h
	return h
}

// sweep forgets the hosts that are idle. It looks at all, and only when their number has doubled,
// which costs a constant time a host. The lock is held.
func (g *Gate) sweep(now time.Time) {
	for name, h := range g.hosts {
		if h.idle(&g.opt, now) {
			delete(g.hosts, name)
		}
	}
	g.sweepAt = max(minSweep, 2*len(g.hosts))
}
