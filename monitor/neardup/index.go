package neardup

import "slices"

// Index proposes the texts that may be like a given one:
//
//   - by simhash, in four bands of 16 bits: two texts that differ in at most 3
//     bits share a band;
//   - by the smallest shingles: simhashes of texts with Jaccard .6 differ in some
//     20 bits, which no bands find cheaply, but the smallest shingle of two texts
//     is the same with probability J, and of the 16 smallest hardly ever none.
//
// What is proposed is confirmed by the Jaccard coefficient. A shingle that many
// texts share (a template) stops proposing when its list is full.
type Index struct {
	bands    [bands]map[uint16][]int32
	smallest map[uint64][]int32
	exact    map[uint64][]int32
	sketches []Sketch
	keys     []int64
}

const (
	bands     = 4
	simBits   = 3   // Manku et al.: k = 3
	smallest  = 16  // shingles a text is filed under
	mostAlike = 256 // longest list of a shingle
)

// NewIndex returns an empty index.
func NewIndex() *Index {
	x := &Index{exact: map[uint64][]int32{}, smallest: map[uint64][]int32{}}
	for i := range x.bands {
		x.bands[i] = map[uint16][]int32{}
	}
	return x
}

// Add files a text under the caller's key for it. A text without words is left
// out, as it is like no other.
func (x *Index) Add(key int64, k Sketch) {
	if k.all == 0 {
		return
	}
	n := int32(len(x.sketches))
	x.sketches = append(x.sketches, k)
	x.keys = append(x.keys, key)
	for i := range bands {
		band := uint16(k.Simhash >> (16 * i))
		x.bands[i][band] = append(x.bands[i][band], n)
	}
	for _, h := range k.shingles[:min(smallest, len(k.shingles))] {
		if list := x.smallest[h]; len(list) < mostAlike {
			x.smallest[h] = append(list, n)
		}
	}
	x.exact[k.Exact] = append(x.exact[k.Exact], n)
}

// Found is a text of the index.
type Found struct {
	Key     int64
	Class   Class
	Jaccard float64
}

// Like returns the texts that are exact, mirror or near copies of k, the most
// alike first, equal ones in the order in which they were added.
func (x *Index) Like(k Sketch) []Found {
	var out []Found
	var candidates []int32
	candidates = append(candidates, x.exact[k.Exact]...)
	for i := range bands {
		for _, n := range x.bands[i][uint16(k.Simhash>>(16*i))] {
			if Distance(k.Simhash, x.sketches[n].Simhash) <= simBits {
				candidates = append(candidates, n)
			}
		}
	}
	for _, h := range k.shingles[:min(smallest, len(k.shingles))] {
		candidates = append(candidates, x.smallest[h]...)
	}
	slices.Sort(candidates)
	for _, n := range slices.Compact(candidates) {
		if class, j := Classify(k, x.sketches[n]); class != Other {
			out = append(out, Found{x.keys[n], class, j})
		}
	}
	rank := map[Class]int{Exact: 0, Mirror: 1, Near: 2}
	slices.SortStableFunc(out, func(a, b Found) int {
		switch {
		case rank[a.Class] != rank[b.Class]:
			return rank[a.Class] - rank[b.Class]
		case a.Jaccard > b.Jaccard:
			return -1
		case a.Jaccard < b.Jaccard:
			return 1
		}
		return 0
	})
	return out
}
