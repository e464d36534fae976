package daemon_test

import (
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/daemon"
)

// TestFiveWeeks keeps hourly schedules over five weeks of virtual time: each page
// has its 840 slots, and no two fetches of a page are closer than 45 minutes
// (SCIENCE A4).
func TestFiveWeeks(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	const hours = 5 * 7 * 24
	urls := pages(10, 5)
	if soak() {
		urls = pages(200, 20)
	}
	d := newDriver(epoch)
	d.until = epoch.Add(hours * time.Hour)
	w := newWeb(d.clock)
	watches := apply(t, db, epoch, watchSpec{"hourly", time.Hour, urls})
	run := d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm := daemon.New(db, w, reader{}, d.clock, daemon.Options{AtRest: rest, Lookahead: 55 * time.Minute, Flush: time.Hour, Lease: 120 * time.Hour})
		dm.SetWatches(watches)
		return dm
	})
	if err := run(); err != nil {
		t.Fatal(err)
	}
	for _, u := range urls {
		times := w.times(u)
		if len(times) != hours {
			t.Errorf("%s was fetched %d times, want %d", u, len(times), hours)
		}
		if gap := shortest(times); gap < 45*time.Minute {
			t.Errorf("%s was fetched twice within %s", u, gap)
		}
	}
	if n := count(t, db, `select count(distinct (page_id, date_trunc('hour', due_at))) from core.fetch where outcome <> 'skipped'`); n != hours*len(urls) {
		t.Errorf("%d slots are in the database, want %d", n, hours*len(urls))
	}
	if n := count(t, db, `select count(*) from core.fetch`); n != hours*len(urls) {
		t.Errorf("%d fetches are in the database, want %d", n, hours*len(urls))
	}
}
