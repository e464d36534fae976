package copies

import (
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/store"
)

// TestCache puts more into a cache than it holds: what is asked for again and again stays, and it
// does not grow beyond its bound.
func TestCache(t *testing.T) {
	t.Parallel()
	c := &Cache{}
	key := func(n int) store.ContentKey { return store.ContentKey{Bucket: int32(n)} }
	c.put(key(0), &body{lines: []string{"the oldest page of the host"}})
	for n := 1; n < 600; n++ {
		c.put(key(n), &body{lines: []string{strings.Repeat("x", cacheBytes/200)}})
		if c.get(key(0)) == nil {
			t.Fatalf("after %d others, what is asked for each time is gone", n)
		}
		if c.get(key(n)) == nil {
			t.Fatalf("what was put last, %d, is gone", n)
		}
		size := 0
		for _, m := range []map[store.ContentKey]*body{c.young, c.old} {
			for _, b := range m {
				size += b.bytes()
			}
		}
		if size > cacheBytes {
			t.Fatalf("%d bytes are remembered, want %d at most", size, cacheBytes)
		}
	}
	if c.get(key(1)) != nil {
		t.Error("what was not asked for is still there")
	}
	c.put(key(700), &body{lines: []string{strings.Repeat("x", cacheBytes)}})
	var none *Cache
	none.put(key(1), &body{})
	if c.get(key(700)) != nil || none.get(key(1)) != nil {
		t.Error("something is remembered that is too large, or by no cache")
	}
}
