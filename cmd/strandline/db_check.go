package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/strandlinehq/strandline/store"
)

// dbCheckCmd holds the database against what the program would make of it.
type dbCheckCmd struct {
	Sample int  `help:"How many stored bodies, and as many records, are read back; 0 none." default:"1000"`
	Full   bool `help:"Read all of them back, and look for versions without a body."`
}

// checkLines bounds what is printed of one kind; the rest is counted.
const checkLines = 20

// checkReport is what a check found; it prints as JSON.
type checkReport struct {
	OK     bool     `json:"ok"`
	Faults []string `json:"faults"`
	Notes  []string `json:"notes"` // what is strange and does no harm
	Read   int      `json:"contents_read"`
}

// Run opens the database, which refuses a schema of another version, and then
// looks whether the schema is whole and what is stored reads back. It fails if
// one thing is not as it ought to be.
func (c *dbCheckCmd) Run(ctx context.Context, a *app) error {
	if c.Sample < 0 {
		return usagef("--sample %d: 0 or more", c.Sample)
	}
	config, err := a.config()
	if err != nil {
		return err
	}
	url, server, err := a.database(ctx, config, false)
	if err != nil {
		return err
	}
	defer leave(server)
	db, err := store.Open(ctx, url, store.Options{MaxConns: 2})
	if err != nil {
		return unreachable(err)
	}
	defer db.Close()
	report, err := c.check(ctx, db)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		err = a.printJSON(report)
	} else {
		c.print(a, report)
	}
	if err == nil && !report.OK {
		err = fmt.Errorf("the check found %s", plural(len(report.Faults), "fault"))
	}
	return err
}

func (c *dbCheckCmd) check(ctx context.Context, db *store.DB) (*checkReport, error) {
	r := &checkReport{Faults: []string{}, Notes: []string{}}
	schema, err := db.CheckSchema(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range schema {
		if f.Harmless {
			r.Notes = append(r.Notes, f.String())
		} else {
			r.Faults = append(r.Faults, f.String())
		}
	}
	if c.Full || c.Sample > 0 {
		limit := c.Sample
		if c.Full {
			limit = 0
		}
		var from store.SHA256
		if _, err := rand.Read(from[:]); err != nil {
			return nil, err
		}
		var bad []store.ContentFault
		if r.Read, bad, err = db.CheckContents(ctx, from, limit); err != nil {
			return nil, err
		}
		for _, f := range bad {
			r.Faults = append(r.Faults, f.Error())
		}
	}
	if c.Full {
		lost, err := db.BodilessVersions(ctx, 1000)
		if err != nil {
			return nil, err
		}
		for _, name := range lost {
			r.Faults = append(r.Faults, name+" has no stored body")
		}
	}
	drift, err := db.HealthDrift(ctx, 1000)
	if err != nil {
		return nil, err
	}
	r.Faults = append(r.Faults, drift...)
	r.OK = len(r.Faults) == 0
	return r, nil
}

func (c *dbCheckCmd) print(a *app, r *checkReport) {
	list := func(what string, lines []string) {
		for i, line := range lines {
			if i == checkLines {
				fmt.Fprintf(a.stdout, "%s: and %d more; --json tells all\n", what, len(lines)-i)
				return
			}
			fmt.Fprintf(a.stdout, "%s: %s\n", what, line)
		}
	}
	list("fault", r.Faults)
	list("note", r.Notes)
	if r.OK {
		fmt.Fprintf(a.stdout, "the schema fits this version of the program; %s read back to their hashes\n", plural(r.Read, "stored content"))
	}
}
