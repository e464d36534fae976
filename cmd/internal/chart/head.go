package chart

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
