package chart

import (
	"bytes"
	"math"
	"time"
)

// TermPeriods draws how much of a topic's new text each term was in over its periods: a
// row a term, a bar a period by its share of the hosts that changed, all on one scale,
// with the bursts of the term marked under it (SCIENCE 2.7).
type TermPeriods struct {
	Topic   string
	Periods []Span      // ascending, the last one being that of the terms
	Terms   []TermShare // the first on top
}

// Span is a stretch of time; To belongs to the next one.
type Span struct{ From, To time.Time }

// TermShare is a term over the periods.
type TermShare struct {
	Term   string
	Trend  string    // in a word, at the right
	Shares []float64 // a period each, 0 to 1; NaN: nothing changed, so nothing is known
	Bursts [][2]int  // stretches [from, to) of periods
}

// Heights of a row of TermPeriods and of its tallest bar, in px.
const (
	termRow = 24.0
	termBar = 16.0
)

// SVG draws the figure.
func (f TermPeriods) SVG(opt Options) []byte {
	return f.render(opt).finish(opt, f.title(), "Each row is a term, with a bar a period by its share of the hosts that changed. "+
		plural(len(f.Terms), "term", "terms")+", "+plural(len(f.Periods), "period", "periods")+"; "+f.bursting()+".")
}

func (f TermPeriods) title() string { return "Which terms come up, and since when?" }

// bursting says how many terms are in a burst in the last period.
func (f TermPeriods) bursting() string {
	n := 0
	for _, t := range f.Terms {
		for _, b := range t.Bursts {
			if b[0] < b[1] && b[1] >= len(f.Periods) {
				n++
				break
			}
		}
	}
	if n == 0 {
		return "none is in a burst in the last of them"
	}
	return plural(n, "term is", "terms are") + " in a burst in the last of them"
}

func (f TermPeriods) render(opt Options) *canvas {
	var x extent
	for _, p := range f.Periods {
		if from, to := Seconds(p.From), Seconds(p.To); finite(from) && finite(to) && from < to {
			x.add(from)
			x.add(to)
		}
	}
	most := 0.0
	for _, t := range f.Terms {
		for i := range min(len(t.Shares), len(f.Periods)) {
			if v := t.Shares[i]; finite(v) {
				most = max(most, min(1, v))
			}
		}
	}
	empty := x.n == 0 || most == 0
	opt.Height = 0
	c := newCanvas(opt, defWidth, 220)
	sub := f.Topic
	if !empty {
		if sub != "" {
			sub += ": "
		}
		sub += "share of the hosts that changed in a period; a row of full height is " + percent(most)
	}
	top := c.head(f.title(), sub, "")
	if empty {
		c.h = max(c.h, top+90)
		c.blank(top, "No term over two periods yet: each term of the last period will be a row, with a bar for each period.")
		return c
	}
	top = c.keys(top, []Key{{Color: "accent", Label: "share in a period"}, {Line: true, Color: "second", Label: "burst"}})
	left, right := edge, edge
	for _, t := range f.Terms {
		left = max(left, edge+textWidth(clean(t.Term), sizeLabel, false)+10)
		right = max(right, edge+textWidth(clean(t.Trend), sizeLabel, false)+10)
	}
	left, right = min(left, c.w*.26), min(right, c.w*.2)
	p := &plot{canvas: c, box: box{left, top + 10, c.w - left - right, termRow * float64(len(f.Terms))}}
	c.h = p.bottom() + axisSpace + 28
	axis := Axis{Kind: Time, Tight: true}
	var ticks []Tick
	p.xs, ticks = axis.fitted(x, p.box.w, tickRoom(Time))
	p.xs.a, p.xs.b = p.x, p.right()
	for i, t := range f.Terms {
		f.row(p, t, p.y+termRow*float64(i+1)-4, most)
	}
	p.axis(axis, ticks, 4)
	p.place(sizeLabel, "muted", "period, UTC", spot{p.right(), p.bottom() + axisSpace + 22, end})
	return c
}

// row draws a term over the line y.
func (f TermPeriods) row(p *plot, t TermShare, y, most float64) {
	p.el("line", "", "x1", p.x, "x2", p.right(), "y1", y+.5, "y2", y+.5, "class", "s-hairline")
	var bars bytes.Buffer
	n, high, at := 0, 0.0, 0
	for i, s := range f.Periods {
		if i >= len(t.Shares) || !finite(t.Shares[i]) || t.Shares[i] <= 0 {
			continue
		}
		a, b := p.xs.clamp(Seconds(s.From)), p.xs.clamp(Seconds(s.To))
		if !finite(a) || !finite(b) || b <= a {
			continue
		}
		v := min(1, t.Shares[i])
		if n++; v > high {
			high, at = v, i
		}
		if b-a > 3 {
			a, b = a+.5, b-.5
		}
		bars.WriteString("M" + px(a) + " " + px(y) + "V" + px(y-max(1, termBar*v/most)) + "H" + px(b) + "V" + px(y) + "z")
	}
	words := clean(t.Term) + ": in " + plural(n, "period", "periods")
	if n > 0 {
		words += ", most in that from " + moment(f.Periods[at].From) + " with " + percent(high) + " of the hosts"
	}
	if t.Trend != "" {
		words += "; " + t.Trend
	}
	if bars.Len() > 0 {
		p.el("path", words, "d", bars.Bytes(), "class", "f-accent", "data-term", t.Term)
	}
	for _, b := range t.Bursts {
		from, to := max(0, b[0]), min(len(f.Periods), b[1])
		if from >= to {
			continue
		}
		x0, x1 := p.xs.clamp(Seconds(f.Periods[from].From)), p.xs.clamp(Seconds(f.Periods[to-1].To))
		if !finite(x0) || !finite(x1) || x1 <= x0 {
			continue
		}
		span := clean(t.Term) + ": burst from " + moment(f.Periods[from].From) + " to " + moment(f.Periods[to-1].To)
		p.el("rect", span, "x", x0, "y", y, "width", x1-x0, "height", 3.0, "class", "f-second", "data-burst", t.Term)
	}
	p.place(sizeLabel, "ink", fit(clean(t.Term), math.Max(0, p.x-edge-8), sizeLabel, false), spot{p.x - 8, y - 1, end})
	p.place(sizeLabel, "muted", fit(clean(t.Trend), math.Max(0, p.w0()-p.right()-edge), sizeLabel, false), spot{p.right() + 8, y - 1, start})
}
