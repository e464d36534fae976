package text

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNewSentences(t *testing.T) {
	t.Parallel()
	old := []string{"The bridge is closed.", "Ferries run every hour."}
	now := []string{
		"THE BRIDGE is  closed!", // only case, space and punctuation
		"Trains stop at noon.",
		"Ferries run every two hours.",
		"Trains stop, at noon.", // a repetition
		"…",
	}
	want := []string{"Trains stop at noon.", "Ferries run every two hours."}
	if diff := cmp.Diff(want, NewSentences(old, now)); diff != "" {
		t.Errorf("NewSentences (-want +got):\n%s", diff)
	}
	if got := NewSentences(now, now); len(got) != 0 {
		t.Errorf("NewSentences of a version with itself = %q, want none", got)
	}
}

func TestNewFuzzy(t *testing.T) {
	t.Parallel()
	old := []string{"The council approved the budget for the new harbour on Monday evening."}
	now := []string{
		"On Monday evening the council approved the budget for the new harbour.", // reordered: J = 1
		"The council approved the budget for the old harbour on Monday evening.", // J = 9/11
		"The council approved the budget on Monday.",                             // J = 6/10
		"Nothing else was said.",
		"Nothing else was said then.", // J = 4/5 with the one before
	}
	want := []string{now[2], now[3]}
	if diff := cmp.Diff(want, NewFuzzy(old, now, 0)); diff != "" {
		t.Errorf("NewFuzzy (-want +got):\n%s", diff)
	}
}

// slowNewFuzzy compares every pair.
func slowNewFuzzy(old, new []string, threshold float64) []string {
	var seen []map[string]bool
	setOf := func(s string) map[string]bool {
		m := map[string]bool{}
		for _, w := range words(s) {
			m[w] = true
		}
		return m
	}
	for _, s := range old {
		seen = append(seen, setOf(s))
	}
	var out []string
next:
	for _, s := range new {
		a := setOf(s)
		if len(a) == 0 {
			continue
		}
		for _, b := range seen {
			both := 0
			for w := range a {
				if b[w] {
					both++
				}
			}
			if float64(both)/float64(len(a)+len(b)-both) >= threshold-1e-9 {
				continue next
			}
		}
		seen = append(seen, a)
		out = append(out, s)
	}
	return out
}

func TestNewFuzzyIsTheDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(strings.Fields("a b c d e f g h i j")), 0, 9).Draw(t, "words"), " ")
		})
		old := rapid.SliceOfN(sentence, 0, 6).Draw(t, "old")
		now := rapid.SliceOfN(sentence, 0, 6).Draw(t, "new")
		threshold := rapid.SampledFrom([]float64{0.3, 0.5, 0.6, 0.75, 0.8, 1}).Draw(t, "threshold")
		if diff := cmp.Diff(slowNewFuzzy(old, now, threshold), NewFuzzy(old, now, threshold)); diff != "" {
			t.Errorf("NewFuzzy(%q, %q, %v) (-definition +got):\n%s", old, now, threshold, diff)
		}
	})
}

func BenchmarkNewSentences(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	page := func() (out []string) {
		for range 200 {
			var s strings.Builder
			for range 22 {
				fmt.Fprintf(&s, "word%d ", int(rng.ExpFloat64()*400))
			}
			out = append(out, s.String())
		}
		return out
	}
	old, now := page(), page()
	b.Run("exact-200", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewSentences(old, now)
		}
	})
	b.Run("fuzzy-200", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewFuzzy(old, now, SameWords)
		}
	})
}
