package chart

import (
	"bytes"
	"strings"
)

// Options say how a figure is delivered. The zero Options give a file of its own.
type Options struct {
	ID     string  // prefix of the ids in the picture; "chart" if empty. Two charts on one page need two
	Width  float64 // in px; 0: what suits the figure, mostly 760
	Height float64 // in px of the whole; 0: what suits the figure. Figures that grow with their rows ignore it
	Theme  Theme
	Inline bool // for embedding in HTML: no XML declaration, no ground, and no values as attributes of marks
	Bare   bool // no style element: the page carries Style itself
}

// Figure is anything that can be drawn. The bytes depend on the figure and the
// options only.
type Figure interface {
	SVG(Options) []byte
}

// box is a rectangle in px, y downwards.
type box struct{ x, y, w, h float64 }

func (b box) right() float64  { return b.x + b.w }
func (b box) bottom() float64 { return b.y + b.h }

func (b box) overlaps(o box) bool {
	return b.x < o.right() && o.x < b.right() && b.y < o.bottom() && o.y < b.bottom()
}

// label is a text that was drawn and the room it takes.
type label struct {
	box
	text string
}

// canvas writes SVG and remembers where texts stand.
type canvas struct {
	b      bytes.Buffer
	w, h   float64
	id     string
	lean   bool // without the values of marks as attributes, which a page's titles and table have
	labels []label
}

// identifier makes an id prefix of what the caller gave.
func identifier(s string) string {
	ok := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, s)
	if ok == "" {
		return "chart"
	}
	if c := ok[0] | 0x20; c < 'a' || c > 'z' {
		return "c" + ok
	}
	return ok
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escape(s string) string { return escaper.Replace(clean(s)) }

// attrs writes name and value by turns: strings are escaped, numbers are in px, and
// bytes, such as the data of a path, are written as they are. What is empty leaves
// its attribute out.
func (c *canvas) attrs(kv []any) {
	for i := 0; i+1 < len(kv); i += 2 {
		var v string
		switch x := kv[i+1].(type) {
		case string:
			v = escape(x)
		case float64:
			v = px(x)
		case []byte:
			v = string(x)
		}
		if v != "" && !(c.lean && isValue(kv[i].(string))) {
			c.b.WriteString(" " + kv[i].(string) + `="` + v + `"`)
		}
	}
}

// isValue reports whether an attribute holds a value of a mark on an axis.
func isValue(attribute string) bool {
	return attribute == "data-x" || attribute == "data-y" || attribute == "data-from" || attribute == "data-to"
}

// el writes an element with a title to hover, if there is one.
func (c *canvas) el(name, title string, kv ...any) {
	c.b.WriteString("<" + name)
	c.attrs(kv)
	if title == "" {
		c.b.WriteString("/>\n")
		return
	}
	c.b.WriteString("><title>" + escape(title) + "</title></" + name + ">\n")
}

// open starts an element that close ends.
func (c *canvas) open(name, title string, kv ...any) {
	c.b.WriteString("<" + name)
	c.attrs(kv)
	c.b.WriteString(">")
	if title != "" {
		c.b.WriteString("<title>" + escape(title) + "</title>")
	}
	c.b.WriteByte('\n')
}

func (c *canvas) close(name string) { c.b.WriteString("</" + name + ">\n") }

// link starts an anchor if href is a path on the own host, and says whether it
// did: pictures refer to nothing else.
func (c *canvas) link(href string, more ...any) bool {
	if !strings.HasPrefix(href, "/") || strings.HasPrefix(href, "//") || strings.HasPrefix(href, `/\`) {
		return false
	}
	c.open("a", "", append([]any{"href", href}, more...)...)
	return true
}

// anchor says which point of a text its x gives.
type anchor string

const (
	start  anchor = ""
	middle anchor = "middle"
	end    anchor = "end"
)

// textBox is the room of a text whose base line runs through y.
func textBox(x, y, size float64, a anchor, strong bool, s string) box {
	w := textWidth(s, size, strong)
	switch a {
	case middle:
		x -= w / 2
	case end:
		x -= w
	}
	return box{x, y - ascent*size, w, (ascent + descent) * size}
}

// text draws one line; class is a colour, and "strong" behind it sets it bold.
func (c *canvas) text(x, y, size float64, a anchor, class, s string) {
	if s = clean(s); s == "" {
		return
	}
	strong := strings.HasSuffix(class, " strong")
	c.labels = append(c.labels, label{textBox(x, y, size, a, strong, s), s})
	c.b.WriteString("<text")
	c.attrs([]any{"x", x, "y", y, "font-size", size, "text-anchor", string(a), "class", "f-" + class})
	c.b.WriteString(">" + escape(s) + "</text>\n")
}

// free says whether b keeps clear of all texts drawn and inside of the picture.
func (c *canvas) free(b box) bool {
	if b.x < 0 || b.y < 0 || b.right() > c.w || b.bottom() > c.h {
		return false
	}
	for _, l := range c.labels {
		if b.overlaps(l.box) {
			return false
		}
	}
	return true
}

// halo draws one line of text over marks, with a rim in the colour of the ground.
func (c *canvas) halo(x, y, size float64, a anchor, class, s string) {
	s = clean(s)
	c.b.WriteString("<text")
	c.attrs([]any{"x", x, "y", y, "font-size", size, "text-anchor", string(a), "class", "f-ground s-ground" + strong(class), "stroke-width", "4", "stroke-linejoin", "round", "aria-hidden", "true"})
	c.b.WriteString(">" + escape(s) + "</text>\n")
	c.text(x, y, size, a, class, s)
}

func strong(class string) string {
	if strings.HasSuffix(class, " strong") {
		return " strong"
	}
	return ""
}

// place draws the text at the first of the spots where it is free.
func (c *canvas) place(size float64, class, s string, spots ...spot) bool {
	s = clean(s)
	for _, p := range spots {
		if c.free(textBox(p.x, p.y, size, p.a, strings.HasSuffix(class, " strong"), s)) {
			c.text(p.x, p.y, size, p.a, class, s)
			return true
		}
	}
	return false
}

type spot struct {
	x, y float64
	a    anchor
}

// finish gives the whole picture: what was drawn between its head and its end.
func (c *canvas) finish(opt Options, title, desc string) []byte {
	body := bytes.Clone(c.b.Bytes())
	c.b.Reset()
	if !opt.Inline {
		c.b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	}
	c.open("svg", "", "xmlns", "http://www.w3.org/2000/svg", "id", c.id, "class", "strandline-chart", "role", "img",
		"aria-labelledby", c.id+"-t "+c.id+"-d", "width", c.w, "height", c.h, "viewBox", "0 0 "+px(c.w)+" "+px(c.h))
	c.b.WriteString(`<title id="` + c.id + `-t">` + escape(title) + "</title>\n")
	c.b.WriteString(`<desc id="` + c.id + `-d">` + escape(desc) + "</desc>\n")
	if !opt.Bare {
		c.b.WriteString("<style>\n" + styles(opt.Theme) + "</style>\n")
	}
	if bytes.Contains(body, []byte("#"+c.id+"-hatch")) {
		c.open("defs", "")
		c.open("pattern", "", "id", c.id+"-hatch", "width", 6.0, "height", 6.0, "patternUnits", "userSpaceOnUse", "patternTransform", "rotate(45)")
		c.el("line", "", "x1", 3.0, "y1", "0", "x2", 3.0, "y2", 6.0, "class", "s-axis", "stroke-width", "1")
		c.close("pattern")
		c.close("defs")
	}
	if !opt.Inline {
		c.el("rect", "", "width", c.w, "height", c.h, "class", "f-ground")
	}
	c.b.Write(body)
	c.close("svg")
	return c.b.Bytes()
}
