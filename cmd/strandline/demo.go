package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/simweb"
)

// demoCmd is the daemon against a simulated web, to be looked at.
type demoCmd struct {
	Speed  float64       `help:"Virtual seconds that pass in a second, at most: a machine that cannot keep up gets fewer." default:"3600"`
	Listen string        `help:"Address of the web pages; empty for none; default ${default}." default:"127.0.0.1:8080" placeholder:"ADDRESS"`
	For    time.Duration `help:"Stop after this time; default when told to." placeholder:"DURATION"`
	Dir    string        `help:"Keep everything in this directory; default a temporary one that is removed." placeholder:"DIR"`
}

// demoRefuses names the flags of all commands that the demo has no use for.
func demoRefuses() []string { return []string{"config", "database", "state-dir"} }

// Run starts a private PostgreSQL and a simulated web in a temporary directory
// and watches it in virtual time, telling what happens.
func (c *demoCmd) Run(ctx context.Context, a *app) error {
	switch {
	case c.Speed <= 0:
		return usagef("--speed must be above 0")
	case a.flags.Config != "" || a.flags.Database != "" || a.flags.StateDir != "":
		// Its pages are made up and its time is another: they must not get into what really was.
		return usagef("demo has a configuration and a database of its own: --config, --database and --state-dir are for other commands; --dir DIR keeps it in a directory")
	}
	dir := c.Dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "strandline-demo-"); err != nil {
			return err
		}
		defer func() { removeDemo(dir) }()
	}
	dir, err := filepath.Abs(dir) // the configuration would take it from its own folder
	if err != nil {
		return err
	}
	options := demoOptions()
	var clk *clock.Varying // begins when there is a database to fetch into
	world, err := simweb.New(func() time.Time { return clk.Now() }, options)
	if err != nil {
		return err
	}
	a.flags.Config = filepath.Join(dir, "strandline.yaml")
	if !a.flags.Verbose {
		a.log = slog.New(slog.DiscardHandler) // failures are part of the simulated web, and shown as counts
	}
	plan := planDemo(world, options.Epoch)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(a.flags.Config, []byte(plan.yaml(dir)), 0o644); err != nil {
		return err
	}
	config, err := a.config()
	if err != nil {
		return err
	}
	release, err := a.claim(ctx, config)
	if err != nil {
		return err
	}
	defer release()
	o, err := a.create(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	pace := newPacer(c.Speed)
	clk = clock.NewVarying(options.Epoch, pace.speed)
	s, err := a.newService(o, clk, world.Transport())
	if err != nil {
		return err
	}
	s.notice = func() string { return demoNotice(pace.Speed(), c.Speed) }
	if c.Listen != "" {
		address, err := s.serve(ctx, c.Listen)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "Look at it: %s\n", address)
	}
	fmt.Fprintf(a.stdout, "Watching %d pages of a simulated web, %s of its time every second, or less while this machine cannot keep up; stop with Ctrl-C.\n", demoPages,
		spanOf(c.Speed))
	fmt.Fprintln(a.stdout, "Failures are part of it: hosts that break off, throttle or lead in circles, as the real web has them.")
	fmt.Fprintf(a.stdout, "Ask it from another terminal: strandline --config %s status (or sql, history, diff).\n", a.flags.Config)
	fmt.Fprintf(a.stdout, "Messages go to %s; nothing is sent anywhere else.\n", filepath.Join(dir, "messages.ndjson"))
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.run(ctx) })
	g.Go(func() error { return control.Listen(ctx, o.stateDir, s) })
	g.Go(func() error { return c.tell(ctx, a, s, pace) })
	g.Go(func() error { return s.takeSnapshots(ctx) })
	g.Go(func() error { return pace.run(ctx, clk, s.lateShare, s.keepTime) })
	err = g.Wait()
	if c.Dir == "" {
		fmt.Fprintln(a.stdout, "\nStopped; everything is removed (--dir keeps it).")
	} else {
		fmt.Fprintf(a.stdout, "\nStopped; the database is kept in %s.\n", dir)
	}
	return err
}

// removeDemo removes the directory of a demo. Another command that was asked about the
// demo may be the last to leave its private PostgreSQL, which then still writes: so it is
// tried for a while.
func removeDemo(dir string) {
	for range 25 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}
