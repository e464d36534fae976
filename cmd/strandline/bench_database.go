package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/series"
)

// benchDatabase is the private database of a benchmark.
type benchDatabase struct {
	*opened
	dir     string
	removes bool
}

// benchDatabase opens the database of a benchmark in a directory, which is kept, or in a
// temporary one where none is named. No configuration file is read.
func (a *app) benchDatabase(ctx context.Context, dir string) (*benchDatabase, error) {
	d := &benchDatabase{dir: dir, removes: dir == ""}
	var err error
	if d.removes {
		d.dir, err = os.MkdirTemp("", "strandline-bench-")
		if err == nil {
			err = os.Chmod(d.dir, 0o755) // the account that the private PostgreSQL runs as has to pass
		}
	} else {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return nil, err
	}
	a.flags.Config, a.flags.Database, a.flags.StateDir = os.DevNull, "", d.dir
	if d.opened, err = a.create(ctx); err != nil {
		d.remove()
		return nil, err
	}
	return d, nil
}

// Close stops the database and removes what is not to be kept.
func (d *benchDatabase) Close() {
	d.opened.Close()
	d.remove()
}

func (d *benchDatabase) remove() {
	if d.removes {
		_ = os.RemoveAll(d.dir)
	}
}

// fillWeek imports pages of a sample archive, captured every hour for some days, as a
// series whose snapshots are the hours, pages appearing and going meanwhile, measures them all, and has a topic summarize
// them.
func (d *benchDatabase) fillWeek(ctx context.Context, a *app, pages, days int, name, topic string) error {
	file := filepath.Join(d.dir, "pages.warc.gz")
	if err := (&sampleArchiveCmd{Out: file, Pages: pages, Days: days, Seed: 1, Young: 0.1}).Run(ctx, a); err != nil {
		return err
	}
	defer os.Remove(file)
	web, err := d.EnsureSeries(ctx, name, nil)
	if err != nil {
		return err
	}
	if err := d.SetGap(ctx, web.ID, 30*time.Minute); err != nil { // each hour is a snapshot
		return err
	}
	if _, err := archive.Import(ctx, d.DB, d.reader, []string{file}, archive.ImportOptions{Series: web.ID}); err != nil {
		return err
	}
	if _, err := series.Update(ctx, d.DB, web.ID, series.Defaults()); err != nil {
		return err
	}
	if _, err := monitor.New(d.DB, monitor.Options{}).Drain(ctx); err != nil {
		return err
	}
	return benchSummaries(ctx, d.DB, topic)
}
