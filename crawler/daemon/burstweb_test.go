package daemon_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/burst"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/monitor"
)

// worldWeb fetches from the simulated web.
type worldWeb struct {
	*web
	world    *simweb.World
	requests atomic.Int64
}

func (w *worldWeb) get(url string, at time.Time) daemon.Attempt {
	r := w.world.Body(url, at, int(w.requests.Add(1)))
	a := content(string(r.Body), at)
	a.Status, a.Source.ContentType = r.Status, r.Header.Get("Content-Type")
	return a
}

func (w *worldWeb) Fetch(_ context.Context, j daemon.Job) daemon.Attempt {
	return w.get(j.URL, w.clock.Now())
}

func (w *worldWeb) FetchPair(_ context.Context, j daemon.Job) daemon.Pair {
	at := w.clock.Now()
	return daemon.Pair{A: w.get(j.URL, at), B: w.get(j.URL, at), SentA: at, SentB: at, Accepted: true}
}

// TestMasksOfSimulatedWeb watches pages of the simulated web whose noise is new on
// every request, some with true changes besides, and holds the flags of their changes against the truth: at least
// 95 % of what is only noise is masked, and no true change is.
func TestMasksOfSimulatedWeb(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(28 * time.Hour)
	if soak() {
		d.until = epoch.Add(60 * time.Hour)
	}
	world, err := simweb.New(d.clock.Now, simweb.Options{Seed: 5, Hosts: 12, PagesPerHost: 60, Size: 6 << 10, Volatile: true, Epoch: epoch.Add(-24 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	byRate := map[simweb.Rate]int{}
	for p := range world.Pages(epoch, d.until) {
		// What changes by the day or the five minutes never differs within a pair.
		slow := slices.Contains(p.Noise, "quote") || slices.Contains(p.Noise, "ticker")
		if p.Rate >= simweb.Daily && !slow && p.Died.IsZero() && p.Redirect == "" && p.Born.Before(epoch) && byRate[p.Rate] < 3 {
			byRate[p.Rate]++
			urls = append(urls, p.URL)
		}
	}
	watches := apply(t, db, epoch, watchSpec{"hourly", time.Hour, urls})
	watches[0].Bursts, watches[0].Pairs, watches[0].Masks = &burst.Options{MinSlots: 5, Rounds: 3}, true, true
	reader := intake.New(canonical.New(canonical.Options{}))
	measure := monitor.New(db, monitor.Options{Workers: 1})
	drain := func() {
		if _, err := measure.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
	learned := epoch.Add(12 * time.Hour)
	d.at = append(d.at, moment{learned, drain}) // before, masks are not known
	finish(t, d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm := daemon.New(db, &worldWeb{web: newWeb(d.clock), world: world}, reader, d.clock,
			daemon.Options{AtRest: rest, Lookahead: 4 * time.Minute, Lease: 2 * time.Hour, Learner: monitor.MaskLearner{}})
		dm.SetWatches(watches)
		return dm
	}))
	drain()
	rows, err := db.Pool().Query(t.Context(), `
		select c.url, b.last_seen, c.changed_at, c.masked
		from api_v1.change c join api_v1.version b on b.bucket = c.bucket and b.page_id = c.page_id and b.version = c.version - 1
		where c.changed_at > $1 and c.text_changed`, learned)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var noise, left, real, lost int
	for rows.Next() {
		var url string
		var before, after time.Time
		var masked bool
		if err := rows.Scan(&url, &before, &after, &masked); err != nil {
			t.Fatal(err)
		}
		switch changed := len(world.Changes(url, before, after)) > 0; {
		case changed && masked:
			lost++
			t.Logf("%s %s: a true change is masked", url, after)
			real++
		case changed:
			real++
		case masked:
			noise++
		default:
			t.Logf("%s %s: noise is not masked", url, after)
			noise++
			left++
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages: %d changes of noise, %d of them not masked; %d true changes, %d of them masked", len(urls), noise, left, real, lost)
	if noise < 100 || float64(left) > 0.05*float64(noise) {
		t.Errorf("of %d changes of noise %d are not masked", noise, left)
	}
	if real < 5 || lost > 0 {
		t.Errorf("of %d true changes %d are masked", real, lost)
	}
}
