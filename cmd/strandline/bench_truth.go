package main

import (
	"context"
	"time"
)

// benchTruthCmd holds the measures of how pages change against a simulated web that
// knows its changes.
type benchTruthCmd struct {
	Pages int    `help:"How many pages of each rate of change." default:"20"`
	Days  int    `help:"How long they are visited every hour, in the time of the simulated web." default:"7"`
	Seed  uint64 `help:"Another number gives another web." default:"1"`

	Simweb string    `help:"Measure a simulated web that another program serves, a proxy at this address. It has to keep still between its changes: without volatile blocks, births and deaths." placeholder:"URL"`
	Truth  string    `help:"Where that program tells the truth and lets its clock be set." placeholder:"URL" default:"http://127.0.0.1:8081"`
	From   time.Time `help:"When its changes begin." default:"2025-01-01T00:00:00Z"`
}

// Run prints for each rate what is measured, the truth, and by how much they differ.
func (c *benchTruthCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 1 || c.Pages > 1000 || c.Days < 1 || c.Days > 100 {
		return usagef("want 1 to 1000 pages of each rate and 1 to 100 days")
	}
	web, from, err := c.web()
	if err != nil {
		return err
	}
	o, err := a.benchDatabase(ctx, "")
	if err != nil {
		return err
	}
	defer o.Close()
	rows, err := measureTruth(ctx, o.DB, web, from, 24*c.Days, c.Pages)
	if err != nil {
		return err
	}
	return a.printJSON(rows)
}

// web gives the simulated web to be measured, and when its changes begin.
func (c *benchTruthCmd) web() (truthWeb, time.Time, error) {
	if c.Simweb != "" {
		w, err := newServedWeb(c.Simweb, c.Truth)
		return w, c.From, err
	}
	w, err := newOwnWeb(c.Seed)
	if err != nil {
		return nil, time.Time{}, err
	}
	return w, w.world.Options().Epoch, nil
}
