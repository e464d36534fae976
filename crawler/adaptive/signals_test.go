package adaptive

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSignalsAreBayes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	const recall, alarm, change = 0.8, 0.1, 0.3
	var s Signals
	hits, changed := [2]float64{}, [2]float64{}
	for range 20000 {
		c := rng.Float64() < change
		h := rng.Float64() < map[bool]float64{true: recall, false: alarm}[c]
		s.Observe(h, c)
		hits[index(h)]++
		changed[index(h)] += float64(index(c))
	}
	for i, h := range []bool{false, true} {
		// The odds after the hint are the odds before times the ratio.
		odds := change / (1 - change) * s.Ratio(h)
		if got, want := odds/(1+odds), changed[i]/hits[i]; math.Abs(got-want) > 0.04 {
			t.Errorf("hint %v: chance of a change %.3f, counted %.3f", h, got, want)
		}
	}
	if r := s.Recall(); math.Abs(r-recall) > 0.05 {
		t.Errorf("recall %.3f", r)
	}
	if p := s.Precision(); math.Abs(p-0.24/0.31) > 0.05 {
		t.Errorf("precision %.3f", p)
	}
	var none Signals
	if none.Ratio(true) != 1 || none.Ratio(false) != 1 {
		t.Error("a source without a record is believed")
	}
	var liar Signals // a lastmod that is always now
	for range 500 {
		liar.Observe(true, rng.Float64() < 0.2)
	}
	if r := liar.Ratio(true); math.Abs(r-1) > 0.05 {
		t.Errorf("a hint that is always there has ratio %.3f", r)
	}
}

func TestEffectiveAge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Page{1, rapid.Float64Range(1e-3, 2).Draw(t, "rate")}
		age := time.Duration(rapid.Float64Range(0.1, 200).Draw(t, "age") * float64(time.Hour))
		ratio := math.Exp(rapid.Float64Range(-3, 3).Draw(t, "ln ratio"))
		effective := p.EffectiveAge(age, ratio)
		odds := math.Expm1(p.Rate * hours(age))
		if x := p.Rate * hours(effective); x < 30 && math.Abs(math.Expm1(x)-ratio*odds) > 1e-5*ratio*odds+1e-9 {
			t.Fatalf("odds %g become %g, ratio %g", odds, math.Expm1(x), ratio)
		}
		lim := Limits{Min: 1, Max: 1e6 * time.Hour}
		threshold := p.Value(effective)
		if threshold > p.peak()*(1-1e-6) || threshold < p.peak()*1e-9 {
			return
		}
		if back := p.HintedInterval(threshold, ratio, lim); math.Abs(hours(back-age)) > 1e-3*hours(age) {
			t.Fatalf("due at %v, worth the threshold at %v", back, age)
		}
	})
	if got := (Page{1, 3600}).EffectiveAge(1000*time.Hour, 50); got < 1000*time.Hour {
		t.Errorf("certain change with a hint: %v", got)
	}
	if got := (Page{1, 0}).EffectiveAge(time.Hour, 50); got != time.Hour {
		t.Errorf("a page that never changes: %v", got)
	}
}

// Hints that are right bring freshness that no schedule without them has.
func TestHintsBeatTheOptimumWithout(t *testing.T) {
	t.Parallel()
	pages := make([]Page, 100)
	for i := range pages {
		pages[i] = Page{1, 0.05}
	}
	const budget = 3
	_, optimum := Optimum(pages, budget)
	with := simulateHints(pages, budget, 0.9, 0.002)
	without := simulateHints(pages, budget, 0, 0)
	t.Logf("optimum without hints %.3f, schedule without %.3f, with %.3f", optimum, without, with)
	if without > optimum*1.03 || without < optimum*0.94 {
		t.Errorf("without hints %.3f, optimum %.3f", without, optimum)
	}
	if with < optimum*1.1 {
		t.Errorf("with hints %.3f, optimum without %.3f", with, optimum)
	}
}

// simulateHints fetches at each slot the page of the highest value in the light of
// hints, each change being told with probability recall, and every hour of a
// page being called a change with probability alarm.
func simulateHints(pages []Page, budget, recall, alarm float64) float64 {
	rng := rand.New(rand.NewPCG(7, 8))
	type state struct {
		fetched, changed float64 // hours; changed: first change since fetched
		hint             bool
	}
	s := make([]state, len(pages))
	next := func(i int, from float64) float64 { return from + rng.ExpFloat64()/pages[i].Rate }
	told := make([]bool, len(pages))
	for i := range s {
		s[i].changed = next(i, 0)
		told[i] = rng.Float64() < recall
	}
	var signals Signals
	const warm, end = 200.0, 700.0
	sum, step := 0.0, 1/budget
	for now := step; now < end; now += step {
		best, value := 0, -1.0
		for i := range s {
			if s[i].changed <= now && told[i] || rng.Float64() < alarm*step {
				s[i].hint = true
			}
			ratio := signals.Ratio(s[i].hint)
			if v := pages[i].Value(pages[i].EffectiveAge(time.Duration((now-s[i].fetched)*float64(time.Hour)), ratio)); v > value {
				best, value = i, v
			}
			if s[i].changed > now && now > warm {
				sum += step
			}
		}
		signals.Observe(s[best].hint, s[best].changed <= now)
		s[best] = state{fetched: now, changed: next(best, now)}
		told[best] = rng.Float64() < recall
	}
	return sum / (end - warm) / float64(len(pages))
}
