package web

import "github.com/strandlinehq/strandline/cmd/internal/chart"

// figureBytes is how much a figure may weigh within a page that has several, so
// that the page stays below 300 KB. Alone it is drawn with all of its marks.
const figureBytes = 50_000

// fitting draws a figure, and with fewer and fewer of its marks while it is too
// heavy. It reports whether some were left out.
func fitting(f chart.Figure, opt chart.Options) (svg []byte, thinned bool) {
	svg = f.SVG(opt)
	for depth := 6; len(svg) > figureBytes && depth > 0; depth-- {
		switch g := f.(type) {
		case chart.ChangeScatter:
			g.Changes = g.Changes[len(g.Changes)/2:]
			f = g
		case chart.TermLifespans:
			terms := make([]chart.TermRow, 0, len(g.Terms)/2+1)
			for i := 0; i < len(g.Terms); i += 2 {
				terms = append(terms, g.Terms[i])
			}
			g.Terms = terms
			f = g
		case chart.BlockMap:
			g.Blocks = upTo(g.Blocks, depth)
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
