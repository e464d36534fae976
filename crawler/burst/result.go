package burst

import (
	"slices"
	"time"
)

// Count is how many valid pairs of versions there are, and how many of them
// differ.
type Count struct {
	Valid, Changed int
}

// Any reports whether at least one changed (SCIENCE A7).
func (c Count) Any() bool { return c.Changed > 0 }

// All reports whether every one changed, and there is one.
func (c Count) All() bool { return c.Valid > 0 && c.Changed == c.Valid }

// Nearly reports whether at least that share changed, and there is one.
func (c Count) Nearly(share float64) bool {
	return c.Valid > 0 && float64(c.Changed) >= share*float64(c.Valid)
}

// Interval is what all rounds of a page say of one offset.
type Interval struct {
	Offset time.Duration // nominal, from the round's first snapshot (SCIENCE A7)
	Mean   time.Duration // of the actual delays of valid pairs; 0 without one
	Count
}

// Rounds returns what the rounds found so far, the current one last. It shares
// memory with the Burst.
func (b *Burst) Rounds() []Round { return b.rounds }

// Intervals returns one Interval for each offset after 0; nil for a candidate.
// Lost and pending snapshots do not count.
func (b *Burst) Intervals() []Interval {
	if b.phase == Candidate {
		return nil
	}
	out := make([]Interval, len(b.opt.Offsets)-1)
	for i := range out {
		iv := Interval{Offset: b.opt.Offsets[i+1]}
		for _, r := range b.rounds {
			switch s := r.Then[i]; s.Outcome {
			case Changed:
				iv.Changed++
				fallthrough
			case Same:
				iv.Valid++
				iv.Mean += s.Delay
			}
		}
		if iv.Valid > 0 {
			iv.Mean /= time.Duration(iv.Valid)
		}
		out[i] = iv
	}
	return out
}

// Instant reports whether the page changed from the first to the second
// snapshot of a round: then it gets pairs (SCIENCE A6).
func (b *Burst) Instant() bool {
	iv := b.Intervals()
	return len(iv) > 0 && iv[0].Any()
}

// NearlyAll is the share of changed pairs from which on a page counts as
// changed in nearly all of them (SCIENCE A7).
const NearlyAll = 0.9

// Row is one row of the paper's Table 2, in pages.
type Row struct {
	Offset    time.Duration
	Pages     int // with a valid pair
	Any       int
	All       int
	NearlyAll int
}

// Tally counts pages by interval. Any >= NearlyAll >= All in every row, but a
// longer interval may have fewer than a shorter one, since content may return. The zero
// Tally is ready.
type Tally struct {
	rows map[time.Duration]*Row
}

// Add counts a page for an interval, if it has a valid pair. The hourly row is
// Add(time.Hour, page.Slots()).
func (t *Tally) Add(offset time.Duration, c Count) {
	if c.Valid <= 0 {
		return
	}
	if t.rows == nil {
		t.rows = map[time.Duration]*Row{}
	}
	row := t.rows[offset]
	if row == nil {
		row = &Row{Offset: offset}
		t.rows[offset] = row
	}
	row.Pages++
	for _, is := range [...]struct {
		yes bool
		n   *int
	}{{c.Any(), &row.Any}, {c.All(), &row.All}, {c.Nearly(NearlyAll), &row.NearlyAll}} {
		if is.yes {
			*is.n++
		}
	}
}

// AddBurst counts all intervals of a page.
func (t *Tally) AddBurst(b *Burst) {
	for _, iv := range b.Intervals() {
		t.Add(iv.Offset, iv.Count)
	}
}

// Rows returns the rows by ascending offset.
func (t *Tally) Rows() []Row {
	var rows []Row
	for _, r := range t.rows {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b Row) int { return int(a.Offset/time.Millisecond - b.Offset/time.Millisecond) })
	return rows
}
