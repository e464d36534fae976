package sample

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBins(t *testing.T) {
	t.Parallel()
	b := PaperBins()
	if b.Len() != 120 {
		t.Fatalf("%d bins, want 120", b.Len())
	}
	tests := []struct {
		name                    string
		stats                   Stats
		visitors, revisits, gap string
	}{
		{"nobody returned", Stats{Visitors: 2, Visits: 2}, "2", "<1", "168h0m0s+"},
		{"lower edges belong above", Stats{Visitors: 3, Visits: 6, Between: 30}, "3-6", "1-2", "10s-1m0s"},
		{"below the edges", Stats{Visitors: 6, Visits: 11, Between: 49}, "3-6", "<1", "<10s"},
		{"a minute", Stats{Visitors: 7, Visits: 14, Between: 420}, "7-38", "1-2", "1m0s-1h0m0s"},
		{"many", Stats{Visitors: 39, Visits: 39 * 9, Between: 39 * 8 * 7 * 86400}, "39+", "8+", "168h0m0s+"},
		{"a day", Stats{Visitors: 38, Visits: 38 * 5, Between: 38 * 4 * 86400}, "7-38", "4-8", "24h0m0s-168h0m0s"},
	}
	for _, tt := range tests {
		bin, ok := b.Of(tt.stats)
		if !ok {
			t.Fatalf("%s: no bin", tt.name)
		}
		v, r, g := b.Name(bin)
		if diff := cmp.Diff([]string{tt.visitors, tt.revisits, tt.gap}, []string{v, r, g}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if bin, ok := b.Of(Stats{Visitors: 1, Visits: 100}); ok {
		t.Errorf("a page with one visitor is in bin %d", bin)
	}
	names := map[string]bool{}
	for i := range b.Len() {
		v, r, g := b.Name(i)
		names[v+" "+r+" "+g] = true
	}
	if len(names) != 120 {
		t.Errorf("%d different names", len(names))
	}
}

func TestCheckBins(t *testing.T) {
	t.Parallel()
	for _, b := range []Bins{{}, {Visitors: []int{0}}, {Visitors: []int{2, 2}}, {Visitors: []int{2}, Revisits: []float64{2, 1}}} {
		if b.Check() == nil {
			t.Errorf("%+v passes", b)
		}
	}
	if err := PaperBins().Check(); err != nil {
		t.Error(err)
	}
}

// The counter gives what maps give, in any order of the visits and however few
// of them are held in memory.
func TestCounter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		visits := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Visit {
			return Visit{rapid.Uint64Range(0, 4).Draw(t, "page"), rapid.Uint64Range(0, 3).Draw(t, "user"), rapid.Int64Range(-50, 50).Draw(t, "at")}
		})).Draw(rt, "visits")
		opt := CounterOptions{Visits: rapid.IntRange(1, 9).Draw(rt, "held")}
		if rapid.Bool().Draw(rt, "spool") {
			opt.Spool = func() (Spool, error) { return os.CreateTemp(dir, "") }
		}
		c := NewCounter(opt)
		for _, v := range visits {
			if err := c.Add(v); err != nil {
				rt.Fatal(err)
			}
		}
		got := slices.Collect(c.Pages())
		if err := errors.Join(c.Err(), c.Close()); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(slow(visits), got); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func slow(visits []Visit) []Stats {
	pages := map[uint64]map[uint64][]int64{}
	for _, v := range visits {
		if pages[v.Page] == nil {
			pages[v.Page] = map[uint64][]int64{}
		}
		pages[v.Page][v.User] = append(pages[v.Page][v.User], v.At)
	}
	var out []Stats
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		s := Stats{Page: page, Visitors: len(pages[page])}
		for _, at := range pages[page] {
			s.Visits += len(at)
			s.Between += slices.Max(at) - slices.Min(at)
		}
		out = append(out, s)
	}
	return out
}

func TestCounterWithoutRoom(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	c := NewCounter(CounterOptions{Visits: 1, Spool: func() (Spool, error) { return nil, full }})
	if err := c.Add(Visit{}); !errors.Is(err, full) {
		t.Errorf("add: %v", err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "spool"))
	if err != nil {
		t.Fatal(err)
	}
	c = NewCounter(CounterOptions{Visits: 1, Spool: func() (Spool, error) { return f, nil }})
	if err := c.Add(Visit{Page: 1}); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(visitSize - 1); err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(c.Pages()); len(got) > 0 || c.Err() == nil {
		t.Errorf("of a cut spool: %v, error %v", got, c.Err())
	}
}

// pages makes n pages that are spread over many bins.
func pages(n int) []Stats {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]Stats, n)
	for i := range out {
		v := 1 + int(rng.ExpFloat64()*6)
		out[i] = Stats{Page: Hash("https://a.example/" + strconv.Itoa(i)), Visitors: v, Visits: v + rng.IntN(6*v), Between: int64(rng.ExpFloat64() * 1e6)}
	}
	return out
}

func draw(list []Stats, opt Options, leave func(uint64) bool) Sample {
	d := NewDrawer(opt)
	for _, s := range list {
		d.Add(s)
	}
	return d.Draw(leave)
}

func TestDraw(t *testing.T) {
	t.Parallel()
	list := pages(3000)
	bins := PaperBins()
	rapid.Check(t, func(rt *rapid.T) {
		opt := Options{Bins: bins, Top: rapid.IntRange(0, 30).Draw(rt, "top"), Seed: rapid.Uint64().Draw(rt, "seed"), Spare: 3000}
		if rapid.Bool().Draw(rt, "by bin") {
			opt.PerBin = rapid.IntRange(1, 40).Draw(rt, "quota")
		} else {
			opt.Pages = rapid.IntRange(1, 1000).Draw(rt, "pages")
		}
		bad := rapid.Uint64Range(1, 5).Draw(rt, "bad")
		leave := func(page uint64) bool { return page%bad == 1 }
		got := draw(list, opt, leave)
		in, free := make([]int, bins.Len()), make([]int, bins.Len())
		for _, s := range list {
			if bin, ok := bins.Of(s); ok {
				in[bin]++
				if !leave(s.Page) {
					free[bin]++
				}
			}
		}
		if diff := cmp.Diff(in, got.InLog); diff != "" {
			rt.Fatalf("pages in the log (-want +got):\n%s", diff)
		}
		for bin := range in {
			if want := min(got.Quota, free[bin]); got.Drawn[bin] != want {
				rt.Fatalf("bin %d of %d gives %d, want %d", bin, free[bin], got.Drawn[bin], want)
			}
		}
		if opt.Pages > 0 && len(got.Pages) > max(opt.Pages, len(nonEmpty(in))) {
			rt.Fatalf("%d pages, want %d at most", len(got.Pages), opt.Pages)
		}
		seen := map[uint64]bool{}
		stand := 0.
		for _, p := range append(slices.Clone(got.Pages), got.Top...) {
			if seen[p.Page] || leave(p.Page) {
				rt.Fatalf("page %x twice, or one to leave out", p.Page)
			}
			seen[p.Page] = true
			stand += p.Weight
		}
		want := 0.
		for bin, n := range got.Drawn {
			if n > 0 {
				want += float64(in[bin])
			}
		}
		if diff := stand - want; diff > 1e-6 || diff < -1e-6 {
			rt.Fatalf("the sample stands for %v pages, want %v", stand, want)
		}
		// The pages with the most visitors are all there.
		order := slices.DeleteFunc(slices.Clone(list), func(s Stats) bool { return leave(s.Page) })
		slices.SortFunc(order, func(a, b Stats) int { return b.Visitors - a.Visitors })
		for _, s := range order[:opt.Top] {
			if s.Visitors > order[max(opt.Top-1, 0)].Visitors && !seen[s.Page] {
				rt.Fatalf("a page of %d visitors is missing", s.Visitors)
			}
		}
		// The order of the pages does not count.
		other := slices.Clone(list)
		rand.New(rand.NewPCG(opt.Seed, 0)).Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		if diff := cmp.Diff(got, draw(other, opt, leave)); diff != "" {
			rt.Fatalf("in another order (-want +got):\n%s", diff)
		}
	})
}

// Every page of a bin is drawn about equally often over the seeds.
func TestDrawIsFair(t *testing.T) {
	t.Parallel()
	const n, quota, rounds = 20, 5, 4000
	times := map[uint64]int{}
	for seed := range uint64(rounds) {
		d := NewDrawer(Options{Bins: PaperBins(), PerBin: quota, Seed: seed})
		for i := range uint64(n) {
			d.Add(Stats{Page: i, Visitors: 5, Visits: 5})
		}
		for _, p := range d.Draw(nil).Pages {
			times[p.Page]++
		}
	}
	for i := range uint64(n) {
		// 1,000 expected, standard deviation 27.
		if times[i] < 850 || times[i] > 1150 {
			t.Errorf("page %d drawn %d times, want about 1000", i, times[i])
		}
	}
}

func TestSummarise(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(Summary{Bins: 4, Mean: 4, Median: 3}, Summarise([]int{0, 2, 4, 0, 9, 1})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Summarise([]int{0}); got != (Summary{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func BenchmarkCounter(b *testing.B) {
	b.ReportAllocs()
	dir := b.TempDir()
	c := NewCounter(CounterOptions{Visits: 1 << 16, Spool: func() (Spool, error) { return os.CreateTemp(dir, "") }})
	defer c.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if err := c.Add(Visit{rng.Uint64N(1e5), rng.Uint64N(1e5), int64(time.Hour)}); err != nil {
			b.Fatal(err)
		}
	}
	for range c.Pages() {
	}
}
