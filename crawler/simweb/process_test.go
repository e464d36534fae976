package simweb

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// allTicks is the slow and obvious way to the ticks up to t: draw every cell from the first on.
func allTicks(p process, t time.Duration) []tick {
	var out []tick
	for index := int64(0); p.cell > 0 && p.start+time.Duration(index)*p.cell <= t; index++ {
		c := cursor{p: p}
		for c.load(index); c.i < c.n; c.i++ {
			if c.ticks[c.i] <= t {
				out = append(out, c.tick())
			}
		}
	}
	return out
}

func drawProcess(t *rapid.T) process {
	p := process{
		seed:  rapid.Uint64().Draw(t, "seed"),
		start: time.Duration(rapid.IntRange(-1000, 1000).Draw(t, "start")) * time.Second,
		cell:  time.Duration(rapid.IntRange(0, 200).Draw(t, "cell")) * time.Second,
		until: forever,
	}
	if rapid.Bool().Draw(t, "ends") {
		p.until = p.start + time.Duration(rapid.IntRange(0, 3000).Draw(t, "length"))*time.Second
	}
	if rapid.Bool().Draw(t, "poisson") {
		p.mean = poissonMean
	}
	return p
}

func TestCursorAgreesWithDrawingEveryCell(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProcess(t)
		at := p.start + time.Duration(rapid.Int64Range(-10, 5000).Draw(t, "at"))*time.Second
		want := allTicks(p, at)
		var got []tick
		for c, ok := p.at(at); ok; ok = c.back() {
			got = append([]tick{c.tick()}, got...)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(tick{})); diff != "" {
			t.Fatalf("ticks of %+v up to %s (-all cells +walking back):\n%s", p, at, diff)
		}
		for i, k := range got {
			if k.at%time.Second != 0 || k.at < p.start || k.at >= p.until || k.id == 0 {
				t.Fatalf("%+v: tick %+v is no whole second of the process", p, k)
			}
			if i > 0 && (k.at <= got[i-1].at || k.id <= got[i-1].id) {
				t.Fatalf("%+v: tick %+v follows %+v", p, k, got[i-1])
			}
		}
		next, ok := p.after(at)
		later := allTicks(p, min(p.until, at+2000*time.Second))
		if len(later) > len(want) && (!ok || next != later[len(want)]) {
			t.Fatalf("%+v: after(%s) = %+v, %v, want %+v", p, at, next, ok, later[len(want)])
		}
		if ok && next.at <= at {
			t.Fatalf("%+v: after(%s) = %+v", p, at, next)
		}
	})
}

// TestGapsArePoisson compares the gaps of an irregular process with the exponential distribution: mean, and
// the shares below half the mean and above twice the mean, each within four standard errors.
func TestGapsArePoisson(t *testing.T) {
	t.Parallel()
	const period = 6 * time.Hour
	p := process{seed: 42, cell: 4 * period, mean: poissonMean, until: forever}
	ticks := allTicks(p, 20_000*period)
	n := float64(len(ticks) - 1)
	var sum, short, long float64
	for i := 1; i < len(ticks); i++ {
		gap := float64(ticks[i].at-ticks[i-1].at) / float64(period)
		sum += gap
		if gap < 0.5 {
			short++
		}
		if gap > 2 {
			long++
		}
	}
	for _, c := range []struct {
		name             string
		got, want, error float64
	}{
		{"mean gap", sum / n, 1, 1 / math.Sqrt(n)},
		{"gaps under half", short / n, 1 - math.Exp(-0.5), 0.49 / math.Sqrt(n)},
		{"gaps over twice", long / n, math.Exp(-2), 0.35 / math.Sqrt(n)},
	} {
		if math.Abs(c.got-c.want) > 4*c.error {
			t.Errorf("%s: %.4f, want %.4f within %.4f", c.name, c.got, c.want, 4*c.error)
		}
	}
}

// TestRatesAreAsAsked counts the shares of rates and the changes of pages.
func TestRatesAreAsAsked(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 31, Hosts: 20, PagesPerHost: 400, Rates: Rates{Static: 1, Daily: 1, Hourly: 2}, Size: 3 << 10}, 0)
	count := make(map[Rate]float64)
	total := 0.0
	checked := 0
	for p := range w.Pages(w.at(0), w.at(1)) {
		if p.Kind == Article || p.Kind < Article || p.Kind == Archive || p.Kind == About || p.Kind >= ArchiveMonth {
			continue
		}
		if p.Kind == Live && p.Rate == Minutes {
			continue // the fixed live page
		}
		count[p.Rate]++
		total++
		if p.Rate == Hourly && !p.Poisson && p.Died.IsZero() && !p.Reverts && checked < 5 {
			checked++
			want := float64(10*day) / float64(p.Period)
			changes := 0.0
			for _, c := range w.Changes(p.URL, w.at(0), w.at(10*day)) {
				if len(c.Added)+len(c.Removed) > 0 {
					changes++
				}
			}
			if changes > want+2 || changes < want*0.7 { // moves of blocks have no sentences
				t.Errorf("%s changed %.0f times in ten days, want about %.0f", p.URL, changes, want)
			}
		}
	}
	if checked == 0 {
		t.Error("no regular hourly page")
	}
	for rate, want := range map[Rate]float64{Static: 0.25, Daily: 0.25, Hourly: 0.5, Weekly: 0, Minutes: 0, Request: 0} {
		if got := count[rate] / total; math.Abs(got-want) > 0.03 {
			t.Errorf("share of %s is %.3f of %.0f, want %.2f", rate, got, total, want)
		}
	}
}
