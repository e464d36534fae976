package daemon_test

import (
	"crypto/md5"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/adaptive"
	"github.com/strandlinehq/strandline/crawler/burst"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/schedule"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// applyAuto applies one watch with an Auto, its pages joining at the budget's pace.
func applyAuto(t testing.TB, db *store.DB, now time.Time, urls []string, a daemon.Auto) []daemon.Watch {
	t.Helper()
	plan, err := schedule.New("auto", never{}, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := db.SetWatches(t.Context(), now, []store.WatchSpec{{
		Name: "auto", Timing: "auto", Every: a.Limits.Max, Pages: urls, First: daemon.Newcomers(a.Budget),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return []daemon.Watch{{ID: got.Watches[0].ID, Name: "auto", Plan: plan, Auto: &a}}
}

// never is a schedule without times of its own, as auto is.
type never struct{}

func (never) Next(time.Time) time.Time { return time.Time{} }
func (never) Interval() time.Duration  { return 24 * time.Hour }

// adaptiveRun is a run of the real loop and store over the simulated web.
type adaptiveRun struct {
	pages   []adaptive.Page // true rates
	changes [][]time.Time
	visits  [][]time.Time
	rate    float64 // fetches an hour
	from    time.Time
	to      time.Time
}

// expected is the share of time in which pages are as last fetched, expected from their
// true rates and the times of their fetches: (1-e^{-dt})/d hours of the t after each. What
// happened differs from it by chance only, since when a page is fetched
// depends on nothing that comes after the fetch before.
func (r *adaptiveRun) expected() float64 {
	sum := 0.0
	for i, p := range r.pages {
		fresh := func(t time.Duration) float64 { return -math.Expm1(-p.Rate*max(0, t).Hours()) / p.Rate }
		for k, v := range r.visits[i] {
			end := r.to
			if k+1 < len(r.visits[i]) {
				end = r.visits[i][k+1]
			}
			if end.After(r.from) {
				sum += fresh(end.Sub(v)) - fresh(r.from.Sub(v))
			}
		}
	}
	return sum / float64(len(r.pages)) / r.to.Sub(r.from).Hours()
}

// happened is the same by the changes that there were.
func (r *adaptiveRun) happened() float64 {
	var fresh time.Duration
	for i, visits := range r.visits {
		for k, v := range visits {
			end := r.to
			if k+1 < len(visits) {
				end = visits[k+1]
			}
			for _, c := range r.changes[i] {
				if c.After(v) && c.Before(end) {
					end = c
				}
			}
			if v.Before(r.from) {
				v = r.from
			}
			fresh += max(0, end.Sub(v))
		}
	}
	return fresh.Hours() / r.to.Sub(r.from).Hours() / float64(len(r.pages))
}

// crawlAdaptively learns for some visits a page and then measures for as long.
func crawlAdaptively(t testing.TB, seed uint64, n int, budget float64, learn, measure time.Duration) *adaptiveRun {
	t.Helper()
	db, _ := open(t)
	d := newDriver(epoch)
	out := &adaptiveRun{from: epoch.Add(learn), to: epoch.Add(learn + measure)}
	d.until = out.to
	world, err := simweb.New(d.clock.Now, simweb.Options{
		Seed: seed, Hosts: 24, PagesPerHost: 120, Size: 2 << 10, Births: -1, Deaths: -1, Epoch: epoch.Add(-24 * time.Hour),
		Rates: simweb.Rates{Weekly: 3, Daily: 4, Hourly: 2, Minutes: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	perHost := map[string]int{}
	for p := range world.Pages(epoch, out.to) {
		// Articles come to rest; what these have is a Poisson process without end.
		own := p.Kind == simweb.Document || p.Kind == simweb.Table || p.Kind == simweb.Product
		if !own || !p.Poisson || p.Reverts || p.Moves || !p.Born.Before(epoch) || !p.Died.IsZero() ||
			len(p.Noise) > 0 || perHost[p.Host] == 1+n/12 || len(urls) == n {
			continue
		}
		var times []time.Time
		for _, c := range world.Changes(p.URL, epoch, out.to) {
			times = append(times, c.At)
		}
		perHost[p.Host]++
		urls = append(urls, p.URL)
		out.changes = append(out.changes, times)
		out.pages = append(out.pages, adaptive.Page{Importance: 1, Rate: 1 / p.Period.Hours()})
	}
	watches := applyAuto(t, db, epoch, urls, daemon.Auto{Limits: adaptive.Limits{Min: time.Hour, Max: 30 * 24 * time.Hour}, Budget: budget})
	w := newWeb(d.clock)
	finish(t, d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm := daemon.New(db, &worldWeb{web: w, world: world}, intake.New(canonical.New(canonical.Options{})), d.clock,
			daemon.Options{AtRest: rest, Lookahead: 30 * time.Minute, Flush: 30 * time.Minute, Lease: 240 * time.Hour})
		dm.SetWatches(watches)
		return dm
	}))
	t.Logf("%d pages of %d hosts", len(urls), len(perHost))
	fetches := 0
	for i, u := range urls {
		visits := visitsOf(t, db, u)
		out.visits = append(out.visits, visits)
		for _, v := range visits {
			if !v.Before(out.from) {
				fetches++
			}
		}
		if len(visits) == 0 {
			t.Errorf("%s was never fetched; it changed %d times", u, len(out.changes[i]))
		}
	}
	out.rate = float64(fetches) / measure.Hours()
	return out
}

func visitsOf(t testing.TB, db *store.DB, url string) []time.Time {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `
		select f.started_at from core.fetch f join core.page p using (bucket, page_id) where p.url = $1 and f.outcome <> 'skipped' order by 1`, url)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []time.Time
	for rows.Next() {
		var at time.Time
		if err := rows.Scan(&at); err != nil {
			t.Fatal(err)
		}
		out = append(out, at)
	}
	return out
}

// report holds a run against the best that its number of fetches could have come to.
func (r *adaptiveRun) report(t testing.TB, budget float64) (ofOptimum, uniformly float64) {
	t.Helper()
	_, optimum := adaptive.Optimum(r.pages, r.rate)
	_, uniform := adaptive.Uniform(r.pages, r.rate)
	_, proportional := adaptive.Proportional(r.pages, r.rate)
	got := r.expected()
	t.Logf("%d pages, budget %.2f/h, used %.2f/h: freshness %.4f (happened %.4f); with known rates optimum %.4f, uniform %.4f, proportional %.4f: of the optimum %.4f, %.4f, %.4f",
		len(r.pages), budget, r.rate, got, r.happened(), optimum, uniform, proportional, got/optimum, uniform/optimum, proportional/optimum)
	return got / optimum, uniform / optimum
}

// TestAutoNearsTheOptimum runs schedule auto through the real loop and store: after 20 visits a page
// its freshness is at least 95 % of the optimum's for the true rates, in the mean of several webs.
func TestAutoNearsTheOptimum(t *testing.T) {
	t.Parallel()
	const budget = 8
	n, seeds := 40, []uint64{5, 6}
	if soak() {
		n, seeds = 80, []uint64{5, 6, 7, 8}
	}
	mean := time.Duration(n) * time.Hour / budget
	var of, uniformly, rate float64
	for _, seed := range seeds {
		r := crawlAdaptively(t, seed, n, budget, 20*mean, 15*mean)
		ofOne, uniformlyOne := r.report(t, budget)
		of, uniformly, rate = of+ofOne/float64(len(seeds)), uniformly+uniformlyOne/float64(len(seeds)), rate+r.rate/float64(len(seeds))
	}
	if of < 0.95 || of < uniformly+0.005 {
		t.Errorf("freshness is %.4f of the optimum, want 0.95 and more than %.4f, which visits to all alike come to", of, uniformly)
	}
	if rate > 1.1*budget || rate < 0.9*budget { // 600 fetches or more scatter by 3 % or less
		t.Errorf("%.2f fetches an hour, the budget is %d", rate, budget)
	}
}

// TestAutoShared has two daemons keep one budget, and starts them anew half way. No page starves,
// none is fetched within min, and what was learned is still known.
func TestAutoShared(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	const budget, longest = 10, 24 * time.Hour
	hours := 50
	if soak() {
		hours = 100
	}
	half := time.Duration(hours) * time.Hour
	urls := pages(60, 15)
	auto := daemon.Auto{Limits: adaptive.Limits{Min: time.Hour, Max: longest}, Budget: budget}
	watches := applyAuto(t, db, epoch, urls, auto)
	seen := map[string][]time.Time{}
	for from := 0; from < 2; from++ {
		d := newDriver(epoch.Add(time.Duration(from) * half))
		d.until, d.want = d.clock.Now().Add(half), 2
		w := newWeb(d.clock)
		w.answer = func(j daemon.Job, at time.Time) daemon.Attempt {
			// Page n of 60 changes every 2^(n mod 7) hours; those of h0 fail at night.
			n := len(j.URL) + int(j.URL[len(j.URL)-1])
			if j.Host == "h0.test" && at.Hour() < 6 {
				return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Failed, Error: "asleep"}
			}
			return content(fmt.Sprintf("%s %d", j.URL, int(at.Sub(epoch).Hours())>>(n%7)), at)
		}
		var runs []func() error
		for _, name := range []string{"a", "b"} {
			runs = append(runs, d.run(t, name, func(rest func(time.Time)) *daemon.Daemon {
				dm := daemon.New(db, w, textReader{}, d.clock, daemon.Options{
					AtRest: rest, Lookahead: 50 * time.Minute, Flush: 30 * time.Minute, Lease: 6 * time.Hour, Host: name,
				})
				dm.SetWatches(watches)
				return dm
			}))
		}
		finish(t, runs...)
		for u, times := range w.seen {
			seen[u] = append(seen[u], times...)
		}
	}
	total := 0
	for _, u := range urls {
		times := seen[u]
		for _, at := range times {
			if at.After(epoch.Add(half)) {
				total++
			}
		}
		if gap := shortest(times); gap < auto.Limits.Min {
			t.Errorf("%s was fetched twice within %s", u, gap)
		}
		for i, at := range append(times, epoch.Add(2*half)) {
			if i > 0 && at.Sub(times[i-1]) > longest+2*time.Hour {
				t.Errorf("%s was not fetched for %s", u, at.Sub(times[i-1]))
			}
		}
	}
	rate := float64(total) / half.Hours()
	t.Logf("%.2f fetches an hour, budget %d", rate, budget)
	if rate < 0.8*budget || rate > 1.2*budget {
		t.Errorf("%.2f fetches an hour by two daemons, the budget is %d", rate, budget)
	}
	if n := count(t, db, `select count(*) from core.page_rate where state <> '' and seen_at is not null`); n != len(urls) {
		t.Errorf("the rates of %d pages are known, want %d", n, len(urls))
	}
	health, err := db.ScheduleHealth(t.Context())
	if err != nil || len(health) != 1 || health[0].Kind != "watch" || health[0].LagP99 > 2*time.Hour {
		t.Errorf("health is %+v, %v", health, err)
	}
}

// textReader takes the whole payload for the page's text.
type textReader struct{}

func (textReader) Read(_ intake.Source, p []byte) store.Extract {
	return store.Extract{Words: len(p), Record: p, Rules: 1, TextHash: md5.Sum(p), WordsHash: md5.Sum(p)}
}

// TestAutoPassesOverNoise watches a page whose counter is new with every request, and one that does
// not change. Once pairs have shown the counter to be noise, it is no change to the schedule either.
func TestAutoPassesOverNoise(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	urls := []string{"http://a.test/c", "http://b.test/still"}
	watches := applyAuto(t, db, epoch, urls, daemon.Auto{Limits: adaptive.Limits{Min: time.Hour, Max: 24 * time.Hour}, Budget: 2})
	watches[0].Bursts, watches[0].Pairs, watches[0].Masks = &burst.Options{MinSlots: 3, Rounds: 2}, true, true
	rates := func() [2]float64 {
		t.Helper()
		var out [2]float64
		for i, u := range urls {
			var state []byte
			if err := db.Pool().QueryRow(t.Context(), `select r.state from core.page_rate r join core.page p using (bucket, page_id) where p.url = $1`, u).Scan(&state); err != nil {
				t.Fatal(err)
			}
			var e adaptive.Estimator
			if err := e.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			out[i] = e.Rate(adaptive.Prior{})
		}
		return out
	}
	var early [2]float64
	from := epoch
	for _, hours := range []int{12, 60} {
		d := newDriver(from)
		d.until = epoch.Add(time.Duration(hours) * time.Hour)
		w := &noisyWeb{web: newWeb(d.clock)}
		w.requests.Store(int64(hours) * 1000)
		finish(t, d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
			dm := daemon.New(db, w, intake.New(canonical.New(canonical.Options{})), d.clock, daemon.Options{
				AtRest: rest, Lookahead: 4 * time.Minute, Lease: 24 * time.Hour, Learner: monitor.MaskLearner{}, Masker: monitor.MaskLearner{},
			})
			dm.SetWatches(watches)
			return dm
		}))
		if hours == 12 {
			early = rates()
			// Measuring flags the changes of before the noise was known, and has the rate learned anew.
			if _, err := monitor.New(db, monitor.Options{Workers: 1}).Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := count(t, db, `select count(*) from core.page_rate where relearn`); n != 1 {
				t.Errorf("the rates of %d pages are to be learned anew, want 1", n)
			}
		}
		from = d.until
	}
	late := rates()
	t.Logf("changes an hour: counter %.3f, then %.3f; still page %.3f, then %.3f", early[0], late[0], early[1], late[1])
	if n := count(t, db, `select count(*) from api_v1.page_mask where active`); n == 0 {
		t.Fatal("no noise was learned")
	}
	if n := count(t, db, `select count(*) from core.page_rate where relearn`); n != 0 {
		t.Errorf("the rates of %d pages are still to be learned anew", n)
	}
	// What is left are the edits of the article, every seven hours.
	if late[0] > 0.6*early[0] || late[0] > 0.2 {
		t.Errorf("the page with a counter is taken to change %.3f times an hour, after %.3f before its noise was known", late[0], early[0])
	}
}

// TestImportance has two pages that change alike, of which one is worth more.
func TestImportance(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	urls := []string{"http://a.test/", "http://b.test/"}
	auto := daemon.Auto{Limits: adaptive.Limits{Min: time.Hour, Max: 200 * time.Hour}, Budget: 0.5}
	auto.Importance = func(url string) float64 {
		if url == urls[0] {
			return 8
		}
		return 1
	}
	watches := applyAuto(t, db, epoch, urls, auto)
	d := newDriver(epoch)
	d.until = epoch.Add(200 * time.Hour)
	w := newWeb(d.clock)
	w.answer = func(j daemon.Job, at time.Time) daemon.Attempt {
		return content(fmt.Sprintf("%s %d", j.URL, int(at.Sub(epoch).Hours())/8), at)
	}
	finish(t, d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm := daemon.New(db, w, textReader{}, d.clock, daemon.Options{AtRest: rest, Lookahead: 50 * time.Minute, Flush: 30 * time.Minute, Lease: 50 * time.Hour})
		dm.SetWatches(watches)
		return dm
	}))
	if a, b := len(w.times(urls[0])), len(w.times(urls[1])); a < 2*b || b < 2 {
		t.Errorf("%d fetches of the page that is worth eight times as much, %d of the other", a, b)
	}
}

// BenchmarkAuto is the evidence at more length: three worlds, more pages, and longer.
func BenchmarkAuto(b *testing.B) {
	const n, budget = 240, 24
	mean := n * time.Hour / budget
	sum, runs := 0.0, 0
	for b.Loop() {
		r := crawlAdaptively(b, 10+uint64(runs%3), n, budget, 20*mean, 30*mean)
		of, _ := r.report(b, budget)
		sum += of
		runs++
	}
	b.ReportMetric(sum/float64(runs), "freshness/optimum")
}
