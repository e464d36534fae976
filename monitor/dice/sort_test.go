package dice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSorted holds the sort of hashes against that of the standard library, over evenly
// spread hashes and over some that are alike in their leading bits.
func TestSorted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 47, 48, 49, 700, 3000}).Draw(t, "n")
		alike := rapid.SampledFrom([]int{0, 1, 8, 20, 63, 64}).Draw(t, "leading bits alike")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		hashes := make([]uint64, n)
		for i := range hashes {
			hashes[i] = r.Uint64() >> alike
		}
		want := slices.Sorted(slices.Values(hashes))
		if got := sorted(hashes); len(want) > 0 && !slices.Equal(got, want) {
			t.Fatalf("%s", cmp.Diff(want, got))
		}
	})
}

func BenchmarkSetOf(b *testing.B) {
	for _, n := range []int{40, 750, 20_000} {
		r := rand.New(rand.NewPCG(1, 2))
		hashes, scratch := make([]uint64, n), make([]uint64, n)
		for i := range hashes {
			hashes[i] = r.Uint64()
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(scratch, hashes)
				SetOf(scratch)
			}
		})
		b.Run(fmt.Sprintf("%d/slices.Sort", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(scratch, hashes)
				slices.Sort(scratch)
			}
		})
	}
}
