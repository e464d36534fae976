package chart

// Bars are the boxes of a histogram between the edges of its bins, from zero.
type Bars struct {
	Edges  []float64 // ascending, one more than Counts
	Counts []float64
	Color  string // "accent" if empty
	// Part puts the bars beside those of other series: this is the Part-th of Of.
	Part, Of int
	Faint    bool
	// Hover prints a bin; nil prints its edges and count as numbers.
	Hover func(from, to, count float64) string
}

func (b Bars) extents(x, y *extent) {
	if len(b.Edges) != len(b.Counts)+1 {
		return
	}
	for i, n := range b.Counts {
		if finite(n) && finite(b.Edges[i]) && finite(b.Edges[i+1]) {
			x.add(b.Edges[i])
			x.add(b.Edges[i+1])
			y.add(0)
			y.add(n)
		}
	}
}

func (b Bars) draw(p *plot) {
	if len(b.Edges) != len(b.Counts)+1 {
		return
	}
	color, opacity := b.Color, ""
	if color == "" {
		color = "accent"
	}
	if b.Faint {
		opacity = ".45"
	}
	zero := p.ys.clamp(0)
	for i, n := range b.Counts {
		from, to := b.Edges[i], b.Edges[i+1]
		x0, x1, y := p.xs.clamp(from), p.xs.clamp(to), p.ys.clamp(n)
		if !finite(x0) || !finite(x1) || !finite(y) || x1 <= x0 || n == 0 {
			continue
		}
		if b.Of > 1 {
			inset := (x1 - x0) * .1
			w := (x1 - x0 - 2*inset) / float64(b.Of)
			x0 += inset + w*float64(b.Part)
			x1 = x0 + w
		} else if x1-x0 > 3 {
			x0, x1 = x0+.5, x1-.5
		}
		h := zero - y
		if h < 0 {
			y, h = zero, -h
		}
		if h < 1 { // there is something: it shows
			y, h = y-(1-h), 1
		}
		words := number(from) + " to " + number(to) + ": " + number(n)
		if b.Hover != nil {
			words = b.Hover(from, to, n)
		}
		p.el("rect", words, "x", x0, "y", y, "width", max(x1-x0, .5), "height", h, "class", "f-"+color, "fill-opacity", opacity,
			"data-from", raw(from), "data-to", raw(to), "data-y", raw(n))
	}
}
