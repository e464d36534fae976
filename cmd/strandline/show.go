package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/snippet"
	"github.com/strandlinehq/strandline/store"
)

// showCmd prints what is stored of one version.
type showCmd struct {
	URL     string `arg:"" name:"url" help:"The page."`
	Version string `arg:"" optional:"" help:"Number or time of the version; default the last."`
	Headers bool   `help:"Print the status line and header as received." xor:"what"`
	Text    bool   `help:"Print the visible text." xor:"what"`
	Mark    bool   `help:"With --text: a sentence a line, + before those that are new."`
	Since   string `help:"With --mark: new against this version, a number or time; default the one before." placeholder:"VERSION"`
}

// Run prints the payload exactly as it was received, or what the flags ask for.
func (c *showCmd) Run(ctx context.Context, a *app) error {
	if c.Mark && !c.Text || c.Since != "" && !c.Mark {
		return usagef("--mark goes with --text, --since with --mark")
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	page, err := o.page(ctx, c.URL)
	if err != nil {
		return err
	}
	v, err := o.version(ctx, page, c.Version)
	if err != nil {
		return err
	}
	var out []byte
	switch {
	case c.Headers:
		out = v.Head
	case c.Mark:
		return c.mark(ctx, a, o, page, v)
	case c.Text:
		text, err := o.text(ctx, v)
		if err != nil {
			return err
		}
		out = append([]byte(text.Text()), '\n')
	default:
		if out, err = o.Body(ctx, v); err != nil {
			return err
		}
	}
	_, err = a.stdout.Write(out)
	return err
}

// mark prints the sentences of a version and marks those that an older one did not
// have (paper A Figure 1; SCIENCE A32). All of a first version is new.
func (c *showCmd) mark(ctx context.Context, a *app, o *opened, page store.Page, v store.Version) error {
	now, err := o.text(ctx, v)
	if err != nil {
		return err
	}
	var old []string
	since := c.Since
	if since == "" && v.Number > 1 {
		since = strconv.Itoa(int(v.Number) - 1)
	}
	if since != "" {
		before, err := o.version(ctx, page, since)
		if err != nil {
			return err
		}
		p, err := o.text(ctx, before)
		if err != nil {
			return err
		}
		old = compare.Sentences(p)
	}
	b := bufio.NewWriter(a.stdout)
	for _, s := range snippet.Mark(old, compare.Sentences(now)) {
		sign := " "
		if s.New {
			sign = "+"
		}
		fmt.Fprintf(b, "%s %s\n", sign, s.Text)
	}
	return b.Flush()
}

// text reads the extracted record of a version.
func (o *opened) text(ctx context.Context, v store.Version) (*extract.Page, error) {
	return compare.Text(ctx, o.DB, v)
}

// version finds a version by number or time; the last one for an empty name.
func (o *opened) version(ctx context.Context, page store.Page, name string) (store.Version, error) {
	v, err := o.findVersion(ctx, page, name)
	if !errors.Is(err, store.ErrNotFound) {
		return v, err
	}
	last, lerr := o.LastVersion(ctx, page.ID)
	switch {
	case errors.Is(lerr, store.ErrNotFound):
		return v, fmt.Errorf("%s has no version yet; 'strandline history' says what its last fetch came to", page.URL)
	case lerr != nil:
		return v, lerr
	}
	return v, fmt.Errorf("%s has no version %s: its versions are 1 to %d, the last first seen at %s; 'strandline history' lists them",
		page.URL, name, last.Number, stamp(last.FirstSeen))
}

func (o *opened) findVersion(ctx context.Context, page store.Page, name string) (store.Version, error) {
	if name == "" {
		return o.LastVersion(ctx, page.ID)
	}
	if n, err := strconv.ParseInt(name, 10, 32); err == nil {
		return o.VersionNumber(ctx, page.ID, int32(n))
	}
	if t, err := parseTime(name); err == nil {
		return o.VersionAt(ctx, page.ID, t)
	}
	return store.Version{}, usagef("%q is neither the number of a version nor a time such as 2026-03-01 or 2026-03-01T12:00:00Z", name)
}
