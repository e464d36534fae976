package terms_test

import (
	"fmt"

	"github.com/strandlinehq/strandline/monitor/terms"
)

// A term that is in every second of five versions.
func ExampleStayingPower() {
	present, observed := terms.NewBits(5), terms.NewBits(5)
	observed.SetRange(0, 5)
	for _, slot := range []int{0, 2, 4} {
		present.Set(slot)
	}
	sigma, ok := terms.StayingPower(present, observed)
	fmt.Printf("%.4f %v\n", sigma, ok)
	// Output: 0.4167 true
}

// A page that speaks of tides beside one that does not.
func ExampleDivergences() {
	docs := map[string][]map[string]int{
		"shore": {{"the": 2, "tide": 2}},
		"hills": {{"the": 3, "path": 1}},
	}
	d := terms.Divergences(docs, "shore")
	fmt.Printf("tide %.3f, the %.3f\n", d["tide"].Div, d["the"].Div)
	// Output: tide 0.347, the -0.112
}
