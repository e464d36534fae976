package fetch

import "time"

// Absence is how long a page has been away: what a page's row keeps from fetch to fetch. A page
// that answers is at its zero value.
type Absence struct {
	Missing int       // answers in a row, but for other failures, that said it does not exist
	Failing int       // failures in a row, of all kinds that count
	Since   time.Time // the first of them
}

// GonePolicy says when a page that fails counts as gone. The zero value is a good default.
type GonePolicy struct {
	// Missing is how many answers must say that the page does not exist; zero means 3.
	Missing int
	// Failing is how many failures of any kind must have come in a row; zero means 30.
	Failing int
	// Over is the least time between the first failure and the verdict; zero means a day, negative
	// none. A site that is broken for an hour does not lose pages that are fetched every minute.
	Over time.Duration
}

// Next returns the absence after one more fetch, and whether the page is gone. What says nothing of
// the page changes nothing: a busy host, a rule of robots.txt, a check for robots, our own doing.
func (p GonePolicy) Next(a Absence, r *Result) (next Absence, gone bool) {
	set(&p.Missing, 3)
	set(&p.Failing, 30)
	set(&p.Over, 24*time.Hour)
	switch {
	case r.Kind == Content || r.Kind == NotModified:
		return Absence{}, false
	case r.Kind != Failed:
		return a, false
	}
	switch r.Reason {
	case Cancelled, Busy, Throttled, Blocked, RobotsUnreachable, ProxyFailed:
		return a, false
	}
	if a.Failing == 0 {
		a.Since = r.FinishedAt
	}
	a.Failing++
	if r.Reason.Missing() {
		a.Missing++
	}
	gone = a.Missing >= p.Missing || a.Failing >= p.Failing
	return a, gone && r.FinishedAt.Sub(a.Since) >= p.Over
}
