package main

import (
	"context"
	"errors"
	"fmt"
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
	fmt.Fprintf(a.stdout, "%d daemons on this database, %d pages being fetched\n", len(status.Daemons), status.Running)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tname\tdue\tlate\tfailing\tset aside\toldest due (UTC)\tlag p50\tlag p99")
	for _, h := range status.Schedule {
		oldest := "-"
		if !h.OldestDueAt.IsZero() {
			oldest = stamp(h.OldestDueAt)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", h.Kind, h.Name, h.Due, h.Late, h.Failing, h.SetAside, oldest,
			h.LagP50.Round(time.Second), h.LagP99.Round(time.Second))
		if h.Reason != "" {
			fmt.Fprintf(w, "\t  %s\n", h.Reason)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, l := range status.Stages {
		fmt.Fprintf(a.stdout, "stage %s: %d versions wait, the oldest since %s\n", l.Stage, l.Queued, stamp(l.OldestAt))
	}
	return nil
}
