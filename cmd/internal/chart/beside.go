package chart

// beside is a figure of two charts next to each other under one title.
type beside struct {
	title, subtitle, desc, empty string
	parts                        [2]Chart
}

func (f beside) render(opt Options) *canvas {
	any := f.parts[0].hasData() || f.parts[1].hasData()
	h := 340.0
	if !any {
		h = 220
	}
	c := newCanvas(opt, defWidth, h)
	top := c.head(f.title, f.subtitle, "")
	if !any {
		c.h = max(c.h, top+90)
		c.blank(top, f.empty)
		return c
	}
	c.h = max(c.h, top+180)
	half := (c.w - gutter) / 2
	for i, part := range f.parts {
		c.within(box{float64(i) * (half + gutter), 0, half, c.h}, func(in *canvas) {
			if !part.hasData() {
				in.blank(top, part.Empty)
				return
			}
			g := newGrid(part, in, 1, 1, top)
			g.panel(0)
		})
	}
	return c
}

// SVG draws both charts.
func (f beside) SVG(opt Options) []byte {
	return f.render(opt).finish(opt, f.title, f.desc)
}

// within draws on a part of the canvas as if it were all of it.
func (c *canvas) within(b box, draw func(*canvas)) {
	in := &canvas{w: b.w, h: b.h, id: c.id}
	draw(in)
	c.open("g", "", "transform", "translate("+px(b.x)+" "+px(b.y)+")")
	c.b.Write(in.b.Bytes())
	c.close("g")
	for _, l := range in.labels {
		l.x += b.x
		l.y += b.y
		c.labels = append(c.labels, l)
	}
}
