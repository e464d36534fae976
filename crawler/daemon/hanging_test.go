package daemon_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/store"
)

// hanging is a web of which one host takes half a minute for every page, holding
// its worker, and then fails; the others answer at once.
type hanging struct {
	*web
	gate *gate.Gate
}

func (h *hanging) Fetch(ctx context.Context, j daemon.Job) daemon.Attempt {
	at := h.clock.Now()
	if until, why := h.gate.TryStart(j.Host, at); why != gate.Free {
		return daemon.Attempt{RetryAt: until}
	}
	if j.Host != "slow.test" {
		a := h.web.Fetch(ctx, j)
		h.gate.End(j.Host, h.clock.Now(), gate.Feedback{Status: 200})
		return a
	}
	_ = clock.Sleep(ctx, h.clock, 30*time.Second)
	h.gate.End(j.Host, h.clock.Now(), gate.Feedback{Failed: "timeout"})
	return daemon.Attempt{StartedAt: at, FinishedAt: h.clock.Now(), Outcome: store.Failed, Error: "timeout: nothing came"}
}

// TestHangingHost has 1,000 pages, or 10,000 if STRANDLINE_SOAK is set, 3 of 100 of
// them on a host that hangs. The others stay on time: 99 of 100 of all fetches start
// within twice the interval, those of other hosts within half of it (pages that wait for
// their host in the database come back by a guess, which is a quarter of an hour at the
// speed of this clock), and what became of the slow ones is recorded.
func TestHangingHost(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	const interval = time.Hour
	clk := clock.NewDriven(epoch, 3600)
	n := 1000
	if soak() {
		n = 10_000
	}
	slowPages := n * 3 / 100
	urls := pages(n-slowPages, n/20)
	for i := range slowPages {
		urls = append(urls, fmt.Sprintf("http://slow.test/p%d", i))
	}
	watches := apply(t, db, epoch, watchSpec{"hourly", interval, urls})
	g := gate.New(gate.Options{})
	w := &hanging{newWeb(clk), g}
	dm := daemon.New(db, w, reader{}, clk, daemon.Options{Gate: g})
	dm.SetWatches(watches)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	driven := make(chan struct{})
	go func() {
		defer close(driven)
		clk.Run(ctx, func() bool {
			if clk.Now().Sub(epoch) > 5*interval/4 {
				stop()
				return true
			}
			h := dm.Health()
			return !h.Running || h.Behind > time.Minute || h.Unstored > 512
		})
	}()
	if err := dm.Run(ctx); err != nil {
		t.Fatal(err)
	}
	<-driven
	lag := func(which string) (p99 time.Duration, n int) {
		t.Helper()
		var seconds float64
		err := db.Pool().QueryRow(t.Context(), `select coalesce(percentile_disc(0.99) within group (order by extract(epoch from started_at - due_at)), 0)::float8, count(*)
			from api_v1.fetch_log where outcome <> 'skipped' and (url like 'http://slow%') = $1`, which == "slow").Scan(&seconds, &n)
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(seconds * float64(time.Second)), n
	}
	others, no := lag("others")
	slow, ns := lag("slow")
	t.Logf("99 of 100 of %d fetches of other hosts started within %s, of %d of the slow host within %s", no, others, ns, slow)
	if no < n-slowPages || others > interval/2 {
		t.Errorf("%d fetches of other hosts, 99 of 100 within %s; want %d within %s", no, others, n-slowPages, interval/2)
	}
	if slow > 2*interval {
		t.Errorf("99 of 100 fetches of the slow host started within %s, want %s", slow, 2*interval)
	}
	if got := count(t, db, `select count(*) from api_v1.fetch_log where url like 'http://slow%' and outcome = 'error' and error like 'timeout%'`); got == 0 || got != ns {
		t.Errorf("%d of %d fetches of the slow host are recorded with their reason", got, ns)
	}
}
