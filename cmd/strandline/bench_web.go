package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
)

// benchWebCmd serves the pages of a benchmark, in a process of its own so that its
// processor time is told apart.
type benchWebCmd struct {
	Pages  int    `help:"How many pages." default:"2000"`
	Rounds int    `help:"How many contents each page has." default:"5"`
	Size   int    `help:"Median bytes of a page." default:"48000"`
	Seed   uint64 `help:"Which simulated web." default:"1"`
}

// Run renders all pages, prints the address of the proxy that serves them, and
// serves until it is told to stop.
func (c *benchWebCmd) Run(ctx context.Context, a *app) error {
	web, err := bench.NewWeb(ctx, bench.WebOptions{Pages: c.Pages, Rounds: c.Rounds, Size: c.Size, Seed: c.Seed})
	if err != nil {
		return err
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve pages: %w", err)
	}
	server := &http.Server{Handler: web.Handler(), ReadHeaderTimeout: 30 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Fprintf(a.stdout, "http://%s\n", l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve pages: %w", err)
	}
	return nil
}
