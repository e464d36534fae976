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
)

// Classify tells the shape of a curve from its fit by FitKnot (SCIENCE A18): it
// is knotted if the knot removes at least half of the one line's squared error,
// the first part falls by at least 0.01 and the second is less than half as
// steep; else flat if the one line moves by less than 0.01 over the span; else
// sloped. It depends on the fit alone and, as the paper's classifier, rather
// calls a knotted curve sloped than the other way round.
func Classify(f Fit) Shape {
	fall := f.First.At(f.From) - f.Y
	if f.SSE <= (1-minGain)*f.Line.SSE && f.Line.SSE > 0 && fall >= minFall-1e-12 &&
		math.Abs(f.Second.Slope) < maxRest*math.Abs(f.First.Slope) {
		return Knotted
	}
	if math.Abs(f.Line.Slope)*(f.To-f.From) < minFall {
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
