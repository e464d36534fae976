package gate

import (
	"net/http"
	"time"
)

// Feedback is how a request went.
type Feedback struct {
	// Status is the status of the answer; 0 if there was none.
	Status int
	// RetryAfter is the pause that the answer asks for; zero if none.
	RetryAfter time.Duration
	// Failed is the reason if the host failed to answer properly: no connection, a timeout, an
	// answer that broke off. Empty otherwise. What is wrong with one page, or was refused by us, is
	// not the host's failure.
	Failed string
	// Unknown tells that the request was sent but says nothing of the host, because we called it
	// off. It counts for the delay alone.
	Unknown bool
}

// kind is what an answer means for the host.
type kind uint8

const (
	success kind = iota
	throttled
	failure
	unknown
)

func (f Feedback) kind() kind {
	switch {
	case f.Unknown:
		return unknown
	case f.Failed != "":
		return failure
	case f.Status == http.StatusTooManyRequests, f.Status == http.StatusServiceUnavailable:
		return throttled
	case f.Status >= 500, f.Status == 0, f.Status == http.StatusRequestTimeout:
		return failure
	default:
		return success
	}
}

// reason names a failure for people.
func (f Feedback) reason() string {
	switch {
	case f.Failed != "":
		return f.Failed
	case f.Status == 0:
		return "no answer"
	default:
		return http.StatusText(f.Status)
	}
}

// host is the state of one host. The lock of its gate guards it.
type host struct {
	running    int
	crawlDelay time.Duration
	touched    time.Time // of the last start, end or waiter

	// The last start and end. The one before is kept so that a cancelled start leaves no trace.
	lastStart, lastEnd, startBefore time.Time

	retryAt   time.Time // the host's own wish
	backoffAt time.Time
	level     int // doublings of the back-off

	failures int // in a row
	broken   bool
	brokenAt time.Time // when the next probe may start
	breaks   int       // doublings of the break
	reason   string    // of the last failure

	waiters int
	woken   chan struct{} // closed when the state changes; nil while nobody waits
}

func (h *host) gap(o *Options) time.Duration { return max(o.Delay, h.crawlDelay) }

// ready is Gate.Ready for one host. Of several reasons to wait, the one that lasts longest is told.
func (h *host) ready(o *Options, now time.Time) (time.Time, Why) {
	at, why := now, Free
	later := func(t time.Time, w Why) {
		if t.After(at) {
			at, why = t, w
		}
	}
	gap := h.gap(o)
	if gap > 0 && !h.lastStart.IsZero() {
		later(h.lastStart.Add(gap), Gap)
	}
	if gap > 0 && !h.lastEnd.IsZero() {
		later(h.lastEnd.Add(gap), Gap)
	}
	later(h.retryAt, RetryAfter)
	later(h.backoffAt, BackedOff)
	if h.broken {
		later(h.brokenAt, Broken)
	}
	limit := o.Connections
	if h.broken {
		limit = 1 // the probe
	}
	if h.running >= limit {
		// It may end at once, and then gap must pass. Without a gap the guess is a short wait, so
		// that a scheduler that only asks does not spin.
		guess := now.Add(max(gap, time.Millisecond))
		if guess.After(at) {
			at = guess
		}
		why = Full
	}
	return at, why
}

func (h *host) start(now time.Time) {
	h.running++
	h.startBefore, h.lastStart = h.lastStart, latest(h.lastStart, now)
	h.touched = latest(h.touched, now)
}

// cancel takes a start back. Of several that run it is not known which one it was; then the last
// start stays, which only makes us wait longer.
func (h *host) cancel() {
	h.running--
	if h.running == 0 {
		h.lastStart = h.startBefore
	}
}

func (h *host) end(o *Options, now time.Time, f Feedback) {
	h.running--
	h.lastEnd = latest(h.lastEnd, now)
	h.touched = latest(h.touched, now)
	kind := f.kind()
	if (kind == throttled || kind == failure) && f.RetryAfter > 0 {
		h.retryAt = latest(h.retryAt, now.Add(min(f.RetryAfter, o.MaxRetryAfter)))
	}
	switch kind {
	case success:
		h.level = max(0, h.level-1)
		h.closeCircuit()
	case throttled:
		// The host is alive and says so: not a failure.
		h.backoffAt = latest(h.backoffAt, now.Add(doubled(o.Backoff, h.level, o.MaxBackoff)))
		h.level = min(h.level+1, maxDoublings)
		h.reason = f.reason()
		h.closeCircuit()
	case failure:
		h.reason = f.reason()
		h.failures++
		if h.failures >= o.BreakAfter {
			h.broken = true
			h.brokenAt = latest(h.brokenAt, now.Add(doubled(o.BreakFor, h.breaks, o.MaxBackoff)))
			h.breaks = min(h.breaks+1, maxDoublings)
		}
	}
}

func (h *host) closeCircuit() {
	h.failures, h.broken, h.breaks = 0, false, 0
}

// maxDoublings is more than any limit leaves room for.
const maxDoublings = 40

// doubled returns d * 2^n, at most limit.
func doubled(d time.Duration, n int, limit time.Duration) time.Duration {
	for ; n > 0 && d < limit; n-- {
		d *= 2
	}
	return min(d, limit)
}

// idle reports whether the host can be forgotten: nothing runs or waits, nothing holds it back, and
// what is known of its past is too old to matter.
func (h *host) idle(o *Options, now time.Time) bool {
	if h.running > 0 || h.waiters > 0 {
		return false
	}
	at, why := h.ready(o, now)
	if why != Free {
		return false
	}
	// With Forget over since the last request and every pause, a back-off or an open circuit has
	// had its effect.
	for _, t := range [...]time.Time{h.touched, h.retryAt, h.backoffAt, h.brokenAt} {
		if at.Sub(t) < o.Forget {
			return false
		}
	}
	return true
}

func (h *host) wake() {
	if h.woken != nil {
		close(h.woken)
		h.woken = nil
	}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
