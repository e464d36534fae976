package novelty

import (
	"errors"
	"slices"
	"sync/atomic"
)

// layDistinct places the links from U to U, which are known to be distinct.
func (b *builder) layDistinct() error {
	need := b.fixed + 4*b.seen.fromU
	if b.opt.Memory > 0 && need > b.opt.Memory {
		return &MemoryError{Need: need, Limit: b.opt.Memory, Pages: len(b.nodes), Links: b.seen.placed}
	}
	b.plan(need, 2)
	s := section{end: len(b.nodes)}
	n, err := b.layout(&s)
	if err != nil {
		return err
	}
	s.links = make([]uint32, n)
	fromU := func(source uint32) bool { return source >= uint32(len(b.classes)) || b.classes[source] == Unidentified }
	_, err = b.read(fromU, func(target, source uint32, _ Class) error {
		index, _ := b.members.index(source)
		return b.place(&s, target, index)
	})
	if err != nil {
		return err
	}
	b.sections = []section{s}
	return parallel(b.ctx, b.workers, len(s.base), func(_, block int) error {
		b.eachList(&s, block, func(_ *node, list []uint32) {
			if !slices.IsSorted(list) {
				slices.Sort(list)
			}
		})
		return nil
	})
}

// errUnstable is the fault of a stream.
var errUnstable = errors.New("the links were not the same when they were read again")

// place puts a link where the target's next one belongs. The ends of the lists
// move from where they begin to where they end.
func (b *builder) place(s *section, target, value uint32) error {
	at := s.base[(int(target)-s.first)/blockPages] + uint64(atomic.AddUint32(&b.nodes[target].end, 1)-1)
	if at >= uint64(len(s.links)) {
		return errUnstable
	}
	s.links[at] = value
	return nil
}

// eachList calls use for the pages of a block with their lists.
func (b *builder) eachList(s *section, block int, use func(*node, []uint32)) {
	first := s.first + block*blockPages
	at := s.base[block]
	start := at
	for i := first; i < min(first+blockPages, s.end); i++ {
		end := at + uint64(b.nodes[i].end)
		use(&b.nodes[i], s.links[start:end:end])
		start = end
	}
}

// layAny places links that may come more than once: the sources of all links into a
// section of U are gathered, sorted, counted once each, and those from U kept.
func (b *builder) layAny() error {
	sections, err := b.cut()
	if err != nil {
		return err
	}
	var buffer []uint32
	for i := range sections {
		s := &sections[i]
		n, err := b.layout(s)
		if err != nil {
			return err
		}
		if uint64(cap(buffer)) < n {
			buffer = make([]uint32, n)
		}
		s.links = buffer[:n]
		_, err = b.read(nil, func(target, source uint32, _ Class) error {
			if int(target) < s.first || int(target) >= s.end {
				return nil
			}
			return b.place(s, target, source)
		})
		if err != nil {
			return err
		}
		err = parallel(b.ctx, b.workers, len(s.base), func(_, block int) error {
			b.reduce(s, block)
			return nil
		})
		if err != nil {
			return err
		}
		b.closeUp(s)
		if len(sections) > 1 {
			s.links = slices.Clone(s.links)
		}
	}
	if len(sections) > 1 {
		b.scratch = uint64(cap(buffer))
	}
	b.sections = sections
	return nil
}

// cut divides U into sections whose links, all of them, fit in the memory beside
// those that are kept.
func (b *builder) cut() ([]section, error) {
	if need := b.fixed + 4*b.seen.placed; b.opt.Memory == 0 || need <= b.opt.Memory {
		b.plan(need, 2)
		return []section{{end: len(b.nodes)}}, nil
	}
	kept := b.fixed + 4*b.seen.fromU
	refusal := &MemoryError{Need: kept + 4*b.seen.placed/maxPasses, Limit: b.opt.Memory, Pages: len(b.nodes), Links: b.seen.placed}
	if kept >= b.opt.Memory {
		return nil, refusal
	}
	room := (b.opt.Memory - kept) / 4 // links
	var sections []section
	s, held := section{}, uint64(0)
	for first := 0; first < len(b.nodes); first += blockPages {
		end := min(first+blockPages, len(b.nodes))
		var n uint64
		for _, node := range b.nodes[first:end] {
			n += uint64(node.end)
		}
		if n > room {
			refusal.Need = max(refusal.Need, kept+4*n)
			return nil, refusal
		}
		if held+n > room {
			sections = append(sections, s)
			s, held = section{first: first}, 0
		}
		s.end, held = end, held+n
	}
	sections = append(sections, s)
	if len(sections) > maxPasses {
		return nil, refusal
	}
	b.plan(b.opt.Memory, 1+len(sections))
	return sections, nil
}

// reduce sorts the lists of a block, counts their distinct sources, and moves the
// numbers of those from U to the front of the block.
func (b *builder) reduce(s *section, block int) {
	kept := s.links[s.base[block]:] // written never beyond what was read
	at := uint32(0)
	b.eachList(s, block, func(n *node, list []uint32) {
		if !slices.IsSorted(list) {
			slices.Sort(list)
		}
		n.in, n.l2 = 0, 0
		var last uint32 // what stands before i may be overwritten already
		for i, source := range list {
			if i > 0 && source == last {
				continue
			}
			last = source
			n.in++
			switch b.classes[source] {
			case L2:
				n.l2++
			case Unidentified:
				index, _ := b.members.index(source)
				kept[at] = index
				at++
			}
		}
		n.end = at
	})
}

// closeUp moves the blocks of a section, as reduce left them, next to each other.
func (b *builder) closeUp(s *section) {
	var at uint64
	for block, base := range s.base {
		last := min(s.first+(block+1)*blockPages, s.end) - 1
		n := uint64(b.nodes[last].end)
		copy(s.links[at:at+n], s.links[base:base+n])
		s.base[block] = at
		at += n
	}
	s.links = s.links[:at]
}
