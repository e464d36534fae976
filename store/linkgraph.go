package store

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// LinkGraph is the links of a snapshot in memory, to be read in both directions.
// It takes eight bytes a link and sixteen a page. Links are those as they were
// linked: redirects are not followed. It does not change and may be used by several
// goroutines.
type LinkGraph struct {
	pages             []PageID // that link or are linked to, rising
	outEnds, inEnds   []uint32 // of each page's lists in out and in
	outLinks, inLinks []uint32 // places in pages, rising in each list
}

// ReadLinkGraph reads the links of a snapshot.
func (db *DB) ReadLinkGraph(ctx context.Context, id SnapshotID) (*LinkGraph, error) {
	var sources, targets []PageID // a pair a link
	err := db.SnapshotLinks(ctx, id, func(source PageID, packed []byte) error {
		var page PageID
		var ok bool
		for len(packed) > 0 {
			if page, packed, ok = NextLink(packed, page); !ok {
				return fmt.Errorf("page %d: %w", source, errLinksDamaged)
			}
			sources, targets = append(sources, source), append(targets, page)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(sources) > math.MaxUint32 {
		return nil, fmt.Errorf("snapshot %d has %d links: at most 2^32 can be held", id, len(sources))
	}
	g := &LinkGraph{}
	g.pages = slices.Concat(sources, targets)
	slices.Sort(g.pages)
	g.pages = slices.Clip(slices.Compact(g.pages))
	from, to := g.places(sources), g.places(targets)
	g.outEnds, g.outLinks = lists(len(g.pages), from, to)
	g.inEnds, g.inLinks = lists(len(g.pages), to, from)
	return g, nil
}

// places are where pages stand in the list of all.
func (g *LinkGraph) places(pages []PageID) []uint32 {
	out := make([]uint32, len(pages))
	for i, p := range pages {
		at, _ := slices.BinarySearch(g.pages, p)
		out[i] = uint32(at)
	}
	return out
}

// lists sorts pairs into a list for each key from 0 to n-1.
func lists(n int, keys, values []uint32) (ends, out []uint32) {
	ends = make([]uint32, n)
	for _, k := range keys {
		ends[k]++
	}
	var at uint32
	for k, count := range ends {
		ends[k], at = at, at+count // where the list begins, for now
	}
	out = make([]uint32, len(values))
	for i, k := range keys {
		out[ends[k]] = values[i]
		ends[k]++
	}
	for k := range ends {
		slices.Sort(listAt(ends, out, k))
	}
	return ends, out
}

func listAt(ends, links []uint32, at int) []uint32 {
	start := uint32(0)
	if at > 0 {
		start = ends[at-1]
	}
	return links[start:ends[at]]
}

// Pages is the number of pages that link or are linked to, Links that of the links.
func (g *LinkGraph) Pages() int { return len(g.pages) }

// Links is the number of distinct links.
func (g *LinkGraph) Links() int { return len(g.outLinks) }

// Out appends the pages that a page links to, rising.
func (g *LinkGraph) Out(dst []PageID, page PageID) []PageID {
	return g.read(dst, page, g.outEnds, g.outLinks)
}

// In appends the pages that link to a page, rising.
func (g *LinkGraph) In(dst []PageID, page PageID) []PageID {
	return g.read(dst, page, g.inEnds, g.inLinks)
}

func (g *LinkGraph) read(dst []PageID, page PageID, ends, links []uint32) []PageID {
	at, ok := slices.BinarySearch(g.pages, page)
	if !ok {
		return dst
	}
	for _, l := range listAt(ends, links, at) {
		dst = append(dst, g.pages[l])
	}
	return dst
}
