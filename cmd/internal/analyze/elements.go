package analyze

import (
	"maps"
	"slices"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dom"
)

// Block tells how long contents stay at an element (SCIENCE A29).
type Block struct {
	Path string  `json:"path"`
	Life float64 `json:"life_hours"` // mean over the contents that were there
}

// horizonNames are the keys of dom.Horizons, in the same order.
func horizonNames() []string { return []string{"2h", "1d", "1w", "2w", "4w", "5w"} }

// elements measures the survival of a page's elements (SCIENCE A28) and the life
// of what they hold. The times are those of the grid, in hours.
//
// It is what dom.Lifespans, dom.Survive and dom.Blocks give of the sorted lines
// of all versions. As all depends on the first and last time only, a content
// that stayed for many slots is gone through twice, and nothing is sorted.
func (g *gatherer) elements(h *history) (map[string]any, []Block, error) {
	if len(h.grid) == 0 {
		return nil, nil, nil
	}
	e := elements{index: map[string]int32{}, contents: map[place]span{}}
	err := h.runs(func(from, to int, c *content) error {
		page, err := g.page(c)
		if err != nil {
			return err
		}
		e.add(h.grid[from].slot, h.grid[to-1].slot, page.Nodes)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return e.survival(h), e.blocks(), nil
}

// elements is what is known of the paths of a page.
type elements struct {
	index    map[string]int32
	paths    []dom.Lifespan
	contents map[place]span
}

// place is a content at a path.
type place struct {
	path    int32
	content dom.Hash
}

type span struct{ first, last int32 }

func (e *elements) add(from, to int, nodes []extract.Node) {
	for line := range dom.Lines(nodes, 0, false) {
		i, ok := e.index[line.FullPath]
		if !ok {
			i = int32(len(e.paths))
			e.index[line.FullPath] = i
			e.paths = append(e.paths, dom.Lifespan{Path: line.FullPath, First: float64(from)})
		}
		e.paths[i].Last = float64(to)
		if line.Subtree == 0 {
			continue // no text is no content
		}
		at := place{i, line.Subtree}
		s, ok := e.contents[at]
		if !ok {
			s.first = int32(from)
		}
		s.last = int32(to)
		e.contents[at] = s
	}
}

// survival is nil if no horizon is defined.
func (e *elements) survival(h *history) map[string]any {
	first, last := float64(h.grid[0].slot), float64(h.grid[len(h.grid)-1].slot)
	out, some := map[string]any{}, false
	for i, s := range dom.Survive(slices.Values(e.paths), first, last, dom.Horizons()) {
		out[horizonNames()[i]] = nil
		if s.OK {
			out[horizonNames()[i]], some = s.Share, true
		}
	}
	if !some {
		return nil
	}
	return out
}

// blocks gives the paths that ever had text, in ascending order.
func (e *elements) blocks() []Block {
	sums, contents := make([]int64, len(e.paths)), make([]int, len(e.paths))
	for p, s := range e.contents {
		sums[p.path] += int64(s.last - s.first)
		contents[p.path]++
	}
	out := make([]Block, 0, len(e.paths))
	for _, path := range slices.Sorted(maps.Keys(e.index)) {
		i := e.index[path]
		if contents[i] == 0 {
			continue
		}
		out = append(out, Block{path, float64(sums[i]) / float64(contents[i])})
	}
	return out
}
