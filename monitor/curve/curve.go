// Package curve summarises how a page moves away from what it was: the change
// curve of paper A section 4.2.1, its knot and its shape (4.2.2).
//
//	c(t) = mean over the starts r of Dice(D_r, D_r+t)     (SCIENCE A15)
//
// Starts chooses the versions that the curve starts from, Of computes a Curve
// from all versions at once, and an Accumulator takes them one by one at a cost
// of a few Dice coefficients each and gives the same Curve. FitKnot finds the
// best continuous pair of lines, FitHeuristic is the paper's own search, and
// Classify tells flat, sloped and knotted curves apart.
//
// Time is counted in slots of the observation grid (an hour each in the paper).
// What has no value (a gap in the curve, a fit through two points) is said by a
// second result or by a support of 0, never by NaN.
//
// Left out: which fetch belongs to which slot, and drawing.
package curve

import "github.com/strandlinehq/strandline/monitor/dice"

// Curve is a change curve. Value and Support have the same length.
type Curve struct {
	// Value is c(t) for t = 0, 1, 2 ... slots after a start. It means nothing
	// where Support is 0; see At.
	Value []float64
	// Support is how many starts have a version t slots later.
	Support []int
	// Full is the last t that is inside the window for every start; -1 if there
	// is no start. Beyond it the mean jumps each time a start drops out, so fits
	// use t <= Full only.
	Full int
}

// At returns c(t). ok is false outside of the curve and at a gap.
func (c Curve) At(t int) (value float64, ok bool) {
	if t < 0 || t >= len(c.Value) || c.Support[t] == 0 {
		return 0, false
	}
	return c.Value[t], true
}

// Points returns the points (t, c(t)) that a fit may use: those up to Full,
// without the gaps.
func (c Curve) Points() (x, y []float64) {
	for t := 0; t <= c.Full; t++ {
		if v, ok := c.At(t); ok {
			x = append(x, float64(t))
			y = append(y, v)
		}
	}
	return x, y
}

// Of computes the change curve. versions[i] is the set of words of the version
// in slot i; nil is a missing slot, while a page without words is an empty set
// that is not nil. A pair with a missing version is left out of the mean
// (SCIENCE A15). Starts that are missing, repeated or outside of versions are
// passed over; Starts returns none of these.
func Of(versions []dice.WordSet, starts []int) Curve {
	used := make([]bool, len(versions))
	for _, r := range starts {
		if r >= 0 && r < len(versions) && versions[r] != nil {
			used[r] = true
		}
	}
	var slots []int
	for i, v := range versions {
		if v != nil {
			slots = append(slots, i)
		}
	}
	var all []series
	for k, r := range slots {
		if !used[r] {
			continue
		}
		s := series{from: k, size: int32(len(versions[r]))}
		for _, i := range slots[k:] {
			s.pairs = append(s.pairs, pairOf(versions[r], versions[i]))
		}
		all = append(all, s)
	}
	return mean(all, slots, len(versions))
}

// pair is the comparison of a start with a later version.
type pair struct {
	common int32 // words in both
	size   int32 // words of the later version
}

func pairOf(start, later dice.WordSet) pair {
	_, removed := start.Changes(later)
	return pair{common: int32(len(start) - removed), size: int32(len(later))}
}

// series is what one start contributes to the curve. Whole numbers are kept
// instead of coefficients: they are exact and small when stored.
type series struct {
	from  int    // number of the start among the versions
	size  int32  // words of the start
	pairs []pair // with the versions from the start on, itself included
}

// mean forms the curve of a window of n slots with versions in the given ones.
// The sums run over the starts in ascending order, so that equal data give equal
// bits.
func mean(all []series, slots []int, n int) Curve {
	c := Curve{Full: -1}
	if len(all) == 0 {
		return c
	}
	c.Full = n - 1 - slots[all[len(all)-1].from]
	longest := n - slots[all[0].from]
	c.Value = make([]float64, longest)
	c.Support = make([]int, longest)
	for _, s := range all {
		for k, p := range s.pairs {
			t := slots[s.from+k] - slots[s.from]
			c.Value[t] += coefficient(p.common, s.size, p.size)
			c.Support[t]++
		}
	}
	for t, k := range c.Support {
		if k > 0 {
			c.Value[t] /= float64(k)
		}
	}
	return c
}

// coefficient is the Dice coefficient of two sets of a and b words (SCIENCE A8).
func coefficient(common, a, b int32) float64 {
	if a == 0 && b == 0 {
		return 1
	}
	return 2 * float64(common) / (float64(a) + float64(b))
}
