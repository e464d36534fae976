package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store"
)

// statusCmd says what the daemon does now.
type statusCmd struct{}

// Run asks the daemon on this state directory, if there is one, and then the database.
// The daemon is asked first, as it answers while the database is away; then what it
// knows is told, and the database is left alone.
func (statusCmd) Run(ctx context.Context, a *app) error {
	state, known, err := a.askDaemon(ctx)
	if err != nil {
		return err
	}
	if known.AwaySince != nil {
		return a.printDaemon(state, known, nil)
	}
	o, err := a.open(ctx)
	if err == nil {
		defer o.Close()
		err = a.printStatus(ctx, o, state)
	}
	if err != nil && state != nil && store.Away(err) {
		return a.printDaemon(state, known, err)
	}
	return err
}

// daemonState is what status reads out of service.State.
type daemonState struct {
	Now       time.Time               `json:"now"`
	AwaySince *time.Time              `json:"database_away_since"`
	Reason    string                  `json:"database_away_reason"`
	Queued    int                     `json:"queued"`
	Fetching  int                     `json:"fetching"`
	Unstored  int                     `json:"unstored"`
	Outcomes  map[store.Outcome]int64 `json:"outcomes"`
}

// askDaemon returns what the daemon on the state directory says of itself; nil when none runs.
func (a *app) askDaemon(ctx context.Context) (json.RawMessage, daemonState, error) {
	var known daemonState
	config, err := a.config()
	if err != nil {
		return nil, known, err
	}
	dir := presentDir(string(config.StateDir), a.flags.StateDir != "")
	ctx, cancel := context.WithTimeout(ctx, daemonPatience)
	defer cancel()
	state, err := control.Dial(dir).State(ctx)
	if errors.Is(err, control.ErrNoDaemon) {
		return nil, known, nil
	}
	if err != nil {
		return nil, known, err
	}
	if err := json.Unmarshal(state, &known); err != nil {
		return nil, known, fmt.Errorf("ask the daemon: %w", err)
	}
	return state, known, nil
}

// daemonPatience is how long a daemon may take to say how it is.
const daemonPatience = 10 * time.Second

// printDaemon tells what is known without the database, which the daemon, or we by err,
// found not to answer.
func (a *app) printDaemon(state json.RawMessage, known daemonState, err error) error {
	if a.flags.JSON {
		out := map[string]any{"status": nil, "daemon": state, "snapshots": nil}
		if err != nil {
			out["database_error"] = err.Error()
		}
		return a.printJSON(out)
	}
	if err != nil {
		fmt.Fprintf(a.stdout, "the database does not answer: %v\n", err)
	} else {
		fmt.Fprintf(a.stdout, "the database does not answer since %s (%s by the daemon's clock): %s\n", stamp(*known.AwaySince),
			known.Now.Sub(*known.AwaySince).Round(time.Second), known.Reason)
	}
	fmt.Fprintf(a.stdout, "the daemon waits for it and goes on by itself: %s finished and wait to be stored, %d more in line", plural(known.Unstored, "fetch"), known.Queued)
	if known.Fetching > 0 {
		fmt.Fprintf(a.stdout, ", %d still on their way", known.Fetching)
	}
	fmt.Fprintln(a.stdout)
	var stored int64
	for _, n := range known.Outcomes {
		stored += n
	}
	fmt.Fprintf(a.stdout, "%s stored since it started: %d new, %d changed\n", plural(int(stored), "fetch"), known.Outcomes[store.New], known.Outcomes[store.Changed])
	return nil
}

// printStatus tells what the database knows, and the daemon.
func (a *app) printStatus(ctx context.Context, o *opened, state json.RawMessage) error {
	status, err := o.Status(ctx)
	if err != nil {
		return err
	}
	crawls, err := o.crawls(ctx, time.Now())
	if err != nil {
		return err
	}
	messages, err := o.OutboxStates(ctx)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		return a.printJSON(map[string]any{"status": statusOf(status), "daemon": state, "snapshots": crawls, "messages": messages})
	}
	if state == nil {
		fmt.Fprintln(a.stdout, "no daemon runs on this state directory")
	}
	var now struct {
		Paused string `json:"paused"`
	}
	if state != nil {
		if err := json.Unmarshal(state, &now); err != nil {
			return fmt.Errorf("state of the daemon: %w", err)
		}
	}
	if now.Paused != "" {
		fmt.Fprintln(a.stdout, now.Paused)
	}
	fmt.Fprintf(a.stdout, "%s on this database, %s claimed\n", plural(len(status.Daemons), "daemon"), plural(status.Running, "page"))
	t := report.Table{Columns: []string{"kind", "name", "pages", "due", "late", "failing", "set aside", "oldest due (UTC)", "next due (UTC)", "lag p50", "lag p99"}}
	for _, h := range status.Schedule {
		t.Add(h.Kind, h.Name, h.Pages, h.Due, h.Late, h.Failing, h.SetAside, stampOrDash(h.OldestDueAt), stampOrDash(h.NextDueAt),
			h.LagP50.Round(time.Second).String(), h.LagP99.Round(time.Second).String())
		if h.Reason != "" {
			t.Note("%s %s: %s", h.Kind, h.Name, h.Reason)
		}
	}
	if err := t.Fit(a.stdout, a.width()); err != nil {
		return err
	}
	for _, l := range status.Stages {
		fmt.Fprintf(a.stdout, "stage %s: %s queued, the oldest since %s\n", l.Stage, plural(l.Queued, "version"), stamp(l.OldestAt))
	}
	for _, c := range crawls {
		fmt.Fprintf(a.stdout, "snapshot of series %s, running since %s: %s of %s tried, %d in the frontier, %d of %d hosts left; %.1f pages/s\n",
			c.Series, stamp(c.StartedAt), plural(int(c.Pages), "page"), plural(int(c.Tried), "URL"), c.Frontier, c.Closed, c.Hosts, c.PerSecond)
	}
	for _, m := range messages {
		fmt.Fprintln(a.stdout, outboxLine(m))
	}
	return nil
}

// outboxLine says what waits for a target, and what to do about what was given up.
func outboxLine(m store.OutboxState) string {
	line := fmt.Sprintf("target %s: %s to be delivered", m.Target, plural(m.Waiting, "message"))
	if m.Waiting > 0 {
		line += ", the oldest since " + stamp(m.Oldest)
	}
	if m.Dead > 0 {
		line += fmt.Sprintf("; %d given up, 'strandline notify retry %s' tries again", m.Dead, m.Target)
	}
	if m.Error != "" {
		line += "; last failure: " + m.Error
	}
	return line
}

// crawlStatus is how far a running snapshot is, over all daemons.
type crawlStatus struct {
	Series    string    `json:"series"`
	StartedAt time.Time `json:"started_at"`
	Tried     int64     `json:"tried"`
	Pages     int64     `json:"pages"`
	Traps     int64     `json:"traps"`
	Frontier  int64     `json:"frontier"`
	Hosts     int64     `json:"hosts"`
	Closed    int64     `json:"hosts_left"` // of which no more is fetched
	PerSecond float64   `json:"pages_per_second"`
}

// crawls tells of the snapshots that are being crawled.
func (o *opened) crawls(ctx context.Context, now time.Time) ([]crawlStatus, error) {
	running, err := o.RunningCrawls(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]crawlStatus, len(running))
	for i, r := range running {
		c := crawlStatus{Series: r.Name, StartedAt: r.StartedAt}
		t, hosts, closed, err := o.SnapshotTally(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		if c.Frontier, err = o.FrontierSize(ctx, r.ID); err != nil {
			return nil, err
		}
		c.Tried, c.Pages, c.Traps, c.Hosts, c.Closed = t.Tried, t.Crawled, t.Traps, hosts, closed
		if s := now.Sub(r.StartedAt).Seconds(); s > 0 {
			c.PerSecond = round3(float64(c.Pages) / s)
		}
		out[i] = c
	}
	return out, nil
}

// plural counts things: 1 page, 2 pages.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if s, ok := strings.CutSuffix(thing, "ch"); ok {
		return fmt.Sprintf("%d %sches", n, s)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// pluralOf counts things whose words are of other forms: 1 entry, 2 entries.
func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func stampOrDash(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return stamp(t)
}
