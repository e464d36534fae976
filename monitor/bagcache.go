package monitor

import (
	"sync"

	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

// bagCacheBytes bounds the words of contents that a Monitor remembers.
const bagCacheBytes = 32 << 20

// bagCache remembers the words of contents, of all their lines. The hour that is running is computed
// again and again, and a page that does not change counts in every hour: without the cache its record
// would be read, inflated and split into words each time. It may be used by several goroutines.
//
// It has two generations. What is asked for moves into the young one; when that has half of the bytes it
// becomes the old one, and the old one goes.
type bagCache struct {
	limit int // bytes; 0: nothing is remembered

	mu         sync.Mutex // guards what follows, never held while reading
	young, old map[store.ContentKey]terms.Bag
	size       int // of the young
}

// bagOverhead is about what an entry takes beside its words.
const bagOverhead = 128

// get returns the words of a content, if it has them. They are not to be changed.
func (c *bagCache) get(k store.ContentKey) (terms.Bag, bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.young[k]; ok {
		return b, true
	}
	b, ok := c.old[k]
	if ok {
		c.add(k, b)
	}
	return b, ok
}

// put remembers the words of a content.
func (c *bagCache) put(k store.ContentKey, b terms.Bag) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[k]; !ok {
		c.add(k, b)
	}
}

// add adds to the young generation. The lock is held.
func (c *bagCache) add(k store.ContentKey, b terms.Bag) {
	n := len(b) + bagOverhead
	if n > c.limit/2 {
		return
	}
	if c.size+n > c.limit/2 {
		c.old, c.young, c.size = c.young, nil, 0
	}
	if c.young == nil {
		c.young = map[store.ContentKey]terms.Bag{}
	}
	c.young[k] = b
	c.size += n
}
