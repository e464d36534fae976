package main

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"os"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
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

// comparison is two versions with their texts.
type comparison struct {
	page   store.Page
	a, b   store.Version
	ta, tb *extract.Page
	dice   float64
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
	fmt.Fprintf(a.stdout, "%s\nversion %d of %s -> version %d of %s, Dice %.3f\n", cmp.page.URL, cmp.a.Number, stamp(cmp.a.FirstSeen),
		cmp.b.Number, stamp(cmp.b.FirstSeen), cmp.dice)
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
	switch {
	case c.A == "":
		if cmp.b, err = o.LastVersion(ctx, page.ID); err == nil {
			cmp.a, err = o.VersionNumber(ctx, page.ID, cmp.b.Number-1)
		}
		if errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("%s has not two versions to compare", page.URL)
		}
	default:
		if cmp.a, err = o.version(ctx, page, c.A); err != nil {
			return nil, err
		}
		if c.B == "" {
			cmp.b, err = o.VersionNumber(ctx, page.ID, cmp.a.Number+1)
		} else {
			cmp.b, err = o.version(ctx, page, c.B)
		}
	}
	if err != nil {
		return nil, err
	}
	if cmp.ta, err = o.text(ctx, cmp.a); err != nil {
		return nil, err
	}
	if cmp.tb, err = o.text(ctx, cmp.b); err != nil {
		return nil, err
	}
	cmp.dice = words(cmp.ta).Dice(words(cmp.tb))
	return cmp, nil
}

func words(p *extract.Page) dice.WordSet {
	var b dice.Builder
	text.EachWord(p.Text(), b.Add)
	return b.Set()
}

// sentencesOf lists the sentences of a page for a person to read: the cells of a
// table row stand together, since a figure without its row says nothing.
func sentencesOf(p *extract.Page) []string {
	var out []string
	row := int32(-1)
	for i := range p.Sentences {
		in := rowOf(p, p.Lines[p.Sentences[i].Line].Node)
		if in >= 0 && in == row {
			out[len(out)-1] += " | " + p.SentenceText(i)
			continue
		}
		row = in
		out = append(out, p.SentenceText(i))
	}
	return out
}

// rowOf is the table row of a line that stands directly in one of its cells, -1
// for any other line.
func rowOf(p *extract.Page, node int32) int32 {
	if node < 0 || (p.Nodes[node].Tag != "td" && p.Nodes[node].Tag != "th") {
		return -1
	}
	if parent := p.Nodes[node].Parent; parent >= 0 && p.Nodes[parent].Tag == "tr" {
		return parent
	}
	return -1
}

// sentenceChanges are what went and what came, in order; a sentence that only
// stands elsewhere is a move.
type sentenceChanges struct {
	Removed []string `json:"removed"`
	Added   []string `json:"added"`
	Moved   []string `json:"moved"`
}

func (cmp *comparison) sentences() (sentenceChanges, []diff.Edit, []string, []string) {
	a, b := sentencesOf(cmp.ta), sentencesOf(cmp.tb)
	edits := diff.Diff(a, b)
	movedA, movedB := map[int]bool{}, map[int]bool{}
	out := sentenceChanges{Removed: []string{}, Added: []string{}, Moved: []string{}}
	for _, m := range diff.Moves(edits, a, b) {
		for i := m.AStart; i < m.AEnd; i++ {
			movedA[i] = true
			out.Moved = append(out.Moved, a[i])
		}
		for i := m.BStart; i < m.BEnd; i++ {
			movedB[i] = true
		}
	}
	for _, e := range edits {
		switch e.Op {
		case diff.Delete:
			for i := e.AStart; i < e.AEnd; i++ {
				if !movedA[i] {
					out.Removed = append(out.Removed, a[i])
				}
			}
		case diff.Insert:
			for i := e.BStart; i < e.BEnd; i++ {
				if !movedB[i] {
					out.Added = append(out.Added, b[i])
				}
			}
		}
	}
	return out, edits, a, b
}

func (c *diffCmd) sentences(a *app, cmp *comparison) {
	changes, edits, before, after := cmp.sentences()
	moved := map[string]bool{}
	for _, s := range changes.Moved {
		moved[s] = true
	}
	for _, e := range edits {
		switch e.Op {
		case diff.Delete:
			for _, s := range before[e.AStart:e.AEnd] {
				if !moved[s] {
					fmt.Fprintln(a.stdout, "-", s)
				}
			}
		case diff.Insert:
			for _, s := range after[e.BStart:e.BEnd] {
				if !moved[s] {
					fmt.Fprintln(a.stdout, "+", s)
				}
			}
		}
	}
	for _, s := range changes.Moved {
		fmt.Fprintln(a.stdout, "~", s)
	}
	fmt.Fprintf(a.stdout, "sentences: %d removed (-), %d added (+), %d moved (~)\n", len(changes.Removed), len(changes.Added), len(changes.Moved))
}

func (c *diffCmd) json(ctx context.Context, a *app, o *opened, cmp *comparison) error {
	changes, _, _, _ := cmp.sentences()
	out := map[string]any{
		"url": cmp.page.URL, "a": cmp.a.Number, "b": cmp.b.Number, "a_first_seen": cmp.a.FirstSeen, "b_first_seen": cmp.b.FirstSeen,
		"dice": cmp.dice, "sentences": changes,
	}
	added, removed, err := linkChanges(ctx, o, cmp)
	if err != nil {
		return err
	}
	out["links"] = map[string]any{"added": added, "removed": removed}
	return a.printJSON(out)
}

func (c *diffCmd) links(ctx context.Context, a *app, o *opened, cmp *comparison) error {
	added, removed, err := linkChanges(ctx, o, cmp)
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

func linkChanges(ctx context.Context, o *opened, cmp *comparison) (added, removed []string, err error) {
	var sets [2]map[string]bool
	for i, v := range []store.Version{cmp.a, cmp.b} {
		links, err := o.Links(ctx, v)
		if err != nil {
			return nil, nil, err
		}
		sets[i] = map[string]bool{}
		for _, l := range links {
			sets[i][l.URL] = true
		}
	}
	added, removed = []string{}, []string{}
	for url := range sets[1] {
		if !sets[0][url] {
			added = append(added, url)
		}
	}
	for url := range sets[0] {
		if !sets[1][url] {
			removed = append(removed, url)
		}
	}
	slices.Sort(added)
	slices.Sort(removed)
	return added, removed, nil
}

// piece is a run of text with what became of it.
type piece struct {
	Op   string // keep, delete or insert
	Text string
}

// wordPieces are the words of both texts in one sequence.
func wordPieces(cmp *comparison) []piece {
	a, b := tokens(cmp.ta.Text()), tokens(cmp.tb.Text())
	var out []piece
	for _, e := range diff.Diff(a, b) {
		if e.Op == diff.Delete {
			out = append(out, piece{e.Op.String(), strings.Join(a[e.AStart:e.AEnd], "")})
			continue
		}
		out = append(out, piece{e.Op.String(), strings.Join(b[e.BStart:e.BEnd], "")})
	}
	return out
}

// tokens cuts a text behind its spaces and line ends, so that they join to it again.
func tokens(s string) []string {
	var out []string
	for len(s) > 0 {
		i := strings.IndexAny(s, " \n")
		if i < 0 {
			return append(out, s)
		}
		out = append(out, s[:i+1])
		s = s[i+1:]
	}
	return out
}

func inlineWords(cmp *comparison) string {
	var b strings.Builder
	pieces := wordPieces(cmp)
	for i, p := range pieces {
		body := strings.TrimRight(p.Text, " \n")
		rest := p.Text[len(body):]
		switch p.Op {
		case "delete":
			if i+1 < len(pieces) && pieces[i+1].Op == "insert" {
				rest = " " // what came in its place stands beside it
			}
			b.WriteString("[-" + body + "-]" + rest)
		case "insert":
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
<main>{{range .Pieces}}{{if eq .Op "delete"}}<del>{{.Text}}</del>{{else if eq .Op "insert"}}<ins>{{.Text}}</ins>{{else}}{{.Text}}{{end}}{{end}}</main>
</html>
`))

// page writes the comparison as one HTML file that loads nothing.
func (c *diffCmd) page(cmp *comparison) error {
	f, err := os.Create(c.HTML)
	if err != nil {
		return err
	}
	err = diffPage.Execute(f, map[string]any{
		"URL": cmp.page.URL, "A": cmp.a.Number, "B": cmp.b.Number, "ATime": stamp(cmp.a.FirstSeen),
		"BTime": stamp(cmp.b.FirstSeen), "Dice": cmp.dice, "Pieces": wordPieces(cmp),
	})
	return errors.Join(err, f.Close())
}
