package curve

import "math"

// Line is a straight line y = Intercept + Slope x with the sum of its squared
// errors on the points that it was fitted to.
type Line struct {
	Slope, Intercept float64
	SSE              float64
}

// At returns the line's value at x.
func (l Line) At(x float64) float64 { return l.Intercept + l.Slope*x }

// Fit is a pair of lines on a curve, y = First.At(x) up to the knot and
// Second.At(x) from there on, beside the one line through all points.
type Fit struct {
	X, Y          float64 // the knot: where the curve levels off, and at what value
	First, Second Line    // each with the errors of its own side; a point at the knot counts for First
	SSE           float64 // of both lines
	Line          Line    // the one line
	From, To      float64 // x of the first and the last point
	Points        int     // that were fitted
	LineError     float64 // standard error of the one line's slope, if errors are independent
}

// FitKnot finds the continuous pair of lines with the least squared error, over
// all real knots between the first point and the last (SCIENCE A17; Hudson
// 1966). x must ascend strictly. ok is false for fewer than three points and for
// values that are not finite.
//
// With e the residuals of the one line and all sums formed on centred x, the
// best pair that bends at the point j removes
//
//	gain(j) = (Σ h e)² / Σ h'²,  h = (x - x_j)+,  Σ h'² = Σh² - (Σh)²/n - (Σxh)²/Σx²
//
// of the one line's squared error. A bend inside a gap (x_j-1, x_j) is only
// better than those at its ends if it is where the two unconstrained lines on
// either side meet. Each candidate takes constant time by prefix sums, so the
// whole takes linear time. Equal gains (to 10^-12 of the whole error) go to the
// leftmost point.
func FitKnot(x, y []float64) (f Fit, ok bool) {
	if len(x) != len(y) || len(x) < 3 || !usable(x, y) {
		return Fit{}, false
	}
	p := newPrefix(x, y)
	n := len(x)
	const tie = 1e-12
	best, knot := math.Inf(-1), 0.0
	all := p.all()
	eps := tie * all.ee
	for j := 1; j < n-1; j++ {
		r := p.between(j+1, n)
		k := p.x[j]
		h, xh := r.x-k*r.n, r.xx-k*r.x
		hh, he := r.xx-2*k*r.x+k*k*r.n, r.xe-k*r.e
		d := hh - h*h/all.n - xh*xh/all.xx
		if d <= 0 {
			continue // rounding: the points beyond j are as good as one
		}
		if g := he * he / d; g > best+eps {
			best, knot = g, k
		}
	}
	for j := 2; j <= n-2; j++ {
		l, r := p.between(0, j).line(), p.between(j, n).line()
		if l.Slope == r.Slope {
			continue
		}
		k := (r.Intercept - l.Intercept) / (l.Slope - r.Slope)
		if g := all.ee - l.SSE - r.SSE; k > p.x[j-1] && k < p.x[j] && g > best+eps {
			best, knot = g, k
		}
	}
	if math.IsInf(best, -1) {
		return Fit{}, false
	}
	return p.bend(x, y, knot), true
}

// usable tells whether the values are finite, of a size whose squares are too,
// and x ascends.
func usable(x, y []float64) bool {
	const limit = 1e100
	for i := range x {
		if !(math.Abs(x[i]) < limit && math.Abs(y[i]) < limit) || i > 0 && !(x[i] > x[i-1]) {
			return false
		}
	}
	return true
}

// prefix holds centred x, the residuals of the one line, and their running sums.
type prefix struct {
	x, e []float64
	mean float64 // of the original x
	line Line    // the one line, on centred x
	sum  []sums  // sum[i] is over the points before i
}

type sums struct{ n, x, xx, e, xe, ee float64 }

func newPrefix(x, y []float64) *prefix {
	n := len(x)
	p := &prefix{x: make([]float64, n), e: make([]float64, n), sum: make([]sums, n+1)}
	meanY := 0.0
	for i := range x {
		p.mean += (x[i] - p.mean) / float64(i+1)
		meanY += (y[i] - meanY) / float64(i+1)
	}
	var xx, xy float64
	for i := range x {
		p.x[i] = x[i] - p.mean
		xx += p.x[i] * p.x[i]
		xy += p.x[i] * (y[i] - meanY)
	}
	p.line = Line{Slope: xy / xx, Intercept: meanY}
	for i := range x {
		p.e[i] = y[i] - p.line.At(p.x[i])
		s, xi, ei := p.sum[i], p.x[i], p.e[i]
		p.sum[i+1] = sums{s.n + 1, s.x + xi, s.xx + xi*xi, s.e + ei, s.xe + xi*ei, s.ee + ei*ei}
	}
	p.line.SSE = p.sum[n].ee
	return p
}

func (p *prefix) all() sums { return p.sum[len(p.sum)-1] }

// between returns the sums over the points i to j-1.
func (p *prefix) between(i, j int) sums {
	a, b := p.sum[i], p.sum[j]
	return sums{b.n - a.n, b.x - a.x, b.xx - a.xx, b.e - a.e, b.xe - a.xe, b.ee - a.ee}
}

// line fits a line to e over at least two points.
func (s sums) line() Line {
	xx := s.xx - s.x*s.x/s.n
	xe := s.xe - s.x*s.e/s.n
	ee := s.ee - s.e*s.e/s.n
	if xx <= 0 {
		return Line{Intercept: s.e / s.n, SSE: max(ee, 0)}
	}
	slope := xe / xx
	return Line{Slope: slope, Intercept: (s.e - slope*s.x) / s.n, SSE: max(ee-slope*xe, 0)}
}

// bend fits the pair of lines with the given knot, in centred x, to the
// residuals, adds the one line, and measures the errors point by point.
func (p *prefix) bend(x, y []float64, knot float64) Fit {
	// e ≈ a + b x + c h with h centred against 1 and x, which are orthogonal.
	var sh, sxh float64
	n, xx := float64(len(x)), p.all().xx
	for _, xi := range p.x {
		h := max(xi-knot, 0)
		sh += h
		sxh += xi * h
	}
	var hh, he float64
	for i, xi := range p.x {
		h := max(xi-knot, 0) - sh/n - xi*sxh/xx
		hh += h * h
		he += h * p.e[i]
	}
	c := 0.0
	if hh > 0 {
		c = he / hh
	}
	a, b := p.line.Intercept-c*sh/n, p.line.Slope-c*sxh/xx

	f := Fit{X: knot + p.mean, Y: a + b*knot, From: x[0], To: x[len(x)-1]}
	f.First = Line{Slope: b, Intercept: a - b*p.mean}
	f.Second = Line{Slope: b + c, Intercept: a - c*knot - (b+c)*p.mean}
	f.Line = Line{Slope: p.line.Slope, Intercept: p.line.Intercept - p.line.Slope*p.mean, SSE: p.line.SSE}
	for i, xi := range p.x {
		if xi <= knot {
			f.First.SSE += square(y[i] - (a + b*xi))
		} else {
			f.Second.SSE += square(y[i] - (a + b*xi + c*(xi-knot)))
		}
	}
	f.SSE = f.First.SSE + f.Second.SSE
	f.Points, f.LineError = len(x), math.Sqrt(f.Line.SSE/(n-2)/xx)
	return f
}

func square(x float64) float64 { return x * x }
