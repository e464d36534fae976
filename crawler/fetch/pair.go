package fetch

import (
	"context"
	"sync"
	"time"
)

// MaxSkew is how far apart the two requests of a pair may start (SCIENCE A6).
const MaxSkew = 200 * time.Millisecond

// Pair is what came of two requests for a page at one moment.
type Pair struct {
	A, B Result
	// Skew is how far apart they went out, by the machine's clock whatever Options.Clock is: what
	// it measures is whether the machine was quick enough. Zero if not both went out.
	Skew time.Duration
	// Accepted tells that both brought content and Skew is at most MaxSkew.
	Accepted bool
	// Attempts is how often the pair was fetched: again once if both brought content but the skew
	// was too large.
	Attempts int
}

// FetchPair fetches a page twice at the same moment, over two connections that are new and share
// nothing. Both are established before either request goes out. Validators are not sent, since two
// contents are to be compared. For the gate the pair is one request: to ask twice at once is its
// purpose. One machine with one address sees the least difference that a page can show; servers
// that tell visitors apart may show more.
func (f *Fetcher) FetchPair(ctx context.Context, req Request) Pair {
	req.ETag, req.LastModified = "", ""
	var p Pair
	for p.Attempts = 1; ; p.Attempts++ {
		p = f.pair(ctx, req, p.Attempts)
		if p.Accepted || p.Attempts == 2 || p.A.Kind != Content || p.B.Kind != Content {
			return p
		}
		req.Admitted = false
	}
}

func (f *Fetcher) pair(ctx context.Context, req Request, attempt int) Pair {
	a, b := f.worker(), f.worker()
	defer f.rest(a)
	defer f.rest(b)
	var last *meeting
	results := f.visit(ctx, req, []leg{{a, f.legs[0]}, {b, f.legs[1]}}, func() barrier {
		last = &meeting{missing: 2, open: make(chan struct{})}
		return last
	})
	p := Pair{A: results[0], B: results[1], Attempts: attempt}
	if last != nil {
		p.Skew = last.skew()
	}
	p.Accepted = p.A.Kind == Content && p.B.Kind == Content && p.Skew <= MaxSkew
	return p
}

// meeting is a barrier for two.
type meeting struct {
	mu      sync.Mutex
	missing int
	open    chan struct{} // closed when none is missing
	left    []time.Time   // when each went on
}

// arrive waits for the other.
func (m *meeting) arrive(ctx context.Context) {
	m.mu.Lock()
	if m.missing > 0 {
		m.missing--
		if m.missing == 0 {
			close(m.open)
		}
	}
	m.mu.Unlock()
	select {
	case <-m.open:
	case <-ctx.Done():
	}
	m.mu.Lock()
	m.left = append(m.left, time.Now())
	m.mu.Unlock()
}

// leave says that the caller is done. If it failed before it could arrive, the other need not wait.
func (m *meeting) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.missing > 0 {
		m.missing = 0
		close(m.open)
	}
}

func (m *meeting) skew() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.left) < 2 {
		return 0
	}
	return m.left[len(m.left)-1].Sub(m.left[0]).Abs()
}
