package birth

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const day = 24 * time.Hour

func at(days float64) time.Time {
	return time.Date(2004, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(days * float64(day)))
}

// web is a growing web of which the births are known.
type web struct {
	born     []time.Time
	evidence []Evidence
}

// grow makes a web that doubles in a year. Hubs are fetched at random times, and
// link to each page some time after its birth. A page is fetched two days after it
// was first linked to. firstAtOnce makes the first link of each page come with it,
// which the model does not know of.
func grow(seed uint64, truth Model, pages int, dates, firstAtOnce bool) web {
	const end = 400 // days
	random := rand.New(rand.NewPCG(seed, 7))
	hubs := make([][]float64, 200)
	for h := range hubs {
		for t := random.ExpFloat64() * 8; t < end; t += random.ExpFloat64() * 8 {
			hubs[h] = append(hubs[h], t)
		}
	}
	var out web
	growth := truth.Growth.Hours() / 24
	for len(out.born) < pages {
		born := end - random.ExpFloat64()*growth
		if born < -2000 {
			continue
		}
		var e Evidence
		for i := range 1 + int(random.ExpFloat64()*2.5) {
			delay := 0.0
			if random.Float64() >= truth.Immediate && (i > 0 || !firstAtOnce) {
				delay = random.ExpFloat64() * truth.Delay.Hours() / 24
			}
			fetches := hubs[random.IntN(len(hubs))]
			n, _ := slices.BinarySearch(fetches, born+delay)
			if n == len(fetches) {
				continue // not seen yet
			}
			l := Link{With: at(fetches[n]), Until: at(fetches[len(fetches)-1])}
			if n > 0 {
				l.Without = at(fetches[n-1])
			}
			e.Links = append(e.Links, l)
			if seen := l.With.Add(2 * day); e.Seen.IsZero() || seen.Before(e.Seen) {
				e.Seen = seen
			}
		}
		if len(e.Links) == 0 {
			continue
		}
		if random.Float64() < 0.3 {
			m := at(born + random.ExpFloat64()*50)
			if random.Float64() < truth.Unmodified {
				m = at(born)
			}
			if m.Before(e.Seen) {
				e.Modified = m
			}
		}
		if dates && random.Float64() < 0.4 {
			e.Dated = at(born + random.ExpFloat64()*truth.Error.Hours()/24*float64(1-2*random.IntN(2)))
			if random.Float64() >= truth.Trust {
				e.Dated = at(end - random.Float64()*truth.Span.Hours()/24)
			}
		}
		out.born, out.evidence = append(out.born, at(born)), append(out.evidence, e)
	}
	return out
}

// TestCalibration checks that the interval of probability 0.9 holds the truth nine
// times in ten, with the model fitted to the same pages from the default.
func TestCalibration(t *testing.T) {
	t.Parallel()
	truth := Default()
	truth.Growth, truth.Unmodified = 365*day, 0
	for _, test := range []struct {
		name        string
		immediate   float64
		delay       time.Duration
		dates       bool
		firstAtOnce bool
		unmodified  float64
		most        float64 // coverage; more than .94 where the model is known to be too careful
	}{
		{"links alone", 0.4, 20 * day, false, false, 0, .94},
		{"mostly immediate", 0.8, 60 * day, true, false, 0, .94},
		{"mostly late", 0.15, 10 * day, true, false, 0, .94},
		{"the first link at once", 0.3, 25 * day, false, true, 0, .99},
		{"half never modified", 0.4, 20 * day, false, false, 0.5, .98},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := truth
			m.Immediate, m.Delay, m.Unmodified = test.immediate, test.delay, test.unmodified
			w := grow(11, m, 500, test.dates, test.firstAtOnce)
			start := truth
			start.Unmodified = m.Unmodified
			fitted, err := Fit(w.evidence, start)
			if err != nil {
				t.Fatal(err)
			}
			if !test.firstAtOnce && (math.Abs(fitted.Immediate-m.Immediate) > 0.1 || fitted.Delay < m.Delay*7/10 || fitted.Delay > m.Delay*14/10) {
				t.Errorf("fitted %.2f, %v; the truth is %.2f, %v", fitted.Immediate, fitted.Delay, m.Immediate, m.Delay)
			}
			var covered, days, brier, baseline float64
			a := at(370)
			for i, e := range w.evidence {
				p, err := fitted.Posterior(e)
				if err != nil {
					t.Fatal(err)
				}
				from, to := p.Interval(0.9)
				if !w.born[i].Before(from) && !w.born[i].After(to) {
					covered++
				}
				days += to.Sub(from).Hours() / 24
				isNew := 0.0
				if w.born[i].After(a) {
					isNew = 1
				}
				firstSeen := 0.0
				if e.Seen.After(a) {
					firstSeen = 1
				}
				brier += (p.After(a) - isNew) * (p.After(a) - isNew)
				baseline += (firstSeen - isNew) * (firstSeen - isNew)
			}
			n := float64(len(w.born))
			t.Logf("fitted %.2f, %v; 90 %% interval covers %.1f %%, %.1f days long; Brier score of being new %.4f, first seen is new %.4f",
				fitted.Immediate, fitted.Delay.Round(time.Hour), 100*covered/n, days/n, brier/n, baseline/n)
			// An interval that ends at a moment has all of its probability, which may be more than asked for.
			if covered/n < 0.87 || covered/n > test.most {
				t.Errorf("the 90 %% interval covers the truth in %.1f %% of the pages", 100*covered/n)
			}
			if brier >= baseline {
				t.Error("the probability is no better than to take first seen for new")
			}
		})
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	e := Evidence{
		Seen: at(30), Modified: at(12),
		Links: []Link{{Without: at(10), With: at(20), Until: at(40)}, {With: at(25), Until: at(40)}},
	}
	p, err := Default().Posterior(e)
	if err != nil {
		t.Fatal(err)
	}
	if q := p.Quantile(1); q.After(at(12)) {
		t.Errorf("born until %v: the page was modified before", q)
	}
	if got := p.After(at(12)); got != 0 {
		t.Errorf("born after its Last-Modified with probability %v", got)
	}
	if got := p.After(at(-1e5)); got != 1 {
		t.Errorf("born after the deep past with probability %v", got)
	}
	for _, q := range []float64{0.05, 0.3, 0.5, 0.95} {
		if got := 1 - p.After(p.Quantile(q)); math.Abs(got-q) > 1e-6 {
			t.Errorf("below quantile %v lie %v", q, got)
		}
	}
	// All links made at once: the birth is in the interval common to the links.
	m := Default()
	m.Immediate = 1
	p, err = m.Posterior(Evidence{Seen: at(30), Links: []Link{{Without: at(10), With: at(20)}, {Without: at(15), With: at(25)}}})
	if err != nil {
		t.Fatal(err)
	}
	if from, to := p.Interval(0.98); from.Before(at(15)) || to.After(at(20)) {
		t.Errorf("interval %v to %v, want within day 15 to 20", from, to)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, e := range []Evidence{
		{},
		{Seen: at(3), Links: []Link{{}}},
		{Seen: at(3), Links: []Link{{Without: at(2), With: at(2)}}},
		{Seen: at(3), Links: []Link{{With: at(2), Until: at(1)}}},
	} {
		if _, err := Default().Posterior(e); err == nil {
			t.Errorf("Posterior(%+v) gives no error", e)
		}
	}
	if _, err := (Model{}).Posterior(Evidence{Seen: at(1)}); err == nil {
		t.Error("the empty model gives no error")
	}
	if m, err := Fit(nil, Default()); err != nil || m != Default() {
		t.Errorf("Fit of nothing: %+v, %v", m, err)
	}
}

func BenchmarkPosterior(b *testing.B) {
	w := grow(3, Default(), 100, true, false)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := Default().Posterior(w.evidence[i%100]); err != nil {
			b.Fatal(err)
		}
	}
}
