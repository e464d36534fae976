package main

import (
	"context"
	"crypto/sha1" //nolint:gosec // recordings name their payloads by it
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/store"
)

// benchReplayCmd watches recorded pages behind a proxy that shows them as they were at its clock's
// time, as run does with --at and --speed, and holds what was stored against the recording.
type benchReplayCmd struct {
	Proxy string        `help:"Proxy that serves the recording." placeholder:"URL" required:""`
	Admin string        `help:"Where it is told its time, lists its pages and tells their captures." placeholder:"URL" required:""`
	At    string        `help:"The time at which the run begins." placeholder:"TIME" required:""`
	Span  time.Duration `help:"How long the pages are watched, of virtual time." default:"6h"`
	Speed float64       `help:"Virtual seconds in a second." default:"600"`
	Every time.Duration `help:"Interval of the watch." default:"30m"`
}

// replayFigures is what the command prints.
type replayFigures struct {
	Pages    int            `json:"pages"`
	Hours    float64        `json:"hours"`
	Speed    float64        `json:"speed"`
	Seconds  float64        `json:"seconds"`
	Outcomes map[string]int `json:"outcomes"`
	Compared int            `json:"fetches_compared"`
	Wrong    int            `json:"fetches_with_a_content_that_was_not_visible"`
	// Of the contents that a page showed one after the other, from its first fetch to its last.
	Recorded int `json:"contents_recorded"`
	Caught   int `json:"contents_caught"`
	Between  int `json:"contents_between_fetches"`
	// The first of those that are wrong.
	WrongOnes []string `json:"wrong,omitempty"`
}

// wrongTold bounds how many are told.
const wrongTold = 10

// replayed is a capture of the recording.
type replayed struct {
	at     time.Time
	digest string
}

// Run prints the figures as one JSON document, and is an error if a stored content was not visible.
func (c *benchReplayCmd) Run(ctx context.Context, a *app) error {
	begin, err := parseTime(c.At)
	if err != nil {
		return err
	}
	if c.Span <= 0 || c.Speed <= 0 || c.Every < time.Second {
		return usagef("want a span and a speed above 0, and an interval of a second at least")
	}
	admin := strings.TrimSuffix(c.Admin, "/")
	urls, err := c.pages(ctx, admin, begin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "strandline-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := c.configure(a, dir, urls); err != nil {
		return err
	}
	o, err := a.create(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	real := time.Now()
	if err := tellTime(ctx, admin, begin, c.Speed); err != nil {
		return err
	}
	// Our clock starts when the proxy's does, at the earliest, and behind it by what the answer took.
	clk := clock.NewScaled(begin, c.Speed)
	slack := time.Duration(float64(time.Since(real))*c.Speed) + 2*time.Second
	if err := c.watch(ctx, a, o, clk, begin.Add(c.Span)); err != nil {
		return err
	}
	f := replayFigures{Pages: len(urls), Hours: c.Span.Hours(), Speed: c.Speed, Seconds: round3(time.Since(real).Seconds()), Outcomes: map[string]int{}}
	captures := map[string][]replayed{}
	for _, u := range urls {
		if captures[u], err = capturesOf(ctx, admin, u); err != nil {
			return err
		}
	}
	if err := f.compare(ctx, o.DB, captures, slack); err != nil {
		return err
	}
	if err := a.printJSON(f); err != nil {
		return err
	}
	if f.Wrong > 0 {
		return fmt.Errorf("%d of %d fetches are stored with a content that was not visible then", f.Wrong, f.Compared)
	}
	return nil
}

// pages are those that exist when the span is over.
func (c *benchReplayCmd) pages(ctx context.Context, admin string, begin time.Time) ([]string, error) {
	if err := tellTime(ctx, admin, begin.Add(c.Span), 0); err != nil {
		return nil, err
	}
	list, err := askSite(ctx, http.MethodGet, admin+"/urls")
	if err != nil {
		return nil, err
	}
	var urls []string
	for line := range strings.Lines(list) {
		if _, u, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			urls = append(urls, u)
		}
	}
	if len(urls) == 0 {
		return nil, fmt.Errorf("%s/urls lists no pages", admin)
	}
	return urls, nil
}

func tellTime(ctx context.Context, admin string, at time.Time, speed float64) error {
	_, err := askSite(ctx, http.MethodGet, fmt.Sprintf("%s/clock?set=%s&speed=%s", admin,
		url.QueryEscape(at.UTC().Format(time.RFC3339)), strconv.FormatFloat(speed, 'f', -1, 64)))
	return err
}

func (c *benchReplayCmd) configure(a *app, dir string, urls []string) error {
	if os.Geteuid() == 0 { // the account that the private PostgreSQL runs as has to pass
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: strandline-bench/1.0, workers: 32, host: {delay: 1s}, proxy: %q, allow_networks: ['0.0.0.0/0', '::/0']}\n"+
		"watches: [{name: replay, schedule: '@every %s', jitter: 0s, urls_file: urls.txt}]\n", dir, c.Proxy, c.Every)
	a.flags.Config = filepath.Join(dir, "strandline.yaml")
	if !a.flags.Verbose {
		a.log = slog.New(slog.DiscardHandler)
	}
	return errors.Join(os.WriteFile(a.flags.Config, []byte(text), 0o600),
		os.WriteFile(filepath.Join(dir, "urls.txt"), []byte(strings.Join(urls, "\n")), 0o600))
}

// watch runs the daemon until its clock shows the end.
func (c *benchReplayCmd) watch(ctx context.Context, a *app, o *opened, clk *clock.Scaled, end time.Time) error {
	s, err := a.newService(o, clk, nil)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.run(running) }()
	timer := clk.NewTimer(end.Sub(clk.Now()))
	defer timer.Stop()
	select {
	case err := <-ended:
		return fmt.Errorf("the daemon ended: %w", err)
	case <-timer.C:
	}
	stop()
	return <-ended
}

// capturesOf asks for the captures of a page, which come in order of time.
func capturesOf(ctx context.Context, admin, page string) ([]replayed, error) {
	text, err := askSite(ctx, http.MethodGet, admin+"/captures?url="+url.QueryEscape(page))
	if err != nil {
		return nil, err
	}
	var out []replayed
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			return nil, fmt.Errorf("%s/captures: %q is no capture", admin, line)
		}
		at, err := time.Parse(time.RFC3339, fields[0])
		if err != nil {
			return nil, fmt.Errorf("%s/captures: %w", admin, err)
		}
		out = append(out, replayed{at, fields[1]})
	}
	return out, nil
}

// finishedAt reads when the fetches ended, by address and start.
func finishedAt(ctx context.Context, db *store.DB) (map[string]time.Time, error) {
	rows, err := db.Pool().Query(ctx, `select url, started_at, finished_at from api_v1.fetch_log`)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	out := map[string]time.Time{}
	var address string
	var start, end time.Time
	if _, err := pgx.ForEachRow(rows, []any{&address, &start, &end}, func() error {
		out[fetchKey(address, start)] = end
		return nil
	}); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return out, nil
}

func fetchKey(address string, at time.Time) string {
	return address + " " + strconv.FormatInt(at.UnixMicro(), 10)
}

// compare holds each fetch that saw content against what its page showed from slack before its start to
// slack behind its end: captures are told to the second, and the two clocks were not started at once.
func (f *replayFigures) compare(ctx context.Context, db *store.DB, captures map[string][]replayed, slack time.Duration) error {
	digests := map[store.SHA256]string{}
	type seen struct {
		first, last time.Time
		digest      string
	}
	pages := map[string]*seen{}
	var rows []store.CaptureRow
	ends, err := finishedAt(ctx, db)
	if err != nil {
		return err
	}
	err = db.EachCapture(ctx, store.Selection{}, func(c store.CaptureRow) error {
		f.Outcomes[string(c.Outcome)]++
		if c.Version > 0 && captures[c.URL] != nil {
			rows = append(rows, c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range rows {
		switch c.Outcome {
		case store.New, store.Changed, store.Same, store.NotModified:
		default:
			continue
		}
		if digests[c.Hash] == "" {
			payload, err := db.Payload(ctx, c)
			if err != nil {
				return err
			}
			sum := sha1.Sum(payload) //nolint:gosec // as above
			digests[c.Hash] = "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
		}
		digest := digests[c.Hash]
		f.Compared++
		end, ok := ends[fetchKey(c.URL, c.At)]
		if !ok || end.Before(c.At) {
			end = c.At
		}
		if !visibleWithin(captures[c.URL], digest, c.At.Add(-slack), end.Add(slack)) {
			if f.Wrong++; f.Wrong <= wrongTold {
				f.WrongOnes = append(f.WrongOnes, fmt.Sprintf("%s from %s to %s: %s (%s)", c.URL, c.At.UTC().Format(time.RFC3339Nano), end.UTC().Format(time.RFC3339Nano), digest, c.Outcome))
			}
		}
		p := pages[c.URL]
		if p == nil {
			p = &seen{first: c.At}
			pages[c.URL] = p
		}
		if p.last = c.At; p.digest != digest {
			p.digest = digest
			f.Caught++
		}
	}
	for u, p := range pages {
		f.Recorded += contentsWithin(captures[u], p.first, p.last)
	}
	f.Between = max(0, f.Recorded-f.Caught)
	return nil
}

// visibleWithin reports whether a page showed a content at some time of [from, to].
func visibleWithin(list []replayed, digest string, from, to time.Time) bool {
	for i, c := range list {
		ends := i+1 < len(list) && !list[i+1].at.After(from)
		if c.digest == digest && !c.at.After(to) && !ends {
			return true
		}
	}
	return false
}

// contentsWithin counts the contents that a page showed one after the other in [from, to].
func contentsWithin(list []replayed, from, to time.Time) int {
	n, last := 0, ""
	start, found := slices.BinarySearchFunc(list, from, func(c replayed, t time.Time) int { return c.at.Compare(t) })
	if !found {
		start = max(0, start-1)
	}
	for _, c := range list[min(start, len(list)):] {
		if !c.at.After(to) && c.digest != last {
			n, last = n+1, c.digest
		}
	}
	return n
}
