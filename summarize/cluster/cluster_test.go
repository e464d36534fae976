package cluster

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/summarize/feature"
)

func items(sentences ...string) []Item {
	var c feature.Counts
	var vectors []feature.Vector
	for _, s := range sentences {
		_, s, _ := strings.Cut(s, "|")
		v := feature.Of(s, "en")
		vectors = append(vectors, v)
		c.Add(v)
	}
	out := make([]Item, len(sentences))
	for i, s := range sentences {
		host, _, _ := strings.Cut(s, "|")
		out[i] = Item{host, c.Weigh(vectors[i]), vectors[i].Figures()}
	}
	return out
}

func TestStars(t *testing.T) {
	t.Parallel()
	got := Stars(items(
		"a|The council of Kirkdale will close the old bridge for repairs.",
		"b|A ferry sank near Lund and 26 passengers were rescued.",
		"b|Kirkdale council closes its old bridge to repair it.",
		"c|The old Kirkdale bridge will be closed for repairs, its council said.",
		"c|26 passengers of a ferry that sank near Lund were rescued.",
		"c|Rescued were 26 passengers after the ferry sank near Lund.",
		"d|And so on.",
	), 0)
	var members [][]int
	var hosts []int
	for _, s := range got {
		members = append(members, s.Members)
		hosts = append(hosts, s.Hosts)
	}
	if diff := cmp.Diff([][]int{{0, 2, 3}, {1, 4, 5}, {6}}, members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{3, 2, 1}, hosts); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	if got := Stars(items("a|The flood killed 26 people in Lund.", "b|The flood killed 31 people in Lund."), 0); len(got) != 2 {
		t.Errorf("two figures are two states: %v", got)
	}
	if got := Stars(nil, 0); len(got) != 0 {
		t.Errorf("stars of nothing: %v", got)
	}
}

func randomItems(n, words int, seed uint64) []Item {
	r := rand.New(rand.NewPCG(seed, 1))
	var s []string
	for range n {
		w := "h" + fmt.Sprint(r.IntN(5)) + "|"
		for range 3 + r.IntN(9) {
			if r.IntN(12) == 0 {
				w += fmt.Sprintf(" %d", r.IntN(4))
			}
			w += fmt.Sprintf(" w%d", int(float64(words)*r.Float64()*r.Float64()))
		}
		s = append(s, w)
	}
	return items(s...)
}

// TestNeighboursAgreeWithAllPairs compares with every pair.
func TestNeighboursAgreeWithAllPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		its := randomItems(rapid.IntRange(0, 60).Draw(t, "n"), rapid.IntRange(3, 200).Draw(t, "words"), rapid.Uint64().Draw(t, "seed"))
		threshold := rapid.Float64Range(0.05, 1).Draw(t, "threshold")
		got := Neighbours(its, threshold)
		for i := range its {
			var want []Edge
			for j := range its {
				if c := feature.Cosine(its[i].Terms, its[j].Terms); j != i && c >= threshold && !conflict(its[i].Figures, its[j].Figures) {
					want = append(want, Edge{j, c})
				}
			}
			if diff := cmp.Diff(want, got[i], cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
				t.Fatalf("item %d (-want +got):\n%s", i, diff)
			}
		}
		seen := make([]bool, len(its))
		for _, s := range Stars(its, threshold) {
			for _, m := range s.Members {
				if seen[m] {
					t.Fatalf("item %d is in two stars", m)
				}
				seen[m] = true
			}
		}
		for i, ok := range seen {
			if !ok {
				t.Fatalf("item %d is in no star", i)
			}
		}
	})
}

func BenchmarkStars(b *testing.B) {
	its := randomItems(10_000, 5_000, 1)
	b.ReportAllocs()
	for b.Loop() {
		Stars(its, 0)
	}
}
