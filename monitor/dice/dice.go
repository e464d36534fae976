// Package dice measures how much of a page's words stayed from one version to
// the next (paper A sections 3 and 4.1; SCIENCE A8, A9).
//
// Of, OfMaps and WordSet.Dice compute the coefficient on sorted slices, maps
// and sorted hashes; a WordSet, built with a Builder, is what versions are kept
// as. Tracker turns a page's versions into the points of the paper's Figure 2.
//
//	var b dice.Builder
//	text.EachWord(page, b.Add)
//	words := b.Set()
//
// The sets hold each word once: how often a word occurs does not count. What
// a word is and which texts are compared is decided by the caller.
package dice

import "cmp"

// Of returns the Dice coefficient of two sets, given as ascending slices
// without repetitions:
//
//	D(A, B) = 2 |A ∩ B| / (|A| + |B|)    (SCIENCE A8)
//
// It is 1 for equal sets, so for two empty ones, and 0 for sets without
// a common element, so for an empty and another one.
func Of[T cmp.Ordered](a, b []T) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	return coefficient(common, len(a), len(b))
}

// OfMaps returns the Dice coefficient of the key sets of two maps.
func OfMaps[K comparable, V, W any](a map[K]V, b map[K]W) float64 {
	common := 0
	for k := range a {
		if _, ok := b[k]; ok {
			common++
		}
	}
	return coefficient(common, len(a), len(b))
}

func coefficient(common, a, b int) float64 {
	if a+b == 0 {
		return 1
	}
	return 2 * float64(common) / float64(a+b)
}

// Difference returns the elements of new that old lacks and those of old that
// new lacks, both ascending. The arguments are sets as for Of.
func Difference[T cmp.Ordered](old, new []T) (added, removed []T) {
	i, j := 0, 0
	for i < len(old) && j < len(new) {
		switch {
		case old[i] < new[j]:
			removed = append(removed, old[i])
			i++
		case old[i] > new[j]:
			added = append(added, new[j])
			j++
		default:
			i++
			j++
		}
	}
	return append(added, new[j:]...), append(removed, old[i:]...)
}
