package daemon_test

import (
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/store"
)

// TestFailures reports a failure once, its recovery once, and calls a page gone only
// after a run of failures.
func TestFailures(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(10 * time.Hour)
	const url = "http://a.test/"
	watches := apply(t, db, epoch, watchSpec{"w", time.Hour, []string{url}})
	w := newWeb(d.clock)
	n := 0
	w.answer = func(j daemon.Job, at time.Time) daemon.Attempt {
		n++
		if n >= 3 && n <= 7 {
			return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Gone, Status: 404, Error: "404 Not Found"}
		}
		return content("here", at)
	}
	var told []string
	finish(t, start(t, d, "a", db, w, watches, func(o *daemon.Options) {
		o.Report = func(e daemon.Event) { told = append(told, string(e.Kind)) }
	}))
	if got, want := strings.Join(told, " "), "failing gone recovered"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	var outcomes string
	err := db.Pool().QueryRow(t.Context(), `select string_agg(outcome::text, ' ' order by started_at) from core.fetch`).Scan(&outcomes)
	if want := "new same error error gone gone gone same same same"; err != nil || outcomes != want {
		t.Errorf("outcomes %q, want %q (%v)", outcomes, want, err)
	}
}

// TestDeniedIsTold has a page that may not be fetched, at first and again: its operator is told once
// each, as of any page that cannot be seen, and that it can be seen again.
func TestDeniedIsTold(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(8 * time.Hour)
	watches := apply(t, db, epoch, watchSpec{"w", time.Hour, []string{"http://a.test/"}})
	w := newWeb(d.clock)
	n := 0
	w.answer = func(_ daemon.Job, at time.Time) daemon.Attempt {
		if n++; n <= 3 || n >= 6 {
			return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Denied, Error: "address-refused: 10.0.0.1"}
		}
		return content("here", at)
	}
	var told []string
	finish(t, start(t, d, "a", db, w, watches, func(o *daemon.Options) {
		o.Report = func(e daemon.Event) { told = append(told, string(e.Kind)) }
	}))
	if got, want := strings.Join(told, " "), "failing recovered failing"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if n := count(t, db, `select count(*) from core.page_schedule where failing_since is not null`); n != 1 {
		t.Errorf("%d pages fail by the schedule, want 1", n)
	}
	if n := count(t, db, `select count(*) from core.fetch where outcome = 'gone'`); n != 0 {
		t.Errorf("%d fetches of a page that may not be fetched say that it is gone", n)
	}
}

// TestGoneAfterOtherFailures has a host that does not answer for hours and then says that the page
// is not there, which is told once too.
func TestGoneAfterOtherFailures(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(8 * time.Hour)
	watches := apply(t, db, epoch, watchSpec{"w", time.Hour, []string{"http://a.test/"}})
	w := newWeb(d.clock)
	n := 0
	w.answer = func(_ daemon.Job, at time.Time) daemon.Attempt {
		n++
		if n <= 4 {
			return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Failed, Error: "timeout"}
		}
		return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Gone, Status: 404, Error: "404 Not Found"}
	}
	var told []string
	finish(t, start(t, d, "a", db, w, watches, func(o *daemon.Options) {
		o.Report = func(e daemon.Event) { told = append(told, string(e.Kind)) }
	}))
	if got, want := strings.Join(told, " "), "failing gone"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}
