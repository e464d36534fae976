package chart

// ChangeCurves lays the mean change curves of several pages over each other, with
// the knot of each as a dot (paper A Figure 4; SCIENCE A20).
type ChangeCurves struct {
	Title    string // empty: the question that the figure answers
	Subtitle string
	Pages    []ChangeCurve // named at the ends of their lines; their Starts and Fit are not drawn
}

// overlay are the colours of the lines by turns; beyond them the style changes.
var overlay = [...]string{"accent", "second", "newword", "removed", "ink"}

// SVG draws the figure.
func (f ChangeCurves) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f ChangeCurves) chart() Chart {
	ch := Chart{
		Title:    f.Title,
		Subtitle: f.Subtitle,
		Empty:    "The curves need pages with at least two versions some time apart.",
		X:        Axis{Label: "time since the start", Kind: Hours, Zero: true, Tight: true},
		Y:        Axis{Label: "Dice of the text with that of the start (1 = the same words)", Kind: Share},
	}
	if ch.Title == "" {
		ch.Title = "How far do the pages move away from what they were?"
	}
	var lines, knots []Mark
	for i, page := range f.Pages {
		color := overlay[i%len(overlay)]
		lines = append(lines, Line{Points: page.Mean, Color: color, Dash: dashes[i/len(overlay)%len(dashes)], Label: page.Page, Name: page.Page})
		if page.Knot != nil {
			words := clean(page.Page) + ": " + KnotText(page.Knot.X, page.Knot.Y)
			knots = append(knots, Dots{Color: color, Dots: []Dot{{Point: *page.Knot, Words: words}}})
		}
	}
	if len(knots) > 0 {
		ch.Note = "A dot marks where a page settles."
	}
	ch.Desc = ch.Title + " Lines of the mean Dice coefficient over hours since a start, " + plural(len(f.Pages), "page", "pages") + "."
	ch.Panels = []Panel{{Marks: append(lines, knots...)}}
	return ch
}
