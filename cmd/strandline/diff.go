package main

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"os"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/monitor/text/diff"
	"github.com/strandlinehq/strandline/store"
)

// diffCmd compares two versions of a page.
type diffCmd struct {
	URL   string `arg:"" name:"url" help:"The page."`
	A     string `arg:"" optional:"" help:"Number or time of the older version; default the one before the last."`
	B     string `arg:"" optional:"" help:"Number or time of the newer version; default the last, or the one after A."`
	Words bool   `help:"Print the text with the words that went and came." xor:"what"`
	Links bool   `help:"Print the links that went and came." xor:"what"`
	HTML  string `name:"html" help:"Write a page that shows both versions side by side." placeholder:"FILE"`
}

// comparison is two versions of a page.
type comparison struct {
	page store.Page
	*compare.Versions
}

// Run prints what differs; sentences unless the flags say otherwise.
func (c *diffCmd) Run(ctx context.Context, a *app) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	cmp, err := c.load(ctx, o)
	if err != nil {
		return err
	}
	if c.HTML != "" {
		return c.page(cmp)
	}
	if a.flags.JSON {
		return c.json(ctx, a, o, cmp)
	}
	fmt.Fprintf(a.stdout, "%s\nversion %d of %s -> version %d of %s, Dice %.3f\n", cmp.page.URL, cmp.A.Number, stamp(cmp.A.FirstSeen),
		cmp.B.Number, stamp(cmp.B.FirstSeen), cmp.Dice)
	switch {
	case c.Links:
		return c.links(ctx, a, o, cmp)
	case c.Words:
		fmt.Fprintln(a.stdout, inlineWords(cmp))
	default:
		c.sentences(a, cmp)
	}
	return nil
}

func (c *diffCmd) load(ctx context.Context, o *opened) (*comparison, error) {
	page, err := o.page(ctx, c.URL)
	if err != nil {
		return nil, err
	}
	cmp := &comparison{page: page}
	var a, b store.Version
	switch {
	case c.A == "":
		if b, err = o.LastVersion(ctx, page.ID); err == nil {
			a, err = o.VersionNumber(ctx, page.ID, b.Number-1)
		}
		if errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("%s has not two versions to compare", page.URL)
		}
	default:
		if a, err = o.version(ctx, page, c.A); err != nil {
			return nil, err
		}
		if c.B == "" {
			b, err = o.VersionNumber(ctx, page.ID, a.Number+1)
		} else {
			b, err = o.version(ctx, page, c.B)
		}
	}
	if err != nil {
		return nil, err
	}
	if cmp.Versions, err = compare.Read(ctx, o.DB, a, b); err != nil {
		return nil, err
	}
	return cmp, nil
}

// sentenceChanges are what went and what came, in order; a sentence that only
// stands elsewhere is a move.
type sentenceChanges struct {
	Removed []string `json:"removed"`
	Added   []string `json:"added"`
	Moved   []string `json:"moved"`
}

// changes lists what went and came.
func (cmp *comparison) changes() sentenceChanges {
	out := sentenceChanges{Removed: []string{}, Added: []string{}, Moved: []string{}}
	for _, s := range cmp.Sentences() {
		switch {
		case s.Op == diff.Delete && s.Moved:
			out.Moved = append(out.Moved, s.Text)
		case s.Op == diff.Delete:
			out.Removed = append(out.Removed, s.Text)
		case s.Op == diff.Insert && !s.Moved:
			out.Added = append(out.Added, s.Text)
		}
	}
	return out
}

func (c *diffCmd) sentences(a *app, cmp *comparison) {
	for _, s := range cmp.Sentences() {
		switch {
		case s.Moved || s.Op == diff.Keep:
		case s.Op == diff.Delete:
			fmt.Fprintln(a.stdout, "-", s.Text)
		default:
			fmt.Fprintln(a.stdout, "+", s.Text)
		}
	}
	changes := cmp.changes()
	for _, s := range changes.Moved {
		fmt.Fprintln(a.stdout, "~", s)
	}
	fmt.Fprintf(a.stdout, "sentences: %d removed (-), %d added (+), %d moved (~)\n", len(changes.Removed), len(changes.Added), len(changes.Moved))
}

func (c *diffCmd) json(ctx context.Context, a *app, o *opened, cmp *comparison) error {
	out := map[string]any{
		"url": cmp.page.URL, "a": cmp.A.Number, "b": cmp.B.Number, "a_first_seen": cmp.A.FirstSeen, "b_first_seen": cmp.B.FirstSeen,
		"dice": cmp.Dice, "sentences": cmp.changes(),
	}
	added, removed, err := compare.Links(ctx, o.DB, cmp.A, cmp.B)
	if err != nil {
		return err
	}
	out["links"] = map[string]any{"added": added, "removed": removed}
	return a.printJSON(out)
}

func (c *diffCmd) links(ctx context.Context, a *app, o *opened, cmp *comparison) error {
	added, removed, err := compare.Links(ctx, o.DB, cmp.A, cmp.B)
	if err != nil {
		return err
	}
	for _, l := range removed {
		fmt.Fprintln(a.stdout, "-", l)
	}
	for _, l := range added {
		fmt.Fprintln(a.stdout, "+", l)
	}
	fmt.Fprintf(a.stdout, "links: %d removed (-), %d added (+)\n", len(removed), len(added))
	return nil
}

func inlineWords(cmp *comparison) string {
	var b strings.Builder
	pieces := cmp.Words()
	for i, p := range pieces {
		body := strings.TrimRight(p.Text, " \n")
		rest := p.Text[len(body):]
		switch p.Op {
		case diff.Delete:
			if i+1 < len(pieces) && pieces[i+1].Op == diff.Insert {
				rest = " " // what came in its place stands beside it
			}
			b.WriteString("[-" + body + "-]" + rest)
		case diff.Insert:
			b.WriteString("{+" + body + "+}" + rest)
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

var diffPage = template.Must(template.New("diff").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.URL}}: versions {{.A}} and {{.B}}</title>
<style>
:root { color-scheme: light dark; --add: #1a7f37; --del: #b3261e }
@media (prefers-color-scheme: dark) { :root { --add: #56d364; --del: #ff8a80 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75ch; margin: 24px auto; padding: 0 16px; overflow-wrap: anywhere }
main { white-space: pre-wrap } ins { color: var(--add) } del { color: var(--del) }
header { border-bottom: 1px solid #8888; margin-bottom: 16px } p { margin: 4px 0 }
</style>
<header><h1 style="font-size:18px">{{.URL}}</h1>
<p>Version {{.A}}, first seen {{.ATime}} UTC, and version {{.B}}, first seen {{.BTime}} UTC. Dice {{printf "%.3f" .Dice}}.</p>
<p><del>Removed words</del>, <ins>added words</ins>.</p></header>
<main>{{range .Pieces}}{{if eq .Op.String "delete"}}<del>{{.Text}}</del>{{else if eq .Op.String "insert"}}<ins>{{.Text}}</ins>{{else}}{{.Text}}{{end}}{{end}}</main>
</html>
`))

// page writes the comparison as one HTML file that loads nothing.
func (c *diffCmd) page(cmp *comparison) error {
	f, err := os.Create(c.HTML)
	if err != nil {
		return err
	}
	err = diffPage.Execute(f, map[string]any{
		"URL": cmp.page.URL, "A": cmp.A.Number, "B": cmp.B.Number, "ATime": stamp(cmp.A.FirstSeen),
		"BTime": stamp(cmp.B.FirstSeen), "Dice": cmp.Dice, "Pieces": cmp.Words(),
	})
	return errors.Join(err, f.Close())
}
