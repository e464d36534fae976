package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/store"
)

// runCmd is the daemon.
type runCmd struct {
	At    string  `help:"Start at this virtual time instead of now." placeholder:"TIME"`
	Speed float64 `help:"Virtual seconds that pass in a second." default:"1"`
}

// Run watches pages until it is told to stop. SIGHUP takes the configuration anew.
func (c *runCmd) Run(ctx context.Context, a *app) error {
	clk, err := c.clock()
	if err != nil {
		return err
	}
	config, err := a.config(checksOf(a, clk)...)
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
	s, err := a.newService(o, clk, nil)
	if err != nil {
		return err
	}
	address, err := s.serve(ctx, o.config.HTTP.Listen)
	if err != nil {
		return err
	}
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	source := "no configuration file was found"
	if len(o.config.Files) > 0 {
		source = strings.Join(o.config.Files, ", ")
	}
	pages := 0
	for i := range o.config.Watches {
		pages += len(o.config.Watches[i].Pages())
	}
	fmt.Fprintf(a.stderr, "strandline: %s: %s, %s listed; the first fetches come within minutes; stop with Ctrl-C\n",
		source, plural(len(o.config.Watches), "watch"), plural(pages, "page"))
	fmt.Fprintf(a.stderr, "strandline: the pages are at %s\n", address)
	asked := ctx
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.run(ctx) })
	g.Go(func() error { return control.Listen(ctx, o.stateDir, s) })
	g.Go(func() error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-hup:
				s.Reload(ctx)
			}
		}
	})
	err = g.Wait()
	if asked.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // it was told to stop while something began
	}
	s.sayStopped(a, err)
	return err
}

// claim makes this process the one daemon of the state directory, before anything is started or written.
func (a *app) claim(ctx context.Context, c *configs.Config) (release func(), err error) {
	dir, err := stateDir(string(c.StateDir), a.flags.StateDir != "")
	if err != nil {
		return nil, err
	}
	return control.Claim(ctx, dir)
}

// sayStopped tells what was stored since the start.
func (s *service) sayStopped(a *app, err error) {
	h := s.daemon.Health()
	fetches := 0
	for _, n := range h.Counts {
		fetches += int(n)
	}
	if err == nil {
		fmt.Fprintf(a.stderr, "strandline: stopped; %s stored (%d new, %d changed), nothing is lost; the schedule goes on at the next start\n",
			plural(fetches, "fetch"), h.Counts[store.New], h.Counts[store.Changed])
	}
}

func (c *runCmd) clock() (clock.Clock, error) {
	if c.Speed <= 0 {
		return nil, usagef("--speed must be above 0")
	}
	if c.At == "" && c.Speed == 1 {
		return clock.Real{}, nil
	}
	at := time.Now()
	if c.At != "" {
		var err error
		if at, err = parseTime(c.At); err != nil {
			return nil, err
		}
	}
	return clock.NewScaled(at, c.Speed), nil
}
