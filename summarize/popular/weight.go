package popular

import (
	"cmp"
	"math"
	"slices"
)

// Weight is the weight of one term in one period.
type Weight struct {
	Count int     // CF: occurrences in all texts of the period
	Pages int     // n: pages whose text has the term
	W     float64 // CF exp(n/N)
}

// Weights returns the weight of every term (SCIENCE J1, paper J Equation 1):
//
//	W = CF exp(n/N)
//
// texts holds the terms of each page's new sentences, with repetitions; pages is
// N, the number of pages that were tracked in the period, unchanged ones too. A
// caller that counts changed pages only gives len(texts). There is no N without
// pages: if it is not positive, len(texts) stands for it.
func Weights(texts map[string][]string, pages int) map[string]Weight {
	if pages <= 0 {
		pages = len(texts)
	}
	out := map[string]Weight{}
	last := map[string]int{} // the text, from 1, that last counted for n
	text := 0
	for _, terms := range texts {
		text++
		for _, t := range terms {
			w := out[t]
			w.Count++
			if last[t] != text {
				last[t] = text
				w.Pages++
			}
			out[t] = w
		}
	}
	for t, w := range out {
		w.W = float64(w.Count) * math.Exp(float64(w.Pages)/float64(pages))
		out[t] = w
	}
	return out
}

// Term is a term with its weight.
type Term struct {
	Term string
	Weight
}

// Top returns the n heaviest terms, heaviest first and equal ones in alphabetical
// order, as Tables 2 and 3 of the paper list them. Without a positive n it
// returns all.
func Top(weights map[string]Weight, n int) []Term {
	out := make([]Term, 0, len(weights))
	for t, w := range weights {
		out = append(out, Term{t, w})
	}
	slices.SortFunc(out, func(a, b Term) int {
		return cmp.Or(cmp.Compare(b.W, a.W), cmp.Compare(a.Term, b.Term))
	})
	if n > 0 && n < len(out) {
		out = out[:n]
	}
	return out
}
