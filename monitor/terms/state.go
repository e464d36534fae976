package terms

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/monitor/dice"
)

// ErrOrder is returned for a version that does not come after the last one. The
// state is not changed; a page whose history was filled in between is computed
// anew.
var ErrOrder = errors.New("version is not after the last one")

const (
	// MaxSlots bounds the window of a State: some seven years of hours. It keeps
	// a clock that jumped from blowing up what is computed.
	MaxSlots = 1 << 16
	// MaxWord is the longest word, in bytes, that a State follows. Longer ones
	// (embedded data, mostly) count for the length of a version only.
	MaxWord = 128
	// DefaultLimit is the size of a marshalled State, in bytes, that NewState uses.
	DefaultLimit = 26 << 10
)

// shareBits is the resolution of stored shares: tf/|D| is rounded to a multiple
// of 2^-36, an error of P(w|D) of at most 8e-12. Sums of whole numbers do not
// depend on how often the state is stored in between.
const shareBits = 36

// State is what is kept of the terms of one page: which versions have them, and
// how often on average. It gives the measures of this package for the page
// without its old versions.
//
// All terms of a page that were always used alike share one group, so a new
// article of hundreds of new words costs one group and the words themselves.
//
// The marshalled form stays near a limit. If the terms need more, the State
// keeps a sample: first those whose hash is even, then every fourth, eighth and
// so on. What is kept is complete and exact, so rows, staying powers and their
// histogram are those of a fair sample of the terms; Sampled tells how fair. The
// sample depends on the words alone, not on when the state was stored.
type State struct {
	limit   int
	level   int // terms are kept whose hash ends in level zero bits
	started bool
	slots   []Span // that have a version, ascending, apart from each other
	seen    int    // versions
	words   int    // |D| of the last version
	docs    int    // versions with words, without the pending ones
	pending int    // versions whose shares are not in the sums yet: the last and its repeats

	groups []group
	terms  []term
	order  []int32 // indices of terms by group, by name within
	table  []int32 // 1+index of a term by its hash, a power of two long

	form []byte // what MarshalBinary returns, if that is known

	// Scratch of Add.
	tf      []uint32
	touched []int32
}

// group is the use that some terms have in common. Its spans count versions,
// not slots: version k is the k-th that was seen.
type group struct {
	spans []Span // closed ones; shared between groups and never changed
	open  int    // first version of the last span if that goes on; else -1
	tf    uint32 // occurrences in the last version; 0 if not open
	sum   uint64 // Σ tf/|D| in units of 2^-shareBits, without the pending versions
}

type term struct {
	text  string
	hash  uint64
	group int32 // -1 for one that Add just met
}

// NewState returns a State without versions whose marshalled form is to stay
// near limit bytes; zero means DefaultLimit.
func NewState(limit int) *State {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &State{limit: min(limit, math.MaxInt32)}
}

// Add takes the version in a slot after all earlier ones; slots that are left
// out are missing. each calls its argument once for every distinct word of the
// version, in any order, with the word's dice.Hash and its number of occurrences, as
// extract.Counter.Each does.
func (s *State) Add(slot int, each func(f func(word []byte, hash uint64, count int))) error {
	if err := s.check(slot); err != nil {
		return err
	}
	s.settle()
	if s.table == nil {
		s.index()
	}
	version, known := s.seen, len(s.terms)
	s.observe(slot)
	s.tf = slices.Grow(s.tf[:0], known+64)[:known]
	clear(s.tf)
	s.words = 0
	mask := uint64(1)<<s.level - 1
	each(func(word []byte, hash uint64, count int) {
		if count <= 0 {
			return
		}
		s.words += count
		if hash&mask != 0 || len(word) > MaxWord {
			return
		}
		s.tf[s.find(word, hash)] = uint32(min(count, math.MaxInt32))
	})
	s.pending = 1
	s.regroup(version, known)
	s.fit()
	return nil
}

// Repeat takes a slot whose version has the same words as the one before it, as
// often. It takes constant time.
func (s *State) Repeat(slot int) error {
	if !s.started {
		return fmt.Errorf("slot %d repeats nothing: %w", slot, ErrOrder)
	}
	if err := s.check(slot); err != nil {
		return err
	}
	s.observe(slot)
	s.pending++
	return nil
}

func (s *State) check(slot int) error {
	if !s.started {
		return nil
	}
	if last := s.slots[len(s.slots)-1].To - 1; slot <= last {
		return fmt.Errorf("slot %d after slot %d: %w", slot, last, ErrOrder)
	}
	if slot-s.slots[0].From >= MaxSlots {
		return fmt.Errorf("slot %d is more than %d slots after the first", slot, MaxSlots)
	}
	return nil
}

func (s *State) observe(slot int) {
	s.started, s.form = true, nil
	s.seen++
	if k := len(s.slots) - 1; k >= 0 && s.slots[k].To == slot {
		s.slots[k].To++
		return
	}
	s.slots = append(s.slots, Span{slot, slot + 1})
}

// settle adds the shares of the pending versions to the sums.
func (s *State) settle() {
	if s.words > 0 {
		s.docs += s.pending
		for i := range s.groups {
			if g := &s.groups[i]; g.open >= 0 {
				g.sum += s.share(g.tf) * uint64(s.pending)
			}
		}
	}
	s.pending = 0
}

// share returns tf/|D| of the last version in units of 2^-shareBits, rounded.
func (s *State) share(tf uint32) uint64 {
	return uint64(math.Round(float64(tf) / float64(s.words) * (1 << shareBits)))
}

// find returns the index of a term, adding it if it is new.
func (s *State) find(word []byte, hash uint64) int {
	mask := uint64(len(s.table) - 1)
	at := hash >> 32 & mask // the low bits are used up by the sampling
	for s.table[at] != 0 {
		i := int(s.table[at] - 1)
		if t := &s.terms[i]; t.hash == hash && t.text == string(word) {
			return i
		}
		at = (at + 1) & mask
	}
	s.terms = append(s.terms, term{string(word), hash, -1})
	s.tf = append(s.tf, 0)
	s.table[at] = int32(len(s.terms))
	if 2*len(s.terms) > len(s.table) {
		s.index()
	}
	return len(s.terms) - 1
}

// index makes the table anew with room for twice the terms.
func (s *State) index() {
	size := 1 << 10
	for size < 4*len(s.terms) {
		size *= 2
	}
	s.table = make([]int32, size)
	mask := uint64(size - 1)
	for i := range s.terms {
		at := s.terms[i].hash >> 32 & mask
		for s.table[at] != 0 {
			at = (at + 1) & mask
		}
		s.table[at] = int32(i + 1)
	}
}

// Versions returns how many versions the state has seen, repeats included.
func (s *State) Versions() int { return s.seen }

// Set returns the set of words of the version in a slot. ok is false if the slot
// has no version or the set is not complete, being sampled.
func (s *State) Set(slot int) (set dice.WordSet, ok bool) {
	version := s.version(slot)
	if version < 0 || s.level > 0 {
		return nil, false
	}
	set = dice.WordSet{}
	for i := range s.terms {
		if s.groups[s.terms[i].group].has(version) {
			set = append(set, s.terms[i].hash)
		}
	}
	slices.Sort(set)
	return set, true
}

func (g *group) has(version int) bool {
	if g.open >= 0 && version >= g.open {
		return true
	}
	i, _ := slices.BinarySearchFunc(g.spans, version, func(sp Span, v int) int { return sp.To - 1 - v })
	return i < len(g.spans) && g.spans[i].From <= version
}

// version returns the number of the version in a slot, -1 if it is missing.
func (s *State) version(slot int) int {
	n := 0
	for _, sp := range s.slots {
		if slot < sp.From {
			break
		}
		if slot < sp.To {
			return n + slot - sp.From
		}
		n += sp.To - sp.From
	}
	return -1
}
