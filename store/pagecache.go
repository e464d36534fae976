package store

import (
	"sync"
	"time"
)

// pageCache remembers the ids of pages that were resolved lately, since most
// links of a page were on it the last time too. It holds two generations of at
// most limit entries each: what is used moves to the young one, and the old one
// is dropped when the young one is full. It is safe for concurrent use.
type pageCache struct {
	limit int

	mu         sync.Mutex
	young, old map[string]cachedPage
}

type cachedPage struct {
	id        PageID
	firstSeen time.Time
}

func newPageCache(limit int) *pageCache {
	return &pageCache{limit: limit / 2, young: map[string]cachedPage{}}
}

func (c *pageCache) get(url string) (PageID, time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.young[url]; ok {
		return p.id, p.firstSeen, true
	}
	p, ok := c.old[url]
	if ok {
		c.putLocked(url, p)
	}
	return p.id, p.firstSeen, ok
}

func (c *pageCache) put(url string, id PageID, firstSeen time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.putLocked(url, cachedPage{id, firstSeen})
}

func (c *pageCache) putLocked(url string, p cachedPage) {
	if len(c.young) >= c.limit {
		c.old, c.young = c.young, make(map[string]cachedPage, c.limit)
	}
	c.young[url] = p
}
