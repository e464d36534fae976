package burst

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var t0 = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

var whole = cmp.AllowUnexported(Burst{})

func at(minutes float64) time.Time { return t0.Add(time.Duration(minutes * float64(time.Minute))) }

// The schedule of SCIENCE A5, literally and spread.
func TestPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		every time.Duration
		hours []int // of the day, at each round's start
		last  time.Duration
	}{
		{"literal", 0, []int{0, 4, 8, 12, 16, 20, 0, 4}, 28*time.Hour + 32*time.Minute},
		{"spread", Spread, []int{0, 10, 20, 6, 16, 2, 12, 22}, 70*time.Hour + 32*time.Minute},
	} {
		opt := Options{Every: c.every}
		if err := opt.Check(); err != nil {
			t.Fatal(err)
		}
		plan := opt.Plan(t0)
		var hours []int
		for i, s := range plan {
			if s.Round != i/4 || s.Snapshot != i%4 {
				t.Fatalf("%s: shot %d is %+v", c.name, i, s)
			}
			start := plan[i-i%4].At
			if want := []time.Duration{0, 2 * time.Minute, 16 * time.Minute, 32 * time.Minute}[i%4]; s.At.Sub(start) != want {
				t.Errorf("%s: shot %d comes %v after its round's start", c.name, i, s.At.Sub(start))
			}
			want := time.Minute
			if s.Snapshot == 1 {
				want = 15 * time.Second
			}
			if s.Late.Sub(s.At) != want || s.At.Sub(s.Early) != want {
				t.Errorf("%s: shot %d may start from %v to %v", c.name, i, s.Early, s.Late)
			}
			if s.Snapshot == 0 {
				hours = append(hours, s.At.Hour())
			}
		}
		if d := cmp.Diff(c.hours, hours); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if took := plan[len(plan)-1].At.Sub(t0); took != c.last {
			t.Errorf("%s takes %v", c.name, took)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	m := time.Minute
	for _, o := range []Options{
		{When: 1.1},
		{When: -1},
		{MinSlots: -1},
		{Lead: -1},
		{Offsets: []time.Duration{}},
		{Offsets: []time.Duration{0}},
		{Offsets: []time.Duration{m, 2 * m}},
		{Offsets: []time.Duration{0, m, m}},
		{Rounds: -1},
		{Every: 33 * m},
		{Every: -1},
	} {
		if o.Check() == nil {
			t.Errorf("%+v passes", o)
		}
	}
}

func TestEnrolment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		opt     Options
		changed func(k int) bool
		at      int // slot that enrols, from 1; 0 never
	}{
		{"all slots", Options{}, func(int) bool { return true }, 24},
		{"nine of ten", Options{MinSlots: 10}, func(k int) bool { return k%10 != 3 }, 10},
		{"half", Options{}, func(k int) bool { return k%2 == 0 }, 0},
		{"half wanted", Options{When: 0.5, MinSlots: 6}, func(k int) bool { return k%2 == 0 }, 6},
		{"late riser", Options{When: 0.5, MinSlots: 2}, func(k int) bool { return k > 10 }, 20},
	} {
		var b Burst
		got := 0
		for k := 1; k <= 2000; k++ {
			if b.Slot(t0.Add(time.Duration(k)*time.Hour), c.changed(k), c.opt) {
				if got != 0 {
					t.Errorf("%s: enrolled twice", c.name)
				}
				got = k
				if next, ok := b.Next(); !ok || !next.At.Equal(t0.Add(time.Duration(k)*time.Hour+10*time.Minute)) {
					t.Errorf("%s: first round at %v", c.name, next.At)
				}
			}
		}
		if got != c.at {
			t.Errorf("%s: enrolled at slot %d, want %d", c.name, got, c.at)
		}
		if s := b.Slots(); s.Valid > maxSlots || s.Changed > s.Valid {
			t.Errorf("%s: slots %+v", c.name, s)
		}
	}
}

// enrolled returns a page whose first round starts at t0.
func enrolled(opt Options) *Burst {
	var b Burst
	opt.MinSlots = 1
	b.Slot(t0.Add(-10*time.Minute), true, opt)
	return &b
}

func TestRounds(t *testing.T) {
	t.Parallel()
	b := enrolled(Options{Rounds: 4})
	x, y := Hash{1}, Hash{2}
	take := func(minutes float64, h Hash, want error) {
		t.Helper()
		if err := b.Take(at(minutes), h); !errors.Is(err, want) {
			t.Errorf("snapshot at %v min: %v, want %v", minutes, err, want)
		}
	}
	take(-1.1, x, ErrEarly)
	take(0.5, x, nil) // the round is now timed from here
	take(2.2, y, ErrEarly)
	take(2.6, y, nil)
	take(16.5, x, nil) // content returns: no change
	take(32.5, y, nil)

	take(240, x, nil)
	take(242.3, y, ErrEarly) // past the 15 s, which loses the snapshot; too early for the next
	if err := b.Lose(); err != nil {
		t.Error(err)
	}
	take(272, x, nil)

	if err := b.Lose(); err != nil { // first snapshot of round 2
		t.Error(err)
	}
	if next, _ := b.Next(); next.Round != 3 || !next.At.Equal(at(720)) {
		t.Errorf("after a lost first snapshot: %+v", next)
	}
	take(721, x, nil)
	if n := b.Pass(at(750)); n != 2 {
		t.Errorf("%d snapshots passed by", n)
	}
	if b.Phase() != Running {
		t.Error(b.Phase())
	}
	take(754.1, x, ErrNone) // past the last tolerance: done
	if b.Phase() != Done {
		t.Error(b.Phase())
	}
	s, m := time.Second, time.Minute
	want := []Round{
		{at(0.5), []Snapshot{{126 * s, Changed}, {16 * m, Same}, {32 * m, Changed}}},
		{at(240), []Snapshot{{0, Lost}, {0, Lost}, {32 * m, Same}}},
		{time.Time{}, []Snapshot{{0, Lost}, {0, Lost}, {0, Lost}}},
		{at(721), []Snapshot{{0, Lost}, {0, Lost}, {0, Lost}}},
	}
	if d := cmp.Diff(want, b.Rounds()); d != "" {
		t.Error(d)
	}
	wantIntervals := []Interval{
		{2 * m, 126 * s, Count{1, 1}}, {16 * m, 16 * m, Count{1, 0}}, {32 * m, 32 * m, Count{2, 1}},
	}
	if d := cmp.Diff(wantIntervals, b.Intervals()); d != "" {
		t.Error(d)
	}
	if !b.Instant() {
		t.Error("a page that changed within 2 minutes gets no pairs")
	}
	b.Again()
	if d := cmp.Diff(Burst{}, *b, whole); d != "" {
		t.Error(d)
	}
}

// Whatever happens and however often the state is stored, times stay in order
// and within tolerance, every snapshot has an outcome in the end, and the
// counts are those of the versions that were taken.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		opt := Options{Rounds: rapid.IntRange(1, 5).Draw(t, "rounds"), Every: rapid.SampledFrom([]time.Duration{0, Spread}).Draw(t, "every")}
		b := enrolled(opt)
		plan := opt.Plan(t0)
		now := t0.Add(-5 * time.Minute)
		changed, valid := map[int]int{}, map[int]int{}
		var first Hash
		for range 400 {
			next, ok := b.Next()
			if !ok {
				break
			}
			if shift := next.At.Sub(plan[4*next.Round+next.Snapshot].At).Abs(); shift > 2*time.Minute {
				t.Fatalf("%+v is %v off its plan", next, shift)
			}
			switch rapid.IntRange(0, 5).Draw(t, "event") {
			case 0:
				now = now.Add(time.Duration(rapid.IntRange(0, 7200).Draw(t, "stop")) * time.Second)
				b.Pass(now)
			case 1:
				if b.Lose() != nil {
					t.Fatal("cannot lose what is planned")
				}
			default:
				span := next.Late.Sub(next.Early)
				start := next.Early.Add(time.Duration(rapid.Float64Range(-0.3, 1.3).Draw(t, "start") * float64(span)))
				if start.Before(now) {
					start = now
				}
				now = start
				h := Hash{byte(rapid.IntRange(1, 2).Draw(t, "text"))}
				inside := !start.Before(next.Early) && !start.After(next.Late)
				err := b.Take(start, h)
				if inside != (err == nil) {
					t.Fatalf("%+v taken at %v: %v", next, start, err)
				}
				if inside && next.Snapshot == 0 {
					first = h
				} else if inside {
					valid[next.Snapshot-1]++
					if h != first {
						changed[next.Snapshot-1]++
					}
				}
			}
			state, err := b.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			var back Burst
			if err := back.UnmarshalBinary(state); err != nil {
				t.Fatalf("%v: %+v", err, b)
			}
			if d := cmp.Diff(*b, back, whole); d != "" {
				t.Fatal(d)
			}
			b = &back
		}
		b.Pass(now.Add(1000 * time.Hour))
		if b.Phase() != Done || len(b.Rounds()) != opt.Rounds {
			t.Fatalf("%v after %d rounds", b.Phase(), len(b.Rounds()))
		}
		for i, iv := range b.Intervals() {
			if iv.Valid != valid[i] || iv.Changed != changed[i] {
				t.Fatalf("interval %v: %+v, want %d valid and %d changed", iv.Offset, iv.Count, valid[i], changed[i])
			}
		}
	})
}

func TestTally(t *testing.T) {
	t.Parallel()
	var tally Tally
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		b := enrolled(Options{Rounds: 3})
		for {
			next, ok := b.Next()
			if !ok {
				break
			}
			if rng.IntN(8) == 0 {
				if err := b.Lose(); err != nil {
					t.Fatal(err)
				}
			} else if err := b.Take(next.At, Hash{byte(rng.IntN(2))}); err != nil {
				t.Fatal(err)
			}
		}
		tally.AddBurst(b)
		tally.Add(time.Hour, Count{10, 9})
	}
	tally.Add(time.Hour, Count{10, 8})
	tally.Add(time.Hour, Count{})
	rows := tally.Rows()
	if d := cmp.Diff(Row{time.Hour, 501, 501, 0, 500}, rows[len(rows)-1]); d != "" || len(rows) != 4 {
		t.Errorf("%d rows; the hourly one: %s", len(rows), d)
	}
	for _, r := range rows {
		if r.Any < r.NearlyAll || r.NearlyAll < r.All || r.Pages < r.Any || r.Pages == 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	var p Pairs
	if !Accept(at(0), at(0).Add(-MaxSkew)) || Accept(at(0), at(0).Add(MaxSkew+1)) {
		t.Error("skew of 200 ms")
	}
	opt := PairOptions{Number: 2, Tries: 2}
	if p.Record(at(0), at(1), true) || !p.Record(at(2), at(2).Add(time.Millisecond), true) || !p.Wanted(opt) {
		t.Errorf("%+v", p)
	}
	p.Fail()
	if !p.Wanted(opt) {
		t.Error("given up too early")
	}
	full := p
	full.Record(at(3), at(3), false)
	p.Fail()
	if p.Wanted(opt) || full.Wanted(opt) {
		t.Error("pairs without end")
	}
	if d := cmp.Diff(Pairs{Accepted: 2, Differed: 1, Rejected: 2}, full); d != "" {
		t.Error(d)
	}
	state, _ := full.MarshalBinary()
	var back Pairs
	if err := back.UnmarshalBinary(state); err != nil || back != full {
		t.Errorf("%+v came back as %+v, %v", full, back, err)
	}
	for _, bad := range [][]byte{{1}, {1, 2, 3}, {1, 1, 1, 1}, {0x81, 0, 0, 0}} {
		if back.UnmarshalBinary(bad) == nil || back != full {
			t.Errorf("%x was taken", bad)
		}
	}
}

func FuzzBurst(f *testing.F) {
	f.Add([]byte{})
	b := enrolled(Options{Rounds: 2})
	for {
		state, _ := b.MarshalBinary()
		f.Add(state)
		next, ok := b.Next()
		if !ok {
			break
		}
		if next.Snapshot == 2 {
			if err := b.Lose(); err != nil {
				f.Fatal(err)
			}
		} else if err := b.Take(next.At, Hash{byte(next.Snapshot)}); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var b Burst
		if b.UnmarshalBinary(data) != nil {
			return
		}
		back, _ := b.MarshalBinary()
		if len(data) > 0 && !cmp.Equal(data, back) {
			t.Fatalf("%x came back as %x", data, back)
		}
		b.Intervals()
		if next, ok := b.Next(); ok && b.Take(next.At, Hash{}) != nil {
			t.Fatal("the next snapshot is refused")
		}
		b.Pass(time.UnixMilli(maxMilli * 2))
		if b.Phase() != Done && b.Phase() != Candidate {
			t.Fatal(b.Phase())
		}
	})
}
