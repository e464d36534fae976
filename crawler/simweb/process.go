package simweb

import (
	"slices"
	"time"
)

// A process is the sequence of a page's change times. Time is cut into cells from start on; each cell holds
// one change at a random place (regular) or a Poisson number of them at uniform places, which together
// are exactly a Poisson process of rate mean/cell. Any cell is drawn by itself from the seed. Times are
// offsets from the epoch.
type process struct {
	seed         uint64
	start, until time.Duration // changes fall in [start, until)
	cell         time.Duration // whole seconds; 0: no changes at all
	mean         float64       // changes a cell; 0: exactly one
}

// A tick is one change: its time, and an id that no other change of the page has. The zero id stands for the
// birth of the page.
type tick struct {
	id uint64
	at time.Duration
}

const (
	maxPerCell  = 24 // a Poisson number of mean 4 exceeds it once in 10^12 cells
	poissonMean = 4.0
)

// forever is later than any time that is asked for.
const forever = time.Duration(1<<63 - 1)

// A cursor walks over the ticks of a process in either direction and keeps the cell it is in.
type cursor struct {
	p     process
	index int64
	ticks [maxPerCell]time.Duration
	n, i  int
}

// load draws cell number index. Ticks are whole seconds, ascending, and never equal: a tick that meets
// another moves on by a second, and is dropped if that takes it out of the cell.
func (c *cursor) load(index int64) {
	c.index, c.n = index, 0
	d := dice{mix(c.p.seed, forTick, uint64(index))}
	count := 1
	if c.p.mean > 0 {
		count = min(d.poisson(c.p.mean), maxPerCell)
	}
	for range count {
		c.ticks[c.n] = d.span(0, c.p.cell)
		c.n++
	}
	drawn := c.ticks[:c.n]
	slices.Sort(drawn)
	base, kept, last := c.p.start+time.Duration(index)*c.p.cell, 0, -time.Second
	for _, at := range drawn {
		at = max(at, last+time.Second)
		if last = at; at < c.p.cell && base+at < c.p.until {
			c.ticks[kept] = base + at
			kept++
		}
	}
	c.n = kept
}

func (c *cursor) tick() tick {
	return tick{id: uint64(c.index)<<6 | uint64(c.i+1), at: c.ticks[c.i]}
}

// at places a cursor on the last tick not after t; ok is false when there is none.
func (p process) at(t time.Duration) (c cursor, ok bool) {
	c.p = p
	if p.cell <= 0 || t < p.start {
		return c, false
	}
	c.load(int64((min(t, p.until-1) - p.start) / p.cell))
	for c.i = c.n - 1; c.i >= 0; c.i-- {
		if c.ticks[c.i] <= t {
			return c, true
		}
	}
	c.i = 0
	return c, c.back()
}

// back moves to the tick before; false at the beginning.
func (c *cursor) back() bool {
	if c.i--; c.i >= 0 {
		return true
	}
	for c.index > 0 {
		if c.load(c.index - 1); c.n > 0 {
			c.i = c.n - 1
			return true
		}
	}
	return false
}

// after finds the first tick later than t.
func (p process) after(t time.Duration) (tick, bool) {
	if p.cell <= 0 || t >= p.until {
		return tick{}, false
	}
	c := cursor{p: p}
	index := int64(0)
	if t > p.start {
		index = int64((t - p.start) / p.cell)
	}
	for ; p.start+time.Duration(index)*p.cell < p.until; index++ {
		c.load(index)
		for c.i = 0; c.i < c.n; c.i++ {
			if c.ticks[c.i] > t {
				return c.tick(), true
			}
		}
	}
	return tick{}, false
}
