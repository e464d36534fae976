package dom

// hashSet is a set of hashes some of which are marked.
type hashSet struct {
	places []uint64 // 0 is free, else the hash << 2, 2 and the mark
}

func newHashSet[T any](items []T, hash func(T) uint64) hashSet {
	size := 64
	for size < 2*len(items) {
		size *= 2
	}
	h := hashSet{make([]uint64, size)}
	for _, it := range items {
		at, _ := h.find(hash(it))
		h.places[at] = hash(it)<<2 | 2
	}
	return h
}

// find returns the place of a hash, or the one that it would take.
func (h hashSet) find(hash uint64) (at int, ok bool) {
	mask := len(h.places) - 1
	for at = int(hash * 0x9e3779b97f4a7c15 >> 32); ; at++ {
		switch p := h.places[at&mask]; {
		case p == 0:
			return at & mask, false
		case p>>2 == hash:
			return at & mask, true
		}
	}
}

// mark marks a hash and reports whether it is in the set.
func (h hashSet) mark(hash uint64) bool {
	at, ok := h.find(hash)
	if ok {
		h.places[at] |= 1
	}
	return ok
}

func (h hashSet) marked(hash uint64) bool {
	at, ok := h.find(hash)
	return ok && h.places[at]&1 != 0
}
