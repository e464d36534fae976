package daemon_test

import (
	"context"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/burst"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/monitor"
)

// TestRoundsWaitForTheMachine runs rounds at ten hours a second, where the tolerance of the second
// snapshot is less than half a millisecond of the machine's time: on a clock that waits at the appointments
// that the daemon tells of, rounds are taken and pairs follow, and every snapshot was told of before.
func TestRoundsWaitForTheMachine(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	clk := clock.NewVarying(epoch, 36000)
	urls := []string{"http://a.test/c", "http://b.test/c", "http://c.test/b", "http://d.test/still"}
	watches := apply(t, db, epoch, watchSpec{"hourly", time.Hour, urls})
	watches[0].Bursts, watches[0].Pairs, watches[0].Masks = &burst.Options{MinSlots: 5, Rounds: 2}, true, true
	w := &noisyWeb{web: newWeb(clk)}
	dm := daemon.New(db, w, intake.New(canonical.New(canonical.Options{})), clk, daemon.Options{
		Learner:     monitor.MaskLearner{},
		Appointment: func(at time.Time) { clk.SlowFrom(at, 5) },
	})
	dm.SetWatches(watches)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- dm.Run(ctx) }()
	count := func(query string) int {
		t.Helper()
		var n int
		if err := db.Pool().QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const pairs = `select count(*) from core.burst_result where round < 0`
	for count(`select count(*) from core.burst_state where phase = 'done'`) < 2 || count(pairs) == 0 {
		select {
		case <-ctx.Done():
			t.Fatalf("%d snapshots, %d pairs, and not all rounds are over", count(`select count(*) from core.burst_result where round >= 0`), count(pairs))
		case <-time.After(20 * time.Millisecond):
		}
	}
	// Three pages change all the time, of which two at every request; a round compares three snapshots.
	if n := count(`select count(*) from core.burst_result where round >= 0`); n < 6 {
		t.Errorf("%d snapshots were compared, want 6 at least of the 12 of two pages", n)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
