package adaptive

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type visit struct {
	interval time.Duration
	changed  bool
}

// slowRate keeps all visits and halves the range of the rate.
func slowRate(visits []visit, prior Prior) float64 {
	changes, over := prior.terms()
	low, high := minRate, float64(maxRate)
	for range 200 {
		r := math.Sqrt(low * high)
		f := changes/r - over
		for k, v := range visits {
			w := math.Pow(1-1./memory, float64(len(visits)-1-k))
			t := hours(v.interval)
			if v.changed {
				f += w * t / math.Expm1(r*t)
			} else {
				f -= w * t
			}
		}
		if f > 0 {
			low = r
		} else {
			high = r
		}
	}
	return low
}

func TestRateAgainstAllVisits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		logInterval := rapid.Float64Range(math.Log(60), math.Log(40*86400))
		visits := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) visit {
			return visit{time.Duration(math.Exp(logInterval.Draw(t, "ln s")) * 1e9), rapid.Bool().Draw(t, "changed")}
		}), 0, 40).Draw(t, "visits")
		prior := Prior{rapid.Float64Range(0.01, 3).Draw(t, "changes"), 1 + time.Duration(rapid.Float64Range(0, 100).Draw(t, "over")*float64(time.Hour))}
		var e Estimator
		for _, v := range visits {
			e.Observe(v.interval, v.changed)
		}
		fast, slow := e.Rate(prior), slowRate(visits, prior)
		if math.Abs(fast-slow) > 0.02*slow {
			t.Fatalf("rate %g, from all visits %g", fast, slow)
		}
		if s := e.Error(prior); !(s > 0 && s < 1e3) {
			t.Fatalf("error %g", s)
		}
	})
}

func TestRateOfARegularScheduleIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		interval := time.Duration(rapid.Int64Range(int64(time.Minute), int64(100*time.Hour)).Draw(t, "interval"))
		var e Estimator
		var visits []visit
		for _, changed := range rapid.SliceOfN(rapid.Bool(), 1, 60).Draw(t, "changed") {
			e.Observe(interval, changed)
			visits = append(visits, visit{interval, changed})
		}
		if fast, slow := e.Rate(Prior{}), slowRate(visits, Prior{}); math.Abs(fast-slow) > 1e-5*slow {
			t.Fatalf("rate %g, from all visits %g", fast, slow)
		}
	})
}

// Both estimators find a planted rate, the naive one does not, and the two agree.
func TestRateIsUnbiased(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	const rate, n = 0.5, 4000
	interval := 3 * time.Hour // 1.5 changes an interval: X/T gives 0.26
	var e, irregular, short Estimator
	x, first := 0, 0
	for k := range n {
		changed := rng.Float64() < -math.Expm1(-rate*3)
		e.Observe(interval, changed)
		x += index(changed)
		if k < 60 { // little of which is forgotten
			short.Observe(interval, changed)
			first += index(changed)
		}
		t := rng.ExpFloat64() * 2
		irregular.Observe(time.Duration(t*float64(time.Hour)), rng.Float64() < -math.Expm1(-rate*t))
	}
	regular := RegularRate(n, x, interval)
	if math.Abs(regular-rate) > 0.03 {
		t.Errorf("regular visits: rate %g of %g", regular, rate)
	}
	for name, e := range map[string]*Estimator{"regular": &e, "irregular": &irregular} {
		// memory visits of e tell the rate to some 5 %.
		if r, s := e.Rate(Prior{}), e.Error(Prior{}); math.Abs(r-rate) > 0.08 || s > 0.1 {
			t.Errorf("%s: rate %g ± %g of %g", name, r, s*r, rate)
		}
	}
	weak := Prior{0.01, time.Minute}
	if r, regular := short.Rate(weak), RegularRate(60, first, interval); math.Abs(r-regular) > 0.04*regular {
		t.Errorf("estimators disagree: %g and %g", r, regular)
	}
	if RegularRate(0, 0, 1) != 0 || RegularRate(5, 6, 1) != 0 || RegularRate(5, 5, 0) != 0 {
		t.Error("nonsense has a rate")
	}
}

func TestRateAtTheEnds(t *testing.T) {
	t.Parallel()
	var never, always Estimator
	prior := Prior{Changes: 1, Over: 24 * time.Hour}
	if r := never.Rate(prior); math.Abs(r-1./24) > 1e-9 {
		t.Errorf("without visits the rate is %g", r)
	}
	for range 300 {
		never.Observe(20*time.Hour, false)
		always.Observe(20*time.Hour, true)
	}
	if r := never.Rate(prior); r > 1./24/100 || r < minRate {
		t.Errorf("never changed: %g", r)
	}
	if r := always.Rate(prior); !(r > 0.2 && r < 1) {
		t.Errorf("always changed: %g", r)
	}
	// A page that falls asleep is found out within the memory.
	for range 2 * memory {
		always.Observe(20*time.Hour, false)
	}
	if r := always.Rate(prior); r > 0.01 {
		t.Errorf("asleep since %d visits: %g", 2*memory, r)
	}
	var e Estimator
	for _, d := range []time.Duration{-1, 0, math.MinInt64} {
		e.Observe(d, true)
	}
	if !cmp.Equal(e, Estimator{}, cmp.AllowUnexported(Estimator{})) {
		t.Error("a visit without an interval counts")
	}
	e.Observe(1, true)
	e.Observe(math.MaxInt64, true)
	if b, _ := e.MarshalBinary(); e.UnmarshalBinary(b) != nil {
		t.Error("the ends of the intervals cannot be stored")
	}
}

func TestStateIsCompleteAndSmall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var a, b Estimator
		for range rapid.IntRange(0, 300).Draw(t, "visits") {
			d := time.Duration(rapid.Int64Range(1e9, 1e15).Draw(t, "interval"))
			c := rapid.Bool().Draw(t, "changed")
			a.Observe(d, c)
			b.Observe(d, c)
			state, err := b.MarshalBinary()
			if err != nil || len(state) > 10+9*57 {
				t.Fatal(len(state), err)
			}
			b = Estimator{}
			if err := b.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(a, b, cmp.AllowUnexported(Estimator{}, bin{})); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzEstimator(f *testing.F) {
	var e Estimator
	f.Add([]byte{})
	for k := range 20 {
		e.Observe(time.Duration(k+1)*time.Hour, k%3 == 0)
		b, _ := e.MarshalBinary()
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e Estimator
		if e.UnmarshalBinary(b) != nil {
			return
		}
		back, _ := e.MarshalBinary()
		if len(b) > 0 && !cmp.Equal(b, back) {
			t.Fatalf("%x came back as %x", b, back)
		}
		if r := e.Rate(Prior{}); !(r >= minRate && r <= maxRate) {
			t.Fatalf("rate %g", r)
		}
		e.Observe(time.Hour, true)
	})
}

func FuzzSignals(f *testing.F) {
	var s Signals
	s.Observe(true, false)
	b, _ := s.MarshalBinary()
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Signals
		if s.UnmarshalBinary(b) != nil {
			return
		}
		if r := s.Ratio(true); !(r >= 1./maxRatio && r <= maxRatio) {
			t.Fatalf("ratio %g", r)
		}
	})
}

func BenchmarkRate(b *testing.B) {
	var e Estimator
	for k := range 200 {
		e.Observe(time.Duration(1+k%40)*time.Hour, k%3 == 0)
	}
	b.ReportAllocs()
	for b.Loop() {
		e.Rate(Prior{})
	}
}
