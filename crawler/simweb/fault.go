package simweb

import (
	"net/http"
	"strconv"
	"time"
)

// Fault is a way for a request to fail. Which request of a page fails, and how, depends on the page and on how many
// requests it has had, never on timing.
type Fault uint8

const (
	NoFault       Fault = iota
	ServerError         // 500
	BusySeconds         // 503 with Retry-After in seconds
	BusyDate            // 503 with Retry-After as a date
	TooMany             // 429 with Retry-After
	Reset               // the connection is reset before the answer
	Truncated           // the body ends before its Content-Length
	Slow                // the body drips
	Blocked             // a page asking whether the reader is a robot, 403 or 200
	ErrorTemplate       // 200 with the text of an error
)

func (f Fault) String() string {
	return [...]string{"none", "server-error", "busy-seconds", "busy-date", "too-many", "reset", "truncated", "slow", "blocked", "error-template"}[f]
}

// Fault says how request number n of a page fails, counted from 1 since the start or the last Reset.
func (w *World) Fault(url string, n int) Fault {
	p, ok := w.find(url)
	if !ok {
		return NoFault
	}
	return p.fault(n)
}

func (p *page) fault(n int) Fault {
	d := dice{mix(p.seed, forFault, uint64(n))}
	if !d.chance(p.h.w.opts.FailShare) {
		return NoFault
	}
	return ServerError + Fault(d.intn(int(ErrorTemplate)))
}

// failing is the answer in place of the page, for the faults that have one.
func (p *page) failing(f Fault, t time.Duration, n int) (answer, bool) {
	d := dice{mix(p.seed, forFault, uint64(n), 1)}
	h, retry := p.h, d.span(30*time.Second, 3*time.Minute)
	seconds := strconv.Itoa(int(retry / time.Second))
	switch f {
	case ServerError:
		return h.notice(500, "Internal error", "The server met an error and cannot say more."), true
	case BusySeconds, BusyDate, TooMany:
		a := h.notice(503, "Busy", "The server is busy and asks for patience.")
		if f == TooMany {
			a = h.notice(429, "Too many requests", "You have asked too often.")
		}
		if f == BusyDate {
			seconds = h.w.time(t + retry).Format(http.TimeFormat)
		}
		a.header.Set("Retry-After", seconds)
		return a, true
	case Blocked:
		status := 403
		if d.chance(0.5) {
			status = 200
		}
		return h.notice(status, "Are you a robot?", "Unusual traffic was seen from your network. Please confirm that you are a person."), true
	case ErrorTemplate:
		return h.notice(200, "Something went wrong", "We are sorry, this page is not available right now. Please try again later."), true
	}
	return answer{}, false
}
