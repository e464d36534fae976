package burst

import (
	"fmt"
	"slices"
	"time"
)

// Spread is the Every that puts eight rounds at eight different times of the
// day: 0, 10, 20, 6, 16, 2, 12 and 22 h after the first, in 70 hours, the
// "three days" of the paper (SCIENCE A5). Its "each shifted by 4 h", the
// default, takes 28 hours and comes back to the same times after six rounds.
const Spread = 10 * time.Hour

// The most that Options may ask for.
const (
	maxOffsets = 16
	maxRounds  = 100
	maxSlots   = 1680 // ten weeks of hours; then old slots count half
)

// Options say who is enrolled and how the rounds go. The zero Options are the
// paper's.
type Options struct {
	When     float64         // share of hourly slots with a change that enrols a page; zero: 0.9
	MinSlots int             // slots seen before that is decided; zero: 24
	Lead     time.Duration   // from the slot that enrols to the first round; zero: 10 minutes, clear of the hourly fetches
	Offsets  []time.Duration // of the snapshots of a round, ascending from 0; nil: 0, 2, 16, 32 minutes
	Rounds   int             // zero: 8
	Every    time.Duration   // from one round's start to the next; zero: 4 hours
	Pause    time.Duration   // from the last round of a page until its slots are counted for rounds again; zero: DefaultPause
}

// DefaultPause is how long a page is left alone after its rounds: they cost 32 fetches
// and tell of hours within which it changes, which is a habit of its makers and
// not of the day. Four weeks keep the days of the week alike.
const DefaultPause = 28 * 24 * time.Hour

// WithDefaults returns the options with all zeros filled in.
func (o Options) WithDefaults() Options {
	if o.When == 0 {
		o.When = 0.9
	}
	if o.MinSlots == 0 {
		o.MinSlots = 24
	}
	if o.Lead == 0 {
		o.Lead = 10 * time.Minute
	}
	if o.Offsets == nil {
		o.Offsets = []time.Duration{0, 2 * time.Minute, 16 * time.Minute, 32 * time.Minute}
	}
	if o.Rounds == 0 {
		o.Rounds = 8
	}
	if o.Every == 0 {
		o.Every = 4 * time.Hour
	}
	if o.Pause == 0 {
		o.Pause = DefaultPause
	}
	return o
}

// Check returns an error that names the option out of its range. Rounds must
// not overlap, and snapshots are at least 10 seconds and a multiple of a
// millisecond apart.
func (o Options) Check() error {
	o = o.WithDefaults()
	switch {
	case !(o.When > 0 && o.When <= 1):
		return fmt.Errorf("when: %v is not a share above 0 and up to 1", o.When)
	case o.MinSlots < 1 || o.MinSlots > maxSlots/2:
		return fmt.Errorf("min slots: %d is not from 1 to %d", o.MinSlots, maxSlots/2)
	case o.Pause < 0:
		return fmt.Errorf("pause: %v is negative", o.Pause)
	case o.Lead < 0:
		return fmt.Errorf("lead: %v is negative", o.Lead)
	case len(o.Offsets) < 2 || len(o.Offsets) > maxOffsets || o.Offsets[0] != 0:
		return fmt.Errorf("offsets: %v are not 2 to %d that start with 0", o.Offsets, maxOffsets)
	case o.Rounds < 1 || o.Rounds > maxRounds:
		return fmt.Errorf("rounds: %d is not from 1 to %d", o.Rounds, maxRounds)
	}
	for i := 1; i < len(o.Offsets); i++ {
		if o.Offsets[i]-o.Offsets[i-1] < 10*time.Second || o.Offsets[i]%time.Millisecond != 0 {
			return fmt.Errorf("offsets: %v after %v is not at least 10s later, in whole milliseconds", o.Offsets[i], o.Offsets[i-1])
		}
	}
	last := len(o.Offsets) - 1
	if least := o.Offsets[last] + tolerance(o.Offsets, last) + tolerance(o.Offsets, 0); o.Every < least || o.Every > 365*24*time.Hour || o.Every%time.Millisecond != 0 {
		return fmt.Errorf("every: %v is not from %v to a year, in whole milliseconds", o.Every, least)
	}
	return nil
}

// tolerance is how far from its time a snapshot may start: an eighth of the way
// from the snapshot before it, at most a minute. That is 15 s for the 2 minutes
// and 60 s for the others (SCIENCE A5).
func tolerance(offsets []time.Duration, i int) time.Duration {
	if i == 0 {
		return time.Minute
	}
	return min(time.Minute, (offsets[i]-offsets[i-1])/8)
}

// Shot is one snapshot to be fetched.
type Shot struct {
	Round    int       // from 0
	Snapshot int       // from 0, index of its offset
	At       time.Time // when the request should start
	Early    time.Time // it must not start before,
	Late     time.Time // nor after
}

func shot(round, snapshot int, at time.Time, offsets []time.Duration) Shot {
	t := tolerance(offsets, snapshot)
	return Shot{round, snapshot, at, at.Add(-t), at.Add(t)}
}

// Plan lists the snapshots of a page whose first round starts at t0: round r at
// t0 + r*Every. In truth the later snapshots of a round are timed from the
// actual start of its first one.
func (o Options) Plan(t0 time.Time) []Shot {
	o = o.WithDefaults()
	var shots []Shot
	for r := range o.Rounds {
		start := t0.Add(time.Duration(r) * o.Every)
		for i, offset := range o.Offsets {
			shots = append(shots, shot(r, i, start.Add(offset), o.Offsets))
		}
	}
	return shots
}

// clone makes the options independent of the caller's.
func (o Options) clone() Options {
	o.Offsets = slices.Clone(o.Offsets)
	return o
}
