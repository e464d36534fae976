package classes

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// of gives pages of a class with the given hours.
func of(tld string, hours ...float64) []Page {
	var out []Page
	for _, h := range hours {
		out = append(out, Page{Labels: Labels{TLD: tld}, Changes: 1, Hours: h, Dice: h / 100})
	}
	return out
}

// By hand: of the 6 ways to choose two of 1, 2, 3, 8 two ({1,2} and {3,8}) are as far
// apart as the classes are; with one page on a side
// it is one of 3 ways.
func TestCompare(t *testing.T) {
	t.Parallel()
	pages := slices.Concat(of("com", 1, 2), of("org", 3, 8), of("net", 100))
	pages = append(pages, Page{Labels: Labels{TLD: "com"}}, Page{Labels: Labels{TLD: "gov"}}) // unchanged
	want := []Pair{
		{A: "com", B: "org", PagesA: 2, PagesB: 2, Difference: -4, P: 1. / 3, Corrected: 1},
		{A: "com", B: "net", PagesA: 2, PagesB: 1, Difference: -98.5, P: 1. / 3, Corrected: 1},
		{A: "org", B: "net", PagesA: 2, PagesB: 1, Difference: -94.5, P: 1. / 3, Corrected: 1},
	}
	if diff := cmp.Diff(want, Compare(pages, TLD, Hours, Options{}), near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Compare(pages, TLD, Dice, Options{Classes: 2}); len(got) != 1 || math.Abs(got[0].Difference+.04) > 1e-12 {
		t.Errorf("Dice of the two largest: %+v", got)
	}
}

func TestHolm(t *testing.T) {
	t.Parallel()
	pairs := []Pair{{P: .04}, {P: .01}, {P: .03}, {P: .005}}
	holm(pairs, .05)
	want := []Pair{
		{P: .04, Corrected: .06}, {P: .01, Corrected: .03, Significant: true}, {P: .03, Corrected: .06}, {P: .005, Corrected: .02, Significant: true},
	}
	if diff := cmp.Diff(want, pairs, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The fast test agrees with the slow one, which deals both classes and compares
// their means.
func TestPermuteAgainstSlow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 9).Draw(t, "tenths")) / 10 })
		x, y := rapid.SliceOfN(value, 1, 5).Draw(rt, "x"), rapid.SliceOfN(value, 1, 5).Draw(rt, "y")
		want := slow(x, y)
		if got := permute(x, y, 10_000, 1); math.Abs(got-want) > 1e-12 {
			rt.Fatalf("all ways: P %v, want %v", got, want)
		}
		// By chance, with so few permutations that not all ways are gone through.
		// A standard error is at most 1/2 of 1/sqrt(n).
		const n = 5
		if ways(len(x)+len(y), min(len(x), len(y)), n) {
			return
		}
		sum, rounds := 0., 200
		for seed := range uint64(rounds) {
			sum += (permute(x, y, n, seed)*(n+1) - 1) / n
		}
		if got := sum / float64(rounds); math.Abs(got-want) > 6*.5/math.Sqrt(float64(n*rounds)) {
			rt.Fatalf("by chance: P %v, want %v", got, want)
		}
	})
}

func slow(x, y []float64) float64 {
	all := slices.Concat(x, y)
	d := math.Abs(mean(x) - mean(y))
	extreme, total := 0, 0
	for mask := range 1 << len(all) {
		var a, b []float64
		for i, v := range all {
			if mask>>i&1 == 1 {
				a = append(a, v)
			} else {
				b = append(b, v)
			}
		}
		if len(a) != len(x) {
			continue
		}
		total++
		if math.Abs(mean(a)-mean(b)) >= d-1e-9 {
			extreme++
		}
	}
	return float64(extreme) / float64(total)
}

// Classes that differ are told apart, those that do not hardly ever, and the
// order of the pages does not count.
func TestCompareFinds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	var pages []Page
	for i := range 600 {
		tld := strconv.Itoa(i % 6)
		h := rng.ExpFloat64() * 100
		if tld == "5" {
			h *= 2
		}
		pages = append(pages, of(tld, h)...)
	}
	got := Compare(pages, TLD, Hours, Options{Permutations: 2000})
	if len(got) != 15 {
		t.Fatalf("%d pairs, want 15", len(got))
	}
	for _, p := range got {
		if differ := p.A == "5" || p.B == "5"; p.Significant != differ {
			t.Errorf("%s and %s: %+v", p.A, p.B, p)
		}
	}
	rng.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	if diff := cmp.Diff(got, Compare(pages, TLD, Hours, Options{Permutations: 2000})); diff != "" {
		t.Errorf("in another order (-want +got):\n%s", diff)
	}
}

// Under the null hypothesis P is uniform: not below 0.1 much more often than that.
func TestPermuteIsHonest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 9))
	const rounds = 500
	low := 0
	for seed := range uint64(rounds) {
		x, y := make([]float64, 12), make([]float64, 30)
		for _, list := range [][]float64{x, y} {
			for i := range list {
				list[i] = rng.ExpFloat64()
			}
		}
		if permute(x, y, 199, seed) <= .1 {
			low++
		}
	}
	// 50 expected, standard deviation 6.7.
	if low < 25 || low > 80 {
		t.Errorf("P at most 0.1 in %d of %d rounds", low, rounds)
	}
}

// A pair of the size of the paper's classes: 10,000 permutations of 5,000 and 30,000 pages.
func BenchmarkPermute(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 5000), make([]float64, 30_000)
	for _, list := range [][]float64{x, y} {
		for i := range list {
			list[i] = rng.ExpFloat64()
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		permute(x, y, 10_000, 1)
	}
}
