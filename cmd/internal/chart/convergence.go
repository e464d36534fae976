package chart

import "strconv"

// Convergence draws how fast the novelty measure settles: its L1 change in each
// iteration, a line for each delta, a panel for each snapshot (paper T Figure 1;
// SCIENCE T4).
type Convergence struct {
	Subtitle string
	Panels   []ConvergencePanel
}

// ConvergencePanel is a snapshot.
type ConvergencePanel struct {
	Name string
	Runs []ConvergenceRun
}

// ConvergenceRun is the iteration with one delta: the L1 changes of iterations
// 1, 2, 3 ... A change of 0 ends the drawn line, since its axis is logarithmic.
type ConvergenceRun struct {
	Delta float64
	L1    []float64
}

// SVG draws the figure.
func (f Convergence) SVG(opt Options) []byte { return f.chart().SVG(opt) }

// dashes are the line styles of the deltas in ascending order.
var dashes = [...]Dash{Solid, Dashed, Dotted, Mixed}

func dashOf(deltas []float64, delta float64) Dash {
	for i, d := range deltas {
		if d == delta {
			return dashes[i%len(dashes)]
		}
	}
	return Solid
}

// appendDelta keeps deltas in ascending order, each once.
func appendDelta(deltas []float64, d float64) []float64 {
	for i, have := range deltas {
		if have == d {
			return deltas
		}
		if have > d {
			return append(deltas[:i], append([]float64{d}, deltas[i:]...)...)
		}
	}
	return append(deltas, d)
}

func deltaKeys(deltas []float64) []Key {
	var keys []Key
	for _, d := range deltas {
		keys = append(keys, Key{Color: "ink", Line: true, Dash: dashOf(deltas, d), Label: "δ = " + share(d)})
	}
	return keys
}

func (f Convergence) chart() Chart {
	ch := Chart{
		Title:    "How soon does the novelty of pages settle?",
		Subtitle: f.Subtitle,
		Empty:    "Novelty has not been computed for any snapshot with pages that may be new. It needs two snapshots of a series.",
		X:        Axis{Label: "iteration", Min: 1, Max: 1},
		Y:        Axis{Label: "sum of changes of novelty", Kind: Log},
	}
	var deltas []float64
	points, most := 0, 1
	for _, panel := range f.Panels {
		for _, r := range panel.Runs {
			deltas = appendDelta(deltas, r.Delta)
			most = max(most, len(r.L1))
		}
	}
	ch.X.Max = float64(max(2, most))
	ch.X.Ticks = []Tick{{1, "1"}}
	for i, by := 1, max(1, int(niceStep(0, ch.X.Max, 4))); i*by <= int(ch.X.Max); i++ {
		if i*by > 1 {
			ch.X.Ticks = append(ch.X.Ticks, Tick{float64(i * by), strconv.Itoa(i * by)})
		}
	}
	for _, panel := range f.Panels {
		p := Panel{Title: panel.Name}
		for _, r := range panel.Runs {
			line := Line{Dash: dashOf(deltas, r.Delta), Name: "δ = " + share(r.Delta), Hover: func(q Point) string {
				return "δ = " + share(r.Delta) + ", iteration " + strconv.Itoa(int(q.X)) + ": " + number(q.Y)
			}}
			for i, v := range r.L1 {
				if !(v > 0) {
					v = nan
				}
				line.Points = append(line.Points, Point{float64(i + 1), v})
				if finite(v) {
					points++
				}
			}
			p.Marks = append(p.Marks, line)
		}
		ch.Panels = append(ch.Panels, p)
	}
	ch.Keys = deltaKeys(deltas)
	if points == 1 {
		ch.Note = "Only one iteration: it settled at once."
	}
	ch.Desc = ch.Title + " Lines of the L1 change by iteration, " + plural(len(deltas), "value", "values") + " of delta."
	return ch
}
