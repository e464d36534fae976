package daemon

import (
	"errors"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/store"
)

// Options of a daemon. The zero value is good. Times are on the daemon's clock;
// where a default is named in the machine's time, it is multiplied by the speed of
// a scaled clock.
type Options struct {
	// Workers is how many pages are fetched at once; zero means 64.
	Workers int
	// Gate says when hosts take requests; nil means always. Share it with the fetcher.
	Gate Gate
	// Lookahead is how long before they are due pages are claimed; zero means 10 s of
	// the machine's time, but no more than 10 minutes or a tenth of a second of the
	// machine's, lest pages of a far future fill the queues of their hosts.
	Lookahead time.Duration
	// ClaimSize is how many pages one statement claims at most; zero means 192, whose claim takes under 10 ms
	// among a million pages.
	ClaimSize int
	// Backlog is how many pages may lie in memory; zero means 4,096.
	Backlog int
	// HostQueue is how many of them may belong to one host; zero means 16. Others are
	// put off in the database, so that a slow host takes no room from the rest. While half of
	// the memory is free, a host that is fast may have eight times as many.
	HostQueue int
	// Batch is how many fetches one transaction stores at most, zero means 256, and
	// BatchBytes how many bytes of payload, zero means 8 MiB.
	Batch      int
	BatchBytes int
	// Flush is how long a finished fetch waits for others to be stored with; zero means
	// a second, and at least 50 ms of the machine's time.
	Flush time.Duration
	// Writers is how many batches are stored at once; zero means 2.
	Writers int
	// Lease is how long buckets are leased, and a dead daemon's hosts lie idle; zero
	// means a minute of the machine's time. Leases of pages are five times as long.
	Lease time.Duration
	// CatchUp is how many pages a second are taken up again after a stop in which many
	// came due; zero means 50 per second of the machine's time.
	CatchUp float64
	// MissedRows is how many missed slots of a page are recorded one by one; older ones
	// share a row that says how many they are. Zero means 10.
	MissedRows int
	// GoneAfter is how many answers that a page is not there make it gone, since it was last seen; zero means 3.
	GoneAfter int
	// Groups are the sets of buckets that lie on one server each; nil means that one
	// server has them all.
	Groups [][]int32
	// Host and PID name this process to other daemons; empty means what the machine says.
	Host string
	PID  int
	// Journal is a directory of this machine, one for each database, in which the daemon notes which fetches
	// have begun, so that after a kill the pages that it had only claimed keep their slots; empty: they lose them.
	Journal string
	// Alive reports whether a process of this machine still runs, so that the leases of
	// one that was killed need not run out; nil asks the machine.
	Alive func(pid int) bool
	// Learner learns from pairs what of a page is noise; nil learns nothing.
	Learner Learner
	// Masker knows which changes are noise, so that rates are not learned from them; nil: none is.
	Masker Masker
	// HostLimit is how many fetches an hour a host takes, as far as is known; nil or 0: any number.
	// No watch with an Auto plans more for one.
	HostLimit func(host string) float64
	// HostPace is the least time between two requests to a host, as far as is known. Pages for which
	// memory has no room are put off by it until their host has been fetched from; nil: a second.
	HostPace func(host string) time.Duration
	// Report is told, from the daemon's loop, what an operator is told once; it must not wait.
	Report func(Event)
	// Observe is told, from the daemon's loop, what was stored, for metrics; it must not wait.
	Observe func(Observation)
	// Appointment, if set, is told by the loop when the next snapshot of a round, or pair, is due, each
	// time that this changes; zero when none is known. It is told the same moment until that is stored or
	// too late. A clock that can be slowed down waits there for a busy machine.
	Appointment func(at time.Time)
	// AtRest, if set, is called by the loop when nothing happens before next: a driver
	// of a manual clock moves it there.
	AtRest func(next time.Time)
	// Grace is how long running fetches may go on after Run was told to stop, in the
	// machine's time; zero means 5 s.
	Grace time.Duration
	// Logger gets a line for what an operator should know; nil means none.
	Logger *slog.Logger

	speed float64 // of the clock at the start; 0 where it is moved by hand
}

func (o Options) withDefaults(c clock.Clock) Options {
	o.speed = speedOf(c)
	set(&o.Workers, 64)
	set(&o.Lookahead, min(o.machine(10*time.Second), max(10*time.Minute, o.machine(100*time.Millisecond))))
	set(&o.ClaimSize, 192)
	set(&o.Backlog, 4096)
	set(&o.HostQueue, 16)
	set(&o.Batch, 256)
	set(&o.BatchBytes, 8<<20)
	set(&o.Flush, max(time.Second, o.machine(50*time.Millisecond)))
	set(&o.Writers, 2)
	set(&o.Lease, o.machine(time.Minute))
	set(&o.CatchUp, 50/max(1, o.speed))
	set(&o.MissedRows, 10)
	set(&o.GoneAfter, 3)
	set(&o.Grace, 5*time.Second)
	set(&o.PID, os.Getpid())
	if o.Host == "" {
		o.Host, _ = os.Hostname()
	}
	if o.Alive == nil {
		o.Alive = Alive
	}
	if o.Report == nil {
		o.Report = func(Event) {}
	}
	if o.Observe == nil {
		o.Observe = func(Observation) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// machine returns how much of the clock passes in d of the machine's time.
func (o *Options) machine(d time.Duration) time.Duration {
	return time.Duration(float64(d) * max(1, o.speed))
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Alive reports whether another process of this machine runs. Our own number is a
// predecessor's, as in a container that was started again.
func Alive(pid int) bool {
	if pid == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}

// Observation is one stored attempt, as the metrics count it.
type Observation struct {
	Outcome store.Outcome
	Bytes   int           // of the payload as it came
	Timed   bool          // the attempt had a slot, and Lag holds
	Lag     time.Duration // from when it was due to its start
}

// Event is something that an operator is told once.
type Event struct {
	Kind   EventKind
	Page   store.PageID
	URL    string
	Watch  string // its name; empty where it concerns no single one
	At     time.Time
	Since  time.Time // of Recovered: when the failures began
	Reason string
}

// EventKind is what happened to a page.
type EventKind string

// The kinds of events.
const (
	Failing   EventKind = "failing"   // the first failure in a row
	Recovered EventKind = "recovered" // the first success after that
	GoneAway  EventKind = "gone"      // not there by Options.GoneAfter answers
	SetAside  EventKind = "set_aside" // misconfigured, not fetched any more
)

// speedOf returns how many seconds of a clock pass in a second of the machine now; 0 for
// one that is moved by hand.
func speedOf(c clock.Clock) float64 {
	switch c := c.(type) {
	case interface{ Speed() float64 }:
		return c.Speed()
	case *clock.Manual:
		return 0
	}
	return 1
}
