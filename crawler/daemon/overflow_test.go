package daemon_test

import (
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/daemon"
)

// TestManyPagesOfOneHost has far more pages of a host due at once than are kept in memory.
// A host without delay is fetched from without pauses; one with a delay has its pages put
// off by that, and all of them are fetched.
func TestManyPagesOfOneHost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		delay time.Duration
		span  time.Duration // in which all pages come due and are fetched
	}{{"no delay", 0, 90 * time.Second}, {"2 s", 2 * time.Second, 11 * time.Minute}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db, _ := open(t)
			d := newDriver(epoch)
			d.until = epoch.Add(tt.span)
			urls := pages(300, 1) // due within the first minute
			watches := apply(t, db, epoch, watchSpec{"w", time.Hour, urls})
			w := newWeb(d.clock)
			finish(t, d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
				dm := daemon.New(db, w, reader{}, d.clock, daemon.Options{
					AtRest: rest, HostPace: func(string) time.Duration { return tt.delay },
				})
				dm.SetWatches(watches)
				return dm
			}))
			late := 0
			for _, u := range urls {
				if len(w.times(u)) == 0 {
					late++
				}
			}
			if late > 0 {
				t.Errorf("%d of %d pages were not fetched within %s", late, len(urls), tt.span)
			}
		})
	}
}
