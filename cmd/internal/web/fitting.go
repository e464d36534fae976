package web

import "github.com/strandlinehq/strandline/cmd/internal/chart"

// figureBytes is how much a figure may weigh within a page that has several, so
// that the page stays below 300 KB. Alone it is drawn with all of its marks.
const figureBytes = 50_000

// calendarDays is how many days of a calendar stand in a page where all are too many.
const calendarDays = 366

// stretches is how many stretches of neighbouring snapshots a figure of a search begins
// to be made of where it is too heavy with all.
const stretches = 96

// fitting draws a figure, and with fewer and fewer of its marks while it is too
// heavy; the figure itself says how many there are. It reports whether some were
// left out.
func fitting(f chart.Figure, opt chart.Options) (svg []byte, thinned bool) {
	full := f
	svg = f.SVG(opt)
	for round := 0; len(svg) > figureBytes && round < 12; round++ {
		switch g := f.(type) {
		case chart.ChangeScatter:
			g.Total = max(g.Total, len(g.Changes))
			g.Changes = g.Changes[len(g.Changes)/4:]
			f = g
		case chart.Calendar:
			if len(g.Days) <= calendarDays {
				return svg, thinned
			}
			g.Total = len(g.Days)
			g.Days = g.Days[len(g.Days)-calendarDays:]
			f = g
		case chart.TermLifespans:
			g.Total = max(g.Total, len(g.Terms))
			terms := make([]chart.TermRow, 0, len(g.Terms))
			for i, t := range g.Terms {
				if i%4 != 3 {
					terms = append(terms, t)
				}
			}
			g.Terms = terms
			f = g
		case chart.SnapshotSizes:
			g.Total = max(g.Total, len(g.Snapshots))
			g.Snapshots = g.Snapshots[len(g.Snapshots)/4:]
			f = g
		case chart.StackedNovelty:
			if whole, ok := full.(chart.StackedNovelty); ok { // neighbours of neighbours would be uneven
				g = whole.Merged(stretches * (12 - round) / 12)
			}
			f = g
		case chart.BlockMap:
			if round > 5 {
				return svg, thinned
			}
			g.Blocks = upTo(g.Blocks, 6-round)
			f = g
		default:
			return svg, thinned
		}
		svg, thinned = f.SVG(opt), true
	}
	return svg, thinned
}

// upTo copies blocks to a depth.
func upTo(blocks []chart.Block, depth int) []chart.Block {
	if depth == 0 {
		return nil
	}
	out := make([]chart.Block, len(blocks))
	for i, b := range blocks {
		b.Children = upTo(b.Children, depth-1)
		out[i] = b
	}
	return out
}
