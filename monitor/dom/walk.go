package dom

import (
	"sync"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// walker goes over an outline and knows the hashes of all its texts. It may be
// used for one outline after another, which saves its memory.
type walker struct {
	before []uint64 // before[i]: hash of all words of the chunks before node i
	words  []int32  // their number
	own    []uint64 // hash of the own text of element i
	power  []uint64 // powers of base
	open   []frame
	counts []tagCount
}

// walkers keeps the memory of walkers, and powers, between versions.
var walkers = sync.Pool{New: func() any { return &walker{} }}

// release gives a walker back, unless a giant page has blown it up.
func (w *walker) release() {
	const keep = 1 << 16 // nodes or words
	if cap(w.before) <= keep && cap(w.power) <= keep {
		clear(w.counts[:cap(w.counts)]) // which name tags of the page
		walkers.Put(w)
	}
}

// frame is an open element, or the page itself at the bottom.
type frame struct {
	node   int // -1 for the page
	counts int // its first entry in walker.counts
}

type tagCount struct {
	tag string
	n   int
}

// hash computes the running hashes in one pass over the text.
func (w *walker) hash(nodes []extract.Node) {
	n := len(nodes)
	if cap(w.before) <= n {
		w.before, w.words, w.own = make([]uint64, n+1), make([]int32, n+1), make([]uint64, n)
	}
	w.before, w.words, w.own = w.before[:n+1], w.words[:n+1], w.own[:n]
	clear(w.own)
	h, count := uint64(0), int32(0)
	for i := range nodes {
		w.before[i], w.words[i] = h, count
		if nodes[i].Tag != "" {
			continue
		}
		y, n := chunkHash(nodes[i].Text)
		shift := w.powerOf(n)
		h = addMod(mulMod(h, shift), y)
		count += n
		if parent := nodes[i].Parent; parent >= 0 {
			w.own[parent] = addMod(mulMod(w.own[parent], shift), y)
		}
	}
	w.before[n], w.words[n] = h, count
	w.powerOf(count)
}

// chunkHash returns the hash of the words of a piece of text, and their number. Pieces are
// put together by shifting the first by the words of the second.
func chunkHash(s string) (h uint64, words int32) {
	for len(s) > 0 {
		var word string
		if word, s = cutWord(s); word == "" {
			continue
		}
		h = addMod(mulMod(h, base), symbol(word))
		words++
	}
	return h, words
}

// powerOf returns base to the power of n.
func (w *walker) powerOf(n int32) uint64 {
	if len(w.power) == 0 {
		w.power = append(w.power, 1)
	}
	for len(w.power) <= int(n) {
		w.power = append(w.power, mulMod(w.power[len(w.power)-1], base))
	}
	return w.power[n]
}

func (w *walker) node(i int) Hash { return Hash(w.own[i]) }

// subtree takes the words before the element off those up to its end.
func (w *walker) subtree(nodes []extract.Node, i int) Hash {
	end := nodes[i].End
	shifted := mulMod(w.before[i], w.power[w.words[end]-w.words[i]])
	return Hash(addMod(w.before[end], prime-shifted))
}

// walk calls start for each element at its start tag, with its index among the
// siblings of its tag, and end at its end tag, until that returns false.
func (w *walker) walk(nodes []extract.Node, start func(i, nth int), end func(i int) bool) {
	w.open = append(w.open[:0], frame{node: -1})
	w.counts = w.counts[:0]
	for i := range nodes {
		n := &nodes[i]
		if n.Tag == "" {
			continue
		}
		if !w.close(nodes, i, end) {
			return
		}
		start(i, w.next(n.Tag))
		w.open = append(w.open, frame{i, len(w.counts)})
	}
	w.close(nodes, len(nodes), end)
}

// close ends the elements that end before node i.
func (w *walker) close(nodes []extract.Node, i int, end func(i int) bool) bool {
	for top := len(w.open) - 1; top > 0; top-- {
		f := w.open[top]
		if int(nodes[f.node].End) > i {
			break
		}
		w.open = w.open[:top]
		w.counts = w.counts[:f.counts]
		if !end(f.node) {
			return false
		}
	}
	return true
}

// next counts a child of the open element.
func (w *walker) next(tag string) int {
	c := w.counts[w.open[len(w.open)-1].counts:]
	for k := range c {
		if c[k].tag == tag {
			c[k].n++
			return c[k].n
		}
	}
	w.counts = append(w.counts, tagCount{tag: tag})
	return 0
}
