package daemon_test

import (
	"sync"
	"time"

	"github.com/strandlinehq/strandline/crawler/gate"
)

// pace is a gate that only knows gaps.
type pace struct {
	mu     sync.Mutex
	gap    map[string]time.Duration
	last   map[string]time.Time
	broken int // requests that came too early
}

func (p *pace) Ready(host string, now time.Time) (time.Time, gate.Why) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.last[host]
	if at := last.Add(p.gap[host]); ok && at.After(now) {
		return at, gate.Gap
	}
	return now, gate.Free
}

func (p *pace) start(host string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, ok := p.last[host]; ok && now.Before(last.Add(p.gap[host])) {
		p.broken++
	}
	p.last[host] = now
}
