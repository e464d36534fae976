package chart

// Bins is a histogram: counts between edges.
type Bins struct {
	Edges  []float64 // ascending, one more than Counts
	Counts []float64
}

func (b Bins) total() float64 {
	sum := 0.0
	for _, n := range b.Counts {
		if finite(n) {
			sum += n
		}
	}
	return sum
}

// PageHistograms draws how the pages are distributed by their mean time between
// changes and by the mean Dice of their changes (paper A Figure 3; SCIENCE A14).
type PageHistograms struct {
	Subtitle string // which pages, over what time
	Gap      Bins   // edges in hours
	Dice     Bins   // edges from 0 to 1
	LogGap   bool   // the edges of Gap lie on a logarithmic axis; the first must be above 0
}

// SVG draws the figure.
func (f PageHistograms) SVG(opt Options) []byte { return f.drawing().SVG(opt) }

// beside is a figure of two charts next to each other under one title.
type beside struct {
	title, subtitle, desc, empty string
	parts                        [2]Chart
}

func (f PageHistograms) drawing() beside {
	kind := Hours
	if f.LogGap {
		kind = LogHours
	}
	pages := Axis{Label: "pages", Zero: true}
	gap := Chart{X: Axis{Label: "mean time between changes", Kind: kind, Tight: true}, Y: pages, Empty: "no page changed twice",
		Panels: []Panel{{Title: "How often do pages change?", Marks: []Mark{Bars{Edges: f.Gap.Edges, Counts: f.Gap.Counts, Hover: func(a, b, n float64) string {
			return span(a) + " to " + span(b) + ": " + number(n) + " pages"
		}}}}}}
	dice := Chart{X: Axis{Label: "mean Dice of changes (1 = same words)", Kind: Share}, Y: pages, Empty: "no page changed",
		Panels: []Panel{{Title: "How much do they change?", Marks: []Mark{Bars{Edges: f.Dice.Edges, Counts: f.Dice.Counts, Hover: func(a, b, n float64) string {
			return share(a) + " to " + share(b) + ": " + number(n) + " pages"
		}}}}}}
	return beside{
		title: "How often and how much do pages change?", subtitle: f.Subtitle,
		desc:  "Two histograms: " + number(f.Gap.total()) + " pages by mean time between changes, " + number(f.Dice.total()) + " pages by mean Dice coefficient of their changes.",
		empty: "No page has changed twice yet. The histograms will count pages by their mean time between changes and by how much they change.",
		parts: [2]Chart{gap, dice},
	}
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

// StayingPower draws how the words of a page are distributed by their staying
// power: many pass at once and many stay (paper A Figure 6; SCIENCE A23).
type StayingPower struct {
	Page     string
	Bins     Bins // edges from 0 to 1
	Fleeting int  // words with a staying power below .2
	Lasting  int  // words with one above .8
}

// SVG draws the figure.
func (f StayingPower) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f StayingPower) chart() Chart {
	total := f.Bins.total()
	ch := Chart{
		Title:    "Do the words of the page stay or pass?",
		Subtitle: f.Page,
		Empty:    "Staying power needs at least two versions of the page. The histogram will count its words from passing (0) to staying (1).",
		X:        Axis{Label: "staying power (0 = in one version, 1 = in all)", Kind: Share},
		Y:        Axis{Label: "words", Zero: true},
		Panels: []Panel{{Marks: []Mark{Bars{Edges: f.Bins.Edges, Counts: f.Bins.Counts, Hover: func(a, b, n float64) string {
			return share(a) + " to " + share(b) + ": " + number(n) + " words"
		}}}}},
	}
	if total > 0 && f.Fleeting+f.Lasting > 0 {
		ch.Title = percent(float64(f.Lasting)/total) + " of the words stay, " + percent(float64(f.Fleeting)/total) + " pass"
		if ch.Subtitle != "" {
			ch.Subtitle += ": "
		}
		ch.Subtitle += number(total) + " words; stay: above .8, pass: below .2"
	}
	if total == 0 {
		ch.Panels = nil
	}
	ch.Desc = ch.Title + ". Histogram of staying power."
	return ch
}
