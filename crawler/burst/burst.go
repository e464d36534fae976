package burst

import (
	"errors"
	"time"
)

// Phase is how far a page has come.
type Phase uint8

const (
	Candidate Phase = iota // its hourly series is watched
	Enrolled               // the time of its first round is set
	Running                // the first round has begun or was missed
	Done                   // all rounds are over
)

// String returns the phase in lower case.
func (p Phase) String() string {
	if p > Done {
		return "unknown"
	}
	return [...]string{"candidate", "enrolled", "running", "done"}[p]
}

// Hash stands for the text of a version: equal texts, equal hashes.
type Hash [16]byte

// Outcome is what became of a snapshot.
type Outcome uint8

const (
	Pending Outcome = iota
	Lost            // not fetched, or outside of its tolerance, or the first of its round was lost
	Same            // text equal to the first snapshot of the round
	Changed         // text not equal to it
)

// Snapshot is one snapshot after the first of a round.
type Snapshot struct {
	Delay   time.Duration // actual, from the start of the first; 0 unless Same or Changed
	Outcome Outcome
}

// Round is what one round found.
type Round struct {
	First time.Time  // actual start of the first snapshot; zero if that was lost
	Then  []Snapshot // one for each offset after 0
}

var (
	// ErrEarly is returned by Take for a snapshot before its tolerance.
	ErrEarly = errors.New("snapshot before its time")
	// ErrNone is returned by Take and Lose while no snapshot is planned.
	ErrNone = errors.New("no snapshot is planned")
)

// Burst is one page's fast-change crawl. The zero Burst is a candidate without
// slots. Times are kept to the millisecond. The options of the moment of
// enrolment hold to the end.
//
//	Candidate --Slot: often enough--> Enrolled --Take/Lose/Pass--> Running --last round over--> Done
//	    ^----------------------------------- Again ------------------------------------------|
type Burst struct {
	phase    Phase
	slots    int
	changes  int
	opt      Options   // only Offsets, Rounds and Every, from Enrolled on
	start    time.Time // of round 0, as planned
	rounds   []Round   // begun or missed; the last one is going on unless over
	snapshot int       // the next one of the current round
	first    Hash      // of the current round
}

// Phase returns the phase.
func (b *Burst) Phase() Phase { return b.phase }

// Slots returns the hourly slots seen with their predecessor, and those with a change.
func (b *Burst) Slots() Count { return Count{Valid: b.slots, Changed: b.changes} }

// Slot tells of an hourly slot at a time, whether its version's text differs
// from that of the slot before. A missing slot is not told (SCIENCE C6), nor one
// after a missing one. It reports whether the page is enrolled by it. Slots go on
// being counted in all phases. Options must pass Check.
func (b *Burst) Slot(at time.Time, changed bool, opt Options) (enrolled bool) {
	if b.slots >= maxSlots {
		b.slots, b.changes = b.slots/2, b.changes/2
	}
	b.slots++
	if changed {
		b.changes++
	}
	opt = opt.WithDefaults()
	if b.phase != Candidate || b.slots < opt.MinSlots || float64(b.changes) < opt.When*float64(b.slots) {
		return false
	}
	b.phase = Enrolled
	b.opt = Options{Offsets: opt.Offsets, Rounds: opt.Rounds, Every: opt.Every}.clone()
	b.start = at.Add(opt.Lead).Truncate(time.Millisecond).UTC()
	return true
}

// Rested reports whether the page is done and the pause is over since the planned start of
// its last round.
func (b *Burst) Rested(now time.Time, opt Options) bool {
	return b.phase == Done && !now.Before(b.start.Add(time.Duration(b.opt.Rounds-1)*b.opt.Every+opt.WithDefaults().Pause))
}

// Again makes a page that is done a candidate again. Its results are forgotten, its
// slots are counted from now.
func (b *Burst) Again() {
	if b.phase == Done {
		*b = Burst{}
	}
}

// round is the number of the current or next round.
func (b *Burst) round() int {
	if b.snapshot > 0 {
		return len(b.rounds) - 1
	}
	return len(b.rounds)
}

// Next returns the snapshot to be fetched next. There is none for candidates
// and pages that are done.
func (b *Burst) Next() (Shot, bool) {
	if b.phase != Enrolled && b.phase != Running {
		return Shot{}, false
	}
	r := b.round()
	at := b.start.Add(time.Duration(r) * b.opt.Every)
	if b.snapshot > 0 {
		at = b.rounds[r].First.Add(b.opt.Offsets[b.snapshot])
	}
	return shot(r, b.snapshot, at, b.opt.Offsets), true
}

// Take tells of a version whose request started at a time. Snapshots whose
// tolerance had passed by then are lost before it is assigned to the next one; if
// it is too early for that, it is not used and the error is ErrEarly. With no
// snapshot left the error is ErrNone.
func (b *Burst) Take(at time.Time, text Hash) error {
	at = at.Truncate(time.Millisecond).UTC()
	b.Pass(at)
	next, ok := b.Next()
	if !ok {
		return ErrNone
	}
	if at.Before(next.Early) {
		return ErrEarly
	}
	if next.Snapshot == 0 {
		b.rounds = append(b.rounds, Round{First: at, Then: make([]Snapshot, len(b.opt.Offsets)-1)})
		b.first = text
	} else {
		r := &b.rounds[next.Round]
		s := Snapshot{Delay: at.Sub(r.First), Outcome: Same}
		if text != b.first {
			s.Outcome = Changed
		}
		r.Then[next.Snapshot-1] = s
	}
	b.advance()
	return nil
}

// Lose gives the next snapshot up, after a failed fetch that will not be tried
// again. With it goes every pair that it is part of: the whole round if it is
// the first (SCIENCE A7). The error is ErrNone if no snapshot is planned.
func (b *Burst) Lose() error {
	next, ok := b.Next()
	if !ok {
		return ErrNone
	}
	if next.Snapshot == 0 {
		lost := Round{Then: make([]Snapshot, len(b.opt.Offsets)-1)}
		for i := range lost.Then {
			lost.Then[i].Outcome = Lost
		}
		b.rounds = append(b.rounds, lost)
		b.snapshot = len(b.opt.Offsets) - 1 // advance leaves the round
	} else {
		b.rounds[next.Round].Then[next.Snapshot-1].Outcome = Lost
	}
	b.advance()
	return nil
}

// Pass gives up every snapshot whose tolerance ended before now, as after a stop
// of the daemon, and returns how many. A round whose first one is given up
// counts as one.
func (b *Burst) Pass(now time.Time) (lost int) {
	for {
		next, ok := b.Next()
		if !ok || !now.After(next.Late) {
			return lost
		}
		if b.Lose() != nil {
			return lost
		}
		lost++
	}
}

// advance goes to the next snapshot, round, or the end.
func (b *Burst) advance() {
	b.phase = Running
	b.snapshot++
	if b.snapshot < len(b.opt.Offsets) {
		return
	}
	b.snapshot, b.first = 0, Hash{}
	if len(b.rounds) == b.opt.Rounds {
		b.phase = Done
	}
}
