package curve

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/zeebo/xxh3"
)

// Options for the choice of starts. The zero value is the paper's: five starts
// and a week of 168 hourly slots.
type Options struct {
	Starts int // how many at most; zero means 5
	Week   int // slots in a week; zero means 168
}

func (o Options) withDefaults() Options {
	if o.Starts <= 0 {
		o.Starts = 5
	}
	if o.Week <= 0 {
		o.Week = 168
	}
	return o
}

// Starts chooses the slots that the change curve of a page starts from, in
// ascending order (SCIENCE A15, paper A section 4.2.1: "at random, biased to the
// first week"). slots are those that have a version, ascending. A slot may be
// drawn if at least half of the window, from the first slot to the last, follows
// it. If the first week has enough such slots all starts are drawn from it, else
// its slots weigh four times as much as later ones.
//
// The draw is seeded by the page's URL and the distance of a slot from the first
// alone: the same slots give the same starts on every machine, and a longer
// history mostly keeps them.
func Starts(url string, slots []int, opt Options) []int {
	if len(slots) == 0 {
		return nil
	}
	opt = opt.withDefaults()
	seed := xxh3.HashString(url)
	first, last := slots[0], slots[len(slots)-1]
	var all []candidate
	early := 0
	for _, s := range slots {
		c := newCandidate(seed, s, first, opt.Week)
		if !c.eligible(first, last) {
			break
		}
		if c.early {
			early++
		}
		all = append(all, c)
	}
	if early >= opt.Starts {
		all = all[:early]
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.beats(b) {
			return -1
		}
		return 1
	})
	var out []int
	for _, c := range all[:min(len(all), opt.Starts)] {
		out = append(out, c.slot)
	}
	slices.Sort(out)
	return out
}

// candidate is a slot that may be drawn. A weighted draw without replacement
// takes the greatest keys u^(1/w), u uniform in (0, 1) (Efraimidis and Spirakis
// 2006). Since a key depends on nothing but URL and slot, the draw can go on
// while slots arrive.
type candidate struct {
	slot  int
	early bool // in the first week
	key   float64
}

func newCandidate(seed uint64, slot, first, week int) candidate {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(slot-first))
	u := (float64(xxh3.HashSeed(b[:], seed)>>11) + .5) / (1 << 53)
	c := candidate{slot: slot, early: slot-first < week, key: u}
	if c.early {
		// The fourth root gives a slot of the first week four times the weight of a
		// later one; two square roots are the same on all machines.
		c.key = math.Sqrt(math.Sqrt(u))
	}
	return c
}

// eligible tells whether at least half of the window [first, last] follows.
func (c candidate) eligible(first, last int) bool { return 2*(c.slot-first) <= last-first }

// beats orders candidates; the earlier slot wins a tie.
func (c candidate) beats(d candidate) bool {
	if c.key != d.key {
		return c.key > d.key
	}
	return c.slot < d.slot
}
