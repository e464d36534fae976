package analyze

import (
	"encoding/binary"
	"time"

	"github.com/strandlinehq/strandline/monitor/terms"
)

// Term is a word of the page with its measures (SCIENCE A21, A22, A24).
type Term struct {
	Term         string    `json:"term"`
	StayingPower *float64  `json:"staying_power"` // null for a page with one version
	Divergence   *float64  `json:"divergence"`    // from the collection of all pages in the files
	First        time.Time `json:"first"`         // first version that has it
	Last         time.Time `json:"last"`
}

// collection is the language model of all pages of the files, P(w|C) of
// SCIENCE A24, with the slots of all pages laid on the same hours:
//
//	P(w|C) = 1/S Σ_t ctf(w, t)/N_t = 1/S Σ_D tf(w, D) Σ_{t that show D} 1/N_t
//
// where N_t counts the words of all pages at slot t and S the slots with words.
// The second form goes over each distinct content once.
type collection struct {
	slots int
	sum   []float64 // by number of the word, S P(w|C)
}

func newCollection(words *vocabulary, pages []*history) *collection {
	tokens := map[int]int64{}
	for _, h := range pages {
		for _, s := range h.grid {
			if s.tokens > 0 {
				tokens[h.base+s.slot] += int64(s.tokens)
			}
		}
	}
	c := &collection{slots: len(tokens), sum: make([]float64, len(words.words))}
	for _, h := range pages {
		weights := h.weights(func(s showing) float64 { return float64(tokens[h.base+s.slot]) })
		for i, d := range h.distinct {
			d.words.each(func(id uint32, count int) { c.sum[id] += float64(count) * weights[i] })
		}
	}
	return c
}

// weights gives of each distinct content the sum of 1/N over the slots that show it.
func (h *history) weights(n func(showing) float64) []float64 {
	weights := make([]float64, len(h.distinct))
	for _, s := range h.grid {
		if s.tokens > 0 {
			weights[h.distinctIndex[s.content]] += 1 / n(s)
		}
	}
	return weights
}

// measureTerms gives the words of a page in the order of the lifespan plot.
func measureTerms(h *history, words *vocabulary, all *collection) []Term {
	if len(h.grid) == 0 {
		return nil
	}
	// P(w|D) with the same sums as P(w|C), so that the only page of a collection
	// does not differ from it by rounding.
	pDoc := map[uint32]float64{}
	weights := h.weights(func(s showing) float64 { return float64(s.tokens) })
	for i, d := range h.distinct {
		d.words.each(func(id uint32, count int) { pDoc[id] += float64(count) * weights[i] })
	}
	versions := 0
	for _, s := range h.grid {
		if s.tokens > 0 {
			versions++
		}
	}
	powers := newPowers(h)
	rows := lifespans(h, words)
	out := make([]Term, len(rows))
	for i, r := range rows {
		out[i] = Term{Term: r.Term, StayingPower: powers.of(r.Spans), First: h.grid[r.First()].at, Last: h.grid[r.Last()].at}
		id := words.ids[r.Term]
		if d, ok := terms.Diverge(pDoc[id]/float64(versions), all.sum[id]/float64(all.slots)); ok {
			out[i].Divergence = &d.Div
		}
	}
	return out
}

// lifespans gives the rows of the plot, with the index in the grid as the slot,
// which leaves out missing slots and orders the rows in the same way.
func lifespans(h *history, words *vocabulary) []terms.Lifespan {
	index := map[uint32]int{}
	var rows []terms.Lifespan
	_ = h.runs(func(from, to int, c *content) error {
		c.words.each(func(id uint32, _ int) {
			i, ok := index[id]
			if !ok {
				i = len(rows)
				index[id] = i
				rows = append(rows, terms.Lifespan{Term: words.words[id]})
			}
			r := &rows[i]
			r.Versions += to - from
			if n := len(r.Spans); n > 0 && r.Spans[n-1].To == from {
				r.Spans[n-1].To = to
			} else {
				r.Spans = append(r.Spans, terms.Span{From: from, To: to})
			}
		})
		return nil
	})
	terms.SortLifespans(rows)
	return rows
}

// powers computes staying powers, those of terms that were used alike once.
type powers struct {
	h     *history
	grid  *terms.Grid // nil if the window is too long
	bits  terms.Bits
	known map[string]*float64
	key   []byte
}

func newPowers(h *history) *powers {
	p := &powers{h: h, known: map[string]*float64{}}
	if h.window() > maxSlots {
		return p
	}
	p.bits = terms.NewBits(h.window())
	for _, s := range h.grid {
		p.bits.Set(s.slot)
	}
	p.grid = terms.NewGrid(p.bits)
	clear(p.bits)
	return p
}

func (p *powers) of(spans []terms.Span) *float64 {
	if p.grid == nil {
		return nil
	}
	p.key = p.key[:0]
	for _, s := range spans {
		p.key = binary.AppendUvarint(binary.AppendUvarint(p.key, uint64(s.From)), uint64(s.To))
	}
	if power, ok := p.known[string(p.key)]; ok {
		return power
	}
	var power *float64
	p.mark(spans, func(slot int) { p.bits.Set(slot) })
	if sigma, ok := p.grid.StayingPower(p.bits); ok {
		if len(spans) == 1 && spans[0].To-spans[0].From == len(p.h.grid) {
			sigma = 1 // a sum of many fractions comes close only
		}
		power = &sigma
	}
	p.mark(spans, func(slot int) { p.bits[slot/64] = 0 })
	p.known[string(p.key)] = power
	return power
}

func (p *powers) mark(spans []terms.Span, f func(slot int)) {
	for _, s := range spans {
		for _, g := range p.h.grid[s.From:s.To] {
			f(g.slot)
		}
	}
}
