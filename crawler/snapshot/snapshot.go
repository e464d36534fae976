// Package snapshot crawls parts of the web breadth-first, one whole snapshot at a
// time (SCIENCE T1, T13).
//
// A [Crawler] starts the snapshots of its series when they are due, and crawls all
// snapshots that run, be they started by itself, by another daemon on the same
// database, or before a crash. What is still to be fetched is in the database
// (store.AddFrontier); the daemon that leases the bucket of a host fetches its
// pages and nobody else does. So a killed daemon loses no URL, and daemons share a
// snapshot without talking to each other.
//
//	take     the first URLs of each host are read into crawler/frontier
//	fetch    a worker fetches the URL that comes first among the hosts that take a
//	         request; a redirect is not followed, its target is a URL of its own
//	write    what came of the URLs is stored in batches; one transaction stores the
//	         captures, the rows of the snapshot and the links that are new
//
// Depth order holds over all workers and daemons: a level begins when everything of
// the level before it is stored. Only a level that takes longer than
// Options.Patience is left to the slow hosts that hold it, and the others go on.
//
// Left out: classes and novelty (monitor/series), and when a host takes a request
// (crawler/gate).
package snapshot

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
)

// Series is a part of the web of which snapshots are taken.
type Series struct {
	Name  string
	Seeds []string // canonical URLs
	Scope Scope
	// Schedule gives the due time after a time; nil: only when somebody asks. Every
	// schedule has a text of its own in ScheduleText.
	Schedule     func(time.Time) time.Time
	ScheduleText string
	// Language, unless empty, is the one wanted: a site none of whose first
	// FirstPages pages is in it is left (SCIENCE T12).
	Language   string
	FirstPages int
	// Novel asks for hosts and folders that gave novel pages first (SCIENCE T14).
	Novel bool
	// Config is the series as configured, to be kept with it.
	Config json.RawMessage
}

// Fetcher fetches pages; fetch.Fetcher is one.
type Fetcher interface {
	Fetch(ctx context.Context, req fetch.Request) fetch.Result
}

// Gate says when a host takes the next request; gate.Gate is one.
type Gate interface {
	Ready(host string, now time.Time) (time.Time, gate.Why)
}

// Leases tell which buckets are ours; daemon.Daemon and Keeper do.
type Leases interface {
	// Buckets are those that work may begin in, rising.
	Buckets() []int32
	// Hold says that work begins in a bucket, and reports whether it may. It is
	// ended by Free: until then the bucket is not given to another daemon.
	Hold(bucket int32) bool
	Free(bucket int32)
}

// Options are the choices of a Crawler. The zero value is a good default.
type Options struct {
	Workers     int           // fetches at once; zero means 64
	Connections int           // of them to one host; zero means 1
	Writers     int           // batches that are stored at once; zero means 2
	Batch       int           // URLs that are stored together; zero means 128
	BatchBytes  int           // or bytes of them; zero means 6 MiB
	Backlog     int           // URLs in memory; zero means 8192
	Flush       time.Duration // machine's time that a batch waits to fill; zero means a second
	Poll        time.Duration // machine's time between looks at what others did; zero means 2 s
	// Patience is how long a level may take before hosts that are done with it go on
	// to the next; zero means 5 minutes.
	Patience time.Duration
	// Retry is the pause before a request that failed is tried again, four times as
	// long before the third; zero means a minute.
	Retry time.Duration
	// GiveUp is how many failures in a row without an answer close a host; zero
	// means 8.
	GiveUp int
	Logger *slog.Logger
	// Ended is told of every snapshot that came to its end.
	Ended func(ctx context.Context, c store.RunningCrawl)
}

func (o Options) withDefaults() Options {
	set(&o.Workers, 64)
	set(&o.Connections, 1)
	set(&o.Writers, 2)
	set(&o.Batch, 128)
	set(&o.BatchBytes, 6<<20)
	set(&o.Backlog, 8192)
	set(&o.Flush, time.Second)
	set(&o.Poll, 2*time.Second)
	set(&o.Patience, 5*time.Minute)
	set(&o.Retry, time.Minute)
	set(&o.GiveUp, 8)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Ended == nil {
		o.Ended = func(context.Context, store.RunningCrawl) {}
	}
	return o
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// parts is what a crawl works with.
type parts struct {
	db     *store.DB
	fetch  Fetcher
	gate   Gate // nil: every host takes requests at once
	reader *intake.Reader
	clock  clock.Clock
	leases Leases
	opt    Options
}
