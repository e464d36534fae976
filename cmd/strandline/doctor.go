package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/configs"
)

// doctorCmd looks for what keeps the program from its work.
type doctorCmd struct {
	Page string `arg:"" optional:"" help:"The page whose host is asked; default the configuration's first."`
}

// Verdicts of a finding. Only a fault makes the command fail.
const (
	wellOK      = "ok"
	wellWarning = "warning"
	wellFault   = "fault"
)

// finding is what one check found.
type finding struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Found   string `json:"found"`
	Do      string `json:"do,omitempty"` // what to do about it
}

// doctor gathers findings.
type doctor struct {
	app      *app
	config   *configs.Config
	page     string // whose host is asked; empty: none
	stateDir string // empty: it cannot be had
	findings []finding
}

func (d *doctor) ok(check, format string, args ...any) {
	d.findings = append(d.findings, finding{check, wellOK, fmt.Sprintf(format, args...), ""})
}

func (d *doctor) warn(check, found, do string) {
	d.findings = append(d.findings, finding{check, wellWarning, found, do})
}

func (d *doctor) fault(check, found, do string) {
	d.findings = append(d.findings, finding{check, wellFault, found, do})
}

// doctorTime is how long all checks may take together.
const doctorTime = 90 * time.Second

// Run makes all checks, whatever the first ones found, and fails if one found a fault.
func (c *doctorCmd) Run(ctx context.Context, a *app) error {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	d := &doctor{app: a, page: c.Page}
	if d.configuration() {
		if d.page == "" {
			d.page = firstPage(d.config)
		}
		d.permissions()
		d.disk()
		d.database(ctx)
		d.clock(ctx)
		d.daemon(ctx)
		d.network(ctx)
	}
	faults := 0
	for _, f := range d.findings {
		if f.Verdict == wellFault {
			faults++
		}
	}
	if a.flags.JSON {
		if err := a.printJSON(struct {
			OK       bool      `json:"ok"`
			Findings []finding `json:"findings"`
		}{faults == 0, d.findings}); err != nil {
			return err
		}
	} else {
		d.print()
	}
	if faults > 0 {
		return fmt.Errorf("the doctor found %s", plural(faults, "fault"))
	}
	return nil
}

func (d *doctor) print() {
	for _, f := range d.findings {
		fmt.Fprintf(d.app.stdout, "%-7s  %-13s  %s\n", f.Verdict, f.Check, f.Found)
		if f.Do != "" {
			fmt.Fprintf(d.app.stdout, "%-7s  %-13s  -> %s\n", "", "", f.Do)
		}
	}
}

// configuration loads it, and says whether there is one to go on with.
func (d *doctor) configuration() bool {
	const check = "configuration"
	var err error
	d.config, err = d.app.config()
	if err != nil {
		var list configs.Errors
		if !errors.As(err, &list) {
			d.fault(check, err.Error(), "run 'strandline check'")
		}
		for _, e := range list {
			d.fault(check, e.Error(), "mend the line; 'strandline check' shows all mistakes")
		}
		return false
	}
	for _, w := range d.config.Warnings {
		d.warn(check, w.Error(), "change the line if it was not meant")
	}
	for _, w := range refusedAddresses(d.config) {
		d.warn(check, w.Error(), "change the address, or allow its network")
	}
	if len(d.config.Files) == 0 {
		d.warn(check, "no configuration file was found; the built-in defaults are in force and nothing is watched",
			"write "+configs.Candidates()[0]+", or name a file by --config")
	} else {
		d.ok(check, "%s: %s, %d series, %s", strings.Join(d.config.Files, ", "),
			plural(len(d.config.Watches), "watch"), len(d.config.Series), plural(len(d.config.Topics), "topic"))
	}
	return true
}

// firstPage is the first page that the configuration names, empty if there is none.
func firstPage(c *configs.Config) string {
	for i := range c.Watches {
		if pages := c.Watches[i].Pages(); len(pages) > 0 {
			return string(pages[0])
		}
	}
	for i := range c.Series {
		if seeds := c.Series[i].Pages(); len(seeds) > 0 {
			return string(seeds[0])
		}
	}
	return ""
}
