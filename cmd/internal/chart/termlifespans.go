package chart

import (
	"math"
	"time"
)

// MaxTerms is how many rows TermLifespans draws at most.
const MaxTerms = 400

// TermLifespans draws when each word of a page was on it, one row a word (paper A
// Figure 5; SCIENCE A21). The rows come in the order of the paper, first word at
// the bottom; of more than MaxTerms an even selection is drawn.
type TermLifespans struct {
	Page     string
	Versions []time.Time // ascending
	Terms    []TermRow
	Total    int // how many words there are, where Terms is a selection of them; 0: all are given
}

// TermRow is a word with the versions that have it.
type TermRow struct {
	Term  string
	Spans [][2]int // stretches [from, to) of versions
	// Lasting and Passing ask for the word's name at the left or at the right;
	// the greater go first where there is no room for all. 0: not named.
	Lasting, Passing float64
}

// SVG draws the figure.
func (f TermLifespans) SVG(opt Options) []byte {
	const title = "Which words of the page stay, and which pass?"
	return f.render(opt).finish(opt, title, "Each row is a word, with a bar over the time it was on the page. "+
		plural(len(f.Terms), "word", "words")+", "+plural(len(f.Versions), "version", "versions")+".")
}

func (f TermLifespans) render(opt Options) *canvas {
	rows, mark := f.rows()
	h := 220.0
	var x, y extent
	Rows{Rows: rows}.extents(&x, &y)
	if x.n > 0 {
		h = 120 + min(max(180, float64(len(rows))*13), 900)
	}
	opt.Height = 0
	c := newCanvas(opt, defWidth, h)
	sub := f.Page
	if x.n > 0 {
		if sub != "" {
			sub += ": "
		}
		total := max(f.Total, len(f.Terms))
		sub += plural(total, "word", "words") + " in " + plural(len(f.Versions), "version", "versions")
		if total > len(rows) {
			sub += "; " + number(float64(len(rows))) + " of the words are drawn, an even selection"
		}
	}
	note := ""
	if x.n > 0 && len(f.Versions) == 1 {
		note = "Only one version so far: whether its words stay is not known yet."
	}
	top := c.head("Which words of the page stay, and which pass?", sub, note)
	if x.n == 0 {
		c.h = max(c.h, top+90)
		c.blank(top, "No words yet: each word of the page will be a row here, with a bar over the time it was on the page.")
		return c
	}
	c.h = max(c.h, top+180)
	left, right := 0.0, 0.0
	for _, r := range rows {
		w := textWidth(clean(r.Name), sizeSmall, false) + 22 + edge
		if r.Left > 0 {
			left = max(left, w)
		}
		if r.Right > 0 {
			right = max(right, w)
		}
	}
	// The heads stand over the names.
	head := textWidth("passing words", sizeLabel, false) + 22 + edge
	if left > 0 {
		left = max(left, head)
	}
	if right > 0 {
		right = max(right, head)
	}
	left, right = max(edge, min(left, c.w*.24)), max(edge, min(right, c.w*.24))
	p := &plot{canvas: c, box: box{left, top + 30, c.w - left - right, c.h - top - 30 - 44}}
	if left > edge {
		c.place(sizeLabel, "muted", "lasting words", spot{left - 18, top + 20, end}, spot{edge, top + 20, start})
	}
	if right > edge {
		c.place(sizeLabel, "muted", "passing words", spot{p.right() + 18, top + 20, start}, spot{c.w - edge, top + 20, end})
	}
	axis := Axis{Kind: Time, Label: "time of the version, UTC"}
	var ticks []Tick
	p.xs, ticks = axis.fitted(x, p.box.w, 84)
	p.xs.a, p.xs.b = p.x+mark/2, p.right()-mark/2
	Rows{Rows: rows, Mark: mark}.draw(p)
	p.axis(axis, ticks, 4)
	p.place(sizeLabel, "muted", axis.Label, spot{p.right(), p.bottom() + 36, end}, spot{c.w - 4, p.bottom() + 36, end})
	return c
}

// rows are the terms to be drawn, and the width of the mark of a version.
func (f TermLifespans) rows() ([]Row, float64) {
	n := min(len(f.Terms), MaxTerms)
	out := make([]Row, 0, n)
	for i := range n {
		t := f.Terms[i]
		if len(f.Terms) > n {
			t = f.Terms[i*len(f.Terms)/n]
		}
		row := Row{Name: t.Term, Left: t.Lasting, Right: t.Passing, Words: t.Term}
		versions := 0
		for _, s := range t.Spans {
			from, to := max(0, s[0]), min(len(f.Versions), s[1])
			if from < to {
				row.Spans = append(row.Spans, [2]float64{Seconds(f.Versions[from]), Seconds(f.Versions[to-1])})
				versions += to - from
			}
		}
		row.Words += ": in " + plural(versions, "version", "versions")
		if versions > 0 {
			row.Words += ", " + f.between(t.Spans)
		}
		out = append(out, row)
	}
	return out, min(10, max(2, math.Floor(400/float64(max(1, len(f.Versions))))))
}

func (f TermLifespans) between(spans [][2]int) string {
	first, last := len(f.Versions), -1
	for _, s := range spans {
		if max(0, s[0]) < min(len(f.Versions), s[1]) {
			first, last = min(first, max(0, s[0])), max(last, min(len(f.Versions), s[1])-1)
		}
	}
	if last < 0 {
		return ""
	}
	if first == last {
		return moment(f.Versions[first])
	}
	return moment(f.Versions[first]) + " to " + moment(f.Versions[last])
}
