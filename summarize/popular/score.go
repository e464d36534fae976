package popular

import "math"

// Static is the score of a page by its whole text (SCIENCE J2, paper J section
// 3.1): the sum of the weights over the occurrences of its terms, divided by
// their number. A page without terms scores 0; a term without weight counts as
// weight 0.
func Static(terms []string, weights map[string]Weight) float64 {
	if len(terms) == 0 {
		return 0
	}
	sum := 0.0
	for _, t := range terms {
		sum += weights[t].W
	}
	return sum / float64(len(terms))
}

// Score is the dynamic score of a page by its new terms (SCIENCE J3, paper J
// Equation 2), over occurrences j = 1..N_d:
//
//	S = (1 + ln N_d) / N_d · sum of W_j
//
// A page without new terms scores 0.
func Score(terms []string, weights map[string]Weight) float64 {
	if len(terms) == 0 {
		return 0
	}
	return Static(terms, weights) * (1 + math.Log(float64(len(terms))))
}

// WithLinked adds to the score of each page a portion of the scores of the pages
// of its site that it links to, which paper J names as its first limitation
// (section 5): a page of links is as good as what it leads to.
//
//	S'(p) = S(p) + portion · sum over the linked q of S(q) / number of pages that link to q
//
// links holds for each page the distinct pages of its own site that it links to,
// itself not among them. Linked scores count as they are in scores, so that
// nothing travels further than one link.
func WithLinked(scores map[string]float64, links map[string][]string, portion float64) map[string]float64 {
	parents := map[string]float64{}
	for _, targets := range links {
		for _, q := range targets {
			parents[q]++
		}
	}
	out := make(map[string]float64, len(scores))
	for p, s := range scores {
		for _, q := range links[p] {
			s += portion * scores[q] / parents[q]
		}
		out[p] = s
	}
	return out
}

// UpToDate returns the up-to-date-ness of a page after each of its periods
// (SCIENCE J4, paper J Equation 3), for scores S_1..S_T of all its periods in
// order, 0 where it did not change:
//
//	D(T) = sum over t = 1..T of S_t / (T - t + 1)
//
// A page that joined later starts with the period in which it joined. The time is
// quadratic in the number of periods; who needs the last value only uses Latest.
func UpToDate(scores []float64) []float64 {
	out := make([]float64, len(scores))
	for t := range scores {
		out[t] = Latest(scores[:t+1])
	}
	return out
}

// Latest is the last value of UpToDate, 0 without periods.
func Latest(scores []float64) float64 {
	sum := 0.0
	for t, s := range scores {
		sum += s / float64(len(scores)-t)
	}
	return sum
}

// Precision is the share of the added pages that are on topic (SCIENCE J12); it
// is unknown where none was added.
func Precision(onTopic, added int) (share float64, known bool) {
	if added <= 0 {
		return 0, false
	}
	return float64(onTopic) / float64(added), true
}
