package chart

import "math"

// ChangeCurve draws how a page moves away from what it was: a faint line for each
// start, their mean, and the two segments fitted to it (paper A Figure 4; SCIENCE
// A15, A20).
type ChangeCurve struct {
	Page   string    // its title or address
	Starts [][]Point // of each start: hours after it, and the Dice of the texts then and at the start
	Mean   []Point   // a point whose Y is not finite is a gap
	Fit    []Fitted  // the one or two straight parts of the fit, if there is one
	Knot   *Point    // where the curve levels off: hours and Dice; nil if it does not
	Shape  string    // of a curve without a knot: "flat", "sloped" or empty if not known
}

// Fitted is a straight part of a fit.
type Fitted struct{ From, To Point }

// SVG draws the figure.
func (f ChangeCurve) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f ChangeCurve) chart() Chart {
	ch := Chart{
		Title:    "How far does the page move away from what it was?",
		Subtitle: f.Page,
		Empty:    "The curve needs at least two versions some time apart. It will show how much of a text is left after hours and days.",
		X:        Axis{Label: "time since the start", Kind: Hours, Zero: true, Tight: true},
		Y:        Axis{Label: "Dice of the text with that of the start (1 = the same words)", Kind: Share, Min: f.floor(), Max: 1},
	}
	if floor := ch.Y.Min; floor > 0 {
		ch.Y.Label += ", from " + share(floor)
	}
	var marks []Mark
	if len(f.Starts) > 1 {
		for _, s := range f.Starts {
			marks = append(marks, Line{Points: s, Faint: true})
		}
	}
	marks = append(marks, Line{Points: f.Mean, Bold: true, Hover: func(p Point) string {
		return "after " + span(p.X) + ": Dice " + share(p.Y)
	}})
	for _, s := range f.Fit {
		marks = append(marks, Segment{From: s.From, To: s.To, Name: "fitted"})
	}
	n := 0
	for _, p := range f.Mean {
		if p.finite() {
			n++
		}
	}
	switch {
	case f.Knot != nil && f.Knot.finite():
		words := KnotText(f.Knot.X, f.Knot.Y)
		ch.Title = "The page " + words
		marks = append(marks, Knot{At: *f.Knot, Words: words})
	case f.Shape == "flat":
		ch.Title = "The page hardly moves away from what it was"
	case f.Shape == "sloped":
		ch.Title = "The page moves away from what it was without settling"
	}
	if len(f.Starts) > 1 && n > 0 {
		ch.Keys = []Key{{Color: "accent", Line: true, Label: "mean of " + plural(len(f.Starts), "start", "starts") + " (faint: each of them)"}}
		if len(f.Fit) > 0 {
			ch.Keys = append(ch.Keys, Key{Color: "ink", Line: true, Dash: Dashed, Label: "fitted"})
		}
	}
	if n == 1 {
		ch.Note = "Only one point so far: too few for a curve."
	}
	ch.Desc = ch.Title + ". Line of the mean Dice coefficient over hours since a start, " + plural(n, "point", "points") + "."
	ch.Panels = []Panel{{Marks: marks}}
	return ch
}

// KnotText says where a curve levels off, as the figures do: after so many hours, at such a Dice.
func KnotText(hours, dice float64) string {
	return "settles after " + span(hours) + " at " + share(dice)
}

// floor is where the axis of Dice begins: the tenth below all that is drawn. A page
// that keeps nine tenths of its words would be a line at the upper edge otherwise.
func (f ChangeCurve) floor() float64 {
	low := 1.
	lower := func(p Point) {
		if p.finite() {
			low = min(low, p.Y)
		}
	}
	for _, s := range append([][]Point{f.Mean}, f.Starts...) {
		for _, p := range s {
			lower(p)
		}
	}
	for _, s := range f.Fit {
		lower(s.From)
		lower(s.To)
	}
	return max(0, min(math.Floor(10*low), 9)/10)
}

var nan = math.NaN()
