package chart

import (
	"bytes"
	"math"
)

// Layer is one of stacked areas, with a value for each x.
type Layer struct {
	Name   string
	Color  string
	Values []float64
	Hrefs  []string // of its part at each x, a path on the own host; may be shorter
}

// Areas are layers stacked from zero in their order. An x where a layer has no
// value is a gap in all of them.
type Areas struct {
	X      []float64 // ascending
	Layers []Layer
	Names  []string // of each x, for hovering; may be shorter
	Hrefs  []string // of each x, a path on the own host; may be shorter
	Print  func(float64) string
}

func (a Areas) extents(x, y *extent) {
	for i, at := range a.X {
		if sum := a.sum(i); finite(at) && finite(sum) {
			x.add(at)
			y.add(0)
			y.add(sum)
		}
	}
}

// value is a layer's at the i-th x; what is negative counts nothing.
func (l Layer) value(i int) float64 {
	if i >= len(l.Values) || !finite(l.Values[i]) {
		return math.NaN()
	}
	return max(0, l.Values[i])
}

// total is the sum of what is known of a layer; one of 0 is not worth a label.
func (l Layer) total() float64 {
	sum := 0.0
	for i := range l.Values {
		if v := l.value(i); finite(v) {
			sum += v
		}
	}
	return sum
}

func (a Areas) sum(i int) float64 {
	sum := 0.0
	for _, l := range a.Layers {
		sum += l.value(i)
	}
	return sum
}

func (a Areas) endWidth() float64 {
	w := 0.0
	for _, l := range a.Layers {
		w = max(w, textWidth(clean(l.Name), sizeLabel, false))
	}
	return w
}

// runs are the stretches [from, to) of x without gaps.
func (a Areas) runs() [][2]int {
	var out [][2]int
	open := false
	for i := range a.X {
		ok := finite(a.X[i]) && finite(a.sum(i))
		switch {
		case ok && open:
			out[len(out)-1][1] = i + 1
		case ok:
			out = append(out, [2]int{i, i + 1})
		}
		open = ok
	}
	return out
}

func (a Areas) draw(p *plot) {
	print := a.Print
	if print == nil {
		print = number
	}
	base := make([]float64, len(a.X))
	lastAt := -1
	for _, l := range a.Layers {
		var path bytes.Buffer
		for _, r := range a.runs() {
			trace(&path, p, a.X, l, base, r)
			lastAt = max(lastAt, r[1]-1)
		}
		for i := range base {
			if v := l.value(i); finite(v) {
				base[i] += v
			}
		}
		if path.Len() == 0 {
			continue
		}
		p.el("path", l.Name, "d", path.Bytes(), "class", "f-"+l.Color+" s-ground", "stroke-width", ".75")
		if v := l.value(lastAt); lastAt >= 0 && l.Name != "" && l.total() > 0 {
			y := p.ys.clamp(base[lastAt] - v/2)
			p.ends = append(p.ends, endLabel{y, l.Name, "ink"})
		}
	}
	a.hover(p, print)
}

// trace adds the outline of a layer over the run r: forth along its top, back
// along its base. A run of one x is a bar of 4 px.
func trace(path *bytes.Buffer, p *plot, xs []float64, l Layer, base []float64, r [2]int) {
	point := func(letter string, x, v float64) {
		path.WriteString(letter + px(x) + " " + px(p.ys.clamp(v)))
	}
	if r[1]-r[0] == 1 {
		i := r[0]
		x := min(max(p.xs.clamp(xs[i]), p.x+2), p.right()-2)
		point("M", x-2, base[i])
		point("L", x-2, base[i]+l.value(i))
		point("L", x+2, base[i]+l.value(i))
		point("L", x+2, base[i])
		path.WriteString("z")
		return
	}
	for i := r[0]; i < r[1]; i++ {
		letter := "L"
		if i == r[0] {
			letter = "M"
		}
		point(letter, p.xs.clamp(xs[i]), base[i]+l.value(i))
	}
	for i := r[1] - 1; i >= r[0]; i-- {
		point("L", p.xs.clamp(xs[i]), base[i])
	}
	path.WriteString("z")
}

// hover lays over each x a clear strip with its values.
func (a Areas) hover(p *plot, print func(float64) string) {
	if len(a.X) > 600 {
		return
	}
	for i, at := range a.X {
		if !finite(at) || !finite(a.sum(i)) {
			continue
		}
		x := p.xs.clamp(at)
		from, to := max(p.x, x-8), min(p.right(), x+8)
		if i > 0 && finite(a.X[i-1]) {
			from = max(from, (x+p.xs.clamp(a.X[i-1]))/2)
		}
		if i+1 < len(a.X) && finite(a.X[i+1]) {
			to = min(to, (x+p.xs.clamp(a.X[i+1]))/2)
		}
		if to <= from {
			continue
		}
		words := ""
		if i < len(a.Names) {
			words = a.Names[i]
		}
		for _, l := range a.Layers {
			words += "; " + l.Name + " " + print(l.value(i))
		}
		linked := i < len(a.Hrefs) && p.link(a.Hrefs[i])
		p.el("rect", words, "x", from, "y", p.y, "width", to-from, "height", p.h0(), "fill-opacity", "0", "data-x", raw(at))
		if linked {
			p.close("a")
		}
		a.parts(p, i, from, to, words)
	}
}

// parts lays over the part of each layer between two places, which lie around the i-th
// x, a clear link. The keyboard goes by the links of the whole x.
func (a Areas) parts(p *plot, i int, from, to float64, words string) {
	bottom := make([]float64, len(a.X)) // of the layer, at each x
	for _, l := range a.Layers {
		if i < len(l.Hrefs) && l.value(i) > 0 && p.link(l.Hrefs[i], "tabindex", "-1") {
			var path bytes.Buffer
			point := func(letter string, x float64, top bool) {
				path.WriteString(letter + px(x) + " " + px(p.ys.clamp(a.between(p, l, bottom, i, x, top))))
			}
			x := p.xs.clamp(a.X[i])
			point("M", from, false)
			point("L", from, true)
			point("L", x, true)
			point("L", to, true)
			point("L", to, false)
			point("L", x, false)
			path.WriteString("z")
			p.el("path", l.Name+"; "+words, "d", path.Bytes(), "fill-opacity", "0")
			p.close("a")
		}
		for k := range bottom {
			if v := l.value(k); finite(v) {
				bottom[k] += v
			}
		}
	}
}

// between is the bottom or top of a layer at a place beside the i-th x, on the line to
// the neighbour on that side.
func (a Areas) between(p *plot, l Layer, bottom []float64, i int, place float64, top bool) float64 {
	value := func(k int) float64 {
		if top {
			return bottom[k] + l.value(k)
		}
		return bottom[k]
	}
	k := i + 1
	if x := p.xs.clamp(a.X[i]); place == x {
		return value(i)
	} else if place < x {
		k = i - 1
	}
	if k < 0 || k >= len(a.X) || !finite(value(k)) || !finite(a.X[k]) {
		return value(i)
	}
	x, other := p.xs.clamp(a.X[i]), p.xs.clamp(a.X[k])
	if x == other {
		return value(i)
	}
	return value(i) + (value(k)-value(i))*(place-x)/(other-x)
}
