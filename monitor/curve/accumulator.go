package curve

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/monitor/dice"
)

// ErrOrder is returned for a version that does not come after the last one. The
// accumulator is not changed; a page whose history was filled in between is
// computed anew.
var ErrOrder = errors.New("version is not after the last one")

// ErrSets is returned while the sets of words of some starts are missing; see
// Accumulator.Needs.
var ErrSets = errors.New("word sets of the starts are missing")

// MaxSlots bounds the window of an Accumulator: some seven years of hours. It
// keeps a clock that jumped from blowing up the state.
const MaxSlots = 1 << 16

// Accumulator computes the change curve of one page version by version. After
// each it holds exactly the curve that Of computes with the starts that Starts
// chooses, whatever the number of times it was stored and read back in between.
//
// Which slots are the starts is only settled when the window is twice as long
// as the first week. Until then the accumulator follows some more slots than
// there are starts: those that still may become one. For five starts it is 8 or
// 9 on average in the first two weeks, then 5.
type Accumulator struct {
	opt     Options
	seed    uint64
	started bool
	first   int
	slots   []int // with a version, counted from the first
	early   int   // versions in the first week
	same    dice.WordSet
	follow  []followed // ascending by slot
	moved   bool       // slots were followed or dropped since NewAccumulator or UnmarshalBinary
}

// followed is a slot that is or may become a start.
type followed struct {
	candidate
	series
	words dice.WordSet // nil if not supplied yet
}

// NewAccumulator returns an Accumulator for a page without versions.
func NewAccumulator(url string, opt Options) *Accumulator {
	return &Accumulator{opt: opt.withDefaults(), seed: xxh3.HashString(url)}
}

// Add takes the version in a slot after all earlier ones; slots that are left
// out are missing. words is kept and must not be changed. The first slot may
// have any number. It costs one Dice coefficient for each followed slot.
func (a *Accumulator) Add(slot int, words dice.WordSet) error {
	if err := a.check(slot); err != nil {
		return err
	}
	if len(a.Needs()) > 0 {
		return ErrSets
	}
	if words == nil {
		words = dice.WordSet{}
	}
	if !a.started {
		a.started, a.first = true, slot
	}
	a.slots = append(a.slots, slot-a.first)
	for i := range a.follow {
		f := &a.follow[i]
		f.pairs = append(f.pairs, pairOf(f.words, words))
	}
	c := newCandidate(a.seed, slot, a.first, a.opt.Week)
	if c.early {
		a.early++
	}
	a.push(c, words)
	a.same = words
	return nil
}

// Repeat takes a slot whose version has the same words as the one before it.
// It needs no set of words, unless the slot becomes one to follow in the first
// two weeks; ErrSets then asks for Add.
func (a *Accumulator) Repeat(slot int) error {
	if !a.started {
		return fmt.Errorf("slot %d repeats nothing: %w", slot, ErrOrder)
	}
	if err := a.check(slot); err != nil {
		return err
	}
	c := newCandidate(a.seed, slot, a.first, a.opt.Week)
	wanted := a.wants(c)
	if wanted && a.same == nil {
		return ErrSets
	}
	if c.early {
		a.early++
	}
	a.slots = append(a.slots, slot-a.first)
	for i := range a.follow {
		f := &a.follow[i]
		f.pairs = append(f.pairs, f.pairs[len(f.pairs)-1])
	}
	if wanted {
		a.push(c, a.same)
		return nil
	}
	a.drop(false)
	return nil
}

// push follows the slot of c from now on, if it may become a start.
func (a *Accumulator) push(c candidate, words dice.WordSet) {
	n := int32(len(words))
	a.follow = append(a.follow, followed{
		candidate: c,
		series:    series{from: len(a.slots) - 1, size: n, pairs: []pair{{n, n}}},
		words:     words,
	})
	a.drop(true)
}

func (a *Accumulator) check(slot int) error {
	switch {
	case a.started && slot <= a.last():
		return fmt.Errorf("slot %d after slot %d: %w", slot, a.last(), ErrOrder)
	case a.started && slot-a.first >= MaxSlots:
		return fmt.Errorf("slot %d is more than %d slots after the first", slot, MaxSlots)
	}
	return nil
}

// Last returns the slot of the last version; ok is false if there is none.
func (a *Accumulator) Last() (slot int, ok bool) {
	if !a.started {
		return 0, false
	}
	return a.last(), true
}

// last returns the slot of the last version.
func (a *Accumulator) last() int { return a.first + a.slots[len(a.slots)-1] }

// wants tells whether a slot that arrives now may ever become a start: not if
// there are enough earlier ones that beat it, as these may be drawn whenever it
// may; and not after a first week that has enough versions.
func (a *Accumulator) wants(c candidate) bool {
	if !c.early && a.early >= a.opt.Starts {
		return false
	}
	better := 0
	for i := range a.follow {
		if a.follow[i].beats(c) {
			better++
		}
	}
	return better < a.opt.Starts
}

// drop forgets the slots that cannot become a start any more: those that enough
// others beat which are earlier, or may be drawn already. fresh tells that the
// last one has just come.
func (a *Accumulator) drop(fresh bool) {
	keep := make([]bool, len(a.follow))
	for i, f := range a.follow {
		better := 0
		for k := range a.follow {
			g := &a.follow[k]
			if g.beats(f.candidate) && (k < i || g.eligible(a.first, a.last())) {
				better++
			}
		}
		keep[i] = better < a.opt.Starts && (f.early || a.early < a.opt.Starts)
	}
	n := 0
	for i := range a.follow {
		if keep[i] {
			a.follow[n] = a.follow[i]
			n++
		} else if i < len(a.follow)-1 || !fresh {
			a.moved = true
		}
	}
	if fresh && n > 0 && keep[len(keep)-1] {
		a.moved = true
	}
	clear(a.follow[n:])
	a.follow = a.follow[:n]
}

// starts returns the followed slots that are starts now, ascending.
func (a *Accumulator) starts() []*followed {
	var out []*followed
	for i := range a.follow {
		if a.follow[i].eligible(a.first, a.last()) {
			out = append(out, &a.follow[i])
		}
	}
	slices.SortFunc(out, func(f, g *followed) int {
		if f.beats(g.candidate) {
			return -1
		}
		return 1
	})
	out = out[:min(len(out), a.opt.Starts)]
	slices.SortFunc(out, func(f, g *followed) int { return f.slot - g.slot })
	return out
}

// Starts returns the slots that the curve starts from now, ascending.
func (a *Accumulator) Starts() []int {
	var out []int
	for _, f := range a.starts() {
		out = append(out, f.slot)
	}
	return out
}

// Curve returns the curve of the window from the first version to the last.
func (a *Accumulator) Curve() Curve {
	var all []series
	for _, f := range a.starts() {
		all = append(all, f.series)
	}
	if len(all) == 0 {
		return Curve{Full: -1}
	}
	return mean(all, a.slots, a.slots[len(a.slots)-1]+1)
}

// Each returns a curve for each start alone, in the order of Starts, of which Curve is
// the mean (SCIENCE A20).
func (a *Accumulator) Each() []Curve {
	var out []Curve
	for _, f := range a.starts() {
		out = append(out, mean([]series{f.series}, a.slots, a.slots[len(a.slots)-1]+1))
	}
	return out
}

// Needs returns the followed slots, ascending, whose sets of words are not here:
// after UnmarshalBinary, until Supply or UnmarshalSets brings them.
func (a *Accumulator) Needs() []int {
	var out []int
	for i := range a.follow {
		if a.follow[i].words == nil {
			out = append(out, a.follow[i].slot)
		}
	}
	return out
}

// Moved reports whether the followed slots changed since NewAccumulator or
// UnmarshalBinary: if not, what MarshalSets returned then is still right.
func (a *Accumulator) Moved() bool { return a.moved }

// Supply gives the set of words of the version in a followed slot. It reports
// whether the slot is followed and the set has the size that was seen.
func (a *Accumulator) Supply(slot int, words dice.WordSet) bool {
	for i := range a.follow {
		if f := &a.follow[i]; f.slot == slot && len(words) == int(f.size) {
			if words == nil {
				words = dice.WordSet{}
			}
			f.words = words
			return true
		}
	}
	return false
}
