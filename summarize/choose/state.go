package choose

import (
	"cmp"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/summarize/feature"
)

// state holds F over the pool, indices being places in the pool.
type state struct {
	opt     Options
	items   []Item
	pool    []int       // of items
	like    [][]float64 // cosines
	all     []float64   // sum of a row of like
	covered []float64   // sum of like over the chosen ones
	group   map[int]float64
	chosen  []int
	total   float64 // F of the chosen ones
	scale   float64 // of values: the largest becomes 1
	queue   queue
}

func newState(items []Item, opt Options) *state {
	g := &state{opt: opt, items: items, group: map[int]float64{}, scale: 1}
	for i, it := range items {
		if it.Value > 0 && len(it.Terms) > 0 && !math.IsInf(it.Value, 1) {
			g.pool = append(g.pool, i)
		}
	}
	slices.SortStableFunc(g.pool, func(a, b int) int { return cmp.Compare(items[b].Value, items[a].Value) })
	g.pool = g.pool[:min(opt.Pool, len(g.pool))]
	n := len(g.pool)
	if n > 0 {
		g.scale = items[g.pool[0]].Value
	}
	g.covered, g.all = make([]float64, n), make([]float64, n)
	flat := make([]float64, n*n)
	for i := range n {
		g.like = append(g.like, flat[i*n:(i+1)*n])
	}
	for i := range n {
		for j := i; j < n; j++ {
			c := feature.Cosine(items[g.pool[i]].Terms, items[g.pool[j]].Terms)
			g.like[i][j], g.like[j][i] = c, c
		}
	}
	for i := range n {
		for _, c := range g.like[i] {
			g.all[i] += c
		}
	}
	for i := range n {
		g.queue.entries = append(g.queue.entries, entry{item: i, gain: g.gain(i)})
	}
	g.queue.divisor = func(i int) float64 { return math.Pow(float64(cost(items[g.pool[i]])), opt.Scaling) }
	return g
}

func (g *state) value(i int) float64 { return g.items[g.pool[i]].Value / g.scale }

// gain is F(S + i) - F(S).
func (g *state) gain(i int) float64 {
	sum := 0.0
	for j, c := range g.like[i] {
		if c == 0 {
			continue
		}
		enough := g.opt.Alpha * g.all[j]
		if before := g.covered[j]; before < enough {
			sum += g.value(j) * (min(before+c, enough) - before) / g.all[j]
		}
	}
	r := g.group[g.items[g.pool[i]].Group]
	return sum + g.opt.Lambda*(math.Sqrt(r+g.value(i))-math.Sqrt(r))
}

func (g *state) take(i int) {
	g.total += g.gain(i)
	for j, c := range g.like[i] {
		g.covered[j] += c
	}
	g.group[g.items[g.pool[i]].Group] += g.value(i)
	g.chosen = append(g.chosen, i)
}

func (g *state) tooLike(i int) bool {
	return slices.ContainsFunc(g.chosen, func(j int) bool { return g.like[i][j] >= g.opt.MaxLikeness })
}

// singleValue is F of one item alone.
func (g *state) singleValue(i int) float64 {
	empty := *g
	empty.covered, empty.group = make([]float64, len(g.pool)), map[int]float64{}
	return empty.gain(i)
}

// bestSingle is the item with the largest F alone that the budget allows, -1
// without any.
func (g *state) bestSingle() int {
	best, most := -1, 0.0
	if g.opt.Items < 1 {
		return best
	}
	empty := *g
	empty.covered, empty.group = make([]float64, len(g.pool)), map[int]float64{}
	for i := range g.pool {
		if cost(g.items[g.pool[i]]) > g.opt.Budget {
			continue
		}
		if f := empty.gain(i); f > most {
			best, most = i, f
		}
	}
	return best
}

// entry is an item with its gain as of a round.
type entry struct {
	item, round int
	gain        float64
}

// queue is a heap by gain per scaled cost, equal ones by place in the pool.
type queue struct {
	entries []entry
	divisor func(item int) float64
}

func (q *queue) Len() int { return len(q.entries) }

func (q *queue) Less(a, b int) bool {
	x, y := q.entries[a], q.entries[b]
	return cmp.Or(cmp.Compare(y.gain/q.divisor(y.item), x.gain/q.divisor(x.item)), x.item-y.item) < 0
}
func (q *queue) Swap(a, b int) { q.entries[a], q.entries[b] = q.entries[b], q.entries[a] }
func (q *queue) Push(e any)    { q.entries = append(q.entries, e.(entry)) }

func (q *queue) Pop() any {
	last := q.entries[len(q.entries)-1]
	q.entries = q.entries[:len(q.entries)-1]
	return last
}
