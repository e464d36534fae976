package adaptive

import "math"

// gain is g(x) = 1 - e^{-x} (1+x), so that U(t) = g(d t)/d. It rises from 0 at
// x = 0 to 1.
func gain(x float64) float64 {
	if x < 1e-2 {
		// sum over k >= 2 of (-1)^k x^k (k-1)/k!; the closed form would lose
		// all digits, since 1 and x cancel.
		return x * x * (1./2 - x*(1./3-x*(1./8-x*(1./30-x*(1./144-x/840)))))
	}
	return 1 - math.Exp(-x)*(1+x)
}

// gainInverse solves gain(x) = y. It is 0 for y <= 0 and +Inf for y >= 1.
//
// With L = -ln(1-y) the equation is k(x) = x - ln(1+x) = L, whose left side is
// convex and rising: Newton's steps from above never leave that side. The start
// L + sqrt(2L) is above, since with s = sqrt(2L) it says 1+s+s²/2 <= e^s.
// (Written with Lambert's function: x = -1 - W_{-1}((y-1)/e).)
func gainInverse(y float64) float64 {
	switch {
	case !(y > 0):
		return 0
	case y >= 1:
		return math.Inf(1)
	}
	l := -math.Log1p(-y)
	x := l + math.Sqrt(2*l)
	for range 50 {
		k := x - math.Log1p(x)
		if x < 1e-2 {
			k = x * x * (1./2 - x*(1./3-x*(1./4-x*(1./5-x*(1./6-x*(1./7-x/8))))))
		}
		step := (k - l) * (1 + x) / x
		if !(step > x*1e-15) {
			break
		}
		x -= step
	}
	return x
}

// fresh is the share of time that a page with x changes an interval is fresh
// when visited evenly: (1-e^{-x})/x.
func fresh(x float64) float64 {
	if x < 1e-9 {
		return 1 - x/2
	}
	return -math.Expm1(-x) / x
}
