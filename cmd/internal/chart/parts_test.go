package chart

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func testRand() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }

func tickLabels(ticks []Tick) string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.Label)
	}
	return strings.Join(out, " | ")
}

func TestTicks(t *testing.T) {
	t.Parallel()
	at := func(s string) float64 {
		v, err := time.Parse("2006-01-02 15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return Seconds(v)
	}
	for _, tt := range []struct {
		name   string
		axis   Axis
		lo, hi float64
		want   string
	}{
		{"counts", Axis{Zero: true}, 3, 9200, "0 | 2,000 | 4,000 | 6,000 | 8,000 | 10,000"},
		{"negative", Axis{}, -1, 1, "−1.0 | −0.5 | 0 | 0.5 | 1.0"},
		{"share", Axis{Kind: Share}, .3, .7, "0 | .2 | .4 | .6 | .8 | 1"},
		{"decades", Axis{Kind: Log}, 1, 1e6, "1 | 100 | 10,000 | 1,000,000"},
		{"many decades", Axis{Kind: Log}, 1e-9, 1e9, "10⁻⁸ | 10⁻⁴ | 1 | 10,000 | 10⁸"},
		{"small ones in one form", Axis{Kind: Log}, 1e-8, 5, "10⁻⁸ | 10⁻⁶ | 10⁻⁴ | 10⁻² | 1"},
		{"few decades", Axis{Kind: Log}, 1, 50, "1 | 2 | 5 | 10 | 20 | 50 | 100"},
		{"minutes", Axis{Kind: Time}, at("2024-01-01 23:50"), at("2024-01-02 00:22"), "1 Jan 23:50 | 2 Jan | 00:10 | 00:20"},
		{"hours", Axis{Kind: Time}, at("2024-02-28 20:00"), at("2024-03-01 04:00"), "29 Feb 2024 | 12:00 | 1 Mar"},
		{"days", Axis{Kind: Time}, at("2023-12-30 05:00"), at("2024-01-04 01:00"), "31 Dec 2023 | 1 Jan 2024 | 2 Jan | 3 Jan | 4 Jan"},
		{"weeks begin on Monday", Axis{Kind: Time}, at("2024-01-03 00:00"), at("2024-02-01 00:00"), "8 Jan 2024 | 15 Jan | 22 Jan | 29 Jan"},
		{"months", Axis{Kind: Time}, at("2023-10-10 00:00"), at("2024-03-10 00:00"), "Nov 2023 | Dec | 2024 | Feb | Mar"},
		{"years", Axis{Kind: Time}, at("1996-05-01 00:00"), at("2026-05-01 00:00"), "2000 | 2010 | 2020"},
		{"hours of a day", Axis{Kind: Hours}, 0, 24, "0 | 6 h | 12 h | 18 h | 1 d"},
		{"days marked", Axis{Kind: Hours}, 0, 120, "0 | 1 d | 2 d | 3 d | 4 d | 5 d"},
		{"weeks", Axis{Kind: Hours}, 0, 840, "0 | 1 wk | 2 wk | 3 wk | 4 wk | 5 wk"},
		{"intervals", Axis{Kind: LogHours}, .2, 700, "1 h | 6 h | 1 d | 1 wk | 4 wk"},
		{"short intervals", Axis{Kind: LogHours}, 1, 3, "1 h | 2 h | 3 h"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, ticks := tt.axis.fitted(extent{tt.lo, tt.hi, 2}, 400, 80)
			if diff := cmp.Diff(tt.want, tickLabels(ticks)); diff != "" {
				t.Errorf("fitted(%v, %v) (-want +got):\n%s", tt.lo, tt.hi, diff)
			}
		})
	}
}

// TestTicksProperties: on any range the ticks ascend and stay on the axis.
func TestTicksProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var e extent
		e.add(rapid.Float64().Draw(t, "a"))
		e.add(rapid.Float64().Draw(t, "b"))
		axis := Axis{Kind: Kind(rapid.IntRange(0, int(Share)).Draw(t, "kind")), Zero: rapid.Bool().Draw(t, "zero")}
		s, ticks := axis.fitted(e, 400, 80)
		s.a, s.b = 0, 400
		if !(s.lo < s.hi) || !finite(s.at(s.lo)) || !finite(s.at(s.hi)) {
			t.Fatalf("scale %+v", s)
		}
		for i, k := range ticks {
			if i > 0 && k.At <= ticks[i-1].At {
				t.Fatalf("ticks do not ascend: %v", ticks)
			}
			if x := s.at(k.At); x < -2 || x > 402 {
				t.Fatalf("tick %v at %v px", k, x)
			}
		}
	})
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for hours, want := range map[float64]string{0: "0", 9: "9 h", 2.1 * 24: "2.1 d", 1.0 / 3: "20 min", .001: "3.6 s", 840: "5 wk", 30000: "3.4 y", 1.3: "1.3 h", math.Inf(1): "?"} {
		if got := span(hours); got != want {
			t.Errorf("span(%v) = %q, want %q", hours, got, want)
		}
	}
	for v, want := range map[float64]string{.62: ".62", 0: "0", 1: "1", .5: ".5", .999: "1", -.25: "−.25", -.001: "0"} {
		if got := share(v); got != want {
			t.Errorf("share(%v) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{12300: "12,300", .0123: "0.0123", 4.5: "4.5", -1234567: "−1,234,567", 1e12: "1e+12", 99.96: "100"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestSpread compares the pools with the closed form of the same least squares
// problem: with z[i] = y[i] - i*gap the best ascending sequence is
// max over j <= i of min over k >= i of mean(z[j..k]).
func TestSpread(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ys := rapid.SliceOfN(rapid.Float64Range(0, 500), 1, 12).Draw(t, "ys")
		slices.Sort(ys)
		const gap = 15.0
		got := spread(ys, gap, -1e6, 1e6)
		for i := range ys {
			best := math.Inf(-1)
			for j := 0; j <= i; j++ {
				least := math.Inf(1)
				for k := i; k < len(ys); k++ {
					sum := 0.0
					for m := j; m <= k; m++ {
						sum += ys[m] - float64(m)*gap
					}
					least = min(least, sum/float64(k-j+1))
				}
				best = max(best, least)
			}
			if want := best + float64(i)*gap; math.Abs(got[i]-want) > 1e-6 {
				t.Fatalf("spread(%v)[%d] = %v, want %v", ys, i, got[i], want)
			}
		}
		in := spread(ys, gap, 0, 500)
		for i, y := range in {
			if y < -1e-9 || y > 500+1e-9 || i > 0 && y-in[i-1] < gap-1e-9 {
				t.Fatalf("spread(%v) = %v within 0 to 500", ys, in)
			}
		}
	})
}

// TestThinning: of each column of pixels the least and the greatest value stay,
// and no gap is closed.
func TestThinning(t *testing.T) {
	t.Parallel()
	r := testRand()
	line := make([]Point, 100_000)
	for i := range line {
		line[i] = Point{float64(i), r.NormFloat64()}
		if i%9973 == 17 {
			line[i].Y = 40 // a lone peak
		}
	}
	for i := 50_000; i < 52_000; i++ {
		line[i].Y = math.NaN()
	}
	p := &plot{box: box{0, 0, 700, 300}, xs: scale{lo: 0, hi: 99_999, a: 0, b: 700}, ys: scale{lo: -50, hi: 50, a: 300, b: 0}}
	type ends struct{ lo, hi float64 }
	columns := func(points []Point) map[int]ends {
		out := map[int]ends{}
		for _, q := range points {
			if !q.finite() {
				continue
			}
			e, ok := out[int(q.X)]
			if !ok {
				e = ends{q.Y, q.Y}
			}
			out[int(q.X)] = ends{min(e.lo, q.Y), max(e.hi, q.Y)}
		}
		return out
	}
	var all []Point
	for _, q := range line {
		all = append(all, Point{p.xs.at(q.X), p.ys.at(q.Y)})
	}
	got := p.project(line, 1)
	if len(got) > 4*701+2 {
		t.Errorf("%d points left", len(got))
	}
	if diff := cmp.Diff(columns(all), columns(got), cmp.AllowUnexported(ends{})); diff != "" {
		t.Errorf("extremes by column (-want +got):\n%s", diff)
	}
	path, alone := tracePath(got)
	if n := bytes.Count(path, []byte("M")); n != 2 || len(alone) != 0 {
		t.Errorf("%d strokes and %d dots, want 2 and 0", n, len(alone))
	}
}

func TestGapsAreNotBridged(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	path, alone := tracePath([]Point{{1, 1}, {2, 2}, {nan, nan}, {3, 3}, {nan, nan}, {4, 4}, {5, 5}})
	if got, want := string(path), "M1 1L2 2M4 4L5 5"; got != want {
		t.Errorf("path %q, want %q", got, want)
	}
	if diff := cmp.Diff([]Point{{3, 3}}, alone); diff != "" {
		t.Errorf("dots (-want +got):\n%s", diff)
	}
	area := Areas{X: []float64{0, 1, 2, 3, 4}, Layers: []Layer{{Values: []float64{1, 2, nan, 3, 4}}, {Values: []float64{1, 2, 3, 4, 5}}}}
	if diff := cmp.Diff([][2]int{{0, 2}, {3, 5}}, area.runs()); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b, wantA, wantB Point
		ok                 bool
	}{
		{Point{0, 0}, Point{1, 1}, Point{0, 0}, Point{1, 1}, true},
		{Point{-1, .5}, Point{2, .5}, Point{0, .5}, Point{1, .5}, true},
		{Point{0, 1.5}, Point{1, -.5}, Point{.25, 1}, Point{.75, 0}, true},
		{Point{2, 0}, Point{3, 1}, Point{}, Point{}, false},
		{Point{-1, .5}, Point{.5, 2}, Point{}, Point{}, false},
	} {
		a, b, ok := clip(tt.a, tt.b, 0, 1, 0, 1)
		if ok != tt.ok || ok && (a != tt.wantA || b != tt.wantB) {
			t.Errorf("clip(%v, %v) = %v, %v, %v", tt.a, tt.b, a, b, ok)
		}
	}
}

func TestFitMiddle(t *testing.T) {
	t.Parallel()
	got := fitMiddle("water.example/a/rather/long/address/of/levels", 150, 12)
	if !strings.HasPrefix(got, "water.exa") || !strings.HasSuffix(got, "of/levels") || !strings.Contains(got, "…") {
		t.Errorf("fitMiddle = %q", got)
	}
	if got, want := fitMiddle("no address at all", 60, 12), "no addr"; !strings.HasPrefix(got, want) {
		t.Errorf("fitMiddle = %q", got)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := clean(rapid.String().Draw(t, "s"))
		w := rapid.Float64Range(0, 300).Draw(t, "w")
		if got := textWidth(fit(s, w, 12, false), 12, false); got > w+1e-9 {
			t.Fatalf("fit(%q, %v) is %v wide", s, w, got)
		}
		if got := fitMiddle(s+"/", w, 12); textWidth(got, 12, false) > w+1e-9 {
			t.Fatalf("fitMiddle(%q, %v) = %q", s, w, got)
		}
		lines := wrap(s, w, 12, true, 3)
		if len(lines) > 3 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, l := range lines {
			if got := textWidth(l, 12, true); got > w+1e-9 {
				t.Fatalf("wrap(%q, %v) has a line %v wide", s, w, got)
			}
		}
		if clean(s) != s {
			t.Fatalf("clean(%q) = %q", s, clean(s))
		}
	})
}
