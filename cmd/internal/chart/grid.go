package chart

import "math"

// withEnds are marks with words beside the plot; withUnder are marks with a strip
// between the plot and its tick labels.
type (
	withEnds  interface{ endWidth() float64 }
	withUnder interface{ under() float64 }
)

// grid is the arrangement of panels.
type grid struct {
	ch         Chart
	c          *canvas
	cols, rows int
	top        float64
	left       float64 // room for tick labels
	right      float64 // room for labels at the ends
	under      float64
	w          float64 // of one plot
	weights    []float64
	x          extent
	y          extent // of the shared axis
}

func newGrid(ch Chart, c *canvas, cols, rows int, top float64) *grid {
	g := &grid{ch: ch, c: c, cols: cols, rows: rows, top: top + 12, weights: make([]float64, rows)}
	own := make([]extent, len(ch.Panels))
	for i, p := range ch.Panels {
		y := &g.y
		if p.Y != nil {
			y = &own[i]
		}
		for _, m := range p.Marks {
			m.extents(&g.x, y)
			if e, ok := m.(withEnds); ok {
				g.right = max(g.right, e.endWidth())
			}
			if u, ok := m.(withUnder); ok {
				g.under = max(g.under, u.under())
			}
		}
		g.weights[i/cols] = max(g.weights[i/cols], p.Weight)
	}
	total := 0.0
	for i, w := range g.weights {
		if w <= 0 {
			g.weights[i] = 1
		}
		total += g.weights[i]
	}
	for i := range g.weights {
		g.weights[i] /= total
	}
	if g.right > 0 {
		g.right = min(g.right, c.w*.34) + 8
	}
	for i, p := range ch.Panels {
		axis, e := ch.Y, g.y
		if p.Y != nil {
			axis, e = *p.Y, own[i]
		}
		_, ticks := axis.fitted(e, 200, 45)
		for _, t := range ticks {
			g.left = max(g.left, textWidth(t.Label, sizeLabel, false)+8)
		}
	}
	g.left = min(g.left, c.w*.3)
	g.w = (c.w - 2*edge - g.left*float64(cols) - g.right*float64(cols) - gutter*float64(cols-1)) / float64(cols)
	g.w = max(g.w, 20)
	return g
}

// panel draws the i-th panel with its axes.
func (g *grid) panel(i int) {
	p := g.ch.Panels[i]
	col, row := i%g.cols, i/g.cols
	bottom := g.c.h - 8
	if g.ch.X.Label != "" {
		bottom -= 16
	}
	above := 0.0
	for r := range row {
		above += g.weights[r]
	}
	room := bottom - g.top
	b := box{x: edge + g.left + float64(col)*(g.w+g.left+g.right+gutter), w: g.w, y: g.top + room*above}
	b.h = room*g.weights[row] - axisSpace - g.under
	axis, y := g.ch.Y, g.y
	if p.Y != nil {
		axis, y = *p.Y, extent{}
		var x extent
		for _, m := range p.Marks {
			m.extents(&x, &y)
		}
	}
	y0 := b.y
	if p.Title != "" {
		y0 += 18
		g.c.text(b.x-g.left, y0-4, sizeText, start, "ink strong", fit(clean(p.Title), b.w+g.left, sizeText, true))
	}
	if axis.Label != "" && (i == 0 || p.Y != nil) {
		y0 += 16
		g.c.text(edge, y0-4, sizeLabel, start, "muted", fit(clean(axis.Label), g.c.w-2*edge, sizeLabel, false))
	} else if axis.Label != "" {
		y0 += 16
	}
	y0 += 8
	b.h -= y0 - b.y
	b.y = y0
	if g.rows > 1 {
		b.h -= 8 // in the last row too: all plots are of one height, so that their curves can be compared
	}
	b.h = max(b.h, 24)

	pl := &plot{canvas: g.c, box: b}
	var xt, yt []Tick
	pl.xs, xt = g.ch.X.fitted(g.x, b.w, tickRoom(g.ch.X.Kind))
	pl.ys, yt = axis.fitted(y, b.h, 45)
	pl.xs.a, pl.xs.b = b.x, b.right()
	pl.ys.a, pl.ys.b = b.bottom(), b.y
	pl.grid(axis, yt)
	for _, m := range p.Marks {
		m.draw(pl)
	}
	pl.axis(g.ch.X, xt, g.under)
	for _, f := range pl.after {
		f()
	}
	pl.drawEnds()
	if g.ch.X.Label != "" && row == g.rows-1 {
		pl.place(sizeLabel, "muted", fit(clean(g.ch.X.Label), b.w+g.left, sizeLabel, false),
			spot{b.right(), b.bottom() + g.under + axisSpace + 12, end})
	}
}

// grid draws the faint horizontal lines and the words of the y axis.
func (p *plot) grid(a Axis, ticks []Tick) {
	if a.Kind == Hidden && a.Ticks == nil {
		return
	}
	for _, t := range ticks {
		y := p.ys.at(t.At)
		if !finite(y) || y < p.y-.5 || y > p.bottom()+.5 {
			continue
		}
		p.el("line", "", "x1", p.x, "x2", p.right(), "y1", y, "y2", y, "class", "s-hairline")
		p.place(sizeLabel, "muted", t.Label, spot{p.x - 6, y + 4, end})
	}
}

// axis draws the x axis with those tick labels that have room.
func (p *plot) axis(a Axis, ticks []Tick, under float64) {
	p.el("line", "", "x1", p.x, "x2", p.right(), "y1", p.bottom(), "y2", p.bottom(), "class", "s-axis")
	reach := math.Inf(-1)
	for _, t := range ticks {
		x := p.xs.at(t.At)
		if !finite(x) || x < p.x-.5 || x > p.right()+.5 {
			continue
		}
		y := p.bottom() + under
		p.el("line", "", "x1", x, "x2", x, "y1", y, "y2", y+4, "class", "s-axis")
		w := textWidth(clean(t.Label), sizeLabel, false)
		if t.Label == "" || x-w/2 < reach {
			continue
		}
		// At the ends of the picture a label moves inwards rather than out of it.
		at := min(max(x, w/2+2), p.w0()-w/2-2)
		if p.place(sizeLabel, "muted", t.Label, spot{at, y + 16, middle}) {
			reach = at + w/2 + 8
		}
	}
}

// w0 is the width of the whole picture.
func (p *plot) w0() float64 { return p.canvas.w }
