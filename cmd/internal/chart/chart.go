package chart

import (
	"math"
	"strings"
)

// Chart is a frame with marks: one panel, or small multiples on the same scales.
type Chart struct {
	Title    string // the finding or the question
	Subtitle string // the unit and the span
	Desc     string // what a reader who cannot see it is told; the two above if empty
	Note     string // a sentence under the subtitle, on what is missing
	Empty    string // the sentence instead of the marks when there are no data
	X, Y     Axis
	Panels   []Panel
	Columns  int   // of small multiples; 0: as many as fit, or one if panels have an axis of their own
	Keys     []Key // the legend, where direct labels do not do
}

// Panel is one plot of a chart.
type Panel struct {
	Title  string
	Y      *Axis   // an axis of its own; nil: the chart's
	Weight float64 // of the height, where panels stand under each other; 0: 1
	Marks  []Mark
}

// Key is an entry of the legend.
type Key struct {
	Color  string // a name of the palette, for a box or a line
	Line   bool
	Dash   Dash
	Dot    bool // a round mark
	Hollow bool
	Hatch  bool
	Label  string
}

// Mark is something drawn on a panel: Line, Dots, Bars, Areas, Rule, Gap, Knot,
// Band, Rows and Segment.
type Mark interface {
	// extents adds the values of the mark to those of the axes.
	extents(x, y *extent)
	draw(p *plot)
}

// plot is a panel being drawn.
type plot struct {
	*canvas
	box
	xs, ys scale
	ends   []endLabel // of lines and areas, to be set at the right
	after  []func()   // labels, drawn over all marks
	inked  []Point    // where lines run, a point every few px, for labels to avoid
}

// Space around things, in px.
const (
	edge      = 16.0
	gutter    = 24.0
	axisSpace = 20.0 // tick labels under a plot
	defWidth  = 760.0
	defHeight = 400.0
)

// SVG draws the chart.
func (ch Chart) SVG(opt Options) []byte {
	c := ch.render(opt)
	title := clean(ch.Title)
	desc := ch.Desc
	if desc == "" {
		desc = strings.TrimSpace(ch.Subtitle + ". " + ch.Note)
	}
	if !ch.hasData() && ch.Empty != "" {
		desc += " " + ch.Empty
	}
	return c.finish(opt, title, desc)
}

func newCanvas(opt Options, w, h float64) *canvas {
	if opt.Width > 0 && finite(opt.Width) {
		w = min(max(opt.Width, 280), 10000)
	}
	if opt.Height > 0 && finite(opt.Height) && h > 0 {
		h = min(max(opt.Height, 160), 10000)
	}
	return &canvas{w: w, h: h, id: identifier(opt.ID)}
}

// head draws title, subtitle and note from the top and returns where they end.
func (c *canvas) head(title, subtitle, note string) float64 {
	y := 8.0
	for _, l := range wrap(clean(title), c.w-2*edge, sizeTitle, true, 2) {
		y += 20
		c.text(edge, y-4, sizeTitle, start, "ink strong", l)
	}
	for _, s := range []string{subtitle, note} {
		for _, l := range wrap(clean(s), c.w-2*edge, sizeText, false, 3) {
			y += 18
			c.text(edge, y-4, sizeText, start, "muted", l)
		}
	}
	return y
}

// keys draws the legend from y down, in as many lines as it takes, and returns
// where it ends.
func (c *canvas) keys(y float64, keys []Key) float64 {
	if len(keys) == 0 {
		return y
	}
	y += 20
	x := edge
	for _, k := range keys {
		s := fit(clean(k.Label), c.w-2*edge-24, sizeLabel, false)
		w := 24 + textWidth(s, sizeLabel, false)
		if x+w > c.w-edge && x > edge {
			x = edge
			y += 18
		}
		switch {
		case k.Line:
			c.el("line", "", "x1", x, "x2", x+18, "y1", y-8, "y2", y-8, "class", "s-"+k.Color, "stroke-width", "2", "stroke-dasharray", string(k.Dash))
		case k.Hatch:
			c.el("rect", "", "x", x, "y", y-14, "width", 16.0, "height", 12.0, "fill", "url(#"+c.id+"-hatch)", "class", "s-axis", "stroke-width", ".5")
		case k.Dot && k.Hollow:
			c.el("circle", "", "cx", x+8, "cy", y-8, "r", 4.0, "fill", "none", "class", "s-"+k.Color, "stroke-width", "1.5")
		case k.Dot:
			c.el("circle", "", "cx", x+8, "cy", y-8, "r", 4.0, "class", "f-"+k.Color)
		case k.Hollow:
			c.el("rect", "", "x", x+2.5, "y", y-13.5, "width", 11.0, "height", 11.0, "fill", "none", "class", "s-"+k.Color)
		default:
			c.el("rect", "", "x", x, "y", y-14, "width", 16.0, "height", 12.0, "class", "f-"+k.Color)
		}
		c.text(x+22, y-4, sizeLabel, start, "ink", s)
		x += w + 16
	}
	return y
}

func (ch Chart) hasData() bool {
	var x, y extent
	for _, p := range ch.Panels {
		for _, m := range p.Marks {
			m.extents(&x, &y)
		}
	}
	return x.n > 0 && y.n > 0
}

// blank says in words, in the middle of the picture, that there is nothing to draw.
func (c *canvas) blank(top float64, sentence string) {
	if sentence == "" {
		sentence = "There are no data yet."
	}
	lines := wrap(clean(sentence), min(c.w-2*edge, 520), sizeText, false, 4)
	y := (top+c.h)/2 - float64(len(lines))*9 + 10
	for _, l := range lines {
		c.text(c.w/2, y, sizeText, middle, "muted", l)
		y += 18
	}
}

func (ch Chart) render(opt Options) *canvas {
	h := defHeight
	if !ch.hasData() {
		h = 220
	}
	c := newCanvas(opt, defWidth, h)
	top := c.head(ch.Title, ch.Subtitle, ch.Note)
	if !ch.hasData() {
		c.h = max(c.h, top+90)
		c.blank(top, ch.Empty)
		return c
	}
	top = c.keys(top, ch.Keys)
	cols := ch.columns(c.w)
	rows := (len(ch.Panels) + cols - 1) / cols
	if opt.Height == 0 && rows > 1 {
		c.h = top + float64(rows)*(220+axisSpace)
	}
	c.h = max(c.h, top+float64(rows)*120)
	grid := newGrid(ch, c, cols, rows, top)
	for i := range ch.Panels {
		grid.panel(i)
	}
	return c
}

func (ch Chart) columns(width float64) int {
	if ch.Columns > 0 {
		return min(ch.Columns, max(1, len(ch.Panels)))
	}
	for _, p := range ch.Panels {
		if p.Y != nil {
			return 1
		}
	}
	cols := max(1, min(len(ch.Panels), int((width-2*edge)/235)))
	rows := (len(ch.Panels) + cols - 1) / cols
	return (len(ch.Panels) + rows - 1) / rows // no row much shorter than the others
}

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
		g.right = min(g.right, c.w*.3) + 8
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
	} else if axis.Label != "" && row == 0 {
		y0 += 16
	}
	y0 += 8
	b.h -= y0 - b.y
	b.y = y0
	if row < g.rows-1 {
		b.h -= 8
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
