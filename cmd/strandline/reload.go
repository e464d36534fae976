package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/configs"
)

// reloadCmd asks the running daemon to take its configuration anew.
type reloadCmd struct {
	Wait bool `help:"Wait for the outcome and print what changed."`
}

// Run fails when the daemon refuses the configuration; the old one is in force then. The files
// are read by the daemon alone: it has to know of a file that cannot be loaded, for its log,
// its metrics and whoever is alerted by them.
func (c *reloadCmd) Run(ctx context.Context, a *app) error {
	dir := a.daemonDir()
	limit := 2 * time.Second
	if c.Wait {
		limit = 5 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := control.Dial(dir).Reload(ctx)
	if errors.Is(err, control.ErrNoDaemon) {
		return a.reloadByManager(err)
	}
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

// daemonDir is the state directory of the running daemon, as far as flags and files tell it.
func (a *app) daemonDir() string {
	if a.flags.StateDir != "" {
		return a.flags.StateDir
	}
	dir, ok := configs.StateDir(a.flags.Config)
	if !ok {
		dir = configs.Default().StateDir
	}
	return presentDir(string(dir), false)
}

// reloadByManager is for a daemon that does not listen where the files say: the files cannot
// be read, or name another state directory since it was started. systemd gives the process of
// the service to what it runs for a reload; a signal reaches it, and without one the person is
// told what the files have against them.
func (a *app) reloadByManager(missing error) error {
	_, fault := a.config()
	if pid, err := strconv.Atoi(os.Getenv("MAINPID")); err == nil && pid > 1 {
		if err := syscall.Kill(pid, syscall.SIGHUP); err != nil {
			return fmt.Errorf("%w, and its process %d takes no signal: %w", missing, pid, err)
		}
		if fault == nil {
			fmt.Fprintln(a.stderr, "strandline: the daemon was asked by a signal, as it does not listen on the state directory of the configuration; its log has the outcome")
		}
		return fault
	}
	if fault != nil {
		return fault
	}
	return missing
}
