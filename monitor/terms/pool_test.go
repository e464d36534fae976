package terms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shown gives the showings of docs as in Divergences, equal versions together.
func shown(docs map[string][]map[string]int, r *rand.Rand) []Showing {
	var out []Showing
	for _, versions := range docs {
		at := map[string]int{}
		for t, v := range versions {
			if v == nil {
				continue
			}
			key := fmt.Sprint(v)
			i, ok := at[key]
			if !ok {
				i = len(out)
				at[key] = i
				s := Showing{}
				for w, n := range v {
					s.Words = s.Words.Add([]byte(w), n)
				}
				out = append(out, s)
			}
			out[i].Slots = append(out[i].Slots, t)
		}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func showOf(all []Showing) Show {
	return func(f func(Showing) error) error {
		for _, s := range all {
			if err := f(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// generateDocs draws pages with missing and empty versions.
func generateDocs(t *rapid.T) map[string][]map[string]int {
	word := rapid.StringMatching(`[a-f]{1,2}`)
	version := rapid.OneOf(rapid.Just[map[string]int](nil), rapid.MapOfN(word, rapid.IntRange(1, 9), 0, 8))
	return rapid.MapOfN(rapid.StringMatching(`[a-z]`), rapid.SliceOfN(version, 0, 6), 1, 5).Draw(t, "docs")
}

// TestPool holds a pool against the mean of the shares of pooled slots (SCIENCE
// A24), in one go and in ranges of hashes.
func TestPool(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs := generateDocs(t)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		slots := 0
		for _, v := range docs {
			slots = max(slots, len(v))
		}
		pooled := make([]map[string]int, slots)
		for i := range pooled {
			pooled[i] = pool(docs, i)
		}
		want := meanShare(pooled)
		for _, vocabulary := range []int{1, 1 << 20} {
			p, err := newPool(showOf(shown(docs, r)), math.MaxInt, vocabulary)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Terms) != len(want) || int(p.Distinct) != len(want) || p.Cut != 0 {
				t.Fatalf("%d terms of %d, cut %d; want %d", len(p.Terms), p.Distinct, p.Cut, len(want))
			}
			for _, term := range p.Terms {
				got := math.Ldexp(float64(term.Sum), -PoolBits) / float64(p.Slots)
				if w := want[term.Term]; math.Abs(got-w) > 1e-11 {
					t.Fatalf("P(%s|C) = %v, want %v", term.Term, got, w)
				}
			}
			if !slices.IsSortedFunc(p.Terms, func(a, b PoolTerm) int { return strings.Compare(a.Term, b.Term) }) {
				t.Fatal("terms are not ascending")
			}
			var back Pool
			if err := back.UnmarshalTerms(p.MarshalTerms()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p.Terms, back.Terms); len(want) > 0 && diff != "" {
				t.Fatalf("read back (-want +got):\n%s", diff)
			}
		}
	})
}

// TestPoolCut keeps the most used terms, the same ones whatever the ranges and the
// order, and bounds the others.
func TestPoolCut(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 5))
	version := map[string]int{}
	for i := range 3000 {
		version[fmt.Sprint("w", i)] = 1 + 3000/(i+1)
	}
	docs := map[string][]map[string]int{"a": {version, version}, "b": {nil, {"w2999": 1, "": 1, strings.Repeat("x", MaxWord+1): 4}}}
	var whole *Pool
	for _, vocabulary := range []int{100000, 500, 50} {
		p, err := newPool(showOf(shown(docs, r)), 100, vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		if whole == nil {
			whole = p
		}
		if diff := cmp.Diff(whole, p); diff != "" {
			t.Errorf("ranges of %d terms (-whole +got):\n%s", vocabulary, diff)
		}
	}
	all, err := NewPool(showOf(shown(docs, r)), math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for _, term := range whole.Terms {
		kept[term.Term] = true
	}
	for _, term := range all.Terms {
		if !kept[term.Term] && term.Sum > whole.Cut {
			t.Errorf("%s has %d, above the cut %d", term.Term, term.Sum, whole.Cut)
		}
	}
	if len(kept) != 100 || all.Distinct != 3000 || all.Slots != 2 || all.Versions != 3 {
		t.Errorf("%d kept of %d terms in %d slots of %d versions", len(kept), all.Distinct, all.Slots, all.Versions)
	}
}

// TestPoolFails passes on what the contents could not be read for.
func TestPoolFails(t *testing.T) {
	t.Parallel()
	if _, err := NewPool(func(func(Showing) error) error { return ErrOrder }, 1); err != ErrOrder { //nolint:errorlint // the very one
		t.Errorf("error %v", err)
	}
}

func FuzzPoolTerms(f *testing.F) {
	p := Pool{Terms: []PoolTerm{{"a", 1}, {"ab", 1 << 50}, {"b", 3}}}
	f.Add(p.MarshalTerms())
	f.Add([]byte{0, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Pool
		if p.UnmarshalTerms(data) != nil {
			return
		}
		var again Pool
		if err := again.UnmarshalTerms(p.MarshalTerms()); err != nil || !cmp.Equal(p, again) {
			t.Errorf("%v read back as %v: %v", p, again, err)
		}
	})
}

func BenchmarkPool(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var all []Showing
	for range 200 {
		s := Showing{Slots: []int{r.IntN(24)}}
		for i := range 1500 {
			s.Words = s.Words.Add(fmt.Append(nil, "word", r.IntN(1000)*(1+i/500)), 1+r.IntN(4))
		}
		all = append(all, s)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewPool(showOf(all), PoolTerms); err != nil {
			b.Fatal(err)
		}
	}
}
