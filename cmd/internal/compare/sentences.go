package compare

import (
	"context"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/text/diff"
	"github.com/strandlinehq/strandline/store"
)

// Sentences lists the sentences of a page for a person to read: the cells of a
// table row stand together, since a figure without its row says nothing.
func Sentences(p *extract.Page) []string {
	list, _ := sentences(p)
	return list
}

// sentences lists them with the parts of the text that each has.
func sentences(p *extract.Page) (list []string, parts [][]span) {
	row := int32(-1)
	for i, s := range p.Sentences {
		at := int(p.Lines[s.Line].Start)
		part := span{at + int(s.Start), at + int(s.End)}
		in := rowOf(p, p.Lines[s.Line].Node)
		if in >= 0 && in == row {
			list[len(list)-1] += " | " + p.SentenceText(i)
			parts[len(parts)-1] = append(parts[len(parts)-1], part)
			continue
		}
		row = in
		list, parts = append(list, p.SentenceText(i)), append(parts, []span{part})
	}
	return list, parts
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

// Sentence is a sentence with what became of it.
type Sentence struct {
	Op    diff.Op
	Moved bool // it is deleted here and inserted elsewhere, or the other way round
	Noise bool // it differs from another by known noise only, or is nothing else
	Text  string
}

// Sentences are the sentences of both versions in one sequence.
func (v *Versions) Sentences() []Sentence {
	a, partsA := sentences(v.TextA)
	b, partsB := sentences(v.TextB)
	edits := diff.Diff(a, b)
	movedA, movedB := map[int]bool{}, map[int]bool{}
	for _, m := range diff.Moves(edits, a, b) {
		for i := m.AStart; i < m.AEnd; i++ {
			movedA[i] = true
		}
		for i := m.BStart; i < m.BEnd; i++ {
			movedB[i] = true
		}
	}
	var out []Sentence
	for _, e := range edits {
		switch e.Op {
		case diff.Keep:
			for _, s := range b[e.BStart:e.BEnd] {
				out = append(out, Sentence{Op: e.Op, Text: s})
			}
		case diff.Delete:
			for i := e.AStart; i < e.AEnd; i++ {
				out = append(out, Sentence{Op: e.Op, Moved: movedA[i], Text: a[i]})
			}
		case diff.Insert:
			for i := e.BStart; i < e.BEnd; i++ {
				out = append(out, Sentence{Op: e.Op, Moved: movedB[i], Text: b[i]})
			}
		}
	}
	if v.noiseA != nil || v.noiseB != nil {
		v.markNoise(out, a, b, partsA, partsB)
	}
	return out
}

// markNoise finds the sentences that went and came with nothing but noise in
// them: those whose rest without noise went and came unchanged.
func (v *Versions) markNoise(list []Sentence, a, b []string, partsA, partsB [][]span) {
	rest := func(text string, parts []span, noise []span) string {
		var kept strings.Builder
		for _, p := range parts {
			at := p.start
			for _, t := range tokens(text[p.start:p.end]) {
				if !covered(noise, at, at+len(t)) {
					kept.WriteString(strings.TrimSpace(t) + " ")
				}
				at += len(t)
			}
		}
		return kept.String()
	}
	restsA, restsB := make([]string, len(a)), make([]string, len(b))
	gone, come := map[string]bool{"": true}, map[string]bool{"": true}
	textA, textB := v.TextA.Text(), v.TextB.Text()
	i, j := 0, 0
	for _, s := range list {
		switch s.Op {
		case diff.Delete:
			restsA[i] = rest(textA, partsA[i], v.noiseA)
			gone[restsA[i]] = true
			i++
		case diff.Insert:
			restsB[j] = rest(textB, partsB[j], v.noiseB)
			come[restsB[j]] = true
			j++
		default:
			i, j = i+1, j+1
		}
	}
	i, j = 0, 0
	for k := range list {
		switch list[k].Op {
		case diff.Delete:
			list[k].Noise = come[restsA[i]]
			i++
		case diff.Insert:
			list[k].Noise = gone[restsB[j]]
			j++
		default:
			i, j = i+1, j+1
		}
	}
}

// Links are the links that came and went from one version to another, in the order
// of their addresses.
func Links(ctx context.Context, db *store.DB, a, b store.Version) (added, removed []string, err error) {
	var sets [2]map[string]bool
	for i, v := range []store.Version{a, b} {
		links, err := db.Links(ctx, v)
		if err != nil {
			return nil, nil, err
		}
		sets[i] = make(map[string]bool, len(links))
		for _, l := range links {
			sets[i][l.URL] = true
		}
	}
	only := func(in, out map[string]bool) []string {
		list := []string{}
		for url := range in {
			if !out[url] {
				list = append(list, url)
			}
		}
		slices.Sort(list)
		return list
	}
	return only(sets[1], sets[0]), only(sets[0], sets[1]), nil
}

// Lines compares two texts line by line, such as the header fields of two answers.
func Lines(a, b string) []Piece {
	x, y := strings.Split(strings.TrimSpace(a), "\n"), strings.Split(strings.TrimSpace(b), "\n")
	var out []Piece
	for _, e := range diff.Diff(x, y) {
		lines := y[e.BStart:e.BEnd]
		if e.Op == diff.Delete {
			lines = x[e.AStart:e.AEnd]
		}
		for _, l := range lines {
			out = append(out, Piece{Op: e.Op, Text: strings.TrimRight(l, "\r")})
		}
	}
	return out
}
