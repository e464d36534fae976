package chart

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
)

// Dot is a point of a scatter.
type Dot struct {
	Point
	Hollow bool   // a value known only to be at least so much, as of a censored interval
	Words  string // for hovering
}

// Dots is a scatter whose density shows by transparency.
type Dots struct {
	Dots  []Dot
	Color string // "accent" if empty
}

// Beyond maxDots points a scatter is drawn as cells of cell px, the more points
// in one the less transparent. Every occupied cell is drawn, so outliers stay.
const (
	maxDots = 2000
	cell    = 3.0
)

func (d Dots) extents(x, y *extent) {
	for _, q := range d.Dots {
		if q.finite() {
			x.add(q.X)
			y.add(q.Y)
		}
	}
}

func (d Dots) draw(p *plot) {
	color := d.Color
	if color == "" {
		color = "accent"
	}
	n := 0
	for _, q := range d.Dots {
		if q.finite() {
			n++
		}
	}
	if n > maxDots {
		d.cells(p, color)
		return
	}
	opacity := ".75"
	switch {
	case n > 600:
		opacity = ".3"
	case n > 100:
		opacity = ".5"
	}
	for _, q := range d.Dots {
		x, y := p.xs.at(q.X), p.ys.at(q.Y)
		if !finite(x) || !finite(y) || !p.xs.inside(q.X) || !p.ys.inside(q.Y) {
			continue
		}
		words := q.Words
		if words == "" {
			words = number(q.X) + ", " + number(q.Y)
		}
		if q.Hollow {
			p.el("circle", words, "cx", x, "cy", y, "r", 3.5, "fill", "none", "class", "s-"+color, "stroke-width", "1.5", "data-x", raw(q.X), "data-y", raw(q.Y))
		} else {
			p.el("circle", words, "cx", x, "cy", y, "r", 3.5, "class", "f-"+color, "fill-opacity", opacity, "data-x", raw(q.X), "data-y", raw(q.Y))
		}
	}
}

// cells draws the scatter as a raster of five densities.
func (d Dots) cells(p *plot, color string) {
	type place struct{ row, col int }
	count := map[place]int{}
	most := 0
	for _, q := range d.Dots {
		x, y := p.xs.at(q.X), p.ys.at(q.Y)
		if !finite(x) || !finite(y) || !p.xs.inside(q.X) || !p.ys.inside(q.Y) {
			continue
		}
		at := place{int((y - p.y) / cell), int((x - p.x) / cell)}
		count[at]++
		most = max(most, count[at])
	}
	const levels = 5
	var paths [levels]bytes.Buffer
	places := slices.SortedFunc(maps.Keys(count), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	for _, at := range places {
		l := min(levels-1, int(levels*math.Log(float64(count[at])+1)/math.Log(float64(most)+2)))
		paths[l].WriteString("M" + px(p.x+float64(at.col)*cell) + " " + px(p.y+float64(at.row)*cell) + "h" + px(cell) + "v" + px(cell) + "h-" + px(cell) + "z")
	}
	for l := range paths {
		if paths[l].Len() > 0 {
			p.el("path", "", "d", paths[l].Bytes(), "class", "f-"+color, "fill-opacity", share(.25+.18*float64(l)))
		}
	}
}
