package chart

// PrecisionRecall draws how well novelty at or above a threshold tells new pages
// (paper T Figures 5-7; SCIENCE T7). Threshold 0 judges all pages novel: its
// precision is the baseline.
type PrecisionRecall struct {
	Subtitle string
	Panels   []AccuracyPanel // such as one a snapshot
	Marked   *float64        // a threshold that a vertical line marks; nil: none
}

// AccuracyPanel holds the accuracies with several deltas.
type AccuracyPanel struct {
	Name string
	Runs []AccuracyRun
}

// AccuracyRun is precision and recall at thresholds, ascending. What is not
// defined, as the precision of no page judged, is NaN.
type AccuracyRun struct {
	Delta                        float64
	Threshold, Precision, Recall []float64
}

// SVG draws the figure.
func (f PrecisionRecall) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f PrecisionRecall) chart() Chart {
	ch := Chart{
		Title:    "How well does novelty tell new pages?",
		Subtitle: f.Subtitle,
		Empty:    "No page of a known age has been judged yet. It needs pages with a date in their address.",
		X:        Axis{Label: "novel if novelty is at least", Kind: Share},
		Y:        Axis{Label: "precision and recall", Kind: Share},
	}
	var deltas []float64
	thresholds := map[float64]bool{}
	for _, panel := range f.Panels {
		for _, r := range panel.Runs {
			deltas = appendDelta(deltas, r.Delta)
			for _, t := range r.Threshold {
				thresholds[t] = true
			}
		}
	}
	for _, panel := range f.Panels {
		p := Panel{Title: panel.Name}
		baseline := nan
		for _, r := range panel.Runs {
			name := ", δ = " + share(r.Delta)
			line := func(what, color string, values []float64) Line {
				l := Line{Color: color, Dash: dashOf(deltas, r.Delta), Name: what + name, Hover: func(q Point) string {
					return what + name + ", threshold " + share(q.X) + ": " + share(q.Y)
				}}
				for i, t := range r.Threshold[:min(len(r.Threshold), len(values))] {
					l.Points = append(l.Points, Point{t, values[i]})
				}
				return l
			}
			// Where both are one, as with pages that all have dates, the broader one still shows.
			recall := line("recall", "second", r.Recall)
			recall.Bold = true
			p.Marks = append(p.Marks, recall, line("precision", "accent", r.Precision))
			if len(r.Threshold) > 0 && r.Threshold[0] == 0 && len(r.Precision) > 0 {
				baseline = r.Precision[0]
			}
		}
		if finite(baseline) {
			p.Marks = append(p.Marks, Rule{Y: baseline, Dash: Dotted, Words: "all judged novel: " + share(baseline)})
		}
		if f.Marked != nil && len(p.Marks) > 0 {
			words := "threshold " + share(*f.Marked)
			p.Marks = append(p.Marks, Line{Color: "ink", Dash: Dashed, Points: []Point{{*f.Marked, 0}, {*f.Marked, 1}}, Hover: func(Point) string { return words }})
		}
		ch.Panels = append(ch.Panels, p)
	}
	ch.Keys = []Key{{Color: "accent", Line: true, Label: "precision"}, {Color: "second", Line: true, Label: "recall"}}
	if len(deltas) > 1 {
		ch.Keys = append(ch.Keys, deltaKeys(deltas)...)
	}
	if f.Marked != nil && len(thresholds) > 0 {
		ch.Keys = append(ch.Keys, Key{Color: "ink", Line: true, Dash: Dashed, Label: "threshold " + share(*f.Marked)})
	}
	if len(thresholds) == 1 {
		ch.Note = "Only one threshold: too few for a curve."
	}
	ch.Desc = ch.Title + " Lines of precision and recall over the threshold of novelty."
	return ch
}
