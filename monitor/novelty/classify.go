package novelty

import (
	"context"
	"sync/atomic"
)

// Classify gives the class of every page (SCIENCE T2), the pages being the
// numbers 0 .. len(flags)-1. A page of W is in O when
//
//	rule 1: it is in V(t_j) for some j < k, or
//	rule 2: Last-Modified(p) < t_{k-1}, or
//	rule 3: some q in W(t_k) with Last-Modified(q) < t_{k-1} links to it, or
//	rule 4: its own date is before t_{k-1}
//
// as far as the rules are asked for. Rule 3 is not recursive: q counts for its own
// date only. L2 = O and W(t_{k-1}); U is the rest of W. The links are read once, by
// up to workers goroutines (0: one a processor); links from pages outside W are no
// links of the snapshot and are passed over. links may be nil: then there is no
// fringe and rule 3 finds nothing.
//
// Beside the flags it needs a byte and two bits a page.
func Classify(ctx context.Context, flags []Flag, links Links, rules Rules, workers int) ([]Class, error) {
	linked, linkedByOld := newPageSet(len(flags)), newPageSet(len(flags))
	if links != nil {
		err := eachPart(ctx, links, workers, nil, func(_ int, source uint32, targets []uint32) error {
			if err := inRange(len(flags), source, targets); err != nil {
				return err
			}
			if flags[source]&Crawled == 0 {
				return nil
			}
			old := flags[source]&Modified != 0
			for _, p := range targets {
				linked.set(p)
				if old {
					linkedByOld.set(p)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	classes := make([]Class, len(flags))
	for p, f := range flags {
		if f&Crawled == 0 {
			if linked.has(uint32(p)) {
				classes[p] = Fringe
			}
			continue
		}
		switch {
		case !(rules&RuleKnown != 0 && f&(Known|Previous) != 0 ||
			rules&RuleModified != 0 && f&Modified != 0 ||
			rules&RuleLinked != 0 && linkedByOld.has(uint32(p)) ||
			rules&RuleDated != 0 && f&Dated != 0):
			classes[p] = Unidentified
		case f&Previous != 0:
			classes[p] = L2
		default:
			classes[p] = Old
		}
	}
	return classes, nil
}

// pageSet is a set of pages that several goroutines may add to.
type pageSet []uint32

func newPageSet(n int) pageSet { return make(pageSet, (n+31)/32) }

func (b pageSet) set(p uint32) {
	word, bit := &b[p/32], uint32(1)<<(p%32)
	if atomic.LoadUint32(word)&bit == 0 {
		atomic.OrUint32(word, bit)
	}
}

// has may be used when all have been added.
func (b pageSet) has(p uint32) bool { return b[p/32]>>(p%32)&1 != 0 }
