package summarize

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/summarize/novel"
)

func told(text string, version int32) sentence {
	s := sentence{novel.Sentence{Text: text}, version}
	s.Read("en")
	return s
}

// TestGathering keeps the last state of a sentence whose figures change, and all that stand beside each other.
func TestGathering(t *testing.T) {
	t.Parallel()
	g := gathering{byForm: map[string][]int{}}
	for version, texts := range [][]string{
		{"There are 47 cases in Lund.", "A dam burst in Oakham."},
		{"There are 49 cases in Lund.", "A dam burst in Oakham.", "There are 3 cases in Kirk.", "There are 5 cases in Kirk."},
		{"There are 52 cases in Lund.", "There are 5 cases in Kirk.", "There are 6 cases in Kirk."},
	} {
		here := map[uint64]bool{}
		for _, s := range texts {
			here[told(s, 0).Normal] = true
		}
		for _, s := range texts {
			if s := told(s, int32(version)); !slices.ContainsFunc(g.fresh, func(old sentence) bool { return old.Normal == s.Normal }) {
				g.add(s, here)
			}
		}
	}
	var got []string
	for _, s := range g.left() {
		got = append(got, fmt.Sprint(s.version, " ", s.Text))
	}
	want := []string{"0 A dam burst in Oakham.", "1 There are 5 cases in Kirk.", "2 There are 52 cases in Lund.", "2 There are 6 cases in Kirk."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGatheringAgrees holds it against a search through all sentences.
func TestGatheringAgrees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := gathering{byForm: map[string][]int{}}
		var plain []sentence
		seen := map[uint64]bool{}
		for version := range rapid.Int32Range(1, 6).Draw(t, "versions") {
			here := map[uint64]bool{}
			var now []sentence
			for range rapid.IntRange(0, 6).Draw(t, "sentences") {
				now = append(now, told(fmt.Sprintf("There are %d cases in %s.", rapid.IntRange(1, 4).Draw(t, "n"), rapid.SampledFrom([]string{"Lund", "Kirk"}).Draw(t, "town")), version))
				here[now[len(now)-1].Normal] = true
			}
			for _, s := range now {
				if !seen[s.Normal] {
					g.add(s, here)
					i := slices.IndexFunc(plain, func(old sentence) bool {
						return old.version != s.version && withoutFigures(old.Text) == withoutFigures(s.Text) && !here[old.Normal]
					})
					if i >= 0 {
						plain = slices.Delete(plain, i, i+1)
					}
					plain = append(plain, s)
				}
				seen[s.Normal] = true
			}
		}
		texts := func(list []sentence) (out []string) {
			for _, s := range list {
				out = append(out, s.Text)
			}
			return out
		}
		if diff := cmp.Diff(texts(plain), texts(g.left())); diff != "" {
			t.Fatal(diff)
		}
	})
}

// BenchmarkGathering is a page of a hundred versions in a period, each with a hundred new sentences.
func BenchmarkGathering(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		g := gathering{byForm: map[string][]int{}}
		for v := range int32(100) {
			for i := range 100 {
				g.add(sentence{novel.Sentence{Text: fmt.Sprintf("In the town number %d there are %d cases of it.", i, v), Normal: uint64(v)*1000 + uint64(i)}, v}, nil)
			}
		}
		g.left()
	}
}
