package store

import (
	"container/list"
	"sync"
)

// blobCache keeps decoded blobs that were used lately, least recently used out
// first, within a bound of bytes. What it holds was read from the database or
// committed to it. It is safe for concurrent use; the bytes are shared and must
// not be changed.
type blobCache struct {
	limit int64

	mu    sync.Mutex // guards the rest
	size  int64
	order *list.List // of *cachedBlob, most recent first
	byKey map[cacheKey]*list.Element
}

type cacheKey struct {
	table blobTable
	ContentKey
}

type cachedBlob struct {
	key cacheKey
	raw []byte
}

func newBlobCache(limit int64) *blobCache {
	return &blobCache{limit: limit, order: list.New(), byKey: map[cacheKey]*list.Element{}}
}

func (c *blobCache) get(t blobTable, k ContentKey) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[cacheKey{t, k}]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedBlob).raw, true
}

func (c *blobCache) put(t blobTable, k ContentKey, raw []byte) {
	size := int64(len(raw)) + 200
	if size > c.limit/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := cacheKey{t, k}
	if e, ok := c.byKey[key]; ok {
		c.order.MoveToFront(e)
		return
	}
	c.byKey[key] = c.order.PushFront(&cachedBlob{key, raw})
	c.size += size
	for c.size > c.limit {
		last := c.order.Back()
		old := last.Value.(*cachedBlob)
		c.order.Remove(last)
		delete(c.byKey, old.key)
		c.size -= int64(len(old.raw)) + 200
	}
}

// drop forgets a blob that is stored no more.
func (c *blobCache) drop(t blobTable, k ContentKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[cacheKey{t, k}]; ok {
		c.order.Remove(e)
		delete(c.byKey, cacheKey{t, k})
		c.size -= int64(len(e.Value.(*cachedBlob).raw)) + 200
	}
}
