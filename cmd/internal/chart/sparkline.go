package chart

// Sparkline is a line of Dice the size of a word, 120 by 24 px unless the options
// say otherwise: 1 is the full height.
type Sparkline struct {
	Name   string
	Values []SparkValue
}

// SparkValue is the Dice of a change, in order of time.
type SparkValue struct {
	Dice   float64 // NaN: a gap
	Masked bool    // the change was noise: a dot
}

// SVG draws the figure.
func (f Sparkline) SVG(opt Options) []byte {
	c, desc := f.render(opt)
	return c.finish(opt, f.Name, desc)
}

func (f Sparkline) render(opt Options) (*canvas, string) {
	w, h := 120.0, 24.0
	if opt.Width > 0 && finite(opt.Width) {
		w = min(max(opt.Width, 20), 2000)
	}
	if opt.Height > 0 && finite(opt.Height) {
		h = min(max(opt.Height, 10), 500)
	}
	c := &canvas{w: w, h: h, id: identifier(opt.ID)}
	const pad = 2.5
	p := &plot{canvas: c, box: box{pad, pad, w - 2*pad, h - 2*pad}}
	points := make([]Point, len(f.Values))
	least, last, n, masked := nan, nan, 0, 0
	for i, v := range f.Values {
		points[i] = Point{float64(i), v.Dice}
		if finite(v.Dice) {
			n, last = n+1, v.Dice
			if !(least <= v.Dice) {
				least = v.Dice
			}
			if v.Masked {
				masked++
			}
		}
	}
	c.el("line", "", "x1", p.x, "x2", p.right(), "y1", p.bottom(), "y2", p.bottom(), "class", "s-hairline")
	if n == 0 {
		return c, "No changes yet."
	}
	p.xs = scale{lo: 0, hi: float64(max(1, len(points)-1)), a: p.x, b: p.right()}
	p.ys = scale{lo: 0, hi: 1, a: p.bottom(), b: p.y}
	Line{Points: points}.draw(p)
	if len(points) <= 4*int(w) {
		for i, v := range f.Values {
			if v.Masked && finite(v.Dice) {
				c.el("circle", "", "cx", p.xs.at(float64(i)), "cy", p.ys.clamp(v.Dice), "r", 2.0, "class", "f-ground s-axis")
			}
		}
	}
	desc := "Dice of " + plural(n, "change", "changes") + ", lowest " + share(least) + ", last " + share(last) + "."
	if masked > 0 {
		desc += " " + plural(masked, "of them was noise (a dot)", "of them were noise (dots)") + "."
	}
	return c, desc
}
