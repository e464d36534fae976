package adaptive

import (
	"errors"
	"math"
	"time"
)

// Point is a point of a page's divergence: how far a version is from the one of
// Age earlier, 0 for equal and 1 for nothing in common. The change curve of
// paper A (4.2) is 1 - Divergence.
type Point struct {
	Age        time.Duration
	Divergence float64
}

// Curve is the value of fetching a page by what it would lose, not by whether it
// changed (Olston and Pandey, the general form):
//
//	U(t) = t Div(t) - integral of Div from 0 to t,  so  U'(t) = t Div'(t)
//
// Div is the points joined by lines, from (0, 0) on, and constant after the
// last: behind the knot of its change curve a page has lost what it will lose,
// and waiting adds no value. With Div(t) = 1 - e^{-dt} it is U of Page.
type Curve struct {
	ages, div []float64 // start with 0, 0; ages strictly ascend, div does not fall
	u         []float64 // U at ages
}

// errCurve is returned by NewCurve.
var errCurve = errors.New("points of a divergence need ascending ages above zero and values from 0 to 1")

// NewCurve returns the Curve through points. Where Div falls, for want of data,
// it is taken to stay: a page does not lose by being looked at later.
func NewCurve(points []Point) (Curve, error) {
	c := Curve{ages: []float64{0}, div: []float64{0}, u: []float64{0}}
	for _, p := range points {
		k := len(c.ages) - 1
		age := hours(p.Age)
		if age <= c.ages[k] || !(p.Divergence >= 0 && p.Divergence <= 1) {
			return Curve{}, errCurve
		}
		d := max(p.Divergence, c.div[k])
		slope := (d - c.div[k]) / (age - c.ages[k])
		c.u = append(c.u, c.u[k]+slope*(age*age-c.ages[k]*c.ages[k])/2)
		c.ages, c.div = append(c.ages, age), append(c.div, d)
	}
	return c, nil
}

// Value is importance * U(age).
func (c Curve) Value(importance float64, age time.Duration) float64 {
	t := hours(age)
	importance = positive(importance)
	for k := 1; k < len(c.ages); k++ {
		if t < c.ages[k] {
			return importance * (c.u[k-1] + c.slope(k)*(max(t, 0)*max(t, 0)-c.ages[k-1]*c.ages[k-1])/2)
		}
	}
	if len(c.u) == 0 {
		return 0
	}
	return importance * c.u[len(c.u)-1]
}

// Interval is the age at which the value reaches threshold, held within lim.
func (c Curve) Interval(importance, threshold float64, lim Limits) time.Duration {
	if importance = positive(importance); importance == 0 {
		return lim.clamp(math.Inf(1))
	}
	want := threshold / importance
	for k := 1; k < len(c.ages); k++ {
		if s := c.slope(k); s > 0 && c.u[k] >= want {
			a := c.ages[k-1]
			return lim.clamp(math.Sqrt(a*a + 2*max(0, want-c.u[k-1])/s))
		}
	}
	return lim.clamp(math.Inf(1))
}

// slope is Div' on the way to point k.
func (c Curve) slope(k int) float64 {
	return (c.div[k] - c.div[k-1]) / (c.ages[k] - c.ages[k-1])
}
