package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/control"
)

// reloadCmd asks the running daemon to take its configuration anew.
type reloadCmd struct {
	Wait bool `help:"Wait for the outcome and print what changed."`
}

// Run fails when the daemon refuses the configuration; the old one is in force then.
func (c *reloadCmd) Run(ctx context.Context, a *app) error {
	config, err := a.config()
	if err != nil {
		return err
	}
	dir := presentDir(string(config.StateDir), a.flags.StateDir != "")
	limit := 2 * time.Second
	if c.Wait {
		limit = 5 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := control.Dial(dir).Reload(ctx)
	switch {
	case err != nil && !c.Wait && ctx.Err() != nil:
		fmt.Fprintln(a.stdout, "asked; the daemon is still at it")
		return nil
	case err != nil:
		return err
	}
	if a.flags.JSON {
		return a.printJSON(out)
	}
	for _, e := range out.Errors {
		fmt.Fprintln(a.stderr, e)
	}
	if len(out.Errors) > 0 {
		return fmt.Errorf("the new configuration is refused, the old one stays in force")
	}
	for _, line := range out.Changes {
		fmt.Fprintln(a.stdout, line)
	}
	if len(out.Changes) == 0 {
		fmt.Fprintln(a.stdout, "nothing changed")
	}
	return nil
}
