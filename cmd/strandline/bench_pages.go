package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/web"
	"github.com/strandlinehq/strandline/store"
)

// benchPagesCmd measures how fast the web pages are with many pages in the
// database: a few are captured and measured for real, the others are copies of
// them on hosts and at times of their own. Some pages have long histories.
type benchPagesCmd struct {
	Pages    int    `help:"How many pages the database holds." default:"100000"`
	Requests int    `help:"How often each kind of address is asked for." default:"100"`
	Only     string `help:"Ask only for addresses whose name has this in it." placeholder:"TEXT"`
	Profile  string `help:"Write a processor profile of the program to this file." placeholder:"FILE"`
	Dir      string `help:"Keep the database in this directory and use it again; default a temporary one." placeholder:"DIR"`
}

// pageFigures is what the command prints.
type pageFigures struct {
	Pages     int64           `json:"pages"`
	Fetches   int64           `json:"fetches"`
	Versions  int64           `json:"versions"`
	Changes   int64           `json:"changes"`
	Bytes     int64           `json:"database_bytes"`
	Addresses []addressFigure `json:"addresses"`
}

// addressFigure is what a kind of address took. The processor time is that of the
// program and of PostgreSQL together, for one request; the clock also counts what
// others did on the machine.
type addressFigure struct {
	Address  string  `json:"address"`
	Median   float64 `json:"median_ms"`
	P99      float64 `json:"p99_ms"`
	CPU      float64 `json:"cpu_ms"`
	Postgres float64 `json:"postgres_cpu_ms"` // of CPU
	Largest  int     `json:"largest_bytes"`
	GivenUp  int     `json:"given_up,omitempty"` // requests that took longer than a page may
}

// Run prints the figures as one JSON document.
func (c *benchPagesCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 100 || c.Pages > 1_000_000 || c.Requests < 1 {
		return usagef("want 100 to 1000000 pages and at least one request")
	}
	o, err := a.benchDatabase(ctx, c.Dir)
	if err != nil {
		return err
	}
	defer o.Close()
	var out pageFigures
	count := func() error {
		return o.Pool().QueryRow(ctx, `select (select count(*) from core.page_summary), (select count(*) from core.fetch),
			(select count(*) from core.version), (select count(*) from core.change), pg_database_size(current_database())`).
			Scan(&out.Pages, &out.Fetches, &out.Versions, &out.Changes, &out.Bytes)
	}
	if err := count(); err != nil {
		return err
	}
	if out.Pages < int64(c.Pages) {
		if out.Pages > 0 {
			return usagef("%s holds a database of another size", o.dir)
		}
		if err := c.fill(ctx, a, o); err != nil {
			return fmt.Errorf("make the pages: %w", err)
		}
		if err := count(); err != nil {
			return err
		}
	}
	server, err := web.New(web.Options{Store: o.DB, Logger: slog.New(slog.DiscardHandler), Version: "bench"})
	if err != nil {
		return err
	}
	endProfile, err := startProfile(c.Profile)
	if err != nil {
		return err
	}
	out.Addresses, err = c.ask(ctx, o.DB, server)
	if err = errors.Join(err, endProfile()); err != nil {
		return err
	}
	return a.printJSON(out)
}

// fill captures and measures the first pages, and copies them.
func (c *benchPagesCmd) fill(ctx context.Context, a *app, o *benchDatabase) error {
	if err := o.fillWeek(ctx, a, 100, 2, benchSeries, benchTopic); err != nil {
		return err
	}
	if err := o.fillYear(ctx); err != nil {
		return err
	}
	due := func(_ string, now time.Time) (time.Time, time.Time, error) { return now, now.Add(time.Minute), nil }
	urls, err := listed(ctx, o.DB)
	if err != nil {
		return err
	}
	if _, err := o.SetWatches(ctx, time.Now(), []store.WatchSpec{
		{Name: "bench", Category: "News", Config: []byte("{}"), Timing: "hourly", Every: time.Hour, Pages: urls, First: due},
	}); err != nil {
		return err
	}
	if err := copyPages(ctx, o.Pool(), copying{pages: c.Pages, versions: 40}); err != nil {
		return err
	}
	// As late as copyPages left them in page_schedule.
	if _, err := o.Pool().Exec(ctx, `update core.watch_page m set due_at = s.next_due_at from core.page_schedule s where s.bucket = m.bucket and s.page_id = m.page_id`); err != nil {
		return err
	}
	return o.Analyze(ctx)
}

// listed returns the addresses of all pages.
func listed(ctx context.Context, db *store.DB) ([]string, error) {
	rows, err := db.ListPages(ctx, store.PageFilter{Limit: 1000})
	var out []string
	for _, r := range rows {
		out = append(out, r.URL)
	}
	return out, err
}
