package copies

import (
	"sync"

	"github.com/strandlinehq/strandline/store"
)

// cacheBytes bounds what a Cache remembers.
const cacheBytes = 16 << 20

// Cache remembers what was read of records: the oldest pages of a host with one template are candidates
// for each of its new pages, and its sample. It has two generations: what is asked for moves into the
// young one, which becomes the old one when it has half of the bytes. The zero Cache is ready, the nil one
// remembers nothing; it may be used by several goroutines.
type Cache struct {
	mu         sync.Mutex // guards what follows, never held while reading
	young, old map[store.ContentKey]*body
	size       int // of the young
}

// get returns what was read of a record, nil if that is not remembered. It is not to be changed.
func (c *Cache) get(k store.ContentKey) *body {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.young[k]; b != nil {
		return b
	}
	b := c.old[k]
	if b != nil {
		c.add(k, b)
	}
	return b
}

// put remembers what was read of a record.
func (c *Cache) put(k store.ContentKey, b *body) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[k] == nil {
		c.add(k, b)
	}
}

// add adds to the young generation. The lock is held.
func (c *Cache) add(k store.ContentKey, b *body) {
	n := b.bytes()
	if n > cacheBytes/2 {
		return
	}
	if c.size+n > cacheBytes/2 {
		c.old, c.young, c.size = c.young, nil, 0
	}
	if c.young == nil {
		c.young = map[store.ContentKey]*body{}
	}
	c.young[k] = b
	c.size += n
}
