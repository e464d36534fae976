package repeat

import (
	"cmp"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/summarize/feature"
)

// Match is the past sentence that is most like a sentence.
type Match struct {
	Found   bool // a past sentence shares a term, or all words
	Key     int64
	Period  int64
	Cosine  float64 // 0 to 1
	Exact   bool    // it has the same normal form
	Figures bool    // it has all amounts of the sentence
	Wording bool    // it differs in amounts at most
	Names   bool    // little but names, amounts and dates is common to both
}

// queried is a term of the sentence that is searched for.
type queried struct {
	id     int32
	weight float64
}

// Nearest returns the past sentence most like the given one; normal is the hash of
// its normal form. Key and period of the given sentence play no part. Of equally
// like ones it is the earliest, who said it first. But where it gives other
// amounts than the sentence, the one named is the last that differs from it in
// nothing but amounts: of "28 cases", "30 cases" and "44 cases" the last is what
// "55 cases" brings up to date. The cosine is that of the nearest in any case.
//
// It reads the lists of its terms from the rarest on, and stops when no sentence
// that shares only the rest could be nearer than the best: such a one has at most
// the cosine sqrt(sum of the squares of the remaining weights).
func (x *Index) Nearest(v feature.Vector, normal uint64) Match {
	if i, ok := x.exact[normal]; ok {
		return x.match(i, 1, v, true)
	}
	x.ask(v)
	rest := 0.0 // square of the length of the terms not read
	for _, q := range x.asked {
		rest += q.weight * q.weight
	}
	left, best := x.reads, 0.0
	read := 0
	for ; read < len(x.asked) && left > 0; read++ {
		if rest <= best*best {
			break
		}
		q := x.asked[read]
		lists := x.terms[q.id].lists
		lists = lists[max(0, len(lists)-left):]
		left -= len(lists)
		idf := x.terms[q.id].idf
		for _, p := range lists {
			if x.score[p.sentence] == 0 {
				x.touched = append(x.touched, p.sentence)
			}
			s := x.score[p.sentence] + q.weight*float64(p.strength)*idf/x.norms[p.sentence]
			x.score[p.sentence] = s
			best = max(best, s)
		}
		rest -= q.weight * q.weight
	}
	return x.nearestOf(v, math.Sqrt(max(rest, 0)), best)
}

// ask fills asked with the known terms of v, the rarest first.
func (x *Index) ask(v feature.Vector) {
	x.asked = x.asked[:0]
	length := x.norm(v)
	if length == 0 {
		return
	}
	for _, t := range v {
		if id, ok := x.ids[t.Hash]; ok {
			x.asked = append(x.asked, queried{id, t.Strength() * x.terms[id].idf / length})
		}
	}
	slices.SortFunc(x.asked, func(a, b queried) int {
		return cmp.Or(cmp.Compare(len(x.terms[a.id].lists), len(x.terms[b.id].lists)), cmp.Compare(a.id, b.id))
	})
}

// nearestOf scores the touched sentences in full, those that may still be the
// nearest, and clears the scratch. A sentence in the wording of the nearest shares
// its terms with v but for amounts, and so was touched with it.
func (x *Index) nearestOf(v feature.Vector, rest, reached float64) Match {
	best, nearest := 0.0, int32(-1)
	length := x.norm(v)
	for _, i := range x.touched {
		if s := x.score[i]; s+rest >= max(reached, best)-1e-9 {
			s = x.cosine(v, length, i)
			if s > best || s == best && i < nearest {
				best, nearest = s, i
			}
		}
	}
	if nearest >= 0 && !feature.SameFigures(v, x.sentences[nearest].Terms) {
		nearest = x.lastWording(nearest)
	}
	for _, i := range x.touched {
		x.score[i] = 0
	}
	x.touched = x.touched[:0]
	if nearest < 0 {
		return Match{}
	}
	return x.match(nearest, min(best, 1), v, false)
}

// lastWording is the last of the touched sentences that differ from sentence i in
// amounts at most.
func (x *Index) lastWording(i int32) int32 {
	of, last := x.sentences[i].Terms, i
	for _, j := range x.touched {
		if j > last && feature.SameButFigures(of, x.sentences[j].Terms) {
			last = j
		}
	}
	return last
}

// cosine of v, of the given length, with sentence i.
func (x *Index) cosine(v feature.Vector, length float64, i int32) float64 {
	w := x.sentences[i].Terms
	sum := 0.0
	for a, b := 0, 0; a < len(v) && b < len(w); {
		switch {
		case v[a].Hash < w[b].Hash:
			a++
		case v[a].Hash > w[b].Hash:
			b++
		default:
			idf := x.idf(v[a].Hash)
			sum += v[a].Strength() * w[b].Strength() * idf * idf
			a++
			b++
		}
	}
	return sum / (length * x.norms[i])
}

func (x *Index) match(i int32, cosine float64, v feature.Vector, exact bool) Match {
	s := x.sentences[i]
	return Match{Found: true, Key: s.Key, Period: s.Period, Cosine: cosine, Exact: exact, Figures: feature.SameFigures(v, s.Terms), Wording: len(v) > 0 && feature.SameButFigures(v, s.Terms), Names: x.onlyNames(v, s.Terms)}
}

// fewestWords is the cosine of the plain words of two sentences from which on they
// may be on one matter: half of Related, which counts the names as well.
const fewestWords = Related / 2

// onlyNames reports that the plain words of two sentences have less than that in
// common, where both have plain words.
func (x *Index) onlyNames(v, w feature.Vector) bool {
	common, lv, lw := 0.0, 0.0, 0.0
	weight := func(t feature.Term) float64 { return t.Strength() * x.idf(t.Hash) }
	for _, t := range v {
		if t.Kind != feature.Word {
			continue
		}
		lv += weight(t) * weight(t)
		for _, u := range w {
			if u.Hash == t.Hash && u.Kind == feature.Word {
				common += weight(t) * weight(u)
			}
		}
	}
	for _, u := range w {
		if u.Kind == feature.Word {
			lw += weight(u) * weight(u)
		}
	}
	return lv > 0 && lw > 0 && common < fewestWords*math.Sqrt(lv*lw)
}
