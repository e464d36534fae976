package chart

import (
	"bytes"
	"math"
)

// Point is a pair of values; one that is not finite makes it a gap.
type Point struct{ X, Y float64 }

func (p Point) finite() bool { return finite(p.X) && finite(p.Y) }

// Dash is the style of a line, as SVG writes it.
type Dash string

const (
	Solid  Dash = ""
	Dashed Dash = "6 4"
	Dotted Dash = "1.5 3.5"
	Mixed  Dash = "8 3 2 3"
)

// Line joins points in order of X. It breaks at gaps and does not bridge them; a
// point alone between two gaps is a dot.
type Line struct {
	Points []Point
	Color  string // of the palette; "accent" if empty
	Faint  bool
	Bold   bool
	Dash   Dash
	Label  string // set at its right end
	Name   string // for hovering
	// Hover prints a point for hovering; nil: points cannot be hovered over.
	Hover func(Point) string
}

func (l Line) extents(x, y *extent) { pointExtents(l.Points, x, y) }

func pointExtents(points []Point, x, y *extent) {
	for _, p := range points {
		if p.finite() {
			x.add(p.X)
			y.add(p.Y)
		}
	}
}

func (l Line) endWidth() float64 { return textWidth(clean(l.Label), sizeLabel, false) }

func (l Line) color() string {
	if l.Color == "" {
		return "accent"
	}
	return l.Color
}

func (l Line) draw(p *plot) {
	width, opacity := "1.5", ""
	if l.Bold {
		width = "2.5"
	}
	if l.Faint {
		width, opacity = "1", ".4"
	}
	column := 1
	switch {
	case l.Faint:
		column = 4 // one of many, behind what is to be read
	case l.Bold:
		column = 2 // it is wider than that itself
	}
	at := p.project(l.Points, column)
	p.ink(at...)
	path, alone := tracePath(at)
	if len(path) > 0 {
		p.el("path", l.Name, "d", path, "fill", "none", "class", "s-"+l.color(), "stroke-width", width,
			"stroke-opacity", opacity, "stroke-dasharray", string(l.Dash), "stroke-linejoin", "round")
	}
	for _, q := range alone {
		p.el("circle", l.Name, "cx", q.X, "cy", q.Y, "r", 2.0, "class", "f-"+l.color(), "fill-opacity", opacity)
	}
	if l.Hover != nil && len(l.Points) <= 400 {
		p.open("g", "", "fill-opacity", "0")
		for _, q := range l.Points {
			if x, y := p.xs.at(q.X), p.ys.at(q.Y); finite(x) && finite(y) {
				p.el("circle", l.Hover(q), "cx", x, "cy", y, "r", 6.0, "data-x", raw(q.X), "data-y", raw(q.Y))
			}
		}
		p.close("g")
	}
	if l.Label == "" {
		return
	}
	for i := len(l.Points) - 1; i >= 0; i-- {
		if y := p.ys.clamp(l.Points[i].Y); l.Points[i].finite() && finite(y) {
			p.ends = append(p.ends, endLabel{y, l.Label, labelColor(l.color())})
			break
		}
	}
}

// labelColor is the colour of words about a thing drawn in a colour: the same if
// words can be read in it.
func labelColor(color string) string {
	switch color {
	case "accent", "novel", "ink":
		return color
	}
	return "muted"
}

// project brings points to pixels, thinned to at most four a column of so many pixels:
// the first, the lowest, the highest and the last, so that no extreme is lost. A column
// of several pixels has the lowest and the highest only.
func (p *plot) project(points []Point, column int) []Point {
	gap := Point{math.NaN(), math.NaN()}
	out := make([]Point, 0, min(len(points), 4096))
	thin := len(points)*column > 4*int(p.box.w)
	var col [4]Point // first, least, greatest, last of a column
	n, current := 0, 0
	flush := func() {
		if n == 0 {
			return
		}
		a, b := col[1], col[2]
		if a.X > b.X {
			a, b = b, a
		}
		chosen := []Point{col[0], a, b, col[3]}
		if column > 1 {
			chosen = chosen[1:3]
		}
		for _, q := range chosen {
			if len(out) == 0 || out[len(out)-1] != q {
				out = append(out, q)
			}
		}
		n = 0
	}
	for _, q := range points {
		v := Point{p.xs.at(q.X), p.ys.at(q.Y)}
		if !v.finite() || !p.xs.inside(q.X) {
			flush()
			if len(out) > 0 && out[len(out)-1].finite() {
				out = append(out, gap)
			}
			continue
		}
		v.Y = max(p.y, min(p.bottom(), v.Y))
		if !thin {
			out = append(out, v)
			continue
		}
		if c := int(v.X) / column; n == 0 || c != current {
			flush()
			current, n = c, 1
			col = [4]Point{v, v, v, v}
			continue
		}
		n++
		if v.Y < col[1].Y {
			col[1] = v
		}
		if v.Y > col[2].Y {
			col[2] = v
		}
		col[3] = v
	}
	flush()
	return out
}

// tracePath writes the path through points in pixels, and gives back those that
// stand alone.
func tracePath(points []Point) (path []byte, alone []Point) {
	var b bytes.Buffer
	for i, q := range points {
		if !q.finite() {
			continue
		}
		before := i > 0 && points[i-1].finite()
		after := i+1 < len(points) && points[i+1].finite()
		switch {
		case before:
			b.WriteString("L" + px(q.X) + " " + px(q.Y))
		case after:
			b.WriteString("M" + px(q.X) + " " + px(q.Y))
		default:
			alone = append(alone, q)
		}
	}
	return b.Bytes(), alone
}

// Segment is a straight dashed line of a fit. It does not stretch the axes.
type Segment struct {
	From, To Point
	Color    string // "ink" if empty
	Name     string
}

func (s Segment) extents(_, _ *extent) {}

func (s Segment) draw(p *plot) {
	color := s.Color
	if color == "" {
		color = "ink"
	}
	a, b := s.From, s.To
	if !a.finite() || !b.finite() {
		return
	}
	// Cut off where the line leaves the plot.
	a, b, ok := clip(a, b, p.xs.lo, p.xs.hi, p.ys.lo, p.ys.hi)
	if !ok {
		return
	}
	p.ink(Point{p.xs.at(a.X), p.ys.at(a.Y)}, Point{p.xs.at(b.X), p.ys.at(b.Y)})
	p.el("line", s.Name, "x1", p.xs.at(a.X), "y1", p.ys.at(a.Y), "x2", p.xs.at(b.X), "y2", p.ys.at(b.Y),
		"class", "s-"+color, "stroke-width", "1.5", "stroke-dasharray", string(Dashed))
}

// clip cuts a segment to a rectangle of values (Liang and Barsky 1984).
func clip(a, b Point, x0, x1, y0, y1 float64) (Point, Point, bool) {
	dx, dy := b.X-a.X, b.Y-a.Y
	if !finite(dx) || !finite(dy) {
		return a, b, false
	}
	t0, t1 := 0.0, 1.0
	for _, e := range [4][2]float64{{-dx, a.X - x0}, {dx, x1 - a.X}, {-dy, a.Y - y0}, {dy, y1 - a.Y}} {
		switch d, q := e[0], e[1]; {
		case d == 0 && q < 0:
			return a, b, false
		case d < 0:
			t0 = max(t0, q/d)
		case d > 0:
			t1 = min(t1, q/d)
		}
	}
	if t0 > t1 {
		return a, b, false
	}
	return Point{a.X + t0*dx, a.Y + t0*dy}, Point{a.X + t1*dx, a.Y + t1*dy}, true
}
