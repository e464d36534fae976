package schedule_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/schedule"
)

var epoch = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// line is a cron line with its mean interval.
type line struct {
	cron.Schedule
	interval time.Duration
}

func (l line) Interval() time.Duration { return l.interval }

func parse(t testing.TB, text string, interval time.Duration) line {
	t.Helper()
	p := cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	s, err := p.Parse("CRON_TZ=UTC " + text)
	if err != nil {
		t.Fatal(err)
	}
	return line{s, interval}
}

// lines are cron lines with even and uneven gaps.
func lines(t testing.TB) map[string]line {
	return map[string]line{
		"hourly":    parse(t, "@hourly", time.Hour),
		"quarterly": parse(t, "*/15 * * * *", 15*time.Minute),
		"every 7m":  parse(t, "@every 7m", 7*time.Minute),
		"every 90m": parse(t, "@every 90m", 90*time.Minute),
		"uneven":    parse(t, "0,5 * * * *", 30*time.Minute),
		"office":    parse(t, "0 9-17 * * 1-5", 3*time.Hour+44*time.Minute),
		"daily":     parse(t, "30 6 * * *", 24*time.Hour),
		"monthly":   parse(t, "0 3 1 * *", 730*time.Hour),
		"seconds":   parse(t, "*/10 * * * * *", 10*time.Second),
	}
}

func plan(t testing.TB, s schedule.Schedule, o schedule.Options) *schedule.Plan {
	t.Helper()
	p, err := schedule.New("w", s, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func must[T any](t interface{ Fatal(...any) }) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestDues holds, for any line, page and options: a due time lies behind its slot
// and before the next, the slot can be told from it, and two dues are no closer
// than three quarters of the shorter gap beside them.
func TestDues(t *testing.T) {
	t.Parallel()
	for name, l := range lines(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				o := schedule.Options{
					Jitter: time.Duration(rapid.Int64Range(0, int64(2*l.interval)).Draw(t, "jitter")),
					Spread: time.Duration(rapid.Int64Range(0, int64(2*l.interval)).Draw(t, "spread")),
				}
				p, err := schedule.New(rapid.String().Draw(t, "watch"), l, o)
				if err != nil {
					t.Fatal(err)
				}
				page := rapid.String().Draw(t, "page")
				slot := must[time.Time](t)(p.SlotAt(epoch.Add(time.Duration(rapid.Int64Range(0, int64(400*24*time.Hour)).Draw(t, "at")))))
				next := must[time.Time](t)(p.NextSlot(slot))
				behind := must[time.Time](t)(p.NextSlot(next))
				due := must[time.Time](t)(p.Due(page, slot))
				then := must[time.Time](t)(p.Due(page, next))
				if due.Before(slot) || !due.Before(next) {
					t.Fatalf("due %s is not within [%s, %s)", due, slot, next)
				}
				if back := must[time.Time](t)(p.SlotAt(due)); !back.Equal(slot) {
					t.Fatalf("SlotAt(%s) = %s, want %s", due, back, slot)
				}
				gap := min(next.Sub(slot), behind.Sub(next))
				if d := then.Sub(due); d < gap*3/4-time.Microsecond {
					t.Fatalf("dues %s and %s are %s apart, want three quarters of %s", due, then, d, gap)
				}
			})
		})
	}
}

// TestGridAgainstSchedule compares the grid with asking the schedule slot by slot.
func TestGridAgainstSchedule(t *testing.T) {
	t.Parallel()
	for name, l := range lines(t) {
		if name == "every 7m" || name == "every 90m" {
			continue // these have no grid of their own
		}
		p := plan(t, l, schedule.Options{})
		slot := must[time.Time](t)(p.SlotAt(epoch))
		if l.Next(slot).Compare(epoch) <= 0 || slot.After(epoch) {
			t.Errorf("%s: SlotAt(%s) = %s, but the next one is %s", name, epoch, slot, l.Next(slot))
		}
		for range 500 {
			want := l.Next(slot)
			if got := must[time.Time](t)(p.NextSlot(slot)); !got.Equal(want) {
				t.Fatalf("%s: NextSlot(%s) = %s, want %s", name, slot, got, want)
			}
			if got := must[time.Time](t)(p.SlotAt(want.Add(-time.Nanosecond))); !got.Equal(slot) {
				t.Fatalf("%s: SlotAt just before %s = %s, want %s", name, want, got, slot)
			}
			slot = want
		}
	}
}

// TestYear keeps an hourly schedule for a year, in milliseconds.
func TestYear(t *testing.T) {
	t.Parallel()
	p := plan(t, parse(t, "@hourly", time.Hour), schedule.Options{Jitter: 5 * time.Minute})
	slot, due, err := p.First("http://a.test/", epoch, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[time.Time]bool{}
	var before time.Time
	for due.Before(epoch.AddDate(1, 0, 0)) {
		n, err := p.After("http://a.test/", slot, due, due)
		if err != nil {
			t.Fatal(err)
		}
		if n.Missed != 0 || seen[n.Served] {
			t.Fatalf("at %s: missed %d, slot %s seen before: %t", due, n.Missed, n.Served, seen[n.Served])
		}
		seen[n.Served] = true
		if !before.IsZero() && due.Sub(before) < 45*time.Minute {
			t.Fatalf("fetches at %s and %s", before, due)
		}
		before, slot, due = due, n.Slot, n.NextDue
	}
	if len(seen) != 365*24 {
		t.Errorf("%d slots, want %d", len(seen), 365*24)
	}
}

// TestLateness drives a page with fetches that are late at random, and compares
// what is missed with counting slots by hand: every slot is served or missed, once,
// and no two fetches are closer than three quarters of the interval.
func TestLateness(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const interval = time.Hour
		p, err := schedule.New("w", line{cron.Every(interval), interval}, schedule.Options{Jitter: 5 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		page := rapid.StringMatching(`[a-z]{1,6}`).Draw(t, "page")
		slot, due, err := p.First(page, epoch.Add(17*time.Minute), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		served := map[time.Time]bool{}
		missed := 0
		first := slot
		var last time.Time
		for range 60 {
			late := time.Duration(0)
			switch rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				late = time.Duration(rapid.Int64Range(0, int64(interval)).Draw(t, "late"))
			case 1:
				late = time.Duration(rapid.Int64Range(0, int64(40*interval)).Draw(t, "late"))
			}
			started := due.Add(late)
			if !last.IsZero() && started.Sub(last) < interval*3/4 {
				t.Fatalf("fetches at %s and %s", last, started)
			}
			n, err := p.After(page, slot, due, started)
			if err != nil {
				t.Fatal(err)
			}
			if n.Due.After(started) || n.Served.After(started) || served[n.Served] {
				t.Fatalf("After(slot %s, due %s, started %s) = %+v", slot, due, started, n)
			}
			if at := must[time.Time](t)(p.SlotAt(n.Due)); !at.Equal(n.Served) {
				t.Fatalf("due %s lies in slot %s, want %s", n.Due, at, n.Served)
			}
			dues, err := p.Missed(page, slot, n.Served, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if len(dues) != n.Missed {
				t.Fatalf("%d slots missed, %d named", n.Missed, len(dues))
			}
			for _, d := range dues {
				if d.After(started) || (!last.IsZero() && d.Before(last)) {
					t.Fatalf("slot due %s missed between %s and %s", d, last, started)
				}
			}
			served[n.Served] = true
			missed += n.Missed
			last, slot, due = started, n.Slot, n.NextDue
		}
		if total := int(slot.Sub(first) / interval); total != len(served)+missed {
			t.Fatalf("%d slots, of which %d served and %d missed", total, len(served), missed)
		}
	})
}

// TestBackToPhase wants a page that was late to be back at its own due time soon.
func TestBackToPhase(t *testing.T) {
	t.Parallel()
	p := plan(t, parse(t, "@hourly", time.Hour), schedule.Options{})
	slot, _ := p.SlotAt(epoch)
	own := must[time.Time](t)(p.Due("x", slot))
	at := own.Add(55 * time.Minute)
	due := own
	for i := range 5 {
		n, err := p.After("x", slot, due, at)
		if err != nil {
			t.Fatal(err)
		}
		slot, due, at = n.Slot, n.NextDue, n.NextDue
		if want := must[time.Time](t)(p.Due("x", slot)); at.Equal(want) {
			return
		} else if i == 4 {
			t.Errorf("after five fetches the page is due %s behind its own time", at.Sub(want))
		}
	}
}

func TestLongStop(t *testing.T) {
	t.Parallel()
	for name, l := range lines(t) {
		p := plan(t, l, schedule.Options{Jitter: time.Minute})
		slot, due, err := p.First("x", epoch, 0)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		stop := 20 * 365 * 24 * time.Hour
		n, err := p.After("x", slot, due, epoch.Add(stop))
		if err != nil {
			t.Fatal(err)
		}
		want := float64(stop / l.interval)
		if got := float64(n.Missed); got < want*0.99-2 || got > want*1.01+2 {
			t.Errorf("%s: %v slots missed, want about %v", name, got, want)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
		dues, err := p.Missed("x", slot, n.Served, 3)
		if err != nil || (len(dues) != 3 && n.Missed >= 3) {
			t.Errorf("%s: the last three missed: %v, %v", name, dues, err)
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	p := plan(t, parse(t, "@hourly", time.Hour), schedule.Options{Jitter: 5 * time.Minute})
	var minutes [6]int
	const pages = 6000
	for i := range pages {
		due := must[time.Time](t)(p.Due(fmt.Sprintf("http://a.test/%d", i), epoch))
		minutes[due.Minute()/10]++
	}
	for i, n := range minutes {
		if n < pages/6*8/10 || n > pages/6*12/10 {
			t.Errorf("%d of %d pages are due in the minutes from %d on", n, pages, 10*i)
		}
	}
}

func TestDefaultSpread(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"@hourly": 0, "@every 1d": 0, "CRON_TZ=Asia/Tokyo @daily": 0, "0 6 * * *": time.Hour, "TZ=Europe/Paris 30 2 * * *": time.Hour,
	} {
		if got := schedule.DefaultSpread(text); got != want {
			t.Errorf("DefaultSpread(%q) = %s, want %s", text, got, want)
		}
	}
	p := plan(t, parse(t, "30 6 * * *", 24*time.Hour), schedule.Options{Spread: time.Hour})
	slot := must[time.Time](t)(p.SlotAt(epoch))
	if due := must[time.Time](t)(p.Due("x", slot)); due.Sub(slot) >= time.Hour {
		t.Errorf("a line that names 06:30 makes a page due at %s", due)
	}
}

// broken is a schedule with a fault.
type broken struct {
	next     func(time.Time) time.Time
	interval time.Duration
}

func (b broken) Next(t time.Time) time.Time { return b.next(t) }
func (b broken) Interval() time.Duration    { return b.interval }

func TestBadSchedules(t *testing.T) {
	t.Parallel()
	never := func(time.Time) time.Time { return time.Time{} }
	if _, err := schedule.New("w", broken{never, 0}, schedule.Options{}); !errors.Is(err, schedule.ErrNever) {
		t.Errorf("a schedule that is never due: %v", err)
	}
	if _, err := schedule.New("w", broken{func(time.Time) time.Time { panic("zone") }, time.Hour}, schedule.Options{}); err == nil {
		t.Error("a schedule that panics makes no error")
	}
	p := plan(t, broken{never, time.Hour}, schedule.Options{})
	if got := must[time.Time](t)(p.NextSlot(epoch.Add(time.Minute))); !got.Equal(epoch.Add(time.Hour)) {
		t.Errorf("an interval without slots: next slot %s", got)
	}
	later := false
	p = plan(t, broken{func(t time.Time) time.Time {
		if later {
			return t
		}
		return t.Truncate(time.Hour).Add(time.Hour)
	}, time.Hour}, schedule.Options{})
	later = true
	if _, _, err := p.First("x", epoch, 0); err == nil {
		t.Error("a schedule that stands still makes no error")
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	p := plan(t, parse(t, "@hourly", time.Hour), schedule.Options{Jitter: 5 * time.Minute})
	got := []string{}
	for _, page := range []string{"http://a.test/", "http://a.test/1", "http://b.test/"} {
		got = append(got, must[time.Time](t)(p.Due(page, epoch)).Format("04:05"))
	}
	// The phases are for all time: a change would move every page of every watch.
	want := []string{"16:40", "48:40", "29:03"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
}

func BenchmarkAfter(b *testing.B) {
	p := plan(b, parse(b, "@hourly", time.Hour), schedule.Options{Jitter: 5 * time.Minute})
	slot, due, err := p.First("http://www.example.org/", epoch, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		n, err := p.After("http://www.example.org/", slot, due, due)
		if err != nil {
			b.Fatal(err)
		}
		slot, due = n.Slot, n.NextDue
	}
}
