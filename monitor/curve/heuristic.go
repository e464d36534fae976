package curve

import "math"

// Heuristic is the outcome of the paper's own search for the knot.
type Heuristic struct {
	Guess, Knot   int // indices of points; -1 if the curve has no knot
	First, Second Line
	Line          Line // the one line
}

// FitHeuristic searches the knot as paper A section 4.2.2 does (SCIENCE A16): the
// leftmost crossing of the curve and the line through all points is the guess,
// and the knot moves on from there while the mean squared error of the line on
// its left does not rise. On curves with noise it stops at the first bump, so
// that FitKnot is the default. ok is false as for FitKnot; a curve without a
// knot has Knot -1 and only Line is set.
func FitHeuristic(x, y []float64) (h Heuristic, ok bool) {
	if len(x) != len(y) || len(x) < 3 || !usable(x, y) {
		return Heuristic{}, false
	}
	p := newPrefix(x, y)
	n := len(x)
	h = Heuristic{Guess: -1, Knot: -1}
	h.Line = p.original(Line{SSE: p.line.SSE})

	// (1, 2) The leftmost crossing. What is below rounding noise is zero.
	zero := 1e-12 * max(1, math.Abs(y[0]), math.Abs(y[n-1]))
	sign := func(i int) int {
		switch e := p.e[i]; {
		case e > zero:
			return 1
		case e < -zero:
			return -1
		}
		return 0
	}
	for i := 1; i < n && h.Guess < 0; i++ {
		if before := sign(i - 1); before != 0 && sign(i) != before {
			h.Guess = i
		}
	}
	if h.Guess < 0 {
		return h, true
	}
	// (3, 4) The line on the left, as long as its mean squared error does not rise.
	k := h.Guess
	mse := func(k int) float64 { return p.between(0, k+1).line().SSE / float64(k+1) }
	for k+1 < n && mse(k+1) <= mse(k)+1e-12 {
		k++
	}
	if k == 0 || k == n-1 {
		return h, true
	}
	// (5, 6) The line on the right, and whether there is a bend at all.
	first, second := p.original(p.between(0, k+1).line()), p.original(p.between(k, n).line())
	if steeper := max(math.Abs(first.Slope), math.Abs(second.Slope)); math.Abs(first.Slope-second.Slope) < .05*steeper || steeper == 0 {
		return h, true
	}
	h.Knot, h.First, h.Second = k, first, second
	return h, true
}

// original turns a line on residuals and centred x into one on the points.
func (p *prefix) original(l Line) Line {
	slope := l.Slope + p.line.Slope
	return Line{Slope: slope, Intercept: l.Intercept + p.line.Intercept - slope*p.mean, SSE: l.SSE}
}
