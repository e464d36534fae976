package main

import (
	"fmt"
	"io"
	"os"

	"github.com/strandlinehq/strandline/cmd/internal/foreign"
	"github.com/strandlinehq/strandline/configs"
)

// watches prints what another program was told to watch as a configuration.
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
	return plan.Write(a.stdout)
}
