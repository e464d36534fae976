package chart

// Knot is a dot with its words beside it.
type Knot struct {
	At    Point
	Words string
	Color string // "ink" if empty
}

func (k Knot) extents(x, y *extent) { pointExtents([]Point{k.At}, x, y) }

func (k Knot) draw(p *plot) {
	x, y := p.xs.at(k.At.X), p.ys.at(k.At.Y)
	if !finite(x) || !finite(y) {
		return
	}
	color := k.Color
	if color == "" {
		color = "ink"
	}
	// Drawn late, so that no line runs through the dot, but its room is known.
	p.after = append(p.after, func() {
		p.el("circle", k.Words, "cx", x, "cy", y, "r", 5.0, "class", "f-"+color+" s-ground", "stroke-width", "1.5", "data-x", raw(k.At.X), "data-y", raw(k.At.Y))
		s := fit(clean(k.Words), p.box.w, sizeText, true)
		w := textWidth(s, sizeText, true)
		within := min(max(x, p.x+w/2), p.right()-w/2)
		spots := []spot{
			{x + 9, y - 12, start},
			{x + 9, y + 22, start},
			{x - 9, y - 12, end},
			{x - 9, y + 22, end},
			{within, y - 14, middle},
			{within, y + 26, middle},
			{within, y + 44, middle},
			{within, y - 32, middle},
		}
		for i := range spots { // not on the axis
			if spots[i].y > p.bottom()-4 {
				spots[i].y = y - 14
			}
		}
		p.calm(sizeText, color+" strong", s, spots)
	})
}

// Rule is a horizontal line at a value, with its words on it.
type Rule struct {
	Y     float64
	Words string
	Dash  Dash
}

func (r Rule) extents(_, y *extent) { y.add(r.Y) }

func (r Rule) draw(p *plot) {
	y := p.ys.at(r.Y)
	if !finite(y) || y < p.y-1 || y > p.bottom()+1 {
		return
	}
	p.el("line", r.Words, "x1", p.x, "x2", p.right(), "y1", y, "y2", y, "class", "s-muted", "stroke-dasharray", string(r.Dash))
	p.after = append(p.after, func() {
		s := fit(clean(r.Words), p.box.w, sizeLabel, false)
		var spots []spot
		for _, at := range []float64{1, .75, .5, .25, 0} {
			a, x := middle, p.x+p.box.w*at
			switch at {
			case 1:
				a = end
			case 0:
				a, x = start, x+4
			}
			spots = append(spots, spot{x, y - 5, a}, spot{x, y + 14, a})
		}
		p.calm(sizeLabel, "muted", s, spots)
	})
}

// Gap is a stretch of the x axis without data, hatched, with words if they fit.
type Gap struct {
	From, To float64
	Words    string
}

func (g Gap) extents(x, _ *extent) {
	if finite(g.From) && finite(g.To) {
		x.add(g.From)
		x.add(g.To)
	}
}

func (g Gap) draw(p *plot) {
	if !finite(g.From) || !finite(g.To) {
		return
	}
	a, b := p.xs.clamp(min(g.From, g.To)), p.xs.clamp(max(g.From, g.To))
	if !finite(a) || !finite(b) || b-a < .5 {
		return
	}
	p.el("rect", g.Words, "x", a, "y", p.y, "width", b-a, "height", p.h0(), "fill", "url(#"+p.id+"-hatch)", "fill-opacity", ".55")
	p.after = append(p.after, func() {
		s := clean(g.Words)
		w := textWidth(s, sizeLabel, false)
		if s == "" || w+12 > b-a {
			return
		}
		x, y := (a+b)/2, p.y+p.h0()/2
		tb := textBox(x, y, sizeLabel, middle, false, s)
		if p.free(tb) {
			p.el("rect", "", "x", tb.x-4, "y", tb.y-3, "width", tb.w+8, "height", tb.h+6, "class", "f-ground")
			p.text(x, y, sizeLabel, middle, "muted", s)
		}
	})
}

// h0 is the height of the plot.
func (p *plot) h0() float64 { return p.box.h }

// Band is a thin strip under the axis that shows a share by its filled height,
// one step an entry; a share that is not finite is hatched.
type Band struct {
	Edges  []float64 // one more than Shares, ascending
	Shares []float64
	Label  string
}

// bandHeight is the room of a band with its share and the space around it.
const bandHeight = 14.0

func (b Band) extents(_, _ *extent) {}
func (b Band) under() float64       { return bandHeight + 4 }

func (b Band) endWidth() float64 { return textWidth(clean(b.Label), sizeLabel, false) }

func (b Band) draw(p *plot) {
	if len(b.Edges) != len(b.Shares)+1 {
		return
	}
	top := p.bottom() + 5
	h := bandHeight - 4
	for i, s := range b.Shares {
		x0, x1 := p.xs.clamp(b.Edges[i]), p.xs.clamp(b.Edges[i+1])
		if !finite(x0) || !finite(x1) || x1 <= x0 {
			continue
		}
		if !finite(s) {
			p.el("rect", b.Label+": not crawled", "x", x0, "y", top, "width", x1-x0, "height", h, "fill", "url(#"+p.id+"-hatch)")
			continue
		}
		part := max(0, min(1, s))
		p.el("rect", "", "x", x0, "y", top, "width", x1-x0, "height", h, "class", "f-hairline")
		p.el("rect", b.Label+": "+percent(s), "x", x0, "y", top+h*(1-part), "width", x1-x0, "height", h*part, "class", "f-axis", "data-share", raw(s))
	}
	p.after = append(p.after, func() {
		room := p.w0() - p.right() - 10
		p.place(sizeLabel, "muted", fit(clean(b.Label), room, sizeLabel, false), spot{p.right() + 8, top + 10, start})
	})
}
