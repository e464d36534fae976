package simweb

import (
	"maps"
	"sync"
	"time"
)

// Stats is what the server saw since the start or the last Reset. Times go by the world's clock.
type Stats struct {
	Requests int
	Bytes    int64 // of bodies, as sent
	Statuses map[int]int
	Hosts    map[string]HostStats // hosts that had requests
}

// HostStats is what one host saw: what a polite crawler is measured by.
type HostStats struct {
	Requests      int
	MaxConcurrent int
	// MinStartGap is the smallest time between the starts of two requests, MinEndGap from the end of
	// one to the start of the next, 0 when they overlapped. Both are -1 under two requests.
	MinStartGap, MinEndGap time.Duration
	// RobotsViolations counts requests for pages that robots.txt forbids; DelayViolations counts
	// requests that started less than the Crawl-delay after the one before.
	RobotsViolations, DelayViolations int
	Statuses                          map[int]int
}

type pageKey struct {
	host      int
	idx, part int
}

type visits struct {
	n     int
	times []time.Time
}

// stats counts. The lock is held for a few map operations.
type stats struct {
	mu     sync.Mutex
	log    int // times kept a page
	all    Stats
	hosts  []hostCount
	visits map[pageKey]*visits
}

type hostCount struct {
	HostStats
	running            int
	lastStart, lastEnd time.Time
}

func (s *stats) reset(w *World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = w.opts.LogPerURL
	s.all = Stats{Statuses: make(map[int]int)}
	running := make([]int, len(w.hosts))
	for i := range s.hosts {
		running[i] = s.hosts[i].running
	}
	s.hosts = make([]hostCount, len(w.hosts))
	for i := range s.hosts {
		s.hosts[i] = hostCount{running: running[i], HostStats: HostStats{MinStartGap: -1, MinEndGap: -1, MaxConcurrent: running[i]}}
	}
	s.visits = make(map[pageKey]*visits)
}

// start counts the beginning of a request to a host.
func (s *stats) start(h *host, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.hosts[h.index]
	if c.Requests > 0 {
		gap := now.Sub(c.lastStart)
		c.MinStartGap = smaller(c.MinStartGap, gap)
		if gap < h.CrawlDelay {
			c.DelayViolations++
		}
		if c.running > 0 {
			c.MinEndGap = 0
		} else {
			c.MinEndGap = smaller(c.MinEndGap, now.Sub(c.lastEnd))
		}
	}
	c.Requests++
	c.running++
	c.MaxConcurrent = max(c.MaxConcurrent, c.running)
	c.lastStart = now
}

func smaller(gap, next time.Duration) time.Duration {
	if gap < 0 {
		return next
	}
	return min(gap, next)
}

// end counts the end of an answer.
func (s *stats) end(h *host, now time.Time, a answer, violation bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.status == 0 { // the client left before there was an answer
		a.status = 499
	}
	s.all.Requests++
	s.all.Statuses[a.status]++
	s.all.Bytes += int64(len(a.body))
	if h == nil {
		return
	}
	c := &s.hosts[h.index]
	if c.Statuses == nil {
		c.Statuses = make(map[int]int)
	}
	c.Statuses[a.status]++
	if violation {
		c.RobotsViolations++
	}
	c.running = max(c.running-1, 0)
	c.lastEnd = now
}

// visit counts a request of a page and returns its number, from 1.
func (s *stats) visit(p *page, now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := pageKey{p.h.index, p.idx, p.part}
	v := s.visits[key]
	if v == nil {
		v = new(visits)
		s.visits[key] = v
	}
	v.n++
	if len(v.times) < s.log {
		v.times = append(v.times, now)
	}
	return v.n
}

// Stats returns a copy of the counts. A request is in Statuses and Bytes when its answer has ended.
func (w *World) Stats() Stats {
	s := &w.stats
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.all
	out.Statuses = maps.Clone(s.all.Statuses)
	out.Hosts = make(map[string]HostStats)
	for i, c := range s.hosts {
		if c.Requests > 0 {
			c.HostStats.Statuses = maps.Clone(c.HostStats.Statuses)
			out.Hosts[w.hosts[i].Name] = c.HostStats
		}
	}
	return out
}

// Requests says how often the page of a URL was asked for, and when: the first Options.LogPerURL times.
func (w *World) Requests(url string) (n int, times []time.Time) {
	p, ok := w.find(url)
	if !ok {
		return 0, nil
	}
	s := &w.stats
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.visits[pageKey{p.h.index, p.idx, p.part}]
	if v == nil {
		return 0, nil
	}
	return v.n, append([]time.Time(nil), v.times...)
}

// Reset forgets all counts, also the numbers of requests on which faults depend, so that the same crawl meets
// the same faults again.
func (w *World) Reset() { w.stats.reset(w) }
