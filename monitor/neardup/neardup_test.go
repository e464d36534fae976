package neardup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// words draws a text of n words out of many.
func words(r *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("w%d", int(4000*r.Float64()*r.Float64()))
	}
	return out
}

// edited replaces some words.
func edited(r *rand.Rand, in []string, edits int) []string {
	out := append([]string(nil), in...)
	for range edits {
		out[r.IntN(len(out))] = fmt.Sprintf("x%d", r.IntN(1e6))
	}
	return out
}

// jaccard by sets of joined shingles.
func jaccard(a, b []string) float64 {
	set := func(w []string) map[string]bool {
		out := map[string]bool{}
		for i := 0; i+shingleWords <= len(w); i++ {
			out[strings.Join(w[i:i+shingleWords], " ")] = true
		}
		if len(w) > 0 && len(w) < shingleWords {
			out[strings.Join(w, " ")] = true
		}
		return out
	}
	x, y := set(a), set(b)
	common := 0
	for s := range x {
		if y[s] {
			common++
		}
	}
	if len(x)+len(y) == common {
		return 0
	}
	return float64(common) / float64(len(x)+len(y)-common)
}

func TestCompareIsJaccard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a := words(r, rapid.IntRange(0, 300).Draw(t, "n"))
		b := a
		if len(a) > 0 {
			b = edited(r, a, rapid.IntRange(0, 40).Draw(t, "edits"))
		}
		got := Compare(Of(strings.Join(a, " ")), Of(strings.Join(b, " ")))
		if want := jaccard(a, b); math.Abs(got-want) > 1e-9 {
			t.Fatalf("Jaccard %v, want %v", got, want)
		}
	})
}

// TestSampleIsClose: texts longer than the sample are compared by estimate.
func TestSampleIsClose(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for _, edits := range []int{0, 30, 150, 600} {
		a := words(r, 6000)
		b := edited(r, a, edits)
		got, want := Compare(Of(strings.Join(a, " ")), Of(strings.Join(b, " "))), jaccard(a, b)
		if math.Abs(got-want) > 0.06 {
			t.Errorf("%d edits: estimate %.3f of %.3f", edits, got, want)
		}
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	const s = "The old bridge over the river is closed for repairs until the end of May, the council said."
	for _, tt := range []struct {
		other string
		want  Class
	}{
		{"THE OLD BRIDGE over the river — is closed for repairs until the end of May, the council said!", Exact},
		{s + " Drivers", Mirror},
		{"We hear: " + s + " Read more here.", Near},
		{"The council repairs the old bridge until May.", Other},
		{"", Other},
	} {
		if got, j := Classify(Of(s), Of(tt.other)); got != tt.want {
			t.Errorf("%q: %s (%.2f), want %s", tt.other, got, j, tt.want)
		}
	}
	if got, _ := Classify(Of(""), Of("")); got != Other {
		t.Errorf("two empty texts are %s", got)
	}
}

// TestPlantedCopies files 2,000 texts, and looks for 600 copies with edits and
// 600 texts that are nobody's (SCIENCE 3.9 asks for .95 both ways).
func TestPlantedCopies(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	x := NewIndex()
	var texts [][]string
	for i := range 2000 {
		texts = append(texts, words(r, 80+r.IntN(400)))
		x.Add(int64(i), Of(strings.Join(texts[i], " ")))
	}
	right, wrong, missed := 0, 0, 0
	for i := range 600 {
		c := edited(r, texts[i], r.IntN(1+len(texts[i])/15))
		due := jaccard(texts[i], c) >= 0.6
		found := false
		for _, f := range x.Like(Of(strings.Join(c, " "))) {
			if f.Key == int64(i) {
				found = true
				if (f.Class == Mirror || f.Class == Exact) != (f.Jaccard >= 0.9) {
					t.Errorf("%+v", f)
				}
			} else {
				wrong++
			}
		}
		if found && due {
			right++
		} else if due {
			missed++
		}
		wrong += len(x.Like(Of(strings.Join(words(r, 200), " "))))
	}
	precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
	t.Logf("precision %.3f, recall %.3f", precision, recall)
	if precision < 0.95 || recall < 0.95 {
		t.Errorf("precision %.3f, recall %.3f: want .95", precision, recall)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("a b c d e f g", "a b c d e f h")
	f.Add("", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Of(a), Of(b)
		j := Compare(x, y)
		if math.IsNaN(j) || j < 0 || j > 1 || j != Compare(y, x) {
			t.Fatalf("Jaccard %v and %v", j, Compare(y, x))
		}
	})
}

func BenchmarkOf(b *testing.B) {
	s := strings.Join(words(rand.New(rand.NewPCG(1, 1)), 800), " ")
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Of(s)
	}
}

func BenchmarkLike(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x := NewIndex()
	for i := range 20_000 {
		x.Add(int64(i), Of(strings.Join(words(r, 150), " ")))
	}
	k := Of(strings.Join(words(r, 150), " "))
	b.ReportAllocs()
	for b.Loop() {
		x.Like(k)
	}
}
