package chart

// PageHistograms draws how the pages are distributed by their mean time between
// changes and by the mean Dice of their changes (paper A Figure 3; SCIENCE A14).
type PageHistograms struct {
	Subtitle string // which pages, over what time
	Gap      Bins   // edges in hours
	Dice     Bins   // edges from 0 to 1
	LogGap   bool   // the edges of Gap lie on a logarithmic axis; the first must be above 0
}

// SVG draws the figure.
func (f PageHistograms) SVG(opt Options) []byte { return f.drawing().SVG(opt) }

func (f PageHistograms) drawing() beside {
	kind := Hours
	if f.LogGap {
		kind = LogHours
	}
	pages := Axis{Label: "pages", Zero: true}
	gap := Chart{
		X: Axis{Label: "mean time between changes", Kind: kind, Tight: true}, Y: pages, Empty: "no page changed twice",
		Panels: []Panel{{Title: "How often do pages change?", Marks: []Mark{Bars{Edges: f.Gap.Edges, Counts: f.Gap.Counts, Hover: func(a, b, n float64) string {
			return span(a) + " to " + span(b) + ": " + number(n) + " pages"
		}}}}},
	}
	dice := Chart{
		X: Axis{Label: "mean Dice of changes (1 = same words)", Kind: Share}, Y: pages, Empty: "no page changed",
		Panels: []Panel{{Title: "How much do they change?", Marks: []Mark{Bars{Edges: f.Dice.Edges, Counts: f.Dice.Counts, Hover: func(a, b, n float64) string {
			return share(a) + " to " + share(b) + ": " + number(n) + " pages"
		}}}}},
	}
	return beside{
		title: "How often and how much do pages change?", subtitle: f.Subtitle,
		desc:  "Two histograms: " + number(f.Gap.total()) + " pages by mean time between changes, " + number(f.Dice.total()) + " pages by mean Dice coefficient of their changes.",
		empty: "No page has changed twice yet. The histograms will count pages by their mean time between changes and by how much they change.",
		parts: [2]Chart{gap, dice},
	}
}
