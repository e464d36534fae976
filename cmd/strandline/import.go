package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// importCmd takes WARC files into the database and measures what changed, or
// prints what other programs watch as watches.
type importCmd struct {
	Files     []string `arg:"" name:"file" help:"WARC files, plain or gzip; or one file of another format."`
	Format    string   `enum:"warc,cdxj,list,opml,urlwatch,changedetection" default:"warc" help:"warc; cdxj, the index of another archive, whose raw captures are fetched from --archive; or what to print as watches: list (a page a line, also CSV), opml, urlwatch (its YAML), changedetection (url-watches.json or a backup)."`
	Archive   string   `help:"Where the archive of a cdxj index has its raw captures, such as https://archive.example/web/{timestamp}id_/{url}." placeholder:"URL"`
	Name      string   `help:"Name of the watch, where the file has none." default:"imported"`
	Schedule  string   `help:"Schedule of the watches, where the file has none." default:"@daily"`
	NoMeasure bool     `help:"Leave the measures to a later run."`
	Series    string   `help:"Make snapshots of this series of the captures." placeholder:"NAME"`
	Gap       string   `help:"Captures of a series closer together are one snapshot." default:"24h" placeholder:"DURATION"`
}

// maxDamageLines bounds what is printed of one file's damage; the rest is counted.
const maxDamageLines = 5

const maxGap = 10 * 365 * 24 * time.Hour

// An import must not crowd out the database beside it, whatever the files are:
// together with what the runtime does not count, these keep the process under
// 300 MB. The compressors' tables are a third of it. The limit makes the
// collector work earlier, not allocations fail; GOMEMLIMIT wins when it is lower.
const (
	importMemory = 200 << 20
	importCache  = 24 << 20 // decoded bodies to compress the next ones on
)

// Run imports the files in the order given.
func (c *importCmd) Run(ctx context.Context, a *app) error {
	if err := checkFiles(c.Files); err != nil {
		return err
	}
	switch c.Format {
	case "warc":
	case "cdxj":
		return c.index(ctx, a)
	default:
		return c.watches(a)
	}
	if limit := debug.SetMemoryLimit(-1); limit > importMemory {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(importMemory))
	}
	gap, err := c.gap()
	if err != nil {
		return err
	}
	o, err := a.openWith(ctx, true, store.Options{CacheBytes: importCache})
	if err != nil {
		return err
	}
	defer o.Close()
	var into store.Series
	if c.Series != "" {
		if into, err = o.EnsureSeries(ctx, c.Series, nil); err != nil {
			return err
		}
		if err := o.SetGap(ctx, into.ID, gap); err != nil {
			return err
		}
	}

	progress := newProgress(a, c.Files)
	disk := a.diskOf(o)
	var mu sync.Mutex
	told := map[string]int{}
	start := time.Now()
	report, err := archive.Import(ctx, o.DB, o.reader, c.Files, archive.ImportOptions{
		MaxPayload: o.config.Crawler.MaxBody.Bytes(),
		Series:     into.ID,
		Progress: func(file string, done, total int64) {
			// No more is read while the disk is nearly full; when ctx ends, the import does.
			_ = disk.Wait(ctx)
			progress.update(file, done, total)
		},
		Damaged: func(file string, d *warc.Damage) {
			mu.Lock()
			defer mu.Unlock()
			if told[file]++; told[file] <= maxDamageLines {
				progress.clear()
				fmt.Fprintf(a.stderr, "%s: offset %d: %s: %s\n", file, d.Offset, d.Kind, d.Msg)
			}
		},
	})
	progress.done()
	took := time.Since(start)
	if err == nil && !c.NoMeasure {
		_, err = monitor.New(o.DB, monitor.Options{Logger: a.log}).Drain(ctx)
	}
	if err != nil && report.Records == 0 {
		return err // nothing was done
	}
	var snapshots []store.SeriesSnapshot
	if err == nil && c.Series != "" {
		if report.Completed > 0 {
			err = o.Recut(ctx, into.ID)
		}
		if err == nil {
			snapshots, err = series.Update(ctx, o.DB, into.ID, o.seriesOptions(a, into.Name))
		}
	}
	if err == nil {
		err = o.Analyze(ctx)
	}
	if perr := c.print(a, report, snapshots, took, time.Since(start)); err == nil {
		err = perr
	}
	return err
}

// gap reads the flag; it is only used with a series.
func (c *importCmd) gap() (time.Duration, error) {
	gap, err := configs.ParseDuration(c.Gap)
	if err != nil {
		return 0, usagef("--gap %s: %w", c.Gap, err)
	}
	if gap.Std() < time.Second || gap.Std() > maxGap {
		return 0, usagef("--gap %s: from a second to 10 years", c.Gap)
	}
	return gap.Std(), nil
}

// checkFiles tells before any work is done which files cannot be read at all.
func checkFiles(names []string) error {
	for _, name := range names {
		stat, err := os.Stat(name)
		var path *fs.PathError
		switch {
		case errors.As(err, &path):
			return usagef("%s: %w", name, path.Err)
		case err != nil:
			return usageError{err}
		case stat.IsDir():
			return usagef("%s is a folder: name the files in it, such as %s", name, filepath.Join(name, "*.warc.gz"))
		}
	}
	return nil
}

func (c *importCmd) print(a *app, r archive.Report, snapshots []store.SeriesSnapshot, took, all time.Duration) error {
	rate := float64(r.Captures) / max(took.Seconds(), 1e-3)
	if a.flags.JSON {
		out := map[string]any{
			"files": len(c.Files), "records": r.Records, "captures": r.Captures, "new": r.New, "changed": r.Changed, "same": r.Same,
			"failed": r.Failed, "stored_before": r.Stored, "completed": r.Completed, "skipped": r.Skipped, "bytes": r.Bytes, "damaged": r.Damage, "mended": r.Mended,
			"seconds": took.Seconds(), "seconds_with_measures": all.Seconds(), "captures_per_second": rate,
		}
		if c.Series != "" {
			out["series"], out["snapshots"] = c.Series, snapshotRows(snapshots)
		}
		return a.printJSON(out)
	}
	fmt.Fprintf(a.stdout, "%s in %s (%.0f/s): %s, %s, %d unchanged, %d without content, %d stored before\n",
		plural(r.Captures, "capture"), took.Round(10*time.Millisecond), rate, plural(r.New, "new page"), plural(r.Changed, "change"), r.Same, r.Failed, r.Stored)
	printKinds(a, "damaged records left out", r.Damage)
	printKinds(a, "faults mended, the records taken", r.Mended)
	if r.Completed > 0 {
		fmt.Fprintf(a.stdout, "%s got a payload that came later\n", plural(r.Completed, "capture"))
	}
	if !c.NoMeasure {
		fmt.Fprintf(a.stdout, "changes measured after %s\n", all.Round(10*time.Millisecond))
	}
	if c.Series != "" {
		fmt.Fprintf(a.stdout, "series %s: %s\n", c.Series, snapshotsInWords(snapshots))
	}
	return nil
}

// printKinds prints how many faults there were of each kind.
func printKinds(a *app, what string, kinds map[warc.Kind]int) {
	total := 0
	for _, n := range kinds {
		total += n
	}
	if total == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "%d %s:", total, what)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(a.stdout, " %s %d", kind, kinds[kind])
	}
	fmt.Fprintln(a.stdout)
}

// progress shows how far an import is: a bar on a terminal, a line every ten
// seconds elsewhere.
type progress struct {
	a     *app
	mu    sync.Mutex // guards the rest
	bar   *progressbar.ProgressBar
	unit  string // of what is counted; empty for bytes
	sizes map[string]int64
	total int64
	read  int64 // of the files before this one
	file  string
	line  time.Time
}

func newProgress(a *app, files []string) *progress {
	p := &progress{a: a, sizes: map[string]int64{}, line: time.Now()}
	for _, name := range files {
		if stat, err := os.Stat(name); err == nil {
			p.sizes[name] = stat.Size()
			p.total += stat.Size()
		}
	}
	if isTerminal(a.stderr) {
		p.bar = progressbar.NewOptions64(p.total, progressbar.OptionSetWriter(a.stderr), progressbar.OptionShowBytes(true),
			progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

// counts makes it count things, as many as total says, instead of bytes.
func (p *progress) counts(unit string) {
	p.unit = unit
	if p.bar != nil {
		p.bar = progressbar.NewOptions64(p.total, progressbar.OptionSetWriter(p.a.stderr), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
}

func (p *progress) update(file string, done, _ int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if file != p.file {
		p.read += p.sizes[p.file]
		p.file = file
		if p.bar != nil {
			p.bar.Describe(filepath.Base(file))
		}
	}
	if p.bar != nil {
		_ = p.bar.Set64(p.read + done)
		return
	}
	if now := time.Now(); now.Sub(p.line) >= 10*time.Second {
		p.line = now
		if p.unit != "" {
			fmt.Fprintf(p.a.stderr, "%s: %d of %d %s\n", filepath.Base(file), done, p.total, p.unit)
			return
		}
		fmt.Fprintf(p.a.stderr, "%s: %d %% of %d MiB read\n", strings.TrimSpace(filepath.Base(file)), 100*(p.read+done)/max(p.total, 1), p.total>>20)
	}
}

func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
