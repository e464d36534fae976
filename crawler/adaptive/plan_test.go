package adaptive

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Without limits that bind the plan's intervals are the optimum's.
func TestPlanIsTheOptimum(t *testing.T) {
	t.Parallel()
	pages := simWeb(rand.New(rand.NewPCG(1, 1)))
	lim := Limits{Min: time.Second, Max: 1e6 * time.Hour}
	plan := MakePlan([]Host{{Pages: pages[:100]}, {Pages: pages[100:]}}, simBudget, lim)
	rates, best := Optimum(pages, simBudget)
	got := make([]float64, len(pages))
	for i, p := range pages {
		got[i] = 1 / hours(p.Interval(plan.Threshold, lim))
		if rates[i] > 1e-3 && math.Abs(got[i]-rates[i]) > 1e-3*rates[i] {
			t.Errorf("page %d: %g visits an hour, optimum %g", i, got[i], rates[i])
		}
	}
	if f := Freshness(pages, got); math.Abs(f-best) > 1e-3 {
		t.Errorf("freshness %g, optimum %g", f, best)
	}
	if math.Abs(plan.Demand-simBudget) > 1e-3 || plan.Stretched || plan.Limited != 0 {
		t.Errorf("%+v", plan)
	}
}

func TestPlanKeepsLimitsAndStarvesNone(t *testing.T) {
	t.Parallel()
	pages := simWeb(rand.New(rand.NewPCG(2, 2)))
	pages = append(pages, Page{1, 0}, Page{0, 1}, Page{1e-9, 1000}) // none worth a visit
	hosts := []Host{{Pages: pages[:200], Limit: 2}, {Pages: pages[200:]}}
	lim := Limits{Min: 30 * time.Minute, Max: 10 * 24 * time.Hour}
	plan := MakePlan(hosts, simBudget, lim)
	demand := make([]float64, 2)
	for h := range hosts {
		for _, p := range hosts[h].Pages {
			i := p.Interval(plan.Hosts[h], plan.Limits)
			if i > lim.Max || i < lim.Min {
				t.Fatalf("interval %v", i)
			}
			demand[h] += 1 / hours(i)
		}
	}
	if demand[0] > 2.0001 || demand[0] < 1.99 {
		t.Errorf("the limited host gets %g an hour", demand[0])
	}
	if sum := demand[0] + demand[1]; math.Abs(sum-simBudget) > 0.01 || math.Abs(plan.Demand-sum) > 0.01 {
		t.Errorf("demand %g, said to be %g", sum, plan.Demand)
	}
	if plan.Limited != 1 || plan.AtMax < 3 || plan.Hosts[0] <= plan.Threshold || plan.Hosts[1] != plan.Threshold || plan.Stretched {
		t.Errorf("limited %d, at max %d, thresholds %g %v", plan.Limited, plan.AtMax, plan.Threshold, plan.Hosts)
	}

	// A budget that cannot visit all pages within Max stretches it.
	plan = MakePlan(hosts, 0.5, lim)
	if !plan.Stretched || plan.Demand > 0.5001 || plan.Limits.Max < 806*time.Hour {
		t.Errorf("%+v", plan)
	}
	if plan := MakePlan(nil, 0, Limits{}); plan.Demand != 0 || plan.Stretched {
		t.Errorf("no pages: %+v", plan)
	}
}

// From a threshold that is wrong the Controller comes to the budget and stays.
func TestControllerConverges(t *testing.T) {
	t.Parallel()
	mean := simPages / simBudget
	for name, start := range map[string]float64{"right": 1, "far too low": 1. / 50, "too high": 8} {
		s := newSimulation(11, true)
		s.lim = Limits{Max: 200 * time.Hour}
		s.uniformly(1)
		s.plan()
		right := s.control.Threshold()
		s.control.SetThreshold(right * start)
		for i := range s.pages {
			s.due[i] = s.fetched[i] + hours(s.page(i).Interval(right*start, s.lim))
		}
		s.run(10*mean + 200)
		least, most, all := math.Inf(1), 0.0, 0.0
		for range 20 {
			_, rate := s.measure(mean)
			if rate < simBudget*0.85 {
				t.Errorf("%s: %g fetches an hour", name, rate)
			}
			all += rate / 20
			least, most = min(least, s.control.Threshold()), max(most, s.control.Threshold())
		}
		t.Logf("%s: %.2f fetches an hour, threshold between %.2f and %.2f of the right one", name, all, least/right, most/right)
		if all < simBudget*0.95 {
			t.Errorf("%s: %g fetches an hour on average", name, all)
		}
		if least < right*0.6 || most > right*1.5 {
			t.Errorf("%s: threshold between %g and %g of the right one", name, least/right, most/right)
		}
		backlog := 0
		for _, due := range s.due {
			if due < s.now {
				backlog++
			}
		}
		if backlog > 60 || s.longest > 210 {
			t.Errorf("%s: backlog of %d pages, longest interval %g h", name, backlog, s.longest)
		}
	}
}

// TestControllerUsesTheBudget has counts that scatter as few fetches do: the budget is used all the same.
func TestControllerUsesTheBudget(t *testing.T) {
	t.Parallel()
	const budget, ticks = 8., 20_000
	rng := rand.New(rand.NewPCG(3, 7))
	c := NewController(40, budget, 5)
	sum := 0
	for i := range 2 * ticks {
		// The demand at threshold 1 is the budget, and goes with the root of the threshold.
		n := 0
		for gone := rng.ExpFloat64(); gone < budget/math.Sqrt(c.Threshold()); gone += rng.ExpFloat64() {
			n++
		}
		c.Observe(n, 0, time.Hour)
		if i >= ticks {
			sum += n
		}
	}
	if used := float64(sum) / ticks; math.Abs(used-budget) > 0.01*budget {
		t.Errorf("%.3f fetches an hour, the budget is %g", used, budget)
	}
}

func TestControllerFollowsTheBudget(t *testing.T) {
	t.Parallel()
	s := newSimulation(12, true)
	s.lim = Limits{Max: 200 * time.Hour}
	s.uniformly(1)
	s.plan()
	s.run(100)
	before := s.control.Threshold()
	s.budget = 2 * simBudget
	s.control.Resize(simPages, s.budget)
	s.run(300)
	if _, rate := s.measure(100); rate < 0.93*s.budget {
		t.Errorf("budget doubled: %g fetches an hour", rate)
	}
	if s.control.Outdated(s.control.Threshold()*1.5) || !s.control.Outdated(before*3) {
		t.Error("wrong word on outdated intervals")
	}
	c := NewController(0, 0, 1)
	c.Observe(100, 3, time.Hour)
	if c.Threshold() != 1 {
		t.Errorf("without a budget the threshold moved to %g", c.Threshold())
	}
	c = NewController(10, 1, 0)
	c.Observe(0, 0, time.Hour)
	c.Observe(100, 3, time.Hour)
	if th := c.Threshold(); !(th > 0) || math.IsInf(th, 1) {
		t.Errorf("threshold %g", th)
	}
}

func BenchmarkMakePlan(b *testing.B) {
	pages := simWeb(rand.New(rand.NewPCG(1, 1)))
	b.ReportAllocs()
	for b.Loop() {
		MakePlan([]Host{{Pages: pages}}, simBudget, Limits{})
	}
}
