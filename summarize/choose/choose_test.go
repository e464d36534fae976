package choose

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/summarize/feature"
)

func unit(s string) feature.Unit {
	var c feature.Counts
	return c.Weigh(feature.Of(s, "en"))
}

func TestGreedy(t *testing.T) {
	t.Parallel()
	items := []Item{
		{Terms: unit("The river flooded 200 homes in Lund"), Value: 3, Group: 1, Cost: 7, At: 5},
		{Terms: unit("In Lund 200 homes were flooded by the river"), Value: 3, Group: 1, Cost: 9, At: 1},
		{Terms: unit("Storm cut the power of a northern hospital"), Value: 2, Group: 2, Cost: 8, At: 3},
		{Terms: unit("Buy boots cheaply"), Value: 0, Group: 3, Cost: 3, At: 4},
		{Terms: nil, Value: 9, Group: 4, Cost: 1, At: 4},
		{Terms: unit("Schools close early tomorrow"), Value: 1, Group: 5, Cost: 4, At: 2},
	}
	got := Greedy(items, Options{})
	if diff := cmp.Diff([]int{0, 2, 5}, got); diff != "" {
		t.Errorf("chosen (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{5, 2, 0}, InTime(items, got)); diff != "" {
		t.Errorf("in time (-want +got):\n%s", diff)
	}
	if got := Greedy(items, Options{Budget: 11}); !cmp.Equal(got, []int{0, 5}) {
		t.Errorf("within 11 words: %v", got)
	}
	if got := Greedy(items, Options{Items: 1}); !cmp.Equal(got, []int{0}) {
		t.Errorf("one item: %v", got)
	}
	if got := Greedy(nil, Options{}); len(got) != 0 || Redundancy(nil, got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if r := Redundancy(items, []int{0, 1}); r < 0.8 {
		t.Errorf("redundancy of a rewrite is %v", r)
	}
}

// value is F, computed from its definition.
func value(items []Item, set []int, opt Options) float64 {
	opt = opt.withDefaults()
	top := 0.0
	for _, it := range items {
		top = max(top, it.Value)
	}
	sum, groups := 0.0, map[int]float64{}
	for _, it := range items {
		all, in := 0.0, 0.0
		for j, other := range items {
			c := feature.Cosine(it.Terms, other.Terms)
			all += c
			if slices.Contains(set, j) {
				in += c
			}
		}
		if all > 0 {
			sum += it.Value / top * min(in, opt.Alpha*all) / all
		}
	}
	for _, j := range set {
		groups[items[j].Group] += items[j].Value / top
	}
	for _, r := range groups {
		sum += opt.Lambda * math.Sqrt(r)
	}
	return sum
}

// TestGreedyIsGood compares with the best of all sets: greedy must reach the
// guaranteed share, within the budget.
func TestGreedyIsGood(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"river", "flood", "Lund", "homes", "storm", "power", "school", "bridge", "26", "1,200", "ferry", "council"}
	worst := 1.0
	for range 60 {
		var items []Item
		for i := range 8 {
			s := ""
			for range 2 + r.IntN(5) {
				s += words[r.IntN(len(words))] + " "
			}
			items = append(items, Item{Terms: unit(s), Value: 0.1 + r.Float64(), Group: r.IntN(4), Cost: 1 + r.IntN(9), At: int64(i)})
		}
		opt := Options{Budget: 4 + r.IntN(20), MaxLikeness: 2}
		best := 0.0
		for mask := range 1 << len(items) {
			var set []int
			total := 0
			for i := range items {
				if mask>>i&1 == 1 {
					set = append(set, i)
					total += items[i].Cost
				}
			}
			if total <= opt.Budget {
				best = max(best, value(items, set, opt))
			}
		}
		got := Greedy(items, opt)
		total := 0
		for _, i := range got {
			total += items[i].Cost
		}
		if total > opt.Budget {
			t.Fatalf("cost %d over the budget of %d", total, opt.Budget)
		}
		if best > 0 {
			worst = min(worst, value(items, got, opt)/best)
		}
	}
	t.Logf("worst share of the optimum: %.3f", worst)
	if worst < (1-1/math.E)/2 {
		t.Errorf("greedy reaches %.3f of the optimum", worst)
	}
}

func TestChosenDiffer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var items []Item
		for _, s := range rapid.SliceOfN(rapid.StringMatching(`([a-d]{2} ){1,4}`), 0, 20).Draw(t, "sentences") {
			items = append(items, Item{Terms: unit(s), Value: 1, Cost: 1})
		}
		got := Greedy(items, Options{})
		for _, i := range got {
			for _, j := range got {
				if i != j && feature.Cosine(items[i].Terms, items[j].Terms) >= 0.5 {
					t.Fatalf("%d and %d are alike", i, j)
				}
			}
		}
	})
}

func BenchmarkGreedy(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var items []Item
	for i := range 5000 {
		s := ""
		for range 12 {
			s += fmt.Sprintf("w%d ", r.IntN(3000))
		}
		items = append(items, Item{Terms: unit(s), Value: r.Float64(), Group: i / 3, Cost: 12})
	}
	b.ReportAllocs()
	for b.Loop() {
		Greedy(items, Options{Budget: 200})
	}
}
