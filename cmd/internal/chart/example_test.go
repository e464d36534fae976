package chart_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
)

// A finished figure.
func ExampleChangeCurve() {
	f := chart.ChangeCurve{
		Page: "harbour.example/times",
		Mean: []chart.Point{{X: 0, Y: 1}, {X: 6, Y: .7}, {X: 12, Y: .69}},
		Knot: &chart.Point{X: 6, Y: .7},
	}
	svg := string(f.SVG(chart.Options{ID: "curve", Inline: true}))
	fmt.Println(strings.Contains(svg, "settles after 6 h at .7"))
	// Output: true
}

// A chart put together from marks.
func ExampleChart() {
	c := chart.Chart{
		Title: "Is the disk filling up?",
		X:     chart.Axis{Kind: chart.Hours, Label: "time since the start"},
		Y:     chart.Axis{Kind: chart.Share, Label: "used"},
		Panels: []chart.Panel{{Marks: []chart.Mark{
			chart.Line{Points: []chart.Point{{X: 0, Y: .5}, {X: 1, Y: math.NaN()}, {X: 2, Y: .6}, {X: 3, Y: .61}}, Label: "disk 1"},
			chart.Rule{Y: .9, Words: "a warning is sent", Dash: chart.Dashed},
		}}},
	}
	fmt.Println(strings.HasPrefix(string(c.SVG(chart.Options{Inline: true})), "<svg"))
	// Output: true
}
