package mask

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// clocks finds the chunks that show the time of the fetch in both versions. Those
// that differ are left to compare.
func (l *learner) clocks() {
	type key struct {
		selector string
		chunk    int
	}
	seen := map[key]string{}
	l.showing(&l.a, func(p path, _ int32, chunk int, text string) { seen[key{p.String(), chunk}] = text })
	l.showing(&l.b, func(p path, y int32, chunk int, text string) {
		form := l.pattern(text, text)
		if seen[key{p.String(), chunk}] == text && !l.told(y, chunk, text, form) {
			l.propose(candidate{path: p, kind: Tokens, chunk: chunk, form: form, clock: uint32(xxh3.HashString(text)) | 1})
		}
	})
}

// showing visits the chunks that show the time of the fetch, with the path of
// their element, the element, and which of its chunks it is. A page is taken to
// have no more than maxClocks.
func (l *learner) showing(s *side, visit func(p path, i int32, chunk int, text string)) {
	const maxClocks = 64
	n := 0
	for i := range s.Nodes {
		t := s.Nodes[i].Text
		if !strings.Contains(t, ":") || n >= maxClocks || l.work <= 0 {
			continue
		}
		l.work -= len(t)
		if l.pattern(t, t) == nil {
			continue
		}
		n++
		of := s.Nodes[i].Parent
		if p := s.pathOf(of); p != nil {
			visit(p, of, slices.Index(s.chunks(of), int32(i)), t)
		}
	}
}

// told reports whether a rule of another pattern already masks a chunk.
func (l *learner) told(y int32, chunk int, text string, form pattern) bool {
	return slices.ContainsFunc(l.known[y], func(i int) bool {
		r := &l.rules[i]
		_, fits := blank(text, []pattern{r.form})
		return r.Kind == Tokens && r.Chunk == chunk && fits && r.Pattern != form.String()
	})
}
