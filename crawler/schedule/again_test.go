package schedule_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/schedule"
)

// gapAt is the shorter of the two gaps beside a slot.
func gapAt(t *rapid.T, p *schedule.Plan, slot time.Time) time.Duration {
	before := must[time.Time](t)(p.SlotAt(slot.Add(-time.Second)))
	next := must[time.Time](t)(p.NextSlot(slot))
	return min(slot.Sub(before), next.Sub(slot))
}

// TestEdited edits the schedule of a page from any line to any other. The page is due at the first due time of the
// new one that is three quarters of the interval after its last fetch, found here slot by slot, or at once where that
// has passed; and a fetch that starts when it is due is not late, misses nothing and is followed as any other.
func TestEdited(t *testing.T) {
	t.Parallel()
	all := lines(t)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		was, is := all[rapid.SampledFrom(names).Draw(t, "old")], all[rapid.SampledFrom(names).Draw(t, "new")]
		opt := schedule.Options{
			Jitter: time.Duration(rapid.Int64Range(0, int64(is.interval)).Draw(t, "jitter")),
			Spread: time.Duration(rapid.Int64Range(0, int64(2*is.interval)).Draw(t, "spread")),
		}
		old, err := schedule.New("w", was, schedule.Options{Jitter: was.interval / 12})
		if err != nil {
			t.Fatal(err)
		}
		p, err := schedule.New("w", is, opt)
		if err != nil {
			t.Fatal(err)
		}
		page := rapid.StringMatching(`[a-z]{1,6}`).Draw(t, "page")
		slot := must[time.Time](t)(old.SlotAt(epoch.Add(time.Duration(rapid.Int64Range(0, int64(60*24*time.Hour)).Draw(t, "at")))))
		last := must[time.Time](t)(old.Due(page, slot))
		now := last.Add(time.Duration(rapid.Int64Range(0, int64(2*was.interval)).Draw(t, "since"))).Truncate(time.Microsecond)
		within := time.Duration(rapid.Int64Range(0, int64(10*time.Minute)).Draw(t, "within"))
		slot, due, err := p.Again(page, last, now, within)
		if err != nil {
			t.Fatal(err)
		}

		at := must[time.Time](t)(p.SlotAt(last))
		var want time.Time
		for {
			want = must[time.Time](t)(p.Due(page, at))
			if want.Sub(last) > gapAt(t, p, at)*3/4 {
				break
			}
			at = must[time.Time](t)(p.NextSlot(at))
		}
		switch {
		case due.Before(now):
			t.Fatalf("due at %s, before %s", due, now)
		case due.Sub(last) < gapAt(t, p, slot)*3/4:
			t.Fatalf("due %s after the last fetch, in a gap of %s", due.Sub(last), gapAt(t, p, slot))
		case want.After(now) && (!due.Equal(want) || !slot.Equal(at)):
			t.Fatalf("due at %s in slot %s, want %s in %s", due, slot, want, at)
		case !want.After(now) && due.Sub(now) > within && !due.Equal(must[time.Time](t)(p.Due(page, slot))):
			t.Fatalf("overdue since %s, and due %s after the edit", want, due.Sub(now))
		case !must[time.Time](t)(p.SlotAt(due)).Equal(slot):
			t.Fatalf("due at %s, which is not in slot %s", due, slot)
		}
		n, err := p.After(page, slot, due, due)
		if err != nil {
			t.Fatal(err)
		}
		if n.Missed != 0 || !n.Served.Equal(slot) || n.NextDue.Sub(due) < min(gapAt(t, p, n.Slot), gapAt(t, p, slot))*3/4 {
			t.Fatalf("a fetch at %s for slot %s is followed by %+v", due, slot, n)
		}
	})
}

// TestNoHerd edits the schedule of many pages, each fetched at its own time: they are due spread over the new interval.
func TestNoHerd(t *testing.T) {
	t.Parallel()
	const pages = 2000
	old, p := plan(t, every(time.Hour), schedule.Options{}), plan(t, every(24*time.Hour), schedule.Options{})
	now := epoch.Add(15*time.Hour + 31*time.Minute)
	var hours [48]int
	for i := range pages {
		page := fmt.Sprintf("http://a.test/%d", i)
		last := must[time.Time](t)(old.Due(page, now.Truncate(time.Hour).Add(-time.Hour)))
		_, due, err := p.Again(page, last, now, 5*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		hours[int(due.Sub(now)/time.Hour)]++
	}
	for h, n := range hours {
		if n > pages/24*2 {
			t.Errorf("%d of %d pages are due in hour %d after the edit", n, pages, h)
		}
	}
}

func every(d time.Duration) line { return line{fixed(d), d} }

// fixed is a schedule with a fixed interval.
type fixed time.Duration

func (f fixed) Next(t time.Time) time.Time { return t.Add(time.Duration(f)) }
