package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/control"
)

// statusCmd says what the daemon does now.
type statusCmd struct{}

// Run asks the database, and the daemon on this state directory if there is one.
func (statusCmd) Run(ctx context.Context, a *app) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	status, err := o.Status(ctx)
	if err != nil {
		return err
	}
	state, err := control.Dial(o.stateDir).State(ctx)
	if err != nil && !errors.Is(err, control.ErrNoDaemon) {
		return err
	}
	crawls, err := o.crawls(ctx, time.Now())
	if err != nil {
		return err
	}
	if a.flags.JSON {
		return a.printJSON(map[string]any{"status": status, "daemon": state, "snapshots": crawls})
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
	fmt.Fprintf(a.stdout, "%s on this database, %s being fetched\n", plural(len(status.Daemons), "daemon"), plural(status.Running, "page"))
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tname\tpages\tdue\tlate\tfailing\tset aside\toldest due (UTC)\tnext due (UTC)\tlag p50\tlag p99")
	for _, h := range status.Schedule {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", h.Kind, h.Name, h.Pages, h.Due, h.Late, h.Failing, h.SetAside,
			stampOrDash(h.OldestDueAt), stampOrDash(h.NextDueAt),
			h.LagP50.Round(time.Second), h.LagP99.Round(time.Second))
		if h.Reason != "" {
			fmt.Fprintf(w, "\t  %s\n", h.Reason)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, l := range status.Stages {
		fmt.Fprintf(a.stdout, "stage %s: %s queued, the oldest since %s\n", l.Stage, plural(l.Queued, "version"), stamp(l.OldestAt))
	}
	for _, c := range crawls {
		fmt.Fprintf(a.stdout, "snapshot of series %s, running since %s: %d pages of %d URLs tried, %d in the frontier, %d of %d hosts left; %.1f pages/s\n",
			c.Series, stamp(c.StartedAt), c.Pages, c.Tried, c.Frontier, c.Closed, c.Hosts, c.PerSecond)
	}
	return nil
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

func stampOrDash(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return stamp(t)
}
