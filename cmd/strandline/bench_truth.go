package main

import (
	"context"
	"os"
	"time"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

// benchTruthCmd holds the measures of how pages change against a simulated web that
// knows its changes.
type benchTruthCmd struct {
	Pages int    `help:"How many pages of each rate of change." default:"20"`
	Days  int    `help:"How long they are visited every hour, in the time of the simulated web." default:"7"`
	Seed  uint64 `help:"Another number gives another web." default:"1"`
}

// truthWeb is a web of many pages of each rate.
func truthWeb(seed uint64) (*simweb.World, error) {
	epoch := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	return simweb.New(func() time.Time { return epoch }, simweb.Options{
		Seed: seed, Hosts: 12, PagesPerHost: 120, Size: 4 << 10, Epoch: epoch, Births: -1, Deaths: -1, ArticlesPerDay: 1, EnglishOnly: true,
		Rates: simweb.Rates{Static: 1, Weekly: 1, Daily: 1, Hourly: 1, Minutes: 1, Request: 1},
	})
}

// Run prints for each rate what is measured, the truth, and by how much they differ.
func (c *benchTruthCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 1 || c.Pages > 1000 || c.Days < 1 || c.Days > 100 {
		return usagef("want 1 to 1000 pages of each rate and 1 to 100 days")
	}
	world, err := truthWeb(c.Seed)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "strandline-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil { // the account that the private PostgreSQL runs as has to pass
		return err
	}
	a.flags.Config, a.flags.Database, a.flags.StateDir = os.DevNull, "", dir
	o, err := a.create(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	rows, err := measureTruth(ctx, o.DB, world, world.Options().Epoch, 24*c.Days, c.Pages)
	if err != nil {
		return err
	}
	return a.printJSON(rows)
}
