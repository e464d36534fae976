package pagereport

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dom"
	"github.com/strandlinehq/strandline/store"
)

// lived is a block of a page's last version with the mean life of its contents.
type lived struct {
	path string
	node int
	life dom.Block
}

// lastVersion reads the last version, and its blocks with their lives, shortest
// first. Gone counts the paths with a life that it does not have.
func (r *Page) lastVersion(ctx context.Context) (v store.Version, page *extract.Page, blocks []lived, gone int, err error) {
	if v, err = r.DB.LastVersion(ctx, r.Page.ID); err != nil {
		return v, nil, nil, 0, err
	}
	record, err := r.DB.Record(ctx, v)
	if err != nil {
		return v, nil, nil, 0, err
	}
	if page, err = extract.DecodeRecord(record); err != nil {
		return v, nil, nil, 0, err
	}
	here := map[string]int{}
	for i, n := range page.Nodes {
		if n.Tag != "" {
			here[page.FullPath(i)] = i
		}
	}
	for path, b := range r.Analysis.AtPath {
		i, ok := here[path]
		if !ok {
			gone++
			continue
		}
		blocks = append(blocks, lived{path, i, b})
	}
	slices.SortFunc(blocks, func(a, b lived) int {
		return cmp.Or(cmp.Compare(a.life.Life, b.life.Life), cmp.Compare(a.node, b.node))
	})
	return v, page, blocks, gone, nil
}

// Blocks lists how long the contents of a page's blocks last, with selectors for
// them, and draws them on the outline of its last version (paper A Figure 7;
// SCIENCE A29, A30). It reads a number of versions to try the selectors on.
func (r *Page) Blocks(ctx context.Context) (*report.Table, chart.Figure, error) {
	version, page, rows, gone, err := r.lastVersion(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{Title: "Blocks of " + r.Analysis.URL, Columns: []string{"path", "life hours", "contents", "travel hours", "group", "selector", "holds a week", "words"}}
	past, err := r.outlines(ctx)
	if err != nil {
		return nil, nil, err
	}
	group := map[string]any{}
	for i, paths := range r.Analysis.Together {
		for _, p := range paths {
			group[p] = i + 1
		}
	}
	for _, b := range rows {
		selector, holds := bestSelector(past, dom.Selectors(page.Nodes, b.node))
		t.Add(b.path, b.life.Life, b.life.Contents, r.travel(b.path), group[b.path], selector, holds, firstWords(page.SubtreeText(b.node)))
	}
	r.noteBlocks(t, version, gone)
	t.Note("Blocks of one group are siblings that live equally long (ratio below 1.5) and change at the same times; there are %d groups.", len(r.Analysis.Together))
	t.Note("The selector is the one that did best in %d versions; the share is the expected probability that it finds an element alone after a week, empty where those versions cannot tell.", len(past))
	r.noteExact(t)
	r.noteCover(t)
	return t, r.outlineFigure(page), nil
}

// BlockMap is Blocks without selectors, which take time.
func (r *Page) BlockMap(ctx context.Context) (*report.Table, chart.Figure, error) {
	version, page, rows, gone, err := r.lastVersion(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{Title: "Blocks of " + r.Analysis.URL, Columns: []string{"path", "life hours", "contents", "travel hours", "words"}}
	for _, b := range rows {
		t.Add(b.path, b.life.Life, b.life.Contents, r.travel(b.path), firstWords(page.SubtreeText(b.node)))
	}
	r.noteBlocks(t, version, gone)
	r.noteExact(t)
	r.noteCover(t)
	return t, r.outlineFigure(page), nil
}

// Block is a block of a page's last version.
type Block struct {
	Path     string
	Life     float64  // hours that a content stands at the path, on average
	Contents int      // different ones that have stood there
	Travel   *float64 // hours that such contents last anywhere on the page; nil: not known
	Words    string   // the first of them
}

// LastBlocks returns the blocks of the page's last version, shortest life first.
func (r *Page) LastBlocks(ctx context.Context) ([]Block, error) {
	_, page, rows, _, err := r.lastVersion(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Block, len(rows))
	for i, b := range rows {
		out[i] = Block{b.path, b.life.Life, b.life.Contents, r.travel(b.path), firstWords(page.SubtreeText(b.node))}
	}
	return out, nil
}

// travel is how long contents that stood at a path lasted anywhere; nil if not known.
func (r *Page) travel(path string) *float64 {
	if v, ok := r.Analysis.Travel[path]; ok {
		return &v.Life
	}
	return nil
}

func (r *Page) noteBlocks(t *report.Table, version store.Version, gone int) {
	t.Note("Shortest life first; the blocks are those of version %d. %d paths with text that it does not have are left out.", version.Number, gone)
	t.Note("Life is the mean time from the first to the last hour that has a content at the path, travel the same wherever the content went from there.")
}

func (r *Page) noteExact(t *report.Table) {
	if !r.Analysis.Exact {
		t.Note("The page is too big or too lively to follow in full: contents that come back after a long time count as others, so that lives can be off either way,")
		t.Note("and below %d levels no contents are followed, nor elements that the first version did not have. 'strandline analyze' measures archives without such bounds.", r.Analysis.Depth)
	}
}

// outlineFigure draws the blocks on the outline of a version.
func (r *Page) outlineFigure(page *extract.Page) chart.Figure {
	f := chart.BlockMap{Page: r.Analysis.URL}
	for i := 0; i < len(page.Nodes); i = int(page.Nodes[i].End) {
		f.Blocks = append(f.Blocks, r.block(page, i)...)
	}
	return f
}

// outlinesRead is how many versions selectors are tried on.
const outlinesRead = 24

// outline is the elements of a version.
type outline struct {
	hour  float64 // since the first version
	nodes []extract.Node
}

// outlines reads some of the page's versions, evenly chosen, among them the first
// and the last. Those that cannot be read are left out.
func (r *Page) outlines(ctx context.Context) ([]outline, error) {
	history, err := r.DB.History(ctx, r.Page.ID)
	if err != nil {
		return nil, err
	}
	var out []outline
	n := min(len(history), outlinesRead)
	for k := range n {
		v := history[len(history)-1]
		if n > 1 {
			v = history[k*(len(history)-1)/(n-1)]
		}
		record, err := r.DB.Record(ctx, v)
		if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if p, err := extract.DecodeRecord(record); err == nil {
			out = append(out, outline{v.FirstSeen.Sub(history[0].FirstSeen).Hours(), p.Nodes})
		}
	}
	return out, nil
}

// bestSelector returns the selector that is most likely to find its element in a
// week, with the probability; nil where the history cannot tell.
func bestSelector(past []outline, candidates []dom.Selector) (css any, holds *float64) {
	const week = 168
	for i, s := range candidates {
		var record dom.Record
		for _, o := range past {
			_, ok := s.Find(o.nodes)
			record.Add(o.hour, ok)
		}
		p, ok := record.Survival(week)
		if i == 0 || ok && (holds == nil || p > *holds) {
			css = s.CSS()
			if ok {
				holds = &p
			}
		}
	}
	return css, holds
}

// minBlockWords is how many words a block has whose parts are drawn.
const minBlockWords = 25

// block returns the boxes of an element: its own, or those of its children where it
// has no text of its own and one child takes its place.
func (r *Page) block(page *extract.Page, i int) []chart.Block {
	n := page.Nodes[i]
	if n.Tag == "" {
		return nil
	}
	path := page.FullPath(i)
	var children []chart.Block
	for c := i + 1; c < int(n.End); c = int(page.Nodes[c].End) {
		children = append(children, r.block(page, c)...)
	}
	life, ok := r.Analysis.AtPath[path]
	if len(children) == 1 && page.OwnText(i) == "" {
		return children
	}
	text := page.SubtreeText(i)
	if text == "" {
		return children
	}
	if len(strings.Fields(text)) < minBlockWords {
		children = nil // the links and buttons of a line are not drawn one by one
	}
	b := chart.Block{Words: firstWords(text), Path: path, Hours: math.NaN(), Children: children}
	if ok {
		b.Hours = life.Life
	}
	return []chart.Block{b}
}

// firstWords shortens a text to its first words.
func firstWords(s string) string {
	words := strings.Fields(s)
	out := strings.Join(words[:min(len(words), 8)], " ")
	if r := []rune(out); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	if len(words) > 8 {
		out += " …"
	}
	return out
}
