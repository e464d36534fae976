package snapshot

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// languagePause is how long a host waits whose site's first pages are not read yet.
const languagePause = 250 * time.Millisecond

// sites tell which sites are in the language wanted (SCIENCE T12). It is safe for
// concurrent use.
type sites struct {
	first int // pages that are looked at; 0: every language is wanted

	mu    sync.Mutex
	known map[string]*site
}

type site struct {
	store.SiteTally
	underway int
}

func newSites(s *Series) *sites {
	out := &sites{known: map[string]*site{}}
	if s.Language != "" {
		out.first = max(s.FirstPages, 1)
	}
	return out
}

func (s *sites) load(tallies []store.SiteTally) {
	for _, t := range tallies {
		s.known[t.Site] = &site{SiteTally: t}
	}
}

func (s *sites) of(name string) *site {
	k := s.known[name]
	if k == nil {
		k = &site{}
		s.known[name] = k
	}
	return k
}

// open reports whether a site's language is still to be found out.
func (s *sites) open(name string) bool {
	if s.first == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.of(name)
	return k.Wanted == 0 && k.LookedAt < s.first
}

// left reports whether none of a site's first pages is in the language.
func (s *sites) left(name string) bool {
	if s.first == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.of(name)
	return k.Wanted == 0 && k.LookedAt >= s.first
}

// mayStart reports whether one more page of a site may be fetched before its
// language is known.
func (s *sites) mayStart(name string) bool {
	if s.first == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.of(name)
	return k.Wanted > 0 || k.LookedAt+k.underway < s.first
}

func (s *sites) start(name string, n int) {
	if s.first == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(name).underway += n
}

// languages takes up what was learned, and leaves sites in other languages.
func (c *crawl) languages(tallies []store.SiteTally) {
	for _, t := range tallies {
		c.sites.mu.Lock()
		k := c.sites.of(t.Site)
		k.LookedAt, k.Wanted = k.LookedAt+t.LookedAt, k.Wanted+t.Wanted
		c.sites.mu.Unlock()
	}
	for _, t := range tallies {
		if !c.sites.left(t.Site) {
			continue
		}
		for _, h := range c.hosts {
			if h.Site == t.Site && h.closed == "" {
				c.close(h, "language")
			}
		}
	}
}

// seen remembers pages of which it is known that they are in the frontier or done.
// It forgets some: then the database is asked. It is safe for concurrent use.
type seen struct{ slots []atomic.Int64 }

// seenSlots is the number of slots, a power of two: 16 MiB.
const seenSlots = 1 << 21

func newSeen() *seen { return &seen{slots: make([]atomic.Int64, seenSlots)} }

// slot spreads ids by Fibonacci hashing.
func (s *seen) slot(p store.PageID) *atomic.Int64 {
	return &s.slots[uint64(p)*0x9e3779b97f4a7c15>>(64-21)]
}

func (s *seen) has(p store.PageID) bool { return s.slot(p).Load() == int64(p) }
func (s *seen) add(p store.PageID)      { s.slot(p).Store(int64(p)) }
