package window

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/monitor/novelty"
)

func at(hour int) time.Time { return time.Date(2004, 1, 1, hour, 0, 0, 0, time.UTC) }

// history is what was fetched of each page at each epoch: nil where it was not.
type history struct {
	fetches  [][]*[]uint32 // by epoch and page
	modified []time.Time   // by page, of its last fetch
}

// TestEpochsAreSnapshots checks that on fetches that all happen at the moment of
// their snapshot, the continuous form gives the classes and the scores of snapshots.
func TestEpochsAreSnapshots(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "pages")
		epochs := rapid.IntRange(2, 4).Draw(t, "epochs")
		page := rapid.Uint32Range(0, uint32(n-1))
		h := history{modified: make([]time.Time, n)}
		for range epochs {
			row := make([]*[]uint32, n)
			for p := range row {
				if rapid.IntRange(0, 2).Draw(t, "fetched") > 0 {
					targets := rapid.SliceOfN(page, 0, 4).Draw(t, "targets")
					row[p] = &targets
				}
			}
			h.fetches = append(h.fetches, row)
		}
		for p := range h.modified {
			if rapid.IntRange(0, 3).Draw(t, "has Last-Modified") == 0 {
				h.modified[p] = at(rapid.IntRange(0, epochs).Draw(t, "modified"))
			}
		}
		k := rapid.IntRange(1, epochs-1).Draw(t, "snapshot")
		rules := novelty.RuleKnown | novelty.Rules(rapid.Uint8Range(0, 7).Draw(t, "rules"))
		delta := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "delta")
		drop := rapid.Bool().Draw(t, "drop self links")

		wantClasses, want := h.snapshot(t, k, rules, delta, drop)
		gotClasses, got := h.window(t, k, rules, delta, drop)
		if diff := cmp.Diff(wantClasses, gotClasses); diff != "" {
			t.Fatalf("classes of the snapshot (-) and the window (+):\n%s", diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("scores of the snapshot (-) and the window (+):\n%s", diff)
		}
	})
}

// snapshot is the measure of package novelty on snapshot k.
func (h history) snapshot(t *rapid.T, k int, rules novelty.Rules, delta float64, drop bool) ([]novelty.Class, map[uint32]float64) {
	flags := make([]novelty.Flag, len(h.modified))
	var links novelty.Pairs
	for epoch := 0; epoch <= k; epoch++ {
		for q, targets := range h.fetches[epoch] {
			if targets == nil {
				continue
			}
			switch epoch {
			case k:
				flags[q] |= novelty.Crawled
				if m := h.modified[q]; !m.IsZero() && m.Before(at(k-1)) {
					flags[q] |= novelty.Modified
				}
			case k - 1:
				flags[q] |= novelty.Previous
			}
			if epoch < k {
				flags[q] |= novelty.Known
			}
			for _, p := range *targets {
				if epoch < k {
					flags[p] |= novelty.Known
				} else {
					links = append(links, [2]uint32{uint32(q), p})
				}
			}
		}
	}
	classes, err := novelty.Classify(context.Background(), flags, links, rules, 1)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := novelty.Build(context.Background(), classes, links, novelty.BuildOptions{DropSelfLinks: drop})
	if err != nil {
		t.Fatal(err)
	}
	return classes, scores(t, graph, delta)
}

// window is the continuous form on the times of the fetches.
func (h history) window(t *rapid.T, k int, rules novelty.Rules, delta float64, drop bool) ([]novelty.Class, map[uint32]float64) {
	w := Window{After: at(k - 1), Until: at(k)}
	pages := make([]Page, len(h.modified))
	var links []Link
	seen := func(p uint32, when time.Time) {
		if pages[p].Seen.IsZero() || when.Before(pages[p].Seen) {
			pages[p].Seen = when
		}
	}
	for q := range pages {
		var fetches []Fetch
		for epoch := range h.fetches[:k+1] {
			targets := h.fetches[epoch][q]
			if targets == nil {
				continue
			}
			fetches = append(fetches, Fetch{at(epoch), *targets})
			seen(uint32(q), at(epoch))
			for _, p := range *targets {
				seen(p, at(epoch))
			}
			if w.has(at(epoch)) {
				pages[q].Fetched, pages[q].Modified = true, h.modified[q]
			}
			pages[q].Before = pages[q].Before || at(epoch).Equal(w.After)
		}
		links = append(links, Births(uint32(q), fetches)...)
	}
	classes, err := Classify(context.Background(), w, pages, slices.Values(links), rules)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := Build(context.Background(), w, classes, slices.Values(links), novelty.BuildOptions{DropSelfLinks: drop})
	if err != nil {
		t.Fatal(err)
	}
	return classes, scores(t, graph, delta)
}

func scores(t *rapid.T, graph *novelty.Graph, delta float64) map[uint32]float64 {
	s, err := novelty.Score[float64](context.Background(), graph, novelty.ScoreOptions{Delta: delta, Iterations: 50})
	if err != nil {
		t.Fatal(err)
	}
	out := map[uint32]float64{}
	for i, p := range graph.Pages() {
		out[p] = s.N[i]
	}
	return out
}

// TestBetweenSnapshots holds what snapshots cannot say.
func TestBetweenSnapshots(t *testing.T) {
	t.Parallel()
	const q, r, p, s = 0, 1, 2, 3
	w := Window{After: at(10), Until: at(20), Tolerance: 2 * time.Hour}
	known := Page{Seen: at(1), Fetched: true}
	for _, test := range []struct {
		name  string
		links []Link
		want  float64
	}{
		{"fetched without the link in the window", []Link{{Source: q, Target: p, Without: at(15), With: at(16)}}, 1},
		{"fetched without it within the tolerance", []Link{{Source: q, Target: p, Without: at(8), With: at(16)}}, 1},
		{"fetched without it too long ago", []Link{{Source: q, Target: p, Without: at(7), With: at(16)}}, 0},
		{"first fetch of an old page", []Link{{Source: q, Target: p, With: at(16)}}, 0},
		{"one of two", []Link{{Source: q, Target: p, Without: at(12), With: at(16)}, {Source: r, Target: p, With: at(18)}}, 0.5},
		{"from a new page of unknown novelty", []Link{{Source: s, Target: p, With: at(16)}}, 0},
		{"from a new page that is novel", []Link{{Source: s, Target: p, With: at(16)}, {Source: q, Target: s, Without: at(10), With: at(12)}}, 1},
		{"added to a new page of unknown novelty", []Link{{Source: s, Target: p, Without: at(13), With: at(16)}}, 1},
		{"after the window", []Link{{Source: q, Target: p, Without: at(12), With: at(21)}, {Source: r, Target: p, With: at(18)}}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pages := []Page{q: known, r: known, p: {Seen: at(16), Fetched: true}, s: {Seen: at(12), Fetched: true}}
			classes, err := Classify(context.Background(), w, pages, slices.Values(test.links), novelty.DefaultRules)
			if err != nil {
				t.Fatal(err)
			}
			graph, err := Build(context.Background(), w, classes, slices.Values(test.links), novelty.BuildOptions{})
			if err != nil {
				t.Fatal(err)
			}
			i, ok := graph.Index(p)
			if !ok {
				t.Fatal("the page is not in U")
			}
			scores, err := novelty.Score[float64](context.Background(), graph, novelty.ScoreOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := scores.N[i]; math.Abs(got-test.want) > 1e-12 {
				t.Errorf("N = %v, want %v", got, test.want)
			}
		})
	}
	var unknown *novelty.UnknownPageError
	bad := slices.Values([]Link{{Source: 9, Target: 0, With: at(16)}})
	if _, err := Build(context.Background(), w, make([]novelty.Class, 2), bad, novelty.BuildOptions{}); !errors.As(err, &unknown) {
		t.Errorf("Build with an unknown page: %v", err)
	}
}

func TestBirths(t *testing.T) {
	t.Parallel()
	got := Births(7, []Fetch{{at(1), []uint32{3}}, {at(2), nil}, {at(4), []uint32{5, 3, 5}}, {at(8), []uint32{5}}})
	want := []Link{
		{Source: 7, Target: 3, With: at(1), Last: at(4)},
		{Source: 7, Target: 5, Without: at(2), With: at(4), Last: at(8)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Births (-want +got):\n%s", diff)
	}
}
