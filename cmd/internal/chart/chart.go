package chart

import "strings"

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
	return &canvas{w: w, h: h, id: identifier(opt.ID), lean: opt.Inline}
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
