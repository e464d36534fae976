package terms

import "math"

// Divergence tells how a term sets a page apart from a collection.
type Divergence struct {
	PDoc float64 // P(w|D), more than 0
	PCol float64 // P(w|C), more than 0
	Div  float64 // P(w|D) ln(P(w|D)/P(w|C)); negative for a term that is rarer here than elsewhere
}

// Diverge returns the summand of a term with the given probabilities. ok is
// false if one of them is not positive: the page then is not part of the
// collection, or does not have the term.
func Diverge(pDoc, pCol float64) (d Divergence, ok bool) {
	if !(pDoc > 0) || !(pCol > 0) {
		return Divergence{}, false
	}
	return Divergence{pDoc, pCol, pDoc * math.Log(pDoc/pCol)}, true
}

// Divergences computes the divergence of every term of one page from the
// collection that the page is part of (paper A section 4.3; SCIENCE A24):
//
//	Div(w, D) = P(w|D) ln(P(w|D) / P(w|C))
//	P(w|D) = mean over the versions D_t of tf(w, D_t)/|D_t|
//	P(w|C) = mean over the slots t of ctf(w, C_t)/|C_t|,  C_t all pages' versions at t
//
// docs[name][t] counts the words of the version of a page at slot t; nil is a
// missing one. Versions without words are left out of the means, slots without
// words too. A page's own versions decide which slots count for P(w|D); P(w|C)
// uses all. The sum over all terms is a Kullback-Leibler divergence and not
// negative. The result is nil if the page has no version with words.
func Divergences(docs map[string][]map[string]int, doc string) map[string]Divergence {
	pDoc := meanShare(docs[doc])
	if pDoc == nil {
		return nil
	}
	slots := 0
	for _, versions := range docs {
		slots = max(slots, len(versions))
	}
	pooled := make([]map[string]int, slots)
	for t := range pooled {
		pooled[t] = pool(docs, t)
	}
	return diverge(pDoc, meanShare(pooled))
}

// DivergencesAt computes the divergences at slot t: the single summands at t of
// both means. The result is nil if the page has no version with words there.
func DivergencesAt(docs map[string][]map[string]int, doc string, t int) map[string]Divergence {
	versions := docs[doc]
	if t < 0 || t >= len(versions) {
		return nil
	}
	pDoc := meanShare(versions[t : t+1])
	if pDoc == nil {
		return nil
	}
	return diverge(pDoc, meanShare([]map[string]int{pool(docs, t)}))
}

func diverge(pDoc, pCol map[string]float64) map[string]Divergence {
	out := make(map[string]Divergence, len(pDoc))
	for w, p := range pDoc {
		if d, ok := Diverge(p, pCol[w]); ok {
			out[w] = d
		}
	}
	return out
}

// pool adds up the versions of all pages at slot t. Whole numbers make the order
// of the pages immaterial.
func pool(docs map[string][]map[string]int, t int) map[string]int {
	sum := map[string]int{}
	for _, versions := range docs {
		if t < len(versions) {
			for w, n := range versions[t] {
				if n > 0 {
					sum[w] += n
				}
			}
		}
	}
	return sum
}

// meanShare returns the mean of each term's share of a version over the versions
// that have words; nil if there are none.
func meanShare(versions []map[string]int) map[string]float64 {
	sum := map[string]float64{}
	n := 0
	for _, v := range versions {
		length := 0
		for _, c := range v {
			length += max(c, 0)
		}
		if length == 0 {
			continue
		}
		n++
		for w, c := range v {
			if c > 0 {
				sum[w] += float64(c) / float64(length)
			}
		}
	}
	if n == 0 {
		return nil
	}
	for w := range sum {
		sum[w] /= float64(n)
	}
	return sum
}
