package burst

import (
	"encoding/binary"
	"errors"
	"time"
)

var errState = errors.New("burst: state is damaged")

const (
	stateFormat = 1
	maxMilli    = 1 << 47 // year 6429
)

// MarshalBinary returns the state for the page's row, 5 bytes for a candidate and
// some 130 for a page that is done. All numbers but the first two are uvarints,
// times and durations in milliseconds:
//
//	format, phase (one byte each), slots, changes
//	from Enrolled on: start, Every, Rounds, number of offsets, offsets after 0
//	  number of rounds, next snapshot, of each round:
//	    first+1 or 0 for lost, of each snapshot after the first:
//	      outcome, or for Same and Changed 4*delay + outcome
//	  if a round is going on, 16 bytes of hash of its first snapshot
func (b *Burst) MarshalBinary() ([]byte, error) {
	out := []byte{stateFormat, byte(b.phase)}
	put := func(v int64) { out = binary.AppendUvarint(out, uint64(v)) }
	put(int64(b.slots))
	put(int64(b.changes))
	if b.phase == Candidate {
		return out, nil
	}
	put(b.start.UnixMilli())
	put(b.opt.Every.Milliseconds())
	put(int64(b.opt.Rounds))
	put(int64(len(b.opt.Offsets)))
	for _, o := range b.opt.Offsets[1:] {
		put(o.Milliseconds())
	}
	put(int64(len(b.rounds)))
	put(int64(b.snapshot))
	for _, r := range b.rounds {
		if r.First.IsZero() {
			put(0)
		} else {
			put(r.First.UnixMilli() + 1)
		}
		for _, s := range r.Then {
			put(4*s.Delay.Milliseconds() + int64(s.Outcome))
		}
	}
	if b.snapshot > 0 {
		out = append(out, b.first[:]...)
	}
	return out, nil
}

// UnmarshalBinary restores what MarshalBinary returned. No bytes at all are the
// zero Burst. On an error the Burst is not changed.
func (b *Burst) UnmarshalBinary(data []byte) error {
	if len(data) == 0 {
		*b = Burst{}
		return nil
	}
	r := reader{b: data}
	if r.byte() != stateFormat {
		return errState
	}
	n := Burst{phase: Phase(r.byte())}
	n.slots, n.changes = r.uint(maxSlots), r.uint(maxSlots)
	if n.phase > Done || n.changes > n.slots {
		return errState
	}
	if n.phase != Candidate && !n.read(&r) {
		return errState
	}
	if r.bad || len(r.b) > 0 {
		return errState
	}
	*b = n
	return nil
}

// read reads all behind the slots and reports whether it makes sense.
func (b *Burst) read(r *reader) bool {
	b.start = r.time()
	b.opt.Every = r.duration()
	b.opt.Rounds = r.uint(maxRounds)
	b.opt.Offsets = []time.Duration{0}
	for range r.uint(maxOffsets) - 1 {
		b.opt.Offsets = append(b.opt.Offsets, r.duration())
	}
	if r.bad || b.opt.Rounds == 0 || b.opt.Every == 0 || b.opt.Check() != nil {
		return false
	}
	rounds := r.uint(b.opt.Rounds)
	b.snapshot = r.uint(len(b.opt.Offsets) - 1)
	for i := range rounds {
		pending := len(b.opt.Offsets) // the first snapshot that is still to come
		if i == rounds-1 && b.snapshot > 0 {
			pending = b.snapshot
		}
		if !b.readRound(r, pending) {
			return false
		}
	}
	if b.snapshot > 0 {
		copy(b.first[:], r.bytes(len(b.first)))
	}
	switch over := b.snapshot == 0 && rounds == b.opt.Rounds; {
	case over != (b.phase == Done), b.snapshot > 0 && rounds == 0:
		return false
	case b.phase == Enrolled && rounds > 0, b.phase == Running && rounds == 0:
		return false
	}
	return true
}

func (b *Burst) readRound(r *reader, pending int) bool {
	var round Round
	if first := r.uint(maxMilli); first > 0 {
		round.First = time.UnixMilli(int64(first - 1)).UTC()
	}
	for k := 1; k < len(b.opt.Offsets); k++ {
		v := r.uint(maxMilli)
		s := Snapshot{Delay: time.Duration(v/4) * time.Millisecond, Outcome: Outcome(v % 4)}
		switch {
		case (s.Outcome == Pending) != (k >= pending):
			return false
		case s.Outcome < Same && s.Delay != 0:
			return false
		case s.Outcome >= Same && (s.Delay-b.opt.Offsets[k]).Abs() > tolerance(b.opt.Offsets, k):
			return false
		case round.First.IsZero() && s.Outcome != Lost:
			return false
		}
		round.Then = append(round.Then, s)
	}
	b.rounds = append(b.rounds, round)
	return !r.bad
}

// reader reads numbers; after the first fault it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

// uint reads an uvarint up to most.
func (r *reader) uint(most int) int {
	v, n := binary.Uvarint(r.b)
	if r.bad || n <= 0 || v > uint64(most) || n > 1 && r.b[n-1] == 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) bytes(n int) []byte {
	if r.bad || len(r.b) < n {
		r.bad = true
		return make([]byte, n)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte { return r.bytes(1)[0] }

func (r *reader) time() time.Time { return time.UnixMilli(int64(r.uint(maxMilli))).UTC() }

func (r *reader) duration() time.Duration {
	return time.Duration(r.uint(1<<40)) * time.Millisecond
}
