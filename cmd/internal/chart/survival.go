package chart

// Survival draws the share of a page's first elements that are still seen after some
// time, our mean and median beside the paper's mean (paper A Table 4; SCIENCE A28).
type Survival struct {
	Subtitle           string
	Mean, Median, Them []Point // hours and share
}

// SVG draws the figure.
func (f Survival) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f Survival) chart() Chart {
	hover := func(whose string) func(Point) string {
		return func(p Point) string { return whose + " after " + span(p.X) + ": " + share(p.Y) }
	}
	ch := Chart{
		Title: "How long do the elements of a page last?", Subtitle: f.Subtitle,
		Empty: "No page was seen for long enough yet. The figure will show the share of the first elements that are still seen after hours and weeks.",
		X:     Axis{Label: "time since the first version", Kind: LogHours},
		Y:     Axis{Label: "share of the first elements still seen", Kind: Share},
		Desc:  "Lines of the mean and the median share of a page's first elements that are still seen, over hours, and the mean that the paper prints.",
	}
	if len(f.Mean) == 0 {
		return ch
	}
	ch.Panels = []Panel{{Marks: []Mark{
		Line{Points: f.Them, Color: "muted", Dash: Dashed, Hover: hover("paper's mean")},
		Line{Points: f.Median, Color: "ink", Hover: hover("median")},
		Line{Points: f.Mean, Bold: true, Hover: hover("mean")},
	}}}
	ch.Keys = []Key{
		{Color: "accent", Line: true, Label: "mean over pages"},
		{Color: "ink", Line: true, Label: "median"},
		{Color: "muted", Line: true, Dash: Dashed, Label: "paper's mean"},
	}
	return ch
}
