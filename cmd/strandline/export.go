package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/store"
)

// exportCmd writes captures, or the rows of a view, to files of standard formats.
type exportCmd struct {
	Out    string `required:"" help:"The file to write; - for standard output." placeholder:"FILE"`
	Format string `enum:"warc,wacz,cdxj,csv,ndjson,parquet" default:"warc" help:"warc (gzip unless the name ends in .warc), wacz or cdxj; csv, ndjson or parquet of a view."`
	View   string `help:"Rows of this view of schema api_v1, as of one moment." placeholder:"NAME"`
	URL    string `help:"Only this page; a * at the end, behind the whole host, stands for any rest: https://example.org/*." placeholder:"URL"`
	From   string `help:"Only captures or rows from this time on." placeholder:"TIME"`
	To     string `help:"Only captures or rows before this time." placeholder:"TIME"`
	Watch  string `help:"Only captures or rows of the pages of this watch." placeholder:"NAME"`
	Series string `help:"Only captures that snapshots of this series are made of, or rows of it." placeholder:"NAME"`
	Topic  string `help:"Only captures or rows of the pages of this topic." placeholder:"NAME"`
}

// Run writes captures, or with --view a table.
func (c *exportCmd) Run(ctx context.Context, a *app) error {
	selection, err := c.selection()
	if err != nil {
		return err
	}
	if err := c.fits(); err != nil {
		return err
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	if selection.URL != "" {
		if selection.URL, err = canonicalPattern(o, selection.URL); err != nil {
			return err
		}
	}
	if c.ofs() > 0 {
		if err := c.known(ctx, o); err != nil {
			return err
		}
	}
	if c.View != "" {
		return c.table(ctx, a, o, selection)
	}
	if c.Out == "-" {
		_, err := c.write(ctx, o, a.stdout, selection)
		return err
	}
	var report archive.ExportReport
	err = writeWhole(c.Out, func(w io.Writer) error {
		var err error
		if report, err = c.write(ctx, o, w, selection); err != nil {
			return err
		}
		if report.Responses+report.Revisits == 0 {
			return errors.New("no capture matches; nothing was written")
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "%s: %s, %s, %s, %d bytes\n", c.Out, plural(report.Pages, "page"), plural(report.Responses, "response"), plural(report.Revisits, "revisit"), report.Bytes)
	return nil
}

// fits refuses flags that do not go together.
func (c *exportCmd) fits() error {
	captures := c.Format == "warc" || c.Format == "wacz" || c.Format == "cdxj"
	switch {
	case captures && c.View != "":
		return usagef("--view %s: the rows of a view are written with --format csv, ndjson or parquet", c.View)
	case !captures && c.View == "":
		return usagef("--format %s wants --view NAME; 'strandline sql -c \"select * from data_dictionary\"' lists the views", c.Format)
	case captures && c.ofs() > 1:
		return usagef("--watch, --series and --topic exclude each other, but for the rows of a --view")
	}
	return nil
}

// ofs counts the flags that choose by the configuration's names.
func (c *exportCmd) ofs() (n int) {
	for _, name := range []string{c.Watch, c.Series, c.Topic} {
		if name != "" {
			n++
		}
	}
	return n
}

// known wants the names that choose to be those of something.
func (c *exportCmd) known(ctx context.Context, o *opened) error {
	watches, err := o.Watches(ctx)
	if err != nil {
		return err
	}
	series, err := o.AllSeries(ctx)
	if err != nil {
		return err
	}
	topics, err := o.Topics(ctx)
	if err != nil {
		return err
	}
	named := func(kind, name string, there []string) error {
		switch {
		case name == "" || slices.Contains(there, name):
			return nil
		case len(there) == 0:
			return usagef("no %s %q; the database has none yet", kind, name)
		}
		return usagef("no %s %q; there are %s", kind, name, strings.Join(there, ", "))
	}
	return cmp.Or(
		named("watch", c.Watch, namesOf(watches, func(w store.WatchRow) string { return w.Name })),
		named("series", c.Series, namesOf(series, func(s store.Series) string { return s.Name })),
		named("topic", c.Topic, namesOf(topics, func(t store.Topic) string { return t.Name })))
}

func namesOf[T any](all []T, name func(T) string) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = name(one)
	}
	return out
}

// writeWhole writes a file under another name first, so that work that was
// stopped leaves nothing that looks whole.
func writeWhole(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = fmt.Errorf("write %s: %w", name, path.Err)
		}
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	err = write(w)
	if err = errors.Join(err, w.Flush(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

func (c *exportCmd) write(ctx context.Context, o *opened, w io.Writer, s store.Selection) (archive.ExportReport, error) {
	opt := archive.ExportOptions{Select: s, Filename: c.Out, Software: "strandline", Plain: strings.HasSuffix(c.Out, ".warc")}
	if c.Format == "warc" {
		return archive.Export(ctx, o.DB, w, opt)
	}
	if c.Format == "wacz" {
		return archive.ExportWACZ(ctx, o.DB, w, opt)
	}
	// The index tells where each record would stand in the WARC of the same selection.
	opt.Index = true
	opt.Filename = strings.TrimSuffix(filepath.Base(c.Out), ".cdxj") + ".warc.gz"
	report, err := archive.Export(ctx, o.DB, io.Discard, opt)
	if err != nil {
		return report, err
	}
	report.Bytes, err = writeIndex(w, report.Index)
	return report, err
}

// writeIndex writes a line an entry, and counts the bytes.
func writeIndex(w io.Writer, entries []cdxj.Entry) (bytes int64, err error) {
	var line []byte
	for _, e := range entries {
		if line, err = e.AppendTo(line[:0]); err != nil {
			return bytes, err
		}
		n, err := w.Write(line)
		bytes += int64(n)
		if err != nil {
			return bytes, err
		}
	}
	return bytes, nil
}

func (c *exportCmd) selection() (store.Selection, error) {
	s := store.Selection{URL: c.URL, Watch: c.Watch, Series: c.Series, Topic: c.Topic}
	var err error
	if s.From, err = parseTime(c.From); err != nil {
		return s, err
	}
	s.To, err = parseTime(c.To)
	return s, err
}

// parseTime reads a time that a person writes; zero for none.
func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range timeLayouts() {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, usagef("%q is not a time such as 2026-03-01 or 2026-03-01T12:00:00Z", text)
}

func timeLayouts() []string {
	return []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}
}

// canonicalPattern makes the canonical form of a URL that may end in a star.
func canonicalPattern(o *opened, pattern string) (string, error) {
	prefix, star := strings.CutSuffix(pattern, "*")
	if strings.Contains(hostPart(pattern), "*") {
		return "", usagef("--url %s: a * stands for the rest of a path or query, not of a host: write the whole host and a slash, such as https://www.example.org/*", pattern)
	}
	url, err := o.reader.Canonical(prefix)
	if err != nil {
		return "", usageError{err}
	}
	if !star {
		return url, nil
	}
	if strings.HasSuffix(prefix, "?") { // an empty query, which is dropped, but here the rest stands behind it
		url += "?"
	}
	return url + "*", nil
}

// hostPart is what stands before the path of a URL as a person writes it, behind the scheme if it has one.
func hostPart(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if end := strings.IndexAny(url, "/?#"); end >= 0 {
		url = url[:end]
	}
	return url
}
