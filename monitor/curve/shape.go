package curve

import "math"

// Shape is the kind of a change curve (paper A section 4.2.1).
type Shape uint8

const (
	Unknown Shape = iota // too few points to tell
	Flat                 // the page did not change, or not lastingly
	Sloped               // one line; it may level off later
	Knotted              // a steep part and a level one
)

// String returns the name that reports use.
func (s Shape) String() string {
	switch s {
	case Flat:
		return "flat"
	case Sloped:
		return "sloped"
	case Knotted:
		return "knotted"
	}
	return "unknown"
}

// Limits of Classify.
const (
	minGain = .5  // share of the one line's error that a knot has to remove
	minFall = .01 // of Dice that counts as a change
	maxRest = .5  // of the first slope that may remain after the knot

	// The guards against noise.
	minRatio  = 10 // F ratio of the gain, two parameters against the rest
	minErrors = 3  // standard errors by which a slope differs from none
	maxNoise  = .1 // movement of Dice that noise may feign
)

// Classify tells the shape of a curve from its fit by FitKnot (SCIENCE A18): it
// is knotted if the knot removes at least half of the one line's squared error,
// the first part falls by at least 0.01 and the second is less than half as
// steep; else flat if the one line moves by less than 0.01 over the span; else
// sloped. It depends on the fit alone and, as the paper's classifier, rather
// calls a knotted curve sloped than the other way round.
//
// From five points on two guards against noise are added, which matter on short
// curves: the gain of the knot has an F ratio of at least 10 (half of the error is
// more than that from 24 points on), and a line that moves by less than 0.1 is
// flat too if its slope is within three standard errors of none.
func Classify(f Fit) Shape {
	fall := f.First.At(f.From) - f.Y
	gain := f.Line.SSE - f.SSE
	rest := float64(f.Points - 4) // degrees of freedom beside two slopes, level and knot
	if gain >= minGain*f.Line.SSE && gain > 0 && fall >= minFall-1e-12 &&
		math.Abs(f.Second.Slope) < maxRest*math.Abs(f.First.Slope) &&
		(rest <= 0 || gain/2 >= minRatio*f.SSE/rest) {
		return Knotted
	}
	slope := math.Abs(f.Line.Slope)
	move := slope * (f.To - f.From)
	if move < minFall || rest > 0 && move < maxNoise && slope < minErrors*f.LineError {
		return Flat
	}
	return Sloped
}

// Shape fits a curve over its full part and classifies it. It is Unknown, and
// the fit means nothing, if fewer than three points have a value.
func (c Curve) Shape() (Fit, Shape) {
	x, y := c.Points()
	f, ok := FitKnot(x, y)
	if !ok {
		return Fit{}, Unknown
	}
	return f, Classify(f)
}
