package main

import (
	"context"
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
	if a.flags.JSON {
		return a.printJSON(map[string]any{"status": status, "daemon": state})
	}
	if state == nil {
		fmt.Fprintln(a.stdout, "no daemon runs on this state directory")
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
	return nil
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
