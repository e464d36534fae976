package monitor

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

// TestBagCache asks and tells a cache anything: what it has is what it was told, it has what it was told
// last, and it keeps to its bound.
func TestBagCache(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &bagCache{limit: 10 * (bagOverhead + 50)}
		told := map[store.ContentKey]byte{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			n := rapid.ByteRange(0, 30).Draw(t, "content")
			k := store.ContentKey{Bucket: int32(n % 3), Hash: store.SHA256{n}}
			if rapid.Bool().Draw(t, "put") {
				b := make(terms.Bag, rapid.IntRange(1, 100).Draw(t, "size"))
				b[0] = n
				c.put(k, b)
				told[k] = n
				if _, ok := c.get(k); !ok {
					t.Fatalf("content %d is not remembered", n)
				}
			} else if b, ok := c.get(k); ok {
				if want, ok := told[k]; !ok || b[0] != want {
					t.Fatalf("content %d has words %v, told %v", n, b, ok)
				}
			}
			sum := 0
			for _, generation := range []map[store.ContentKey]terms.Bag{c.young, c.old} {
				for _, b := range generation {
					sum += len(b) + bagOverhead
				}
			}
			if sum > c.limit {
				t.Fatalf("%d bytes, limit %d", sum, c.limit)
			}
		}
	})
	var none *bagCache
	none.put(store.ContentKey{}, terms.Bag{1})
	if _, ok := none.get(store.ContentKey{}); ok {
		t.Error("no cache has a content")
	}
}
