package main

import (
	"fmt"
	"io"
	"os"

	"github.com/strandlinehq/strandline/cmd/internal/foreign"
	"github.com/strandlinehq/strandline/configs"
)

// watches prints what another program was told to watch as a configuration, and on stderr what it comes to.
func (c *importCmd) watches(a *app) error {
	if len(c.Files) != 1 {
		return usagef("--format %s takes one file", c.Format)
	}
	if err := new(configs.Schedule).UnmarshalText([]byte(c.Schedule)); err != nil {
		return usagef("--schedule %s: %w", c.Schedule, err)
	}
	f, err := os.Open(c.Files[0])
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, foreign.MaxSize+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Files[0], err)
	}
	plan, err := foreign.Read(foreign.Format(c.Format), data, foreign.Defaults{Name: c.Name, Schedule: c.Schedule})
	if err != nil {
		return usagef("%s: %w", c.Files[0], err)
	}
	if err := plan.Write(a.stdout); err != nil {
		return err
	}
	tally := plan.Tally()
	fmt.Fprintf(a.stderr, "%s: %s", c.Files[0], plural(tally.Watches, "watch"))
	if tally.Paused > 0 {
		fmt.Fprintf(a.stderr, ", %d paused there and printed as comments", tally.Paused)
	}
	fmt.Fprintf(a.stderr, ", %s in all", plural(tally.Pages, "page"))
	if tally.Notes > 0 {
		fmt.Fprintf(a.stderr, "; not everything is taken over: %s", plural(tally.Notes, "comment"))
	}
	fmt.Fprintln(a.stderr)
	if tally.Watches+tally.Paused == 0 {
		return usagef("%s: nothing in it can be watched as --format %s", c.Files[0], c.Format)
	}
	return nil
}
