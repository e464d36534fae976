package novelty

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// snapshot is a small random snapshot.
type snapshot struct {
	classes []Class
	pairs   Pairs
}

func drawSnapshot(t *rapid.T) snapshot {
	var s snapshot
	s.classes = rapid.SliceOfN(rapid.SampledFrom([]Class{Absent, Fringe, Old, L2, L2, Unidentified, Unidentified, Unidentified, Unidentified}), 1, 40).Draw(t, "classes")
	page := rapid.Uint32Range(0, uint32(len(s.classes)-1))
	s.pairs = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]uint32 {
		return [2]uint32{page.Draw(t, "source"), page.Draw(t, "target")}
	}), 0, 120).Draw(t, "links")
	return s
}

// sources gives the distinct pages of W that link to p.
func (s snapshot) sources(p uint32) []uint32 {
	var out []uint32
	for _, l := range s.pairs {
		if l[1] == p && s.classes[l[0]].Crawled() && !slices.Contains(out, l[0]) {
			out = append(out, l[0])
		}
	}
	return out
}

// solve computes the measure by Gaussian elimination: the least solution of
// N = (1-delta) * A N + b, pages that no walk from L2 reaches being 0.
func (s snapshot) solve(delta float64) map[uint32]float64 {
	reached := map[uint32]bool{}
	for more := true; more; {
		more = false
		for p, c := range s.classes {
			if c != Unidentified || reached[uint32(p)] {
				continue
			}
			for _, q := range s.sources(uint32(p)) {
				if s.classes[q] == L2 || reached[q] {
					reached[uint32(p)], more = true, true
				}
			}
		}
	}
	var pages []uint32
	for p := range s.classes {
		if reached[uint32(p)] {
			pages = append(pages, uint32(p))
		}
	}
	n := len(pages)
	m := make([][]float64, n)
	for i, p := range pages {
		m[i] = make([]float64, n+1)
		m[i][i] = 1
		in := s.sources(p)
		for _, q := range in {
			w := (1 - delta) / float64(len(in))
			if s.classes[q] == L2 {
				m[i][n] += w
			} else if j := slices.Index(pages, q); j >= 0 {
				m[i][j] -= w
			}
		}
	}
	for c := range n {
		pivot := c
		for r := c; r < n; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[pivot][c]) {
				pivot = r
			}
		}
		m[c], m[pivot] = m[pivot], m[c]
		for r := range n {
			if f := m[r][c] / m[c][c]; r != c && f != 0 {
				for k := c; k <= n; k++ {
					m[r][k] -= f * m[c][k]
				}
			}
		}
	}
	out := map[uint32]float64{}
	for i, p := range pages {
		out[p] = m[i][n] / m[i][i]
	}
	return out
}

func TestScoreIsTheDirectSolution(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t)
		delta := rapid.SampledFrom([]float64{0, 0.05, 0.1, 0.2, 1}).Draw(t, "delta")
		g, err := Build(context.Background(), s.classes, s.pairs, BuildOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := Score[float64](context.Background(), g, ScoreOptions{Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		single, err := Score[float32](context.Background(), g, ScoreOptions{Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		want := s.solve(delta)
		for i, p := range g.Pages() {
			if s.classes[p] != Unidentified {
				t.Fatalf("page %d of class %v is listed", p, s.classes[p])
			}
			if d := math.Abs(exact.N[i] - want[p]); d > 1e-9 {
				t.Fatalf("page %d: %v, the direct solution is %v", p, exact.N[i], want[p])
			}
			if d := math.Abs(float64(single.N[i]) - want[p]); d > 1e-3 {
				t.Fatalf("page %d: float32 %v, the direct solution is %v", p, single.N[i], want[p])
			}
			if exact.N[i] > 1-delta+1e-15 {
				t.Fatalf("page %d: %v exceeds 1-delta", p, exact.N[i])
			}
		}
		for i := 1; i < len(exact.Max); i++ { // SCIENCE T4
			if exact.Max[i] > (1-delta)*exact.Max[i-1]+1e-15 {
				t.Fatalf("greatest differences %v do not shrink by 1-delta", exact.Max)
			}
		}
	})
}

// TestBuildWays builds the same graph from pairs with duplicates, from distinct
// lists, and in several passes.
func TestBuildWays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSnapshot(t)
		drop := rapid.Bool().Draw(t, "drop self links")
		lists := make(Lists, len(s.classes))
		for _, l := range s.pairs {
			if !slices.Contains(lists[l[0]], l[1]) {
				lists[l[0]] = append(lists[l[0]], l[1])
			}
		}
		a, err := Build(context.Background(), s.classes, s.pairs, BuildOptions{DropSelfLinks: drop})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Build(context.Background(), s.classes, lists, BuildOptions{DropSelfLinks: drop, Distinct: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(shape(a), shape(b)); diff != "" {
			t.Fatalf("from pairs (-) and from distinct lists (+):\n%s", diff)
		}
		var links, l2, self uint64
		for i, p := range a.Pages() {
			sources := s.sources(p)
			n, old := a.InLinks(i)
			want := len(sources)
			if slices.Contains(sources, p) && drop {
				want--
				self++
			}
			if n != want {
				t.Fatalf("page %d has %d in-links, want %d", p, n, want)
			}
			links += uint64(n)
			l2 += uint64(old)
		}
		if got := a.Stats(); got.Links != links || got.Stored > links-l2 {
			t.Fatalf("stats %+v, want %d links", got, links)
		}
	})
}

// shape is what a graph holds, however it was built.
func shape(g *Graph) any {
	var out []any
	for i := range g.sections {
		s := &g.sections[i]
		for b := range s.base {
			links, nodes, first := g.block(s, b)
			at := uint32(0)
			for j, n := range nodes {
				out = append(out, []any{first + j, n.in, n.l2, append([]uint32{}, links[at:n.end]...)})
				at = n.end
			}
		}
	}
	return out
}

// TestBuildInPasses makes memory so tight that the links are read several times.
func TestBuildInPasses(t *testing.T) {
	t.Parallel()
	const pages = 5000
	classes := make([]Class, pages)
	var pairs Pairs
	for p := range classes {
		classes[p] = []Class{Unidentified, L2, Old, L2}[p%4]
		for k := range 40 {
			pairs = append(pairs, [2]uint32{uint32(p), uint32((p*7 + k*k*13) % pages)})
		}
	}
	ctx := context.Background()
	whole, err := Build(ctx, classes, pairs, BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	limit := whole.Stats().Peak * 3 / 4
	parted, err := Build(ctx, classes, pairs, BuildOptions{Memory: limit})
	if err != nil {
		t.Fatal(err)
	}
	stats := parted.Stats()
	if stats.Passes <= 2 || len(parted.sections) < 2 {
		t.Errorf("read in %d passes, %d sections: the limit should have parted it", stats.Passes, len(parted.sections))
	}
	if stats.Peak > limit {
		t.Errorf("took %d bytes, the limit is %d", stats.Peak, limit)
	}
	if diff := cmp.Diff(shape(whole), shape(parted)); diff != "" {
		t.Errorf("at once (-) and in passes (+):\n%s", diff)
	}
	for _, distinct := range []bool{false, true} {
		_, err = Build(ctx, classes, pairs, BuildOptions{Memory: 30_000, Distinct: distinct})
		var refused *MemoryError
		if !errors.As(err, &refused) || refused.Need <= refused.Limit {
			t.Errorf("Build with 30 kB: %v, want a MemoryError", err)
		}
	}
	one, err := Score[float32](ctx, whole, ScoreOptions{Delta: 0.1, Iterations: 20, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	four, err := Score[float32](ctx, parted, ScoreOptions{Delta: 0.1, Iterations: 20, Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.N, four.N) {
		t.Error("scores depend on workers or passes")
	}
}

// TestSlides holds the examples of the paper's slides and the extremes.
func TestSlides(t *testing.T) {
	t.Parallel()
	const a, b, c, d, o, q, p = 0, 1, 2, 3, 4, 5, 6
	for _, test := range []struct {
		name    string
		delta   float64
		classes []Class
		pairs   Pairs
		drop    bool
		page    uint32
		want    float64
	}{
		{"three of four from L2", 0, []Class{L2, L2, L2, L2, Old, L2, Unidentified}, Pairs{{a, p}, {b, p}, {c, p}, {o, p}}, false, p, 0.75},
		{"three from L2, one from a page of 0.5", 0, []Class{L2, L2, L2, L2, Old, Unidentified, Unidentified}, Pairs{{a, p}, {b, p}, {c, p}, {q, p}, {d, q}, {o, q}}, false, p, 0.875},
		{"the same with delta .1", 0.1, []Class{L2, L2, L2, L2, Old, Unidentified, Unidentified}, Pairs{{a, p}, {b, p}, {c, p}, {q, p}, {d, q}, {o, q}}, false, p, 0.77625},
		{"duplicate links count once", 0, []Class{L2, Old, Unidentified}, Pairs{{0, 2}, {0, 2}, {0, 2}, {1, 2}}, false, 2, 0.5},
		{"no in-links", 0, []Class{L2, Unidentified}, nil, false, 1, 0},
		{"only new links", 0.1, []Class{L2, Unidentified}, Pairs{{0, 1}}, false, 1, 0.9},
		{"a closed loop stays unknown", 0, []Class{Unidentified, Unidentified}, Pairs{{0, 1}, {1, 0}}, false, 0, 0},
		{"a loop with one way in", 0, []Class{L2, Unidentified, Unidentified}, Pairs{{0, 1}, {1, 2}, {2, 1}}, false, 2, 1},
		{"a self link counts", 0.1, []Class{L2, Unidentified}, Pairs{{0, 1}, {1, 1}}, false, 1, 0.9 / 1.1}, // x = .9 (1+x)/2
		{"a self link dropped", 0.1, []Class{L2, Unidentified}, Pairs{{0, 1}, {1, 1}}, true, 1, 0.9},
		{"the fringe has no links", 0, []Class{L2, Fringe, Unidentified}, Pairs{{0, 2}, {1, 2}}, false, 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g, err := Build(context.Background(), test.classes, test.pairs, BuildOptions{DropSelfLinks: test.drop})
			if err != nil {
				t.Fatal(err)
			}
			scores, err := Score[float64](context.Background(), g, ScoreOptions{Delta: test.delta})
			if err != nil {
				t.Fatal(err)
			}
			i, ok := g.Index(test.page)
			if !ok {
				t.Fatalf("page %d is not in U", test.page)
			}
			if got := scores.N[i]; math.Abs(got-test.want) > 1e-9 || !scores.Settled {
				t.Errorf("N = %v, want %v (settled %v)", got, test.want, scores.Settled)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var unknown *UnknownPageError
	for _, pairs := range []Pairs{{{0, 2}}, {{2, 0}}, {{math.MaxUint32, 0}}} {
		if _, err := Build(ctx, []Class{L2, Unidentified}, pairs, BuildOptions{}); !errors.As(err, &unknown) {
			t.Errorf("Build(%v): %v, want an UnknownPageError", pairs, err)
		}
		if _, err := Classify(ctx, []Flag{Crawled, Crawled}, pairs, DefaultRules, 1); !errors.As(err, &unknown) {
			t.Errorf("Classify(%v): %v, want an UnknownPageError", pairs, err)
		}
	}
	g, err := Build(ctx, nil, Pairs{}, BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Score[float32](ctx, g, ScoreOptions{Iterations: 3}); err != nil || len(s.N) != 0 || len(s.L1) != 3 {
		t.Errorf("Score of nothing: %v, %v", s, err)
	}
	for _, opt := range []ScoreOptions{{Delta: -0.1}, {Delta: 1.1}, {Delta: math.NaN()}, {Iterations: -1}} {
		if _, err := Score[float32](ctx, g, opt); err == nil {
			t.Errorf("Score with %+v gives no error", opt)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Build(done, []Class{L2, Unidentified}, Pairs{{0, 1}}, BuildOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Build after cancel: %v", err)
	}
}
