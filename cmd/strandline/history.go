package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store"
)

// historyCmd lists the versions of a page.
type historyCmd struct {
	URL string `arg:"" name:"url" help:"The page."`
}

// Run prints one line a version.
func (c *historyCmd) Run(ctx context.Context, a *app) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	page, err := o.page(ctx, c.URL)
	if err != nil {
		return err
	}
	versions, err := o.History(ctx, page.ID)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		out := make([]any, 0, len(versions))
		for _, v := range versions {
			out = append(out, map[string]any{
				"version": v.Number, "first_seen": v.FirstSeen, "last_seen": v.LastSeen, "fetches": v.Fetches, "status": v.Status,
				"bytes": v.Bytes, "words": v.Words, "sentences": v.Sentences, "dice": v.Dice, "text_changed": v.TextChanged,
				"title": v.Title, "language": v.Language, "charset": v.Charset, "flags": v.Flags, "sha256": v.Hash.String(),
			})
		}
		return a.printJSON(map[string]any{"url": page.URL, "page_id": page.ID, "versions": out})
	}
	if len(versions) == 0 {
		fmt.Fprintf(a.stdout, "%s\n", page.URL)
		return c.noVersion(ctx, a, o, page)
	}
	t := report.Table{Title: page.URL, Columns: []string{"version", "first seen (UTC)", "last seen (UTC)", "fetches", "bytes", "words", "dice", "changed"}}
	for _, v := range versions {
		t.Add(v.Number, stamp(v.FirstSeen), stamp(v.LastSeen), v.Fetches, v.Bytes, v.Words, diceText(v), levelText(v))
	}
	return t.Fit(a.stdout, a.width())
}

// noVersion says why a page has none.
func (c *historyCmd) noVersion(ctx context.Context, a *app, o *opened, page store.Page) error {
	last, err := o.LastFetch(ctx, page.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		from, ferr := o.MovedTo(ctx, page.ID)
		if ferr != nil {
			return ferr
		}
		if len(from) > 0 {
			_, err = fmt.Fprintf(a.stdout, "no version of its own: it is fetched as %s, which has moved here for good; 'strandline history %s' lists its versions\n", strings.Join(from, ", "), from[0])
			return err
		}
		_, err = fmt.Fprintln(a.stdout, "no version yet: the page was linked to or listed, but never fetched; 'strandline fetch' fetches it now")
		return err
	case err != nil:
		return err
	}
	line := fmt.Sprintf("no version yet; the last fetch, at %s, ended as %s", stamp(last.StartedAt), last.Outcome)
	if last.Status > 0 {
		line += fmt.Sprintf(", status %d", last.Status)
	}
	if last.Error != "" {
		line += ": " + last.Error
	}
	_, err = fmt.Fprintln(a.stdout, line)
	return err
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// diceText is the Dice value of a version's change, empty where there is none.
func diceText(v store.Version) string {
	if v.Dice == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", *v.Dice)
}

// levelText names the finest level at which a version differs from the one before.
func levelText(v store.Version) string {
	switch {
	case v.Number == 1:
		return "first"
	case v.Dice == nil:
		return "not measured"
	case v.WordsChanged:
		return "words"
	case v.TextChanged:
		return "text"
	}
	return "bytes only"
}
