package terms

import (
	"cmp"
	"slices"
)

// Scored is a term of a page with its measures.
type Scored struct {
	Term     string
	Power    float64 // staying power
	HasPower bool    // it is defined: the page has two versions
	At       float64 // Div at the slot of the table's left column
	HasAt    bool    // the term is in that version
	Div      float64 // over all versions
	HasDiv   bool    // it is defined: the collection has the term
}

// Table is a page's part of paper A's Table 3 (SCIENCE A25).
type Table struct {
	// Start has the terms with the highest divergence at the slot of the left
	// column, highest first; those with Power < Fleeting are set in bold.
	Start []Scored
	// High and Low have the terms with Power > Lasting that set the page apart
	// most and least, both from the outer end. No term is in both.
	High, Low []Scored
}

// Select forms the table: at most top terms on the left, at most side terms in
// each part on the right. The paper has 20 and about 10. Terms of equal
// divergence come in the order of their names.
func Select(terms []Scored, top, side int) Table {
	var t Table
	var lasting []Scored
	for _, s := range terms {
		if s.HasAt {
			t.Start = append(t.Start, s)
		}
		if s.HasPower && s.HasDiv && s.Power > Lasting {
			lasting = append(lasting, s)
		}
	}
	slices.SortFunc(t.Start, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.Term, b.Term))
	})
	t.Start = t.Start[:min(len(t.Start), max(top, 0))]
	slices.SortFunc(lasting, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Div, a.Div), cmp.Compare(a.Term, b.Term))
	})
	high := min((len(lasting)+1)/2, max(side, 0))
	low := min(len(lasting)/2, max(side, 0))
	t.High = lasting[:high:high]
	t.Low = slices.Clone(lasting[len(lasting)-low:])
	slices.Reverse(t.Low)
	return t
}
