package novelty

import "iter"

// blockPages is how many pages of U share a base, to which the ends of their lists
// are relative: four bytes a page instead of eight.
const blockPages = 256

// node is what the graph holds of a page of U: twelve bytes.
type node struct {
	end uint32 // end of its stored links in the block; they begin where those of the page before end
	in  uint32 // |I(p)|: distinct pages that link to it
	l2  uint32 // how many of them are in L2
}

// section is the stored links of a range of pages of U.
type section struct {
	first, end int      // pages of U from first, a multiple of blockPages, to before end
	base       []uint64 // where the links of each block begin
	links      []uint32 // sources of links from U to U, as numbers within U, ascending for each page
}

// Graph is the links into U, as the iteration needs them. It does not change and
// may be used by several goroutines. Made by Build.
//
// A link from an old page adds a constant to the score of its target, so of those
// there are only counts, and the sources that are stored are those in U.
type Graph struct {
	members  *members
	nodes    []node
	sections []section
	stats    Stats
}

// Stats are the sizes of a graph.
type Stats struct {
	Pages        int    // of the snapshot with its fringe
	Unidentified int    // pages of U
	Links        uint64 // distinct links into U from pages of W
	Stored       uint64 // those of them from U
	Duplicates   uint64 // links into U that came more than once, and were dropped
	Outside      uint64 // links into U from pages outside W, which have no links in the snapshot: passed over
	SelfLinks    uint64 // links of pages of U to themselves that were dropped, if that was asked for
	Bytes        uint64 // that the graph takes, with its scores in float32 and the classes
	Peak         uint64 // that building it took at most
	Passes       int    // times that the links were read
}

// Stats gives the sizes of the graph.
func (g *Graph) Stats() Stats { return g.stats }

// Len is the number of pages of U.
func (g *Graph) Len() int { return len(g.nodes) }

// Pages yields the pages of U in ascending order, with their numbers within U, by
// which scores are listed.
func (g *Graph) Pages() iter.Seq2[int, uint32] { return g.members.all }

// Index gives the number of a page within U.
func (g *Graph) Index(page uint32) (int, bool) {
	if uint64(page) >= uint64(g.stats.Pages) {
		return 0, false
	}
	i, ok := g.members.index(page)
	return int(i), ok
}

// InLinks gives the number of distinct pages of W that link to page i of U, and how
// many of them are in L2.
func (g *Graph) InLinks(i int) (all, l2 int) {
	return int(g.nodes[i].in), int(g.nodes[i].l2)
}

// block gives the stored links of a block of the section, the block's pages, and
// the number within U of the first.
func (g *Graph) block(s *section, b int) (links []uint32, nodes []node, first int) {
	first = s.first + b*blockPages
	nodes = g.nodes[first:min(first+blockPages, s.end)]
	base := s.base[b]
	return s.links[base : base+uint64(nodes[len(nodes)-1].end)], nodes, first
}
