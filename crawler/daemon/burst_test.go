package daemon_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/burst"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// noisyWeb has pages with a counter that goes up with each request (under /counter),
// pages with a bulletin that is new every seven minutes (/bulletin), and pages that
// never change. The article of all but the last is edited every seven hours.
type noisyWeb struct {
	*web
	requests atomic.Int64
	skew     time.Duration
}

func (w *noisyWeb) page(url string, at time.Time) daemon.Attempt {
	n := w.requests.Add(1)
	edition := int(at.Sub(epoch) / (7 * time.Hour))
	counter, bulletin := "", "of the day"
	switch {
	case len(url) > 0 && url[len(url)-1] == 'c':
		counter = fmt.Sprintf("<p class=counter>You are visitor %d of this page.</p>", 1000+n)
	case url[len(url)-1] == 'b':
		bulletin = fmt.Sprintf("number %d", at.Sub(epoch)/(7*time.Minute))
	default:
		edition = 0
	}
	return content(fmt.Sprintf(`<html><head><title>Harbour office</title></head><body><h1>Harbour office</h1>
		<p>The harbour office tells masters of vessels which berths are free and how deep the water stands at the eastern quay.</p>
		<p>Dredging goes on between the lock and the fish market until the end of the season, and pilots ask for patience.</p>
		<p>%s The bulletin %s was read over the radio.</p>%s</body></html>`, editions[edition%len(editions)], bulletin, counter), at)
}

var editions = []string{
	"Three coasters wait outside for the tide.", "A tug from the north has come to help with the barges.",
	"The swing bridge stays closed for repairs of its bearings.", "Ice is reported from the upper river.", "All berths on the western side are taken.",
}

func (w *noisyWeb) Fetch(_ context.Context, j daemon.Job) daemon.Attempt {
	at := w.clock.Now()
	w.mu.Lock()
	w.seen[j.URL] = append(w.seen[j.URL], at)
	w.mu.Unlock()
	return w.page(j.URL, at)
}

func (w *noisyWeb) FetchPair(_ context.Context, j daemon.Job) daemon.Pair {
	at := w.clock.Now()
	return daemon.Pair{A: w.page(j.URL, at), B: w.page(j.URL, at), SentA: at, SentB: at.Add(w.skew), Skew: w.skew, Accepted: w.skew <= burst.MaxSkew}
}

func runNoisy(t *testing.T, db *store.DB, skew time.Duration, hours int, change func(*daemon.Watch), breaks ...time.Duration) []string {
	t.Helper()
	urls := []string{"http://a.test/c", "http://a.test/b", "http://b.test/still"}
	watches := apply(t, db, epoch, watchSpec{"hourly", time.Hour, urls})
	watches[0].Bursts, watches[0].Pairs, watches[0].Masks = &burst.Options{MinSlots: 5}, true, true
	if change != nil {
		change(&watches[0])
	}
	reader := intake.New(canonical.New(canonical.Options{}))
	from := epoch
	for _, until := range append(breaks, time.Duration(hours)*time.Hour) {
		d := newDriver(from)
		d.until = epoch.Add(until)
		w := &noisyWeb{web: newWeb(d.clock), skew: skew}
		w.requests.Store(int64(from.Sub(epoch) / time.Second))
		run := d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
			dm := daemon.New(db, w, reader, d.clock, daemon.Options{AtRest: rest, Lookahead: 4 * time.Minute, Lease: 2 * time.Hour, Learner: monitor.MaskLearner{}})
			dm.SetWatches(watches)
			return dm
		})
		finish(t, run)
		from = d.until
	}
	if _, err := monitor.New(db, monitor.Options{Workers: 1}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	return urls
}

// TestBursts follows pages from their first slots to masks. The two that change at
// once are enrolled after five slots, get their eight rounds at the right times, in
// spite of a stop between rounds, and only the one that differs within a pair is
// masked; its edits stay changes.
func TestBursts(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	runNoisy(t, db, 3*time.Millisecond, 36, nil, 14*time.Hour+30*time.Minute)
	lines := func(sql string) []string {
		t.Helper()
		rows, err := db.Pool().Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var out []string
		for rows.Next() {
			v, err := rows.Values()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(v...))
		}
		return out
	}
	want := []string{"/bdone", "/cdone", "/stillcandidate"}
	got := lines(`select regexp_replace(p.url, '.*test', ''), b.phase from core.burst_state b join core.page p using (bucket, page_id) order by 1`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if n := count(t, db, `select count(*) from core.burst_result where round >= 0`); n != 2*8*3 {
		t.Errorf("%d snapshots were compared, want %d", n, 2*8*3)
	}
	if n := count(t, db, `select count(*) from core.burst_result where abs(delay_s - offset_s) > 60 or (offset_s = 120 and abs(delay_s - 120) > 15)`); n != 0 {
		t.Errorf("%d snapshots are outside of their tolerance", n)
	}
	// Rounds start four hours apart, to the minute.
	if n := count(t, db, `
		select count(*) from (
			select started_at - lag(started_at) over (partition by page_id order by started_at) as gap
			from core.fetch where kind = 'burst' and (detail->>'snapshot')::int = 0) g
		where gap not between interval '3 hours 59 minutes' and interval '4 hours 1 minute'`); n != 0 {
		t.Errorf("%d rounds do not start four hours after the one before", n)
	}
	if n := count(t, db, `select count(*) from core.burst_result where round < 0 and offset_s = 0 and delay_s <= 0.2`); n != 2*8 {
		t.Errorf("%d pairs were compared, want %d", n, 2*8)
	}
	view := []string{"0 1 1", "2 2 1", "16 2 2", "32 2 2", "60 2 2"}
	if diff := cmp.Diff(view, lines(`select concat_ws(' ', interval_minutes, any_changed, all_changed) from api_v1.subhour_change order by interval_minutes`)); diff != "" {
		t.Errorf("subhour_change (-want +got):\n%s", diff)
	}
	if n := count(t, db, `select count(*) from api_v1.subhour_change where dice_mean is null or dice_mean >= 1 or dice_mean < 0.5`); n != 0 {
		t.Errorf("%d rows of subhour_change have no mean Dice that can be", n)
	}
	if n := count(t, db, `select count(*) from core.burst_result where dice is null or dice < 0.5 or changed <> (dice < 1)`); n != 0 {
		t.Errorf("%d snapshots are not measured as they should be", n)
	}
	// Both change within two minutes at some time, so both get eight pairs of two requests.
	if n := count(t, db, `select count(*) from core.fetch where kind = 'pair' and (detail->>'accepted')::boolean`); n != 2*8*2 {
		t.Errorf("%d requests of pairs, want %d", n, 2*8*2)
	}
	rules := lines(`select distinct right(url, 2), rule, kind, active from api_v1.page_mask`)
	if diff := cmp.Diff([]string{"/cbody > p.counter: You are visitor {number} of this page.tokenstrue"}, rules); diff != "" {
		t.Errorf("page_mask (-want +got):\n%s", diff)
	}
	// The counter alone is no change, nor was it before pairs showed so, but the article is.
	const later = ` from api_v1.change where text_changed and url like `
	if n := count(t, db, `select count(*)`+later+`'%/c' and not masked`); n != 5 {
		t.Errorf("%d changes of the page with a counter are not masked, want its 5 edits", n)
	}
	if n := count(t, db, `select count(*)`+later+`'%/c' and masked`); n < 30 {
		t.Errorf("%d changes of the counter are masked, want at least 30", n)
	}
	if n := count(t, db, `select count(*)`+later+`'%/b' and masked`); n != 0 {
		t.Errorf("%d bulletins are masked", n)
	}
}

// TestMasksOff has pairs teach a mask that does not count, and then pairs that are
// too far apart, which teach nothing and are given up.
func TestMasksOff(t *testing.T) {
	t.Parallel()
	t.Run("switched off", func(t *testing.T) {
		t.Parallel()
		db, _ := open(t)
		runNoisy(t, db, 0, 12, func(w *daemon.Watch) { w.Masks = false })
		if n := count(t, db, `select count(*) from api_v1.page_mask where not active`); n == 0 {
			t.Error("nothing was learned")
		}
		if n := count(t, db, `select count(*) from api_v1.page_mask where active`); n != 0 {
			t.Errorf("%d rules count", n)
		}
		if n := count(t, db, `select count(*) from api_v1.change where masked`); n != 0 {
			t.Errorf("%d changes are masked", n)
		}
		id := int32(count(t, db, `select watch_id from core.watch`))
		measure := monitor.New(db, monitor.Options{Workers: 1})
		counter := count(t, db, `select count(*) from api_v1.change where url like '%/c' and text_changed`)
		for _, on := range []bool{true, true, false} {
			var ids [2][]int32
			if ids[0] = []int32{id}; !on {
				ids[0], ids[1] = nil, ids[0]
			}
			if err := db.SwitchMasks(t.Context(), ids[0], ids[1]); err != nil {
				t.Fatal(err)
			}
			if got := count(t, db, `select count(*) from api_v1.page_mask where active`) > 0; got != on {
				t.Errorf("switched to %t, the masks count: %t", on, got)
			}
			if _, err := measure.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			// All changes of before, but that of the one edit in these hours.
			want := 0
			if on {
				want = counter - 1
			}
			if n := count(t, db, `select count(*) from api_v1.change where masked`); n != want {
				t.Errorf("switched to %t, %d changes are masked, want %d", on, n, want)
			}
			if n := count(t, db, `select count(*) from core.page_mask where stale`); n != 0 {
				t.Errorf("switched to %t, the changes of %d pages are still to be flagged", on, n)
			}
		}
	})
	t.Run("too far apart", func(t *testing.T) {
		t.Parallel()
		db, _ := open(t)
		runNoisy(t, db, 300*time.Millisecond, 24, nil)
		if n := count(t, db, `select count(*) from core.page_mask`); n != 0 {
			t.Errorf("%d masks were learned from pairs that are none", n)
		}
		if n := count(t, db, `select max(n) from (select count(*) as n from core.fetch where kind = 'pair' group by page_id) x`); n != 2*24 {
			t.Errorf("%d requests of pairs, want %d before they are given up", n, 2*24)
		}
	})
}

// TestBurstsEnd takes bursts out of the configuration in the middle of a round: the
// schedule goes on alone. Without masks in sight a page that fails keeps its rounds'
// snapshots as lost, not as unchanged.
func TestBurstsEnd(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	urls := []string{"http://a.test/b"}
	watches := apply(t, db, epoch, watchSpec{"hourly", time.Hour, urls})
	watches[0].Bursts = &burst.Options{MinSlots: 3}
	reader := intake.New(canonical.New(canonical.Options{}))
	d := newDriver(epoch)
	d.until = epoch.Add(20 * time.Hour)
	w := &noisyWeb{web: newWeb(d.clock)}
	failing := &failingWeb{noisyWeb: w, from: epoch.Add(5 * time.Hour), to: epoch.Add(12 * time.Hour)}
	run := d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm := daemon.New(db, failing, reader, d.clock, daemon.Options{AtRest: rest, Lookahead: 4 * time.Minute, Lease: 2 * time.Hour})
		dm.SetWatches(watches)
		d.at = append(d.at, moment{epoch.Add(15 * time.Hour), func() {
			plain := watches[0]
			plain.Bursts = nil
			dm.SetWatches([]daemon.Watch{plain})
		}})
		return dm
	})
	finish(t, run)
	if n := count(t, db, `select count(*) from core.fetch where kind = 'burst' and started_at > $1`, epoch.Add(15*time.Hour)); n != 0 {
		t.Errorf("%d fetches of rounds after there were none to be made", n)
	}
	if n := count(t, db, `select count(*) from core.fetch where kind = 'burst'`); n < 4 {
		t.Errorf("%d fetches of rounds before", n)
	}
	if n := count(t, db, `select count(*) from core.burst_result where started_at between $1 and $2`, failing.from, failing.to); n != 0 {
		t.Errorf("%d snapshots are of failed fetches", n)
	}
	if n := count(t, db, `select count(*) from core.fetch where kind = 'schedule'`); n != 20 {
		t.Errorf("%d slots were served, want 20", n)
	}
	if n := count(t, db, `select count(*) from core.fetch where kind = 'pair'`); n != 0 {
		t.Errorf("%d requests of pairs that nobody asked for", n)
	}
}

// failingWeb fails for some hours.
type failingWeb struct {
	*noisyWeb
	from, to time.Time
}

func (w *failingWeb) Fetch(ctx context.Context, j daemon.Job) daemon.Attempt {
	if at := w.clock.Now(); at.After(w.from) && at.Before(w.to) {
		return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Failed, Error: "http-status: 500"}
	}
	return w.noisyWeb.Fetch(ctx, j)
}

// TestBurstsAgain enrols a page anew after the pause, as its slots still change. Its rounds go on
// counting, and while it rests there are none.
func TestBurstsAgain(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	urls := []string{"http://a.test/b", "http://a.test/still"}
	watches := apply(t, db, epoch, watchSpec{"hourly", time.Hour, urls})
	watches[0].Bursts = &burst.Options{MinSlots: 3, Rounds: 2, Pause: 24 * time.Hour}
	d := newDriver(epoch)
	d.until = epoch.Add(48 * time.Hour)
	finish(t, d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm := daemon.New(db, &noisyWeb{web: newWeb(d.clock)}, intake.New(canonical.New(canonical.Options{})), d.clock,
			daemon.Options{AtRest: rest, Lookahead: 4 * time.Minute, Lease: 2 * time.Hour})
		dm.SetWatches(watches)
		return dm
	}))
	var rounds []int
	var starts []time.Time
	rows, err := db.Pool().Query(t.Context(), `
		select (detail->>'round')::int, started_at from core.fetch where kind = 'burst' and (detail->>'snapshot')::int = 0 order by started_at`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var at time.Time
		if err := rows.Scan(&n, &at); err != nil {
			t.Fatal(err)
		}
		rounds, starts = append(rounds, n), append(starts, at)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3}, rounds); diff != "" {
		t.Fatalf("rounds (-want +got):\n%s", diff)
	}
	if gap := starts[2].Sub(starts[1]); gap < 24*time.Hour || gap > 30*time.Hour {
		t.Errorf("the next rounds began %s after the last, want the pause of 24h and a few slots", gap)
	}
	if n := count(t, db, `select count(distinct round) from core.burst_result`); n != 4 {
		t.Errorf("%d rounds are kept, want 4", n)
	}
	health, err := db.ScheduleHealth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, h := range health {
		kinds = append(kinds, h.Kind+" "+h.Name)
		if h.Due != 0 || h.Late != 0 || h.LagP99 > time.Minute {
			t.Errorf("%s: %d due, %d late, 99 %% within %s", h.Kind, h.Due, h.Late, h.LagP99)
		}
	}
	if diff := cmp.Diff([]string{"burst hourly", "watch hourly"}, kinds); diff != "" {
		t.Errorf("rows of schedule_health (-want +got):\n%s", diff)
	}
	// One hour in which nobody fetches makes what is planned late.
	if _, err := db.Pool().Exec(t.Context(), `update core.burst_state set next_due_at = $1, pair_at = null where slots > 5 and phase <> 'candidate' or phase = 'done'`, d.until.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool().Exec(t.Context(), `update core.page_schedule s set next_due_at = b.next_due_at from core.burst_state b where b.page_id = s.page_id and b.next_due_at is not null`); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, `select late from api_v1.schedule_health where kind = 'burst'`); n != 1 {
		t.Errorf("%d pages are late for their rounds, want 1", n)
	}
}
