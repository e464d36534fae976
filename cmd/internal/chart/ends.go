package chart

import (
	"cmp"
	"math"
	"slices"
)

// endLabel is a direct label beside the plot, at the height of what it names.
type endLabel struct {
	y     float64
	text  string
	class string
}

// spread moves the centres ys, ascending, so that neighbours are at least gap
// apart within lo to hi, as little as that takes: pools of neighbours that touch
// share their mean displacement. If there is no room for all, they overflow at hi.
func spread(ys []float64, gap, lo, hi float64) []float64 {
	type pool struct {
		first, n int
		top      float64 // of the first centre
	}
	var pools []pool
	for i, y := range ys {
		pools = append(pools, pool{i, 1, y})
		for len(pools) > 1 {
			a, b := &pools[len(pools)-2], pools[len(pools)-1]
			if a.top+float64(a.n)*gap <= b.top {
				break
			}
			// The best place of the joined pool is the mean of where its members
			// would want its first centre to be.
			n := a.n + b.n
			a.top = (a.top*float64(a.n) + (b.top-float64(a.n)*gap)*float64(b.n)) / float64(n)
			a.n = n
			pools = pools[:len(pools)-1]
		}
	}
	out := make([]float64, len(ys))
	for _, p := range pools {
		for i := range p.n {
			out[p.first+i] = p.top + float64(i)*gap
		}
	}
	for i := range out { // down from the top
		floor := lo
		if i > 0 {
			floor = out[i-1] + gap
		}
		out[i] = max(out[i], floor)
	}
	for i := len(out) - 1; i >= 0; i-- { // and up from the bottom
		roof := hi
		if i < len(out)-1 {
			roof = out[i+1] - gap
		}
		out[i] = min(out[i], roof)
	}
	return out
}

// drawEnds sets the labels at the right of the plot.
func (p *plot) drawEnds() {
	slices.SortStableFunc(p.ends, func(a, b endLabel) int { return cmp.Compare(a.y, b.y) })
	ys := make([]float64, len(p.ends))
	for i, e := range p.ends {
		ys[i] = e.y
	}
	room := min(p.canvas.w*.34, p.w0()-4-p.right()-8)
	for i, y := range spread(ys, 15, p.y+2, p.bottom()-2) {
		e := p.ends[i]
		p.place(sizeLabel, e.class, fitMiddle(clean(e.text), room, sizeLabel), spot{p.right() + 8, y + 4, start})
	}
}

// calm draws the text at that of the spots, on the plot and free of other texts,
// which the fewest lines run through; of equal ones at the first.
func (p *plot) calm(size float64, class, s string, spots []spot) bool {
	s = clean(s)
	best, least := -1, 0
	for i, sp := range spots {
		b := textBox(sp.x, sp.y, size, sp.a, strong(class) != "", s)
		if !p.free(b) || b.x < p.x-2 || b.right() > p.right()+2 || b.y < p.y-2 || b.bottom() > p.bottom() {
			continue // what stands beside the plot may not be drawn yet
		}
		n := 0
		for _, q := range p.inked {
			if q.X > b.x-2 && q.X < b.right()+2 && q.Y > b.y-2 && q.Y < b.bottom()+2 {
				n++
			}
		}
		if best < 0 || n < least {
			best, least = i, n
		}
	}
	if best < 0 {
		return false
	}
	p.halo(spots[best].x, spots[best].y, size, spots[best].a, class, s)
	return true
}

// ink notes where a line through points in px runs.
func (p *plot) ink(points ...Point) {
	for i, q := range points {
		if !q.finite() || len(p.inked) > 50_000 {
			continue
		}
		p.inked = append(p.inked, q)
		if i == 0 || !points[i-1].finite() {
			continue
		}
		a := points[i-1]
		n := int(max(math.Abs(q.X-a.X), math.Abs(q.Y-a.Y)) / 5)
		for k := 1; k < n; k++ {
			t := float64(k) / float64(n)
			p.inked = append(p.inked, Point{a.X + t*(q.X-a.X), a.Y + t*(q.Y-a.Y)})
		}
	}
}
