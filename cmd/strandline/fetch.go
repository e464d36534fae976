package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// fetchCmd fetches pages now.
type fetchCmd struct {
	URLs []string `arg:"" name:"url" help:"The pages."`
}

// fetchReport is what came of a page.
type fetchReport struct {
	Bytes   int           `json:"bytes"`
	Dice    *float64      `json:"dice"`
	Error   *string       `json:"error"`
	Outcome store.Outcome `json:"outcome"`
	Status  int           `json:"status"`
	URL     string        `json:"url"`
	Version *int32        `json:"version"`

	Line string `json:"line,omitempty"` // for a person
}

// Run fetches one page after the other under the usual politeness, stores what
// came and prints outcome and Dice. It fails when no page was seen. Where a daemon runs, that
// fetches, since it alone knows what else is asked of a host.
func (c *fetchCmd) Run(ctx context.Context, a *app) error {
	config, err := a.config()
	if err != nil {
		return err
	}
	reader := intake.New(canonical.New(canonical.Options{Tracking: config.Crawler.TrackingParams}))
	urls := make([]string, len(c.URLs))
	for i, name := range c.URLs {
		if urls[i], err = reader.Canonical(withScheme(name)); err != nil {
			return usageError{err}
		}
	}
	one := a.fetchByDaemon()
	first, err := one(ctx, urls[0])
	if errors.Is(err, control.ErrNoDaemon) {
		var end func()
		if one, end, err = a.fetchAlone(ctx); err != nil {
			return err
		}
		defer end()
		first, err = one(ctx, urls[0])
	}
	seen := 0
	for i := range urls {
		report := first
		if i > 0 {
			report, err = one(ctx, urls[i])
		}
		if err != nil {
			return err
		}
		if report.Version != nil {
			seen++
		}
		if err := report.print(a); err != nil {
			return err
		}
	}
	if seen == 0 {
		return fmt.Errorf("none of the pages could be seen; what was met is stored in the fetch log")
	}
	return nil
}

// fetchByDaemon returns what asks the daemon of the state directory for a page. Its error is
// control.ErrNoDaemon if there is none, or one on another database.
func (a *app) fetchByDaemon() func(ctx context.Context, url string) (*fetchReport, error) {
	client := control.Dial(a.daemonDir())
	return func(ctx context.Context, url string) (*fetchReport, error) {
		config, err := a.config()
		if err != nil {
			return nil, err
		}
		named, err := a.namedDatabase(config)
		if err != nil {
			return nil, err
		}
		out, err := client.Fetch(ctx, control.FetchRequest{URL: url, Database: databaseKey(named)})
		switch {
		case err != nil:
			return nil, err
		case out.Elsewhere:
			return nil, control.ErrNoDaemon
		case out.Error != "":
			return nil, errors.New(out.Error)
		}
		report := &fetchReport{}
		if err := json.Unmarshal(out.Report, report); err != nil {
			return nil, fmt.Errorf("ask the daemon: %w", err)
		}
		return report, nil
	}
}

// handLease is how long a page is kept for a fetch without a daemon, at most.
const handLease = 5 * time.Minute

// fetchAlone returns what fetches pages without a daemon, and what is to be called when all are fetched.
func (a *app) fetchAlone(ctx context.Context) (one func(ctx context.Context, url string) (*fetchReport, error), end func(), err error) {
	o, err := a.create(ctx)
	if err != nil {
		return nil, nil, err
	}
	fetcher, _, err := a.newFetcher(&o.config.Crawler, clock.Real{}, nil)
	if err != nil {
		o.Close()
		return nil, nil, err
	}
	disk := a.diskOf(o)
	measurer := monitor.New(o.DB, monitor.Options{Logger: a.log})
	one = func(ctx context.Context, url string) (*fetchReport, error) {
		if reason := disk.Reason(); reason != "" { // a person waits for the answer
			return nil, errors.New(reason)
		}
		end, err := o.leaseAlone(ctx, url)
		if err != nil {
			return nil, err
		}
		defer end()
		res, stored, err := o.fetchByHand(ctx, fetcher, url)
		if err != nil {
			return nil, err
		}
		if _, err := measurer.Drain(ctx); err != nil {
			return nil, err
		}
		return o.report(ctx, url, res, stored)
	}
	return one, func() { fetcher.Close(); o.Close() }, nil
}

// leaseAlone keeps daemons elsewhere from a page while it is fetched here. A host that one of them crawls
// is not ours to ask: two that do not know of each other keep no delay.
func (o *opened) leaseAlone(ctx context.Context, url string) (end func(), err error) {
	facts, err := canonical.FactsOf(url)
	if err != nil {
		return nil, usageError{err}
	}
	now := time.Now().Truncate(time.Microsecond)
	var dead []int32
	owner, err := o.BucketOwner(ctx, int32(facts.Bucket), now)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return nil, err
	case lives(owner):
		return nil, crawledBy(facts.Host, owner)
	default:
		dead = []int32{owner.ID}
	}
	page, err := o.PageByURL(ctx, url)
	if errors.Is(err, store.ErrNotFound) {
		return func() {}, nil // what nobody knows nobody fetches
	}
	if err != nil {
		return nil, err
	}
	until := now.Add(handLease)
	held, err := o.LeaseByHand(ctx, page.ID, now, until, dead)
	switch {
	case err != nil:
		return nil, err
	case held != nil && held.Daemon == 0:
		return nil, fmt.Errorf("%s is being fetched by hand; it is free by %s", url, held.Until.UTC().Format(time.RFC3339))
	case held != nil:
		return nil, fmt.Errorf("%s was taken by daemon %d, which may be fetching it; it is free by %s", url, held.Daemon, held.Until.UTC().Format(time.RFC3339))
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = o.EndByHand(ctx, page.ID, until) // else it runs out
	}, nil
}

// lives reports whether a daemon may still be running: those of this machine are looked for.
func lives(d store.DaemonRow) bool {
	machine, err := os.Hostname()
	return err != nil || d.Host != machine || d.PID == os.Getpid() || daemon.Alive(d.PID)
}

func crawledBy(host string, d store.DaemonRow) error {
	return fmt.Errorf("host %s is crawled by the daemon on %s (process %d), which alone can keep its rules; fetch there, with its configuration", host, d.Host, d.PID)
}

// fetchByHand fetches a page and stores what came.
func (o *opened) fetchByHand(ctx context.Context, fetcher *fetch.Fetcher, url string) (*fetch.Result, store.Stored, error) {
	req := fetch.Request{URL: url}
	if page, err := o.PageByURL(ctx, url); err == nil {
		states, err := o.States(ctx, []store.PageID{page.ID})
		if err != nil {
			return nil, store.Stored{}, err
		}
		if s := states[page.ID]; s != nil && s.Version > 0 {
			req.ETag, req.LastModified, req.ValidatedURL = s.ETag, s.LastModified, s.ValidatedURL
		}
	}
	res := fetcher.Fetch(ctx, req)
	for begun := time.Now(); waitsInLine(&res) && time.Since(begun) < handPatience && ctx.Err() == nil; {
		time.Sleep(handLook)
		res = fetcher.Fetch(ctx, req)
	}
	if ctx.Err() != nil && res.Reason == fetch.Cancelled {
		return nil, store.Stored{}, ctx.Err()
	}
	// What came is stored, also when nobody waits for it any more.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), handStored)
	defer cancel()
	stored, err := o.Write(last, []*store.Capture{o.reader.Capture(url, store.KindManual, &res)})
	if err != nil {
		return nil, store.Stored{}, err
	}
	return &res, stored[0], nil
}

// waitsInLine reports whether no request was sent because the host had others of the daemon's to serve. One that
// takes a longer pause is not waited for.
func waitsInLine(res *fetch.Result) bool {
	return res.Reason == fetch.Busy && res.RetryAt.Sub(res.StartedAt) < handPause
}

const (
	handPause    = 2 * time.Minute // of the daemon's clock
	handPatience = 2 * time.Minute // of the machine's
)

// handStored is how long storing a page may take that was fetched by hand.
const handStored = 30 * time.Second

// report tells what came of a page, whose change has been measured.
func (o *opened) report(ctx context.Context, url string, res *fetch.Result, s store.Stored) (*fetchReport, error) {
	out := &fetchReport{URL: url, Outcome: s.Outcome, Status: res.Status, Bytes: len(res.Body)}
	out.Line = fmt.Sprintf("%s: %s", url, s.Outcome)
	if res.Status > 0 {
		out.Line += fmt.Sprintf(", status %d", res.Status)
	}
	if s.Version == 0 {
		text := string(res.Reason) + ": " + res.Text
		out.Error = &text
		out.Line += fmt.Sprintf(": %s (%s)", res.Text, res.Reason)
		return out, nil
	}
	v, err := o.VersionNumber(ctx, s.Page, s.Version)
	if err != nil {
		return nil, err
	}
	out.Version, out.Dice = &v.Number, v.Dice
	out.Line += fmt.Sprintf(", version %d, %d bytes", v.Number, v.Bytes)
	if s.Outcome == store.Changed && v.Dice != nil {
		out.Line += fmt.Sprintf(", Dice %.3f (%s)", *v.Dice, levelText(v))
	}
	return out, nil
}

// print prints a report for a person, or for a program.
func (r *fetchReport) print(a *app) error {
	if a.flags.JSON {
		told := *r
		told.Line = ""
		return a.printJSON(told)
	}
	_, err := fmt.Fprintln(a.stdout, r.Line)
	return err
}
