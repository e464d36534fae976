package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/strandlinehq/strandline/crawler/burst"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/schedule"
	"github.com/strandlinehq/strandline/store"
)

// Watch is what the daemon has to know of a watch.
type Watch struct {
	ID   int32 // as store.SetWatches returned it
	Name string
	Plan *schedule.Plan
	// Auto, unless nil, asks for intervals that follow each page's changes. Plan spreads pages then,
	// and gives their jitter.
	Auto *Auto
	// Broken, if not empty, is why the watch cannot be scheduled or fetched: its pages
	// are set aside with this reason when they come due.
	Broken string
	// Options go to the fetcher as they are, such as cookies.
	Options any
	// Bursts, unless nil, asks for fast rounds on pages that change often enough, Pairs for
	// pairs of requests on those that change at once. Masks says whether what pairs teach counts.
	Bursts       *burst.Options
	Pairs, Masks bool
}

// Job is one page to fetch.
type Job struct {
	Page store.PageID
	URL  string // canonical
	Host string
	Due  time.Time // as planned
	// Watch is the one that is due; the fetch serves all others of the page too.
	Watch *Watch
	// What is known of the page.
	Version            int32 // 0: none
	Hash               store.SHA256
	ETag, LastModified string
	ValidatedURL       string // that sent these two; empty: URL
	Failures           int
	LastFetched        time.Time
}

// Fetcher fetches pages. It does not return errors: what goes wrong is part of the
// attempt. It returns soon after the context is done.
type Fetcher interface {
	Fetch(ctx context.Context, job Job) Attempt
}

// Attempt is what came of a fetch.
type Attempt struct {
	// StartedAt and FinishedAt are on the daemon's clock; zero means that the daemon's own
	// times count.
	StartedAt, FinishedAt time.Time
	// Outcome is empty for content, or NotModified, Failed, Denied, Skipped, or Gone for a
	// page that is not there: whether it counts as gone depends on its past.
	Outcome store.Outcome
	Status  int
	Error   string // reason of everything but content and NotModified
	Detail  json.RawMessage

	Head               []byte
	ETag, LastModified string
	ValidatedURL       string // that sent these two; empty: the page's own
	PermanentURL       string // canonical, where the page has moved for good; empty: nowhere
	MediaType          string
	Payload            []byte
	// Source says how Payload is to be read, and which codings it still has. Its URL is where it came
	// from; empty means the page's own.
	Source intake.Source

	// RetryAt, if set, says that no request was sent because the page's own host takes none
	// before then: its other pages wait as long. The page is put off and everything else of the attempt is ignored.
	RetryAt time.Time
	// Misconfigured, if not empty, is a fault of the page's own configuration. The page is
	// set aside with this reason.
	Misconfigured string

	pair *pairResult // of a pair, whose first request this is
}

// job is a claimed page in memory.
type job struct {
	*store.Claim
	watch      *Watch // the one that is due
	due        store.WatchDue
	notBefore  time.Time
	leaseUntil time.Time
	shot       *shot // what the page is fetched for instead of its schedule; nil: its schedule
}

func (j *job) request() Job {
	return Job{
		Page: j.Page, URL: j.URL, Host: j.Host, Due: j.due.Due, Watch: j.watch, Version: j.Version, Hash: j.Hash,
		ETag: j.ETag, LastModified: j.LastModified, ValidatedURL: j.ValidatedURL, Failures: j.Failures, LastFetched: j.LastFetched,
	}
}

// source says how the payload of an attempt at a page is to be read.
func (a *Attempt) source(url string) intake.Source {
	src := a.Source
	src.URL = orElse(src.URL, url)
	return src
}

// also adds to the detail of an attempt what else is told of it; both are JSON objects.
func (a *Attempt) also(told any) json.RawMessage {
	more, err := json.Marshal(told)
	if err != nil || len(a.Detail) < len("{}") {
		return more
	}
	out := append(json.RawMessage(nil), a.Detail[:len(a.Detail)-1]...)
	if len(out) > len("{") && len(more) > len("{}") {
		out = append(out, ',')
	}
	return append(out, more[1:]...)
}

// safely fetches the page; a panic is a fault of the page's.
func (r *run) safely(ctx context.Context, j *job) (a Attempt) {
	defer func() {
		if p := recover(); p != nil {
			r.opt.Logger.Error("fetch panicked", "url", j.URL, "panic", p, "stack", string(debug.Stack()))
			a = Attempt{Outcome: store.Failed, Error: fmt.Sprintf("panic: %v", p), Misconfigured: fmt.Sprintf("panic while fetching: %v", p)}
		}
	}()
	if j.shot != nil && j.shot.kind == store.KindPair {
		return r.fetchPair(ctx, j)
	}
	return r.fetch.Fetch(ctx, j.request())
}
