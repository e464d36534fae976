package dice

import "time"

// Version is what the tracker needs to know of one successful fetch.
type Version struct {
	At    time.Time // of the fetch
	Text  string    // digest of the normalised stripped text: it decides what a change is (SCIENCE C2)
	Words WordSet   // of the same text
}

// Event is one change of a page, a point of paper A's Figure 2 (SCIENCE A9).
type Event struct {
	At      time.Time     // the first fetch that saw the change
	Elapsed time.Duration // since the fetch that saw the change before it
	// Censored marks the page's first change. When the text before it began is
	// not known: Elapsed counts from the first fetch and is too short by that.
	Censored bool
	// Dice compares the words before and after. It is 1 for a text that changed
	// but has the same set of words; such a change counts.
	Dice           float64
	Added, Removed int // words
}

// Tracker finds the changes in the versions of one page. The zero value is
// ready; give it the versions in the order of time.
type Tracker struct {
	last    Version
	since   time.Time // of the last change, or of the first fetch
	started bool
	changed bool // once at least
}

// Add takes the next version and returns the change it brings, if any. Missing
// fetches are simply not given: a change is dated at the fetch that saw it.
func (t *Tracker) Add(v Version) (e Event, ok bool) {
	if !t.started {
		t.started, t.last, t.since = true, v, v.At
		return Event{}, false
	}
	before := t.last
	t.last = v
	if v.Text == before.Text {
		return Event{}, false
	}
	e = Event{At: v.At, Elapsed: v.At.Sub(t.since), Censored: !t.changed, Dice: before.Words.Dice(v.Words)}
	e.Added, e.Removed = before.Words.Changes(v.Words)
	t.since, t.changed = v.At, true
	return e, true
}

// Events returns the changes in a page's versions.
func Events(versions []Version) []Event {
	var t Tracker
	var out []Event
	for _, v := range versions {
		if e, ok := t.Add(v); ok {
			out = append(out, e)
		}
	}
	return out
}
