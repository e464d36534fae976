package dom

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// ErrOrder is returned for a version that does not come after the last one. The
// state is not changed; a page whose history was filled in between is computed
// anew.
var ErrOrder = errors.New("version is not after the last one")

const (
	// MaxSlots bounds the window of a State: some seven years of hours.
	MaxSlots = 1 << 16
	// DefaultLimit is the size of a marshalled State, in bytes, that NewState uses.
	DefaultLimit = 30 << 10
	// maxPast is how many contents that are gone a State remembers, and minPast how
	// many if it has to forget something else otherwise.
	maxPast = 2048
	minPast = 256
	// maxDepth is the number of levels that a State follows at most.
	maxDepth = 512
	// maxTags and maxTag bound the different tags that a State follows, and the
	// bytes of one. A page from the web has some forty.
	maxTags = 256
	maxTag  = 64
)

// State is what is kept of the elements of one page: the first and the last slot
// in which each path was seen, and the contents of the paths that have text. It
// gives Lifespans, and Blocks of the paths with text, with slots as the unit of
// time.
//
// Some bounds keep it small; Exact tells whether one was reached. It
// remembers 2048 contents that are gone, the latest ones; one that returns after
// it was forgotten counts as another, so that the mean life at its path is of
// more contents than there were. And if the marshalled form would exceed its
// limit, the contents of the deepest level are forgotten together with its
// elements that came after the first version, then those of the next level if
// need be; Depth tells how many are left. The elements of the first version are
// followed beyond that: Table 4 rests on them, and the deep ones die first.
// Of a page with hundreds of invented tags the elements with most of them are
// passed over.
type State struct {
	limit    int
	depth    int  // levels of which all is kept
	base     int  // levels of which the elements of the first version are kept
	forgot   bool // contents, or elements with too many tags
	passed   bool // elements of the first version, for their tags
	started  bool
	first    int
	last     int // slots
	tags     []string
	elements []element

	// Built when needed, not stored.
	form  []byte  // what MarshalBinary returns, if that is known
	table []int32 // 1+index of an element by its hash
}

// element is a path. Parents come before their children.
type element struct {
	parent      int32 // -1 for a root
	depth       int32 // 1 for a root
	tag         int32 // index in State.tags
	nth         int32
	hash        uint64 // of the path
	first, last int32  // slots after the page's first in which it was seen
	done        tally  // lives of forgotten contents at this path
	away        tally  // lives anywhere of forgotten contents that appeared here first
	contents    []content
}

type tally struct{ life, n uint64 }

// content is a text at a path. Its hash has contentBits bits.
type content struct {
	hash        uint64
	first, last int32 // slots in which it was at this path
	origin      bool  // it had not been seen anywhere before
	lastAny     int32 // the last slot in which it was anywhere, if origin
}

const (
	contentBytes = 5
	contentBits  = 8 * contentBytes
)

// NewState returns a State without versions whose marshalled form is to stay
// near limit bytes; zero means DefaultLimit.
func NewState(limit int) *State {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &State{limit: min(limit, math.MaxInt32), depth: maxDepth, base: maxDepth}
}

// Exact reports whether no bound was reached: what the state says then equals
// what the functions of this package compute from all versions.
func (s *State) Exact() bool { return !s.forgot && s.depth == maxDepth }

// Depth returns the number of levels of elements of which the state follows all.
func (s *State) Depth() int { return s.depth }

// Complete reports whether every element of the first version is followed, to any
// depth, so that Survive gives what it gives on all versions.
func (s *State) Complete() bool { return s.base == maxDepth && !s.passed }

// Repeat takes a slot whose version has the same outline as the one before it.
func (s *State) Repeat(slot int) error {
	if !s.started {
		return fmt.Errorf("slot %d repeats nothing: %w", slot, ErrOrder)
	}
	if err := s.check(slot); err != nil {
		return err
	}
	s.form = nil
	s.repeat(int32(slot - s.first))
	s.last = slot
	return nil
}

func (s *State) check(slot int) error {
	switch {
	case s.started && slot <= s.last:
		return fmt.Errorf("slot %d after slot %d: %w", slot, s.last, ErrOrder)
	case s.started && slot-s.first >= MaxSlots:
		return fmt.Errorf("slot %d is more than %d slots after the first", slot, MaxSlots)
	}
	return nil
}

// repeat moves everything that was seen in the last slot to a new one.
func (s *State) repeat(now int32) {
	before := int32(s.last - s.first)
	for i := range s.elements {
		e := &s.elements[i]
		if e.last == before {
			e.last = now
		}
		for k := range e.contents {
			c := &e.contents[k]
			if c.last == before {
				c.last = now
			}
			if c.origin && c.lastAny == before {
				c.lastAny = now
			}
		}
	}
}

// Add takes the outline of the version in a slot after all earlier ones; slots
// that are left out are missing. nodes is as for Lines.
func (s *State) Add(slot int, nodes []extract.Node) error {
	if err := s.check(slot); err != nil {
		return err
	}
	if !s.started {
		s.started, s.first = true, slot
	}
	s.last, s.form = slot, nil
	now := int32(slot - s.first)
	if s.table == nil {
		s.index()
	}
	w := walkers.Get().(*walker)
	defer w.release()
	w.hash(nodes)
	ids := make([]int32, len(nodes)) // element of a node; -1 if it is too deep
	type seen struct {
		id   int32
		hash uint64
	}
	texts := make([]seen, 0, len(nodes))
	w.walk(nodes, func(i, nth int) {
		parent := int32(-1)
		if p := nodes[i].Parent; p >= 0 {
			if parent = ids[p]; parent < 0 {
				ids[i] = -1
				return
			}
		}
		ids[i] = s.find(parent, nodes[i].Tag, int32(nth), now)
		if ids[i] < 0 {
			return
		}
		e := &s.elements[ids[i]]
		e.last = now
		if h := w.subtree(nodes, i); h != 0 && int(e.depth) <= s.depth {
			texts = append(texts, seen{ids[i], uint64(h) & (1<<contentBits - 1)})
		}
	}, func(int) bool { return true })

	// Which contents are new anywhere is decided before any of them enters.
	known := newHashSet(texts, func(t seen) uint64 { return t.hash })
	for i := range s.elements {
		for k := range s.elements[i].contents {
			c := &s.elements[i].contents[k]
			if known.mark(c.hash) && c.origin {
				c.lastAny = now
			}
		}
	}
	for _, t := range texts {
		e := &s.elements[t.id]
		k := slices.IndexFunc(e.contents, func(c content) bool { return c.hash == t.hash })
		if k < 0 {
			k = len(e.contents)
			e.contents = append(e.contents, content{hash: t.hash, first: now, origin: !known.marked(t.hash), lastAny: now})
		}
		e.contents[k].last = now
	}
	return s.fit(now, s.forget(now, maxPast))
}

// find returns the index of a path, adding it if it is new and not too deep.
func (s *State) find(parent int32, tag string, nth, now int32) int32 {
	above, depth := uint64(0), int32(1)
	if parent >= 0 {
		above, depth = s.elements[parent].hash, s.elements[parent].depth+1
	}
	if int(depth) > s.base {
		return -1
	}
	h := pathHash(above, xxh3.HashString(tag), nth)
	mask := uint64(len(s.table) - 1)
	at := h & mask
	for s.table[at] != 0 {
		if e := &s.elements[s.table[at]-1]; e.hash == h {
			return s.table[at] - 1
		}
		at = (at + 1) & mask
	}
	if int(depth) > s.depth && now > 0 {
		return -1
	}
	k := slices.Index(s.tags, tag)
	if k < 0 {
		if k = len(s.tags); k == maxTags || len(tag) > maxTag {
			s.forgot, s.passed = true, s.passed || now == 0
			return -1
		}
		s.tags = append(s.tags, tag)
	}
	s.elements = append(s.elements, element{parent: parent, depth: depth, tag: int32(k), nth: nth, hash: h, first: now})
	s.table[at] = int32(len(s.elements))
	if 2*len(s.elements) > len(s.table) {
		s.index()
	}
	return int32(len(s.elements) - 1)
}

func pathHash(above, tag uint64, nth int32) uint64 {
	h := above ^ tag + uint64(nth)*0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

func (s *State) index() {
	size := 1 << 10
	for size < 4*len(s.elements) {
		size *= 2
	}
	s.table = make([]int32, size)
	for i := range s.elements {
		at := s.elements[i].hash & uint64(size-1)
		for s.table[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		s.table[at] = int32(i + 1)
	}
}
