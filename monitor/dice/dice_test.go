package dice

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func setOf(words string) WordSet {
	var b Builder
	for w := range strings.FieldsSeq(words) {
		b.Add([]byte(w))
	}
	return b.Set()
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, a, b string
		want       float64
	}{
		{"both empty", "", "", 1},
		{"one empty", "a", "", 0},
		{"equal", "a b c", "a b c", 1},
		{"disjoint", "a b", "c d", 0},
		{"two of three and four", "a b c", "b c d e", 4.0 / 7},
		{"subset", "a", "a b c", 0.5},
	} {
		a, b := strings.Fields(tt.a), strings.Fields(tt.b)
		if got := Of(a, b); got != tt.want {
			t.Errorf("%s: Of = %v, want %v", tt.name, got, tt.want)
		}
		if got := setOf(tt.a).Dice(setOf(tt.b)); got != tt.want {
			t.Errorf("%s: WordSet.Dice = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// slow counts common words pair by pair.
func slow(a, b []string) float64 {
	common := 0
	for _, x := range a {
		for _, y := range b {
			if x == y {
				common++
			}
		}
	}
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

func TestAllFormsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-e]{1,2}`), 0, 20, rapid.ID[string])
		a, b := set.Draw(t, "a"), set.Draw(t, "b")
		slices.Sort(a)
		slices.Sort(b)
		want := slow(a, b)
		if want < 0 || want > 1 || want == 1 != slices.Equal(a, b) {
			t.Fatalf("Dice = %v of %q, %q", want, a, b)
		}
		m, n := map[string]int{}, map[string]bool{}
		var x, y Builder
		for _, w := range append(a, a...) { // repetitions must not count
			m[w]++
			x.Add([]byte(w))
		}
		for _, w := range b {
			n[w] = true
			y.Add([]byte(w))
		}
		v, w := x.Set(), y.Set()
		for name, got := range map[string]float64{
			"Of": Of(a, b), "Of turned": Of(b, a), "OfMaps": OfMaps(m, n), "WordSet": v.Dice(w), "WordSet turned": w.Dice(v),
		} {
			if got != want {
				t.Errorf("%s = %v, want %v for %q, %q", name, got, want, a, b)
			}
		}
		added, removed := Difference(a, b)
		if nAdded, nRemoved := v.Changes(w); nAdded != len(added) || nRemoved != len(removed) {
			t.Errorf("Changes = %d, %d, want %d, %d", nAdded, nRemoved, len(added), len(removed))
		}
		var back []string // a - removed + added = b
		for _, w := range a {
			if !slices.Contains(removed, w) {
				back = append(back, w)
			}
		}
		back = append(back, added...)
		slices.Sort(back)
		if !slices.Equal(back, b) {
			t.Errorf("Difference(%q, %q) = %q, %q", a, b, added, removed)
		}
	})
}

func TestBuilder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Small numbers share their low bits' neighbourhood; zero is special.
		hashes := rapid.SliceOfN(rapid.OneOf(rapid.Uint64Range(0, 8), rapid.Uint64()), 0, 3000)
		var b Builder
		for range 2 { // the second set must not see the first
			in := hashes.Draw(t, "hashes")
			for _, h := range in {
				b.AddHash(h)
			}
			want := slices.Compact(slices.Sorted(slices.Values(in)))
			if got := b.Set(); !slices.Equal([]uint64(got), want) {
				t.Fatalf("Set of %v = %v, want %v", in, got, want)
			}
		}
	})
}

func TestEvents(t *testing.T) {
	t.Parallel()
	hour := func(n int) time.Time { return time.Date(2026, 3, 1, n, 0, 0, 0, time.UTC) }
	version := func(n int, text string) Version { return Version{At: hour(n), Text: text, Words: setOf(text)} }
	got := Events([]Version{
		version(0, "a b c"),
		version(1, "a b c"),
		version(3, "a b d"),   // first change: left censored
		version(4, "b a d"),   // other text, same words
		version(5, "b a d"),   //
		version(9, "x y z w"), // everything else
		version(10, ""),
	})
	want := []Event{
		{At: hour(3), Elapsed: 3 * time.Hour, Censored: true, Dice: 4.0 / 6, Added: 1, Removed: 1},
		{At: hour(4), Elapsed: time.Hour, Dice: 1},
		{At: hour(9), Elapsed: 5 * time.Hour, Dice: 0, Added: 4, Removed: 3},
		{At: hour(10), Elapsed: time.Hour, Dice: 0, Removed: 4},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("Events (-want +got):\n%s", diff)
	}
	if got := Events(nil); got != nil {
		t.Errorf("Events of no version = %v", got)
	}
}

func page(n int) [][]byte {
	var out [][]byte
	for i := range n { // about 1,100 words of 4,500 are different, as on a news page
		out = append(out, fmt.Appendf(nil, "word%d", int(math.Pow(float64(i*7919%n)/float64(n), 3)*1800)))
	}
	return out
}

func BenchmarkBuild4500Words(b *testing.B) {
	words := page(4500)
	var s Builder
	b.ReportAllocs()
	for b.Loop() {
		for _, w := range words {
			s.Add(w)
		}
		s.Set()
	}
}

func BenchmarkDice(b *testing.B) {
	var s Builder
	for _, w := range page(4500) {
		s.Add(w)
	}
	x := s.Set()
	for i, w := range page(4500) {
		if i%10 != 0 {
			s.Add(w)
		}
		s.Add([]byte{byte(i), byte(i >> 8 & 1)})
	}
	y := s.Set()
	b.Logf("sets of %d and %d words", len(x), len(y))
	b.ReportAllocs()
	for b.Loop() {
		x.Dice(y)
	}
}
