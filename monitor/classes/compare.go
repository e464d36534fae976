package classes

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zeebo/xxh3"
)

// Measured is the number of a page whose class means are compared.
type Measured string

// What can be compared.
const (
	Hours Measured = "hours"
	Dice  Measured = "dice"
)

func (m Measured) of(p Page) float64 {
	if m == Hours {
		return p.Hours
	}
	return p.Dice
}

// Options for Compare. The zero value is SCIENCE A12.
type Options struct {
	Permutations int     // zero means 10,000
	Level        float64 // of significance after correction; zero means 0.05
	// Classes is how many are compared, those with most pages; zero means 24, which
	// makes 276 pairs.
	Classes int
}

// Pair is the comparison of two classes. Only pages that changed count.
type Pair struct {
	A, B           string
	PagesA, PagesB int
	Difference     float64 // mean of A less mean of B
	P              float64 // of so large a difference, either way, if classes were dealt at random
	Corrected      float64 // P by Holm's correction over all pairs
	Significant    bool    // Corrected is below the level
}

// Compare tests the differences between the means of all pairs of classes of a
// kind by permutation (SCIENCE A12): the pages of both are dealt anew to two
// classes of the same sizes, and P is how often the means are at least as far
// apart,
//
//	P = (1 + #{|d*| >= |d|}) / (1 + permutations)
//
// If there are no more ways to deal than permutations asked for, all of them are
// gone through and P is exact. Holm's correction: the k-th smallest of m values is
// multiplied by m-k+1, and none is smaller than those before it.
//
// The permutations are seeded by kind, measure and names, and the pages are put
// in order first, so that the same pages give the same P. Classes of one page
// that changed are compared too; those of none are not.
func Compare(pages []Page, kind Kind, m Measured, opt Options) []Pair {
	opt.Permutations = cmp.Or(max(opt.Permutations, 0), 10_000)
	opt.Level = cmp.Or(opt.Level, .05)
	opt.Classes = cmp.Or(max(opt.Classes, 0), 24)
	values := map[string][]float64{}
	for name, list := range group(pages, kind) {
		for _, p := range list {
			if p.Changes > 0 {
				values[name] = append(values[name], m.of(p))
			}
		}
		slices.Sort(values[name])
	}
	list := names(values)
	for len(list) > 0 && len(values[list[len(list)-1]]) == 0 {
		list = list[:len(list)-1]
	}
	list = list[:min(len(list), opt.Classes)]
	var pairs []Pair
	for i, a := range list {
		for _, b := range list[i+1:] {
			x, y := values[a], values[b]
			seed := xxh3.HashString(string(kind) + "\x00" + string(m) + "\x00" + a + "\x00" + b)
			p := Pair{A: a, B: b, PagesA: len(x), PagesB: len(y), Difference: mean(x) - mean(y)}
			p.P = permute(x, y, opt.Permutations, seed)
			pairs = append(pairs, p)
		}
	}
	holm(pairs, opt.Level)
	return pairs
}

func mean(x []float64) float64 {
	sum := 0.
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// permute gives P for two classes. The difference of the means grows with the
// distance of the smaller class's sum from what the mean of all would give, so
// only that class is dealt.
func permute(x, y []float64, permutations int, seed uint64) float64 {
	if len(x) > len(y) {
		x, y = y, x
	}
	all := slices.Concat(x, y)
	centre, scale := mean(all), 0.
	for i := range all {
		all[i] -= centre
		scale += math.Abs(all[i])
	}
	k, seen := len(x), 0.
	for _, v := range all[:k] {
		seen += v
	}
	// Sums of the same numbers in another order differ by rounding.
	atLeast := math.Abs(seen) - 1e-12*scale
	if ways(len(all), k, permutations) {
		return enumerate(all, k, atLeast)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	extreme := 0
	for range permutations {
		sum := 0.
		for i := range k {
			j := i + int(rng.Uint64N(uint64(len(all)-i)))
			all[i], all[j] = all[j], all[i]
			sum += all[i]
		}
		if math.Abs(sum) >= atLeast {
			extreme++
		}
	}
	return float64(1+extreme) / float64(1+permutations)
}

// ways reports whether k of n can be chosen in no more than limit ways.
func ways(n, k, limit int) bool {
	c := 1.
	for i := range k {
		if c = c * float64(n-i) / float64(i+1); c > float64(limit)+.5 {
			return false
		}
	}
	return true
}

// enumerate goes through all choices of k values.
func enumerate(all []float64, k int, atLeast float64) float64 {
	extreme, total := 0, 0
	var choose func(from, left int, sum float64)
	choose = func(from, left int, sum float64) {
		if left == 0 {
			total++
			if math.Abs(sum) >= atLeast {
				extreme++
			}
			return
		}
		for i := from; i <= len(all)-left; i++ {
			choose(i+1, left-1, sum+all[i])
		}
	}
	choose(0, k, 0)
	return float64(extreme) / float64(total)
}

// holm corrects for the number of pairs.
func holm(pairs []Pair, level float64) {
	ascending := make([]*Pair, len(pairs))
	for i := range pairs {
		ascending[i] = &pairs[i]
	}
	slices.SortStableFunc(ascending, func(a, b *Pair) int { return cmp.Compare(a.P, b.P) })
	last := 0.
	for i, p := range ascending {
		last = max(last, min(1, float64(len(pairs)-i)*p.P))
		p.Corrected, p.Significant = last, last < level
	}
}
