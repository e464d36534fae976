package adaptive

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// The web of SCIENCE 2.1: rates and importance log-normal.
const (
	simPages  = 400
	simBudget = 20. // fetches an hour
	simHours  = 240.
)

func simWeb(rng *rand.Rand) []Page {
	pages := make([]Page, simPages)
	for i := range pages {
		pages[i] = Page{math.Exp(rng.NormFloat64()), 0.04 * math.Exp(1.5*rng.NormFloat64())}
	}
	return pages
}

// simulation runs the schedule as a daemon does: one fetch each 1/budget hours for
// the page due longest, none if no page is due; the threshold from a plan at
// the start and from the Controller after.
type simulation struct {
	rng     *rand.Rand
	pages   []Page
	known   bool // rates are given, else learned
	prior   Prior
	lim     Limits
	budget  float64
	now     float64 // hours
	fetched []float64
	due     []float64
	states  []Estimator
	control *Controller
	fetches int
	fresh   float64 // importance * hours, see advance
	seen    float64 // begin of measuring
	tick    float64 // of the controller
	fell    int     // pages that fell due since tick
	owing   []bool
	longest float64
}

func newSimulation(seed uint64, known bool) *simulation {
	rng := rand.New(rand.NewPCG(seed, 99))
	s := &simulation{
		rng: rng, pages: simWeb(rng), known: known, budget: simBudget,
		prior:   Prior{Changes: 1, Over: 24 * time.Hour},
		fetched: make([]float64, simPages), due: make([]float64, simPages),
		states: make([]Estimator, simPages), owing: make([]bool, simPages),
	}
	s.control = NewController(simPages, s.budget, 0)
	return s
}

// page is what the schedule believes of page i.
func (s *simulation) page(i int) Page {
	p := s.pages[i]
	if !s.known {
		p.Rate = s.states[i].Rate(s.prior)
	}
	return p
}

// plan computes threshold and all due times anew.
func (s *simulation) plan() {
	hosts := []Host{{}}
	for i := range s.pages {
		hosts[0].Pages = append(hosts[0].Pages, s.page(i))
	}
	s.control.SetThreshold(MakePlan(hosts, s.budget, s.lim).Threshold)
	for i := range s.pages {
		s.due[i] = s.fetched[i] + hours(s.page(i).Interval(s.control.Threshold(), s.lim))
	}
}

// visit fetches page i now. The expected freshness since the last visit,
// (1-e^{-d t})/d hours, is counted in place of the one that happened: when the
// next visit comes depends only on what was seen before the last one and on
// other pages, so both have the same mean.
func (s *simulation) visit(i int) {
	s.credit(i)
	t := s.now - s.fetched[i]
	s.longest = max(s.longest, t)
	s.states[i].Observe(time.Duration(t*float64(time.Hour)), s.rng.Float64() < -math.Expm1(-s.pages[i].Rate*t))
	s.fetched[i] = s.now
	s.due[i] = s.now + hours(s.page(i).Interval(s.control.Threshold(), s.lim))
	s.owing[i] = false
	s.fetches++
}

// credit counts the freshness of page i from its last visit, or the begin of
// measuring, until now.
func (s *simulation) credit(i int) {
	d := s.pages[i].Rate
	f := func(t float64) float64 { return -math.Expm1(-d*t) / d }
	s.fresh += s.pages[i].Importance * (f(s.now-s.fetched[i]) - f(max(0, s.seen-s.fetched[i])))
}

// measure runs for that long and returns the freshness and fetches an hour.
func (s *simulation) measure(length float64) (freshness, rate float64) {
	s.seen, s.fresh, s.fetches, s.longest = s.now, 0, 0, 0
	s.run(length)
	total := 0.0
	for i, p := range s.pages {
		s.credit(i)
		total += p.Importance
	}
	return s.fresh / total / length, float64(s.fetches) / length
}

func (s *simulation) run(length float64) {
	end := s.now + length
	for s.now < end {
		s.now += 1 / s.budget
		next := -1
		for i, due := range s.due {
			if due > s.now {
				continue
			}
			if !s.owing[i] {
				s.owing[i] = true
				s.fell++
			}
			if next < 0 || due < s.due[next] {
				next = i
			}
		}
		if next >= 0 {
			s.visit(next)
		}
		if s.now-s.tick >= 1 {
			backlog := 0
			for _, owing := range s.owing {
				backlog += index(owing)
			}
			s.control.Observe(s.fell, backlog, time.Duration((s.now-s.tick)*float64(time.Hour)))
			s.tick, s.fell = s.now, 0
		}
	}
}

// uniformly visits each page that many times at equal distance.
func (s *simulation) uniformly(times int) {
	for range times {
		for i := range s.pages {
			s.now += 1 / s.budget
			s.visit(i)
		}
	}
	s.tick, s.fell = s.now, 0
}

// ratios runs the three ways of one seed and returns their shares of the optimum.
func ratios(seed uint64) (known, learned, online, uniform, proportional, optimum float64) {
	s := newSimulation(seed, true)
	_, optimum = Optimum(s.pages, simBudget)
	_, uniform = Uniform(s.pages, simBudget)
	_, proportional = Proportional(s.pages, simBudget)
	s.uniformly(1)
	s.plan()
	s.run(200)
	known, _ = s.measure(simHours)

	s = newSimulation(seed, false)
	s.uniformly(20)
	s.plan()
	learned, _ = s.measure(simHours)

	s = newSimulation(seed, false)
	s.uniformly(1)
	s.plan()
	s.run(19 * simPages / simBudget)
	online, _ = s.measure(simHours)
	return known / optimum, learned / optimum, online / optimum, uniform / optimum, proportional / optimum, optimum
}

func TestScheduleNearsTheOptimum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		known, learned, online, uniform, proportional, optimum := ratios(seed)
		t.Logf("seed %d: optimum %.3f; of it known rates %.4f, learned in 20 visits %.4f, learned on the way %.4f, uniform %.3f, proportional %.3f",
			seed, optimum, known, learned, online, uniform, proportional)
		if known < 0.97 {
			t.Errorf("seed %d: known rates reach %.4f of the optimum", seed, known)
		}
		if learned < 0.95 || online < 0.95 {
			t.Errorf("seed %d: learned rates reach %.4f and %.4f of the optimum", seed, learned, online)
		}
		if known < uniform*1.05 {
			t.Errorf("seed %d: %.4f is not better than uniform %.4f", seed, known, uniform)
		}
		if known > 1.005 {
			t.Errorf("seed %d: %.4f beats the optimum: the budget was broken", seed, known)
		}
	}
}

func BenchmarkSchedule(b *testing.B) {
	var sum [6]float64
	n := 0.
	for b.Loop() {
		var r [6]float64
		r[0], r[1], r[2], r[3], r[4], r[5] = ratios(uint64(n))
		for k := range r {
			sum[k] += r[k]
		}
		n++
	}
	for k, unit := range []string{"known/opt", "learned/opt", "online/opt", "uniform/opt", "proportional/opt", "optimum"} {
		b.ReportMetric(sum[k]/n, unit)
	}
}

// A prior that is wrong by a factor of ten costs little after 20 visits.
func TestWrongPriors(t *testing.T) {
	t.Parallel()
	for _, over := range []time.Duration{150 * time.Minute, 240 * time.Hour} {
		s := newSimulation(5, false)
		s.prior = Prior{Changes: 1, Over: over}
		_, optimum := Optimum(s.pages, simBudget)
		s.uniformly(20)
		s.plan()
		f, _ := s.measure(simHours)
		t.Logf("prior of a change in %v: %.4f of the optimum", over, f/optimum)
		if f < 0.95*optimum {
			t.Errorf("prior of a change in %v: %.4f of the optimum", over, f/optimum)
		}
	}
}
