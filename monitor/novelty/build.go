package novelty

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

// BuildOptions say how a graph is built. The zero value reads any links, keeps self
// links, uses all processors and as much memory as it takes.
type BuildOptions struct {
	// Workers is the number of goroutines; 0 is one a processor.
	Workers int
	// Memory is the most that building may take, in bytes, with the classes and two
	// float32 scores a page of U; 0 is no limit. With less than one pass over the
	// links needs, they are read in up to 16 passes.
	Memory uint64
	// Distinct promises that no link comes twice. Then links from old pages are
	// counted and never stored, which takes the least memory. If it is not so,
	// duplicates count.
	Distinct bool
	// DropSelfLinks leaves out links of pages to themselves, which otherwise count
	// as the formula says (SCIENCE T3).
	DropSelfLinks bool
	// Planned is told what building will take, before it begins to, if not nil.
	Planned func(Plan)
}

// Plan is what building takes.
type Plan struct {
	Unidentified int
	Links        uint64 // into U, duplicates counted
	Bytes        uint64 // of memory at most, with the classes and two float32 scores a page of U
	Passes       int    // times that the links are read in all
}

// maxPasses bounds how often links are read to save memory.
const maxPasses = 16

// MemoryError says that the graph does not fit in the memory it may use.
type MemoryError struct {
	Need, Limit uint64 // bytes
	Pages       int    // of U
	Links       uint64 // into U
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%d unidentified pages with %d in-links need %s of memory, the limit is %s: raise the limit or use a larger machine",
		e.Pages, e.Links, inGiB(e.Need), inGiB(e.Limit))
}

func inGiB(bytes uint64) string {
	switch {
	case bytes < 1<<17:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1<<26:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", float64(bytes)/(1<<30))
}

// errTooMany can only come of links that are repeated without end, or of a wrong
// page number that stands for very many pages.
var errTooMany = errors.New("more than 2^32 links into pages that are next to each other")

// Build lays out the links into U. Classes has an entry for each page. It reads the
// links twice, once to count and once to place them, or more often to keep within
// opt.Memory. Its errors are a *MemoryError, an *UnknownPageError, that of ctx, and
// those of links.
//
// The graph depends on the set of links only, not on their order or on the number
// of goroutines.
func Build(ctx context.Context, classes []Class, links Links, opt BuildOptions) (*Graph, error) {
	if uint64(len(classes)) > math.MaxUint32 {
		return nil, fmt.Errorf("%d pages: at most 2^32-1 can be numbered", len(classes))
	}
	b := &builder{ctx: ctx, classes: classes, links: links, opt: opt}
	b.workers = numWorkers(opt.Workers)
	b.members = newMembers(classes)
	n := uint64(b.members.n)
	b.fixed = uint64(len(classes)) + b.members.bytes() + n*(12+8) + n/blockPages*8
	if opt.Memory > 0 && b.fixed > opt.Memory {
		return nil, b.refuse()
	}
	b.nodes = make([]node, b.members.n)
	if err := b.count(); err != nil {
		return nil, err
	}
	var err error
	if opt.Distinct {
		err = b.layDistinct()
	} else {
		err = b.layAny()
	}
	if err != nil {
		return nil, err
	}
	return b.graph(), nil
}

type builder struct {
	ctx      context.Context
	classes  []Class
	links    Links
	opt      BuildOptions
	workers  int
	members  *members
	nodes    []node
	sections []section
	fixed    uint64 // bytes of all but the links
	scratch  uint64 // links that were held beside the stored ones
	seen     tally  // of the counting pass
	passes   int
}

// tally counts the links into U that were read.
type tally struct {
	placed, fromU, outside, self uint64
	_                            [32]byte // one tally a cache line
}

// refuse counts the links, though there is no room for the pages alone, to say what
// would be needed.
func (b *builder) refuse() error {
	seen, err := b.read(nil, func(uint32, uint32, Class) error { return nil })
	if err != nil {
		return err
	}
	need := b.fixed + 4*seen.fromU
	if !b.opt.Distinct {
		need += 4 * seen.placed / maxPasses
	}
	return &MemoryError{Need: need, Limit: b.opt.Memory, Pages: b.members.n, Links: seen.placed}
}

// read calls use for each link into U from W: the number of its target within U,
// and its source. Sources that are not wanted may be left out; a nil wanted wants all.
func (b *builder) read(wanted func(uint32) bool, use func(target, source uint32, class Class) error) (tally, error) {
	b.passes++
	tallies := make([]tally, b.workers)
	err := eachPart(b.ctx, b.links, b.workers, wanted, func(worker int, source uint32, targets []uint32) error {
		if err := inRange(len(b.classes), source, targets); err != nil {
			return err
		}
		if wanted != nil && !wanted(source) {
			return nil
		}
		t := &tallies[worker]
		class := b.classes[source]
		for _, p := range targets {
			target, ok := b.members.index(p)
			switch {
			case !ok:
				continue
			case !class.Crawled():
				t.outside++
				continue
			case p == source && b.opt.DropSelfLinks:
				t.self++
				continue
			}
			t.placed++
			if class == Unidentified {
				t.fromU++
			}
			if err := use(target, source, class); err != nil {
				return err
			}
		}
		return nil
	})
	var sum tally
	for _, t := range tallies {
		sum.placed += t.placed
		sum.fromU += t.fromU
		sum.outside += t.outside
		sum.self += t.self
	}
	return sum, err
}

// count is the first pass. With distinct links the nodes then hold their final
// counts, with end the number of links from U; otherwise end is the number of all
// links into the page.
func (b *builder) count() error {
	var err error
	b.seen, err = b.read(nil, func(target, _ uint32, class Class) error {
		n := &b.nodes[target]
		counter := &n.end
		if b.opt.Distinct {
			switch class {
			case L2:
				counter = &n.l2
			case Old:
				counter = &n.in
			}
		}
		if atomic.AddUint32(counter, 1) == 0 {
			return errTooMany
		}
		return nil
	})
	if err != nil || !b.opt.Distinct {
		return err
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		all := uint64(n.in) + uint64(n.l2) + uint64(n.end)
		if all > math.MaxUint32 {
			return errTooMany
		}
		n.in = uint32(all)
	}
	return nil
}

// plan tells what is to come.
func (b *builder) plan(bytes uint64, passes int) {
	if b.opt.Planned != nil {
		b.opt.Planned(Plan{len(b.nodes), b.seen.placed, bytes, passes})
	}
}

// layout turns the number of links of each page of the section, in end, into where
// they begin, and gives the number of all.
func (b *builder) layout(s *section) (uint64, error) {
	var base uint64
	for first := s.first; first < s.end; first += blockPages {
		s.base = append(s.base, base)
		var at uint64
		for i := first; i < min(first+blockPages, s.end); i++ {
			n := &b.nodes[i]
			at, n.end = at+uint64(n.end), uint32(at)
			if at > math.MaxUint32 {
				return 0, errTooMany
			}
		}
		base += at
	}
	return base, nil
}

// graph is what was built.
func (b *builder) graph() *Graph {
	g := &Graph{members: b.members, nodes: b.nodes, sections: b.sections}
	s := &g.stats
	s.Pages, s.Unidentified, s.Passes = len(b.classes), len(b.nodes), b.passes
	s.Outside, s.SelfLinks = b.seen.outside, b.seen.self
	for _, n := range b.nodes {
		s.Links += uint64(n.in)
	}
	held := uint64(0)
	for _, section := range b.sections {
		s.Stored += uint64(len(section.links))
		held += 4 * uint64(cap(section.links))
	}
	s.Duplicates = b.seen.placed - s.Links
	s.Bytes = b.fixed + held
	s.Peak = s.Bytes + 4*b.scratch
	return g
}
