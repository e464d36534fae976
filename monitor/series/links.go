package series

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/strandlinehq/strandline/store"
)

// links are those of a snapshot between page numbers, redirects followed, each
// once a page. They are kept packed where they fit, else read anew in each pass.
type links struct {
	ctx context.Context
	db  *store.DB
	set *pageSet

	kept    bool
	sources []uint32
	ends    []int // of the sources' targets in packed
	packed  []byte
}

// partSources is how many sources make up a part that is read on its own.
const partSources = 4096

var errTooLarge = errors.New("more links than fit")

// openLinks reads the links of a snapshot for the first time.
func openLinks(ctx context.Context, db *store.DB, set *pageSet, limit int64) (*links, error) {
	l := &links{ctx: ctx, db: db, set: set}
	err := db.SnapshotLinks(ctx, set.snapshot.ID, func(source store.PageID, packed []byte) error {
		if int64(len(l.packed)+len(packed)+12*len(l.sources)) > limit {
			return errTooLarge
		}
		number, err := set.number(source)
		if err != nil {
			return err
		}
		l.packed = append(l.packed, packed...)
		l.sources, l.ends = append(l.sources, number), append(l.ends, len(l.packed))
		return nil
	})
	switch {
	case errors.Is(err, errTooLarge):
		l.sources, l.ends, l.packed = nil, nil, nil
	case err != nil:
		return nil, err
	default:
		l.kept = true
	}
	return l, nil
}

// Parts is more than one where the links are in memory.
func (l *links) Parts() int {
	if !l.kept {
		return 1
	}
	return (len(l.sources) + partSources - 1) / partSources
}

// Part yields the links of a part.
func (l *links) Part(part int, yield func(source uint32, targets []uint32) error) error {
	return l.Choose(part, func(uint32) bool { return true }, yield)
}

// Choose yields the links of those pages of a part that are wanted; the others stay
// packed.
func (l *links) Choose(part int, wanted func(source uint32) bool, yield func(source uint32, targets []uint32) error) error {
	var targets []uint32
	return l.part(part, func(source uint32, packed []byte) (err error) {
		if !wanted(source) {
			return nil
		}
		if targets, err = l.set.targets(targets[:0], packed); err != nil {
			return err
		}
		return yield(source, targets)
	})
}

// part yields the packed links of a part's pages.
func (l *links) part(part int, yield func(source uint32, packed []byte) error) error {
	if !l.kept {
		return l.db.SnapshotLinks(l.ctx, l.set.snapshot.ID, func(source store.PageID, packed []byte) error {
			number, err := l.set.number(source)
			if err != nil {
				return err
			}
			return yield(number, packed)
		})
	}
	for i := part * partSources; i < min((part+1)*partSources, len(l.sources)); i++ {
		start := 0
		if i > 0 {
			start = l.ends[i-1]
		}
		if err := yield(l.sources[i], l.packed[start:l.ends[i]]); err != nil {
			return err
		}
	}
	return nil
}

// workers is how many goroutines have something to do.
func (l *links) workers() int { return min(runtime.GOMAXPROCS(0), max(1, l.Parts())) }

// targets appends the numbers of packed targets, redirects followed.
func (s *pageSet) targets(out []uint32, packed []byte) ([]uint32, error) {
	moved := false
	err := s.names(packed, func(page store.PageID, number uint32) {
		if to, redirects := s.aliases[number]; redirects {
			number, moved = uint32(to.Number()), true
		}
		out = append(out, number)
	})
	if moved { // two links may lead to one page now
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out, err
}

// names yields packed targets as they were linked.
func (s *pageSet) names(packed []byte, yield func(store.PageID, uint32)) error {
	var page store.PageID
	var ok bool
	for len(packed) > 0 {
		if page, packed, ok = store.NextLink(packed, page); !ok {
			return errDamaged
		}
		number, err := s.number(page)
		if err != nil {
			return err
		}
		yield(page, number)
	}
	return nil
}

var errDamaged = errors.New("packed links are damaged")
