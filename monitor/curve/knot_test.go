package curve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func grid(n int, f func(i int) float64) (x, y []float64) {
	for i := range n {
		x = append(x, float64(i))
		y = append(y, f(i))
	}
	return x, y
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got-want) > tol || math.IsNaN(got) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// stick falls by .1 a step up to point 5 and is level to point 20.
func stick(i int) float64 { return 1 - .1*float64(min(i, 5)) }

func TestExactStick(t *testing.T) {
	t.Parallel()
	for _, n := range []int{11, 12, 16, 21, 40} {
		x, y := grid(n, stick)
		f, ok := FitKnot(x, y)
		if !ok {
			t.Fatalf("FitKnot of %d points failed", n)
		}
		near(t, "knot x", f.X, 5, 1e-9)
		near(t, "knot y", f.Y, .5, 1e-9)
		near(t, "slope 1", f.First.Slope, -.1, 1e-9)
		near(t, "slope 2", f.Second.Slope, 0, 1e-9)
		near(t, "intercept 1", f.First.Intercept, 1, 1e-9)
		near(t, "intercept 2", f.Second.Intercept, .5, 1e-9)
		near(t, "SSE", f.SSE, 0, 1e-18)
		if got := Classify(f); got != Knotted {
			t.Errorf("Classify = %v, want knotted", got)
		}
	}
}

func TestKnotBetweenPoints(t *testing.T) {
	t.Parallel()
	const k = 4.3
	x, y := grid(15, func(i int) float64 { return 1 - .08*math.Min(float64(i), k) - .001*max(float64(i)-k, 0) })
	for i := range x {
		x[i] += 1.2e9 // times instead of steps must not cost digits
	}
	f, ok := FitKnot(x, y)
	if !ok {
		t.Fatal("no fit")
	}
	near(t, "knot x", f.X-1.2e9, k, 1e-6)
	near(t, "knot y", f.Y, 1-.08*k, 1e-9)
	near(t, "slope 1", f.First.Slope, -.08, 1e-9)
	near(t, "slope 2", f.Second.Slope, -.001, 1e-9)
}

func TestHeuristicGolden(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		n           int
		y           func(i int) float64
		guess, knot int
	}{
		{"exact stick", 15, stick, 3, 5},
		{"step", 10, func(i int) float64 { return map[bool]float64{true: 1, false: .5}[i == 0] }, 1, 1},
		{"line", 10, func(i int) float64 { return 1 - .05*float64(i) }, -1, -1},
		{"level", 10, func(int) float64 { return 1 }, -1, -1},
	}
	for _, tt := range tests {
		x, y := grid(tt.n, tt.y)
		h, ok := FitHeuristic(x, y)
		if !ok || h.Guess != tt.guess || h.Knot != tt.knot {
			t.Errorf("%s: FitHeuristic = guess %d, knot %d, %v, want %d, %d", tt.name, h.Guess, h.Knot, ok, tt.guess, tt.knot)
		}
	}
	x, y := grid(15, stick)
	h, _ := FitHeuristic(x, y)
	near(t, "slope 1", h.First.Slope, -.1, 1e-12)
	near(t, "slope 2", h.Second.Slope, 0, 1e-12)
	near(t, "intercept 2", h.Second.Intercept, .5, 1e-12)
}

// slowHeuristic follows SCIENCE A16 word by word, fitting each line anew.
func slowHeuristic(x, y []float64) (guess, knot int) {
	fit := func(x, y []float64) (a, b, mse float64) {
		n := float64(len(x))
		var mx, my, xx, xy float64
		for i := range x {
			mx, my = mx+x[i]/n, my+y[i]/n
		}
		for i := range x {
			xx += (x[i] - mx) * (x[i] - mx)
			xy += (x[i] - mx) * (y[i] - my)
		}
		b = xy / xx
		a = my - b*mx
		for i := range x {
			mse += square(y[i]-a-b*x[i]) / n
		}
		return a, b, mse
	}
	a, b, _ := fit(x, y)
	last, k := len(x)-1, -1
	for i := 1; i <= last && k < 0; i++ {
		before, now := y[i-1]-a-b*x[i-1], y[i]-a-b*x[i]
		if math.Abs(before) > 1e-12 && (before > 0) != (now > 1e-12) || before < -1e-12 && now >= -1e-12 {
			k = i
		}
	}
	if guess = k; k < 0 {
		return -1, -1
	}
	for k+1 <= last {
		_, _, now := fit(x[:k+1], y[:k+1])
		if _, _, next := fit(x[:k+2], y[:k+2]); next > now+1e-12 {
			break
		}
		k++
	}
	if k == 0 || k == last {
		return guess, -1
	}
	_, b1, _ := fit(x[:k+1], y[:k+1])
	_, b2, _ := fit(x[k:], y[k:])
	if math.Abs(b1-b2) < .05*max(math.Abs(b1), math.Abs(b2)) {
		return guess, -1
	}
	return guess, k
}

func TestHeuristicSlow(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		x, y := randomStick(rng, 3+rng.IntN(60), .02)
		h, ok := FitHeuristic(x, y)
		guess, knot := slowHeuristic(x, y)
		if !ok || h.Guess != guess || h.Knot != knot {
			t.Fatalf("FitHeuristic(%v) = %d, %d, %v, want %d, %d", y, h.Guess, h.Knot, ok, guess, knot)
		}
	}
}

// randomStick has its knot anywhere and gaps of different lengths.
func randomStick(rng *rand.Rand, n int, sd float64) (x, y []float64) {
	at := 0.0
	k, s1, s2 := rng.Float64()*float64(n), rng.Float64()*.05, rng.Float64()*.02
	for range n {
		x = append(x, at)
		y = append(y, 1-s1*math.Min(at, k)-s2*max(at-k, 0)+sd*rng.NormFloat64())
		at += float64(1 + rng.IntN(3))
	}
	return x, y
}

// slowSSE solves the three normal equations for one knot by elimination.
func slowSSE(x, y []float64, knot float64) float64 {
	var m [3][4]float64
	for i := range x {
		v := [3]float64{1, x[i], max(x[i]-knot, 0)}
		for r := range 3 {
			for c := range 3 {
				m[r][c] += v[r] * v[c]
			}
			m[r][3] += v[r] * y[i]
		}
	}
	for c := range 3 {
		p := c
		for r := c; r < 3; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[p][c]) {
				p = r
			}
		}
		m[c], m[p] = m[p], m[c]
		if math.Abs(m[c][c]) < 1e-9 {
			return math.Inf(1)
		}
		for r := range 3 {
			if r != c {
				q := m[r][c] / m[c][c]
				for k := c; k < 4; k++ {
					m[r][k] -= q * m[c][k]
				}
			}
		}
	}
	sse := 0.0
	for i := range x {
		sse += square(y[i] - m[0][3]/m[0][0] - m[1][3]/m[1][1]*x[i] - m[2][3]/m[2][2]*max(x[i]-knot, 0))
	}
	return sse
}

func TestKnotAgainstGrid(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		n := 4 + rng.IntN(50)
		x, y := randomStick(rng, n, .05*rng.Float64())
		f, ok := FitKnot(x, y)
		if !ok {
			t.Fatal("no fit")
		}
		const steps = 2000
		for i := 1; i < steps; i++ {
			k := x[0] + (x[n-1]-x[0])*float64(i)/steps
			if slow := slowSSE(x, y, k); slow < f.SSE-1e-9*(1+f.SSE) {
				t.Fatalf("knot %v has SSE %v, FitKnot found %v at %v", k, slow, f.SSE, f.X)
			}
		}
		if slow := slowSSE(x, y, f.X); math.Abs(slow-f.SSE) > 1e-9 {
			t.Fatalf("SSE at %v = %v, want %v", f.X, f.SSE, slow)
		}
		near(t, "first line at the knot", f.First.At(f.X), f.Y, 1e-9)
		near(t, "second line at the knot", f.Second.At(f.X), f.Y, 1e-9)
	}
}

// TestKnotSanity holds for any points.
func TestKnotSanity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		var x, y []float64
		at := rapid.Float64Range(-1e6, 1e6).Draw(t, "from")
		for range n {
			x, y = append(x, at), append(y, rapid.SampledFrom([]float64{0, .25, .5, 1, 1 - 1e-9, .123}).Draw(t, "y"))
			at += rapid.SampledFrom([]float64{1, 2, 24, .5}).Draw(t, "gap")
		}
		f, ok := FitKnot(x, y)
		if ok != (n >= 3) {
			t.Fatalf("FitKnot of %d points: ok = %v", n, ok)
		}
		if !ok {
			return
		}
		for _, v := range []float64{f.X, f.Y, f.First.Slope, f.Second.Slope, f.First.Intercept, f.Second.Intercept, f.SSE} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("FitKnot(%v, %v) = %+v", x, y, f)
			}
		}
		if f.SSE > f.Line.SSE*(1+1e-9)+1e-12 || f.X < x[0] || f.X > x[n-1] {
			t.Fatalf("FitKnot(%v, %v) = %+v is worse than one line or outside", x, y, f)
		}
	})
}

func TestKnotDegenerate(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, tt := range []struct{ x, y []float64 }{
		{nil, nil},
		{[]float64{0}, []float64{1}},
		{[]float64{0, 1}, []float64{1, .5}},
		{[]float64{0, 1, 1}, []float64{1, 1, 1}},
		{[]float64{0, 2, 1}, []float64{1, 1, 1}},
		{[]float64{0, 1, 2}, []float64{1, nan, 1}},
		{[]float64{0, 1, math.Inf(1)}, []float64{1, 1, 1}},
		{[]float64{0, 1, 2}, []float64{1, 1}},
	} {
		if f, ok := FitKnot(tt.x, tt.y); ok {
			t.Errorf("FitKnot(%v, %v) = %+v, want none", tt.x, tt.y, f)
		}
		if f, ok := FitHeuristic(tt.x, tt.y); ok {
			t.Errorf("FitHeuristic(%v, %v) = %+v, want none", tt.x, tt.y, f)
		}
	}
	x, y := grid(840, func(int) float64 { return 1 })
	if f, ok := FitKnot(x, y); !ok || Classify(f) != Flat || f.First.Slope != 0 || f.Second.Slope != 0 {
		t.Errorf("FitKnot of a level curve = %+v, %v", f, ok)
	}
	x, y = grid(840, func(i int) float64 { return 1 - .001*float64(i) })
	if f, ok := FitKnot(x, y); !ok || Classify(f) != Sloped {
		t.Errorf("a straight fall is %v, want sloped", Classify(f))
	}
	if _, s := (Curve{Full: -1}).Shape(); s != Unknown {
		t.Errorf("an empty curve is %v, want unknown", s)
	}
}

// TestClassifyAccuracy holds Classify and FitKnot to what SCIENCE A17 and A18 ask
// for on generated curves with independent noise.
func TestClassifyAccuracy(t *testing.T) {
	t.Parallel()
	const curves = 900
	for _, tt := range []struct {
		points       int
		sd, accuracy float64
	}{{120, 0, .999}, {120, .003, .99}, {120, .01, .95}, {120, .02, .93}, {30, .01, .95}, {30, .02, .93}, {840, .02, .95}} {
		points := tt.points
		rng := rand.New(rand.NewPCG(5, uint64(1e6*tt.sd)))
		right, falseKnots := 0, 0
		var off []float64
		for i := range curves {
			want := Shape(1 + i%3)
			k := (.05 + .55*rng.Float64()) * float64(points)
			fall, rest, slope := .15+.5*rng.Float64(), .05*rng.Float64(), .1+.5*rng.Float64()
			x, y := grid(points, func(i int) float64 {
				t, noise := float64(i), tt.sd*rng.NormFloat64()
				switch want {
				case Flat:
					return .97 + noise
				case Sloped:
					return 1 - slope*t/float64(points) + noise
				}
				return 1 - fall*math.Min(t/k, 1) - rest*max(t-k, 0)/float64(points) + noise
			})
			f, ok := FitKnot(x, y)
			got := Classify(f)
			if ok && got == want {
				right++
			}
			if got == Knotted && want != Knotted {
				falseKnots++
			}
			if want == Knotted {
				off = append(off, math.Abs(f.X-k))
			}
		}
		slices.Sort(off)
		accuracy, falseShare, median := float64(right)/curves, float64(falseKnots)/curves, off[len(off)/2]
		t.Logf("%d points, sd %v: accuracy %.4f, false knotted %.4f, median knot error %.2f points", points, tt.sd, accuracy, falseShare, median)
		if accuracy < tt.accuracy || falseShare > .01 || points == 120 && tt.sd <= .01 && median > 1 {
			t.Errorf("sd %v: accuracy %.4f, want %v; false knotted %.4f, want .01; median knot error %v, want 1", tt.sd, accuracy, tt.accuracy, falseShare, median)
		}
	}
}

func TestClassifySmall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		y    []float64
		want Shape
	}{
		{[]float64{1, .5, .5}, Knotted},
		{[]float64{1, .75, .6}, Sloped},
		{[]float64{1, 1, .995}, Flat},
		{[]float64{1, .9, .8, .79, .8}, Knotted},
		{[]float64{1, 1, 1, 1, .5}, Sloped},         // levels off nowhere
		{[]float64{.5, .6, .7, .7, .7, .7}, Sloped}, // rises first
		{[]float64{.97, .99, .96, .98, .95, .97}, Flat},
		{[]float64{1, .995, .995, .995, .995}, Flat}, // the fall is too small
	} {
		x, y := grid(len(tt.y), func(i int) float64 { return tt.y[i] })
		f, _ := FitKnot(x, y)
		if got := Classify(f); got != tt.want {
			t.Errorf("Classify(%v) = %v, want %v", y, got, tt.want)
		}
	}
}

func BenchmarkFitKnot(b *testing.B) {
	for _, n := range []int{120, 840} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := randomStick(rand.New(rand.NewPCG(1, 1)), n, .01)
			b.ReportAllocs()
			for b.Loop() {
				FitKnot(x, y)
			}
		})
	}
}
