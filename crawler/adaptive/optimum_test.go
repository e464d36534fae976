package adaptive

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// paperPages are the five pages of Cho and Garcia-Molina's example, rates a day.
func paperPages() []Page {
	return []Page{{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}
}

func TestOptimumOfThePaper(t *testing.T) {
	t.Parallel()
	rates, freshness := Optimum(paperPages(), 5)
	for i, want := range []float64{1.1499, 1.3584, 1.3538, 1.1379, 0} {
		if math.Abs(rates[i]-want) > 0.00005 {
			t.Errorf("page %d: %.6f visits, want %.4f", i, rates[i], want)
		}
	}
	_, uniform := Uniform(paperPages(), 5)
	_, proportional := Proportional(paperPages(), 5)
	if !(freshness > uniform && uniform > proportional) {
		t.Errorf("optimum %.4f, uniform %.4f, proportional %.4f are not in the paper's order", freshness, uniform, proportional)
	}
}

func anyPages(t *rapid.T) []Page {
	v := rapid.OneOf(rapid.Just(0.), rapid.Just(1.), rapid.Float64Range(1e-4, 1e4))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Page {
		return Page{v.Draw(t, "importance"), v.Draw(t, "rate")}
	}), 1, 20).Draw(t, "pages")
}

// The conditions of Karush, Kuhn and Tucker say that the rates are the optimum, since
// freshness is concave in them: the budget is used, visited pages share one marginal
// value, and no other page exceeds it.
func TestOptimumConditions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pages := anyPages(t)
		budget := rapid.Float64Range(1e-3, 1e5).Draw(t, "budget")
		rates, freshness := Optimum(pages, budget)
		sum, least, most, useful := 0.0, math.Inf(1), 0.0, false
		for i, r := range rates {
			p := pages[i]
			sum += r
			if p.peak() == 0 {
				if r != 0 {
					t.Fatalf("page %d is of no use and visited", i)
				}
				continue
			}
			useful = true
			marginal := p.peak()
			if r > 0 {
				marginal *= gain(p.Rate / r)
				least = min(least, marginal)
			}
			most = max(most, marginal)
		}
		if !useful {
			return
		}
		if math.Abs(sum-budget) > 1e-9*budget {
			t.Fatalf("visits add up to %.15g of %.15g", sum, budget)
		}
		if most-least > 1e-9*most {
			t.Fatalf("marginal values from %.15g to %.15g", least, most)
		}
		for name, f := range map[string]func([]Page, float64) ([]float64, float64){"uniform": Uniform, "proportional": Proportional, "random": RandomVisits} {
			if _, other := f(pages, budget); other > freshness+1e-12 {
				t.Fatalf("%s has %.15g, the optimum %.15g", name, other, freshness)
			}
		}
		if _, perfect := PerfectSignals(pages, budget); freshness > perfect+1e-12 {
			t.Fatalf("optimum %.15g is above perfect signals %.15g", freshness, perfect)
		}
	})
}

func TestRandomVisitsConditions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pages := anyPages(t)
		budget := rapid.Float64Range(1e-3, 1e5).Draw(t, "budget")
		rates, _ := RandomVisits(pages, budget)
		sum, least, most := 0.0, math.Inf(1), 0.0
		for i, r := range rates {
			sum += r
			if p := pages[i]; p.peak() > 0 {
				marginal := p.Importance * p.Rate / ((r + p.Rate) * (r + p.Rate))
				most = max(most, marginal)
				if r > 1e-9*budget {
					least = min(least, marginal)
				}
			}
		}
		if !math.IsInf(least, 1) && (math.Abs(sum-budget) > 1e-6*budget || most-least > 1e-5*most) {
			t.Fatalf("visits %.15g of %.15g, marginal values %.15g to %.15g", sum, budget, least, most)
		}
	})
}

func TestOptimumOddInput(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for _, pages := range [][]Page{nil, {{0, 1}}, {{nan, nan}}, {{inf, 1}, {-1, 2}}} {
		rates, f := Optimum(pages, 5)
		if !math.IsNaN(f) {
			t.Errorf("%v: freshness %v of pages without importance", pages, f)
		}
		for _, r := range rates {
			if r != 0 {
				t.Errorf("%v: visits %v", pages, rates)
			}
		}
	}
	if _, f := Optimum([]Page{{1, 0}, {1, 1}}, 0); f != 0.5 {
		t.Errorf("a page that never changes and one never visited: freshness %v", f)
	}
	rates, f := Optimum([]Page{{1, 1}, {1, 1}, {2, 5e-324}}, 1e-3)
	if math.Abs(rates[0]-5e-4) > 1e-12 || rates[0] != rates[1] {
		t.Errorf("equal pages at a tiny budget: %v", rates)
	}
	if math.IsNaN(f) {
		t.Error("freshness is not a number")
	}
	for _, p := range []Page{{nan, 1}, {1, inf}, {-1, 1}} {
		if p.Check() == nil {
			t.Errorf("%v passes", p)
		}
	}
}

func TestGain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := math.Exp(rapid.Float64Range(math.Log(1e-6), math.Log(30)).Draw(t, "ln x"))
		// The integral of s e^{-s} from 0 to x by Simpson's rule.
		const n = 200
		sum, h := 0.0, x/n
		for k := 0; k < n; k += 2 {
			f := func(s float64) float64 { return s * math.Exp(-s) }
			a := float64(k) * h
			sum += h / 3 * (f(a) + 4*f(a+h) + f(a+2*h))
		}
		if g := gain(x); math.Abs(g-sum) > 1e-5*sum {
			t.Fatalf("gain(%g) = %g, integral %g", x, g, sum)
		}
		if y := gain(x); x < 20 {
			if back := gainInverse(y); math.Abs(back-x) > 1e-9*x/min(1, 1-y) {
				t.Fatalf("inverse of gain(%g) is %g", x, back)
			}
		}
	})
}

func TestInterval(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Page{rapid.Float64Range(0.01, 100).Draw(t, "m"), rapid.Float64Range(1e-4, 10).Draw(t, "d")}
		lim := Limits{Min: time.Second, Max: 10000 * time.Hour}
		threshold := p.peak() * rapid.Float64Range(1e-6, 1.5).Draw(t, "threshold")
		at := p.Interval(threshold, lim)
		// Slowly: the age by halving.
		low, high := lim.Min, lim.Max
		for high-low > time.Microsecond {
			if mid := low + (high-low)/2; p.Value(mid) < threshold {
				low = mid
			} else {
				high = mid
			}
		}
		if d := (at - high).Abs(); d > time.Millisecond && d.Hours() > 1e-6*high.Hours() && threshold < p.peak()*(1-1e-6) {
			t.Fatalf("due after %v, by halving %v", at, high)
		}
	})
	if got := (Page{1, 0}).Interval(0.1, Limits{}); got != 30*24*time.Hour {
		t.Errorf("a page that never changes is due after %v", got)
	}
	if got := (Page{1e9, 1}).Interval(0.1, Limits{}); got != 10*time.Minute {
		t.Errorf("the most important page is due after %v", got)
	}
}

func TestCurve(t *testing.T) {
	t.Parallel()
	// Div = 1 - e^{-dt} in fine steps is the Poisson page.
	p := Page{3, 0.2}
	var points []Point
	for k := 1; k <= 2000; k++ {
		age := time.Duration(k) * time.Minute * 3
		points = append(points, Point{age, -math.Expm1(-p.Rate * hours(age))})
	}
	c, err := NewCurve(points)
	if err != nil {
		t.Fatal(err)
	}
	for _, age := range []time.Duration{time.Second, time.Hour, 7*time.Hour + 1, 30 * time.Hour} {
		if v, w := c.Value(3, age), p.Value(age); math.Abs(v-w) > 1e-3*w+1e-6 {
			t.Errorf("value at %v is %g, as a Poisson page %g", age, v, w)
		}
	}
	for _, threshold := range []float64{0.1, 1, 5} {
		v, w := c.Interval(3, threshold, Limits{}), p.Interval(threshold, Limits{})
		if math.Abs(hours(v-w)) > 1e-3*hours(w) {
			t.Errorf("interval for %g is %v, as a Poisson page %v", threshold, v, w)
		}
	}
	// A page that loses half of its words within 2 hours and nothing after:
	// U rises to (1/4) 2²/2 = 0.5 and stays.
	c, err = NewCurve([]Point{{2 * time.Hour, 0.5}, {4 * time.Hour, 0.5}, {9 * time.Hour, 0.4}})
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Value(1, time.Hour); math.Abs(v-0.125) > 1e-12 {
		t.Errorf("value after an hour %g", v)
	}
	if v := c.Value(1, 100*time.Hour); math.Abs(v-0.5) > 1e-12 {
		t.Errorf("value after the knot %g", v)
	}
	if at := c.Interval(1, 0.51, Limits{}); at != 30*24*time.Hour {
		t.Errorf("a value never reached is due after %v", at)
	}
	for _, bad := range [][]Point{{{0, 0.1}}, {{time.Hour, 0.1}, {time.Hour, 0.2}}, {{time.Hour, math.NaN()}}, {{time.Hour, 1.1}}} {
		if _, err := NewCurve(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if v := (Curve{}).Value(1, time.Hour); v != 0 {
		t.Errorf("the zero curve has value %g", v)
	}
}

func BenchmarkOptimum(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	pages := make([]Page, 1000)
	for i := range pages {
		pages[i] = Page{math.Exp(rng.NormFloat64()), 0.05 * math.Exp(1.5*rng.NormFloat64())}
	}
	b.ReportAllocs()
	for b.Loop() {
		Optimum(pages, 50)
	}
}

func BenchmarkInterval(b *testing.B) {
	b.ReportAllocs()
	p := Page{1, 0.1}
	for b.Loop() {
		p.Interval(0.5, Limits{})
	}
}
