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

// TestGoneAfterOtherFailures has a host that does not answer for hours, or takes no requests, and then says that the page
// is not there: only what says so counts, and what fails between does not end the run. That it is gone is told once.
func TestGoneAfterOtherFailures(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(14 * time.Hour)
	watches := apply(t, db, epoch, watchSpec{"w", time.Hour, []string{"http://a.test/"}})
	w := newWeb(d.clock)
	failed := func(at time.Time, status int, reason string) daemon.Attempt {
		return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Failed, Status: status, Error: reason}
	}
	n := 0
	w.answer = func(_ daemon.Job, at time.Time) daemon.Attempt {
		n++
		switch n {
		case 1, 2, 9:
			return failed(at, 0, "timeout")
		case 3, 4:
			return failed(at, 429, "throttled")
		case 7:
			return content("back", at)
		}
		return daemon.Attempt{StartedAt: at, FinishedAt: at, Outcome: store.Gone, Status: 404, Error: "404 Not Found"}
	}
	var told []string
	finish(t, start(t, d, "a", db, w, watches, func(o *daemon.Options) {
		o.Report = func(e daemon.Event) { told = append(told, string(e.Kind)) }
	}))
	if got, want := strings.Join(told, " "), "failing recovered failing gone"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	var outcomes string
	err := db.Pool().QueryRow(t.Context(), `select string_agg(outcome::text, ' ' order by started_at) from core.fetch`).Scan(&outcomes)
	if want := "error error error error error error new error error error gone"; err != nil || !strings.HasPrefix(outcomes, want) {
		t.Errorf("outcomes %q, want %q (%v)", outcomes, want, err)
	}
}
