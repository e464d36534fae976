package curve_test

import (
	"fmt"

	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dice"
)

// A page of four words loses two of them; the version at hour 2 is missing.
func Example() {
	c := curve.Of([]dice.WordSet{{1, 2, 3, 4}, {1, 2, 3, 5}, nil, {1, 2, 8, 9}}, []int{0})
	for t := range c.Value {
		v, ok := c.At(t)
		fmt.Println(t, v, ok)
	}
	fit, ok := curve.FitKnot([]float64{0, 1, 2, 3, 4}, []float64{1, .75, .5, .5, .5})
	fmt.Printf("%v: %v at %.2f, Dice %.2f\n", ok, curve.Classify(fit), fit.X, fit.Y)
	// Output:
	// 0 1 true
	// 1 0.75 true
	// 2 0 false
	// 3 0.5 true
	// true: knotted at 2.00, Dice 0.50
}
