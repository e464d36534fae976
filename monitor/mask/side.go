package mask

import (
	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// sameIDs lets only ids count that both versions have: others are made up for
// the request, whatever they look like.
func sameIDs(a, b tree) {
	for id := range a.ids {
		if b.ids[id] != 1 {
			a.ids[id] = 0
		}
	}
	for id := range b.ids {
		if a.ids[id] != 1 {
			b.ids[id] = 0
		}
	}
}

// side is one version of a pair. sums[n] is a polynomial hash of the first n
// chunks, by which the texts of any two subtrees are compared at once.
type side struct {
	tree
	count []int32 // chunks before each node, and one more
	sums  []uint64
	bytes []int
	power []uint64
}

func newSide(p *extract.Page) side {
	const base = 0x9E3779B97F4A7C15
	s := side{tree: treeOf(p), sums: []uint64{0}, bytes: []int{0}, power: []uint64{1}}
	for i := range p.Nodes {
		s.count = append(s.count, int32(len(s.sums)-1))
		if n := &p.Nodes[i]; n.Tag == "" {
			k := len(s.sums) - 1
			s.sums = append(s.sums, s.sums[k]*base+xxh3.HashString(n.Text))
			s.bytes = append(s.bytes, s.bytes[k]+len(n.Text))
			s.power = append(s.power, s.power[k]*base)
		}
	}
	s.count = append(s.count, int32(len(s.sums)-1))
	return s
}

// sum is a hash of the chunks below node i, and size their bytes.
func (s *side) sum(i int32) (hash uint64, size int) {
	from, to := s.count[i], s.count[s.Nodes[i].End]
	return s.sums[to] - s.sums[from]*s.power[to-from], s.bytes[to] - s.bytes[from]
}
