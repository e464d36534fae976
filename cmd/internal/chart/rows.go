package chart

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// Row is one line of a plot of rows: a name, and stretches of x in which it is there.
type Row struct {
	Name  string
	Spans [][2]float64
	Words string // for hovering; the name if empty
	// Left and Right ask for the name at that side; the greater go first where
	// there is no room for all. 0: not named.
	Left, Right float64
}

// Rows are drawn from the bottom up, their bars over x.
type Rows struct {
	Rows  []Row
	Mark  float64 // the least width of a bar, in px; 0: 2
	Color string  // "accent" if empty
}

// rowLabel is the height a row's name takes.
const rowLabel = 12.5

func (r Rows) extents(x, y *extent) {
	for i, row := range r.Rows {
		for _, s := range row.Spans {
			if finite(s[0]) && finite(s[1]) {
				x.add(s[0])
				x.add(s[1])
				y.add(float64(i))
				y.add(float64(i + 1))
			}
		}
	}
}

func (r Rows) draw(p *plot) {
	color, least := r.Color, r.Mark
	if color == "" {
		color = "accent"
	}
	if least == 0 {
		least = 2
	}
	step := p.h0() / float64(max(1, len(r.Rows)))
	thick := min(9, step*.72)
	for i, row := range r.Rows {
		y := p.bottom() - (float64(i)+.5)*step
		var d bytes.Buffer
		for _, s := range row.Spans {
			a, b := p.xs.clamp(s[0]), p.xs.clamp(s[1])
			if !finite(a) || !finite(b) {
				continue
			}
			if b-a < least {
				a, b = (a+b-least)/2, (a+b+least)/2
			}
			a = max(a, p.x-least/2)
			d.WriteString("M" + px(a) + " " + px(y) + "H" + px(b))
		}
		words := row.Words
		if words == "" {
			words = row.Name
		}
		if d.Len() > 0 {
			p.el("path", words, "d", d.Bytes(), "class", "s-"+color, "stroke-width", thick, "data-term", row.Name)
		}
	}
	r.names(p, step, true)
	r.names(p, step, false)
}

// near says whether no spot is further than reach from what was wanted.
func near(spots, wanted []float64, reach float64) bool {
	for i := range spots {
		if math.Abs(spots[i]-wanted[i]) > reach {
			return false
		}
	}
	return true
}

// names sets the wanted names beside the plot with a hairline to their rows. The
// names chosen are those of the highest wish that have room.
func (r Rows) names(p *plot, step float64, left bool) {
	type wish struct {
		row  int
		want float64
	}
	var wishes []wish
	for i, row := range r.Rows {
		want := row.Right
		if left {
			want = row.Left
		}
		if want > 0 && finite(want) && clean(row.Name) != "" {
			wishes = append(wishes, wish{i, want})
		}
	}
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(b.want, a.want) })
	// A name is taken if all taken so far stay near their rows.
	var taken []wish
	var at, ys []float64
	for _, w := range wishes {
		i, _ := slices.BinarySearchFunc(taken, w, func(a, b wish) int { return cmp.Compare(b.row, a.row) }) // from the top
		more := slices.Insert(slices.Clone(taken), i, w)
		wanted := make([]float64, len(more))
		for k, m := range more {
			wanted[k] = p.bottom() - (float64(m.row)+.5)*step
		}
		spots := spread(wanted, rowLabel, p.y+rowLabel/2, p.bottom()-rowLabel/2)
		if near(spots, wanted, 2*rowLabel) && spots[0] >= p.y {
			taken, at, ys = more, spots, wanted
		}
		if float64(len(taken)+1)*rowLabel > p.h0() {
			break
		}
	}
	for i, w := range taken {
		x0, x1, x2, a, room := p.right()+4, p.right()+14, p.right()+18, start, p.w0()-p.right()-22
		if left {
			x0, x1, x2, a, room = p.x-4, p.x-14, p.x-18, end, p.x-22
		}
		if p.place(sizeSmall, "ink", fit(clean(r.Rows[w.row].Name), math.Max(room, 0), sizeSmall, false), spot{x2, at[i] + 3.8, a}) {
			p.el("path", "", "d", "M"+px(x0)+" "+px(ys[i])+"L"+px(x1)+" "+px(at[i]), "fill", "none", "class", "s-axis", "stroke-width", ".75")
		}
	}
}
