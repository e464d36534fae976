package terms

import (
	"cmp"
	"slices"
)

// Span is a stretch of slots [From, To) whose versions all have a term. Slots
// without a version inside of it do not end it.
type Span struct{ From, To int }

// Lifespan is a row of the term lifespan plot (paper A Figure 5; SCIENCE A21).
type Lifespan struct {
	Term     string
	Spans    []Span // ascending; From and To-1 are slots with a version
	Versions int    // observed slots that have the term
}

// First returns the slot of the first version that has the term.
func (l Lifespan) First() int { return l.Spans[0].From }

// Last returns the slot of the last version that has the term.
func (l Lifespan) Last() int { return l.Spans[len(l.Spans)-1].To - 1 }

// Lifespans computes the rows of a page from all its versions: versions[i] has
// the words of the version in slot i as keys, nil is a missing slot. They are
// ordered as SortLifespans does.
func Lifespans(versions []map[string]int) []Lifespan {
	rows := map[string]*Lifespan{}
	before := -1 // the last slot with a version
	for i, v := range versions {
		if v == nil {
			continue
		}
		for w, n := range v {
			if n <= 0 {
				continue
			}
			r := rows[w]
			if r == nil {
				r = &Lifespan{Term: w}
				rows[w] = r
			}
			r.Versions++
			if k := len(r.Spans) - 1; k >= 0 && r.Spans[k].To == before+1 {
				r.Spans[k].To = i + 1
			} else {
				r.Spans = append(r.Spans, Span{i, i + 1})
			}
		}
		before = i
	}
	out := make([]Lifespan, 0, len(rows))
	for _, r := range rows {
		out = append(out, *r)
	}
	SortLifespans(out)
	return out
}

// SortLifespans orders rows as the plot shows them from the bottom up: by first
// occurrence, then by the number of versions, most first, then by name.
func SortLifespans(rows []Lifespan) {
	slices.SortFunc(rows, func(a, b Lifespan) int { return compareLifespans(&a, &b) })
}

func sortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int { return compareLifespans(&a.Lifespan, &b.Lifespan) })
}

func compareLifespans(a, b *Lifespan) int {
	return cmp.Or(a.First()-b.First(), b.Versions-a.Versions, cmp.Compare(a.Term, b.Term))
}
