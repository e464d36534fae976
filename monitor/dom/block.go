package dom

import "iter"

// Block tells how long contents last that are at, or start from, a path.
type Block struct {
	Life     float64 // mean, in the unit of Line.Version
	Contents int     // different ones
}

// Blocks computes the persistence of contents from lines sorted by SubtreeHash,
// FullPath and Version (paper A section 5.3; SCIENCE A29):
//
//   - atPath: the life of a content at a path is the time from the first to the
//     last version that has it there; the mean is over the contents of the path;
//   - travel: the life of a content is the time from the first to the last
//     version that has it anywhere, credited to the path where it first appeared,
//     or to each of the paths if there are several in its first version. Paths
//     whose contents all came from elsewhere have no entry.
//
// A content is the text of a subtree. Elements without text share the empty one.
func Blocks(sorted iter.Seq[Line]) (atPath, travel map[string]Block) {
	at, anywhere := map[string]*mean{}, map[string]*mean{}
	var content, place struct{ first, last float64 }
	var origins []string // paths of the content's first version so far
	path, hash, some := "", Hash(0), false
	endPlace := func() {
		add(at, path, place.last-place.first)
		switch {
		case len(origins) == 0 || place.first < content.first:
			origins, content.first = append(origins[:0], path), place.first
		case place.first == content.first:
			origins = append(origins, path)
		}
		content.last = max(content.last, place.last)
	}
	endContent := func() {
		for _, p := range origins {
			add(anywhere, p, content.last-content.first)
		}
		origins = origins[:0]
	}
	for l := range sorted {
		same := some && l.Subtree == hash
		if same && l.FullPath == path {
			place.last = l.Version
			continue
		}
		if some {
			endPlace()
		}
		if !same {
			if some {
				endContent()
			}
			content.last = l.Version
		}
		some, path, hash = true, l.FullPath, l.Subtree
		place.first, place.last = l.Version, l.Version
	}
	if some {
		endPlace()
		endContent()
	}
	return means(at), means(anywhere)
}

type mean struct {
	sum float64
	n   int
}

func add(m map[string]*mean, path string, life float64) {
	x := m[path]
	if x == nil {
		x = &mean{}
		m[path] = x
	}
	x.sum += life
	x.n++
}

func means(m map[string]*mean) map[string]Block {
	out := make(map[string]Block, len(m))
	for p, x := range m {
		out[p] = Block{x.sum / float64(x.n), x.n}
	}
	return out
}
