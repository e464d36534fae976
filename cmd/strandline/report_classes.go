package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/classes"
	"github.com/strandlinehq/strandline/store"
)

// class is a row of paper A's Table 1 in the making.
type class struct {
	kind, name                                    string
	pages, unchanged                              int
	gaps, dices, knotHours, knotDices, rates      []float64
	knotted, sloped, flat, unknown, singleChanges int
}

func (c *class) add(p store.PageChange) {
	c.pages++
	if p.Changes == 0 {
		c.unchanged++
		return
	}
	c.dices = append(c.dices, *p.Dice)
	if p.Gap != nil {
		c.gaps = append(c.gaps, *p.Gap)
	} else {
		c.singleChanges++
	}
	if r, ok := poissonRate(p); ok {
		c.rates = append(c.rates, r)
	}
	switch p.Shape {
	case "knotted":
		c.knotted++
	case "sloped":
		c.sloped++
	case "flat":
		c.flat++
	default:
		c.unknown++
	}
	if p.KnotHours != nil && p.KnotDice != nil {
		c.knotHours, c.knotDices = append(c.knotHours, *p.KnotHours), append(c.knotDices, *p.KnotDice)
	}
}

// poissonRate estimates a page's changes a day from n visits at a mean interval I,
// X of which found a change (Cho and Garcia-Molina 2003; SCIENCE A10, 2.1):
//
//	r = -ln((n - X + 0.5) / (n + 0.5)) / I
//
// Unlike X/(n I) it allows for changes that fell between the same two visits.
func poissonRate(p store.PageChange) (perDay float64, ok bool) {
	n := float64(p.Fetches - 1)
	if n < 1 || p.Hours <= 0 {
		return 0, false
	}
	x := min(float64(p.Changes), n)
	return -math.Log((n-x+.5)/(n+.5)) / (p.Hours / n) * 24, true
}

// kindsOf are the kinds of classes in the order of the paper's Table 1.
func kindsOf() []classes.Kind {
	return []classes.Kind{classes.Visitors, classes.TLD, classes.Site, classes.Depth, classes.Category, classes.Genre}
}

func labelsOf(p store.PageChange) classes.Labels {
	return classes.Labels{TLD: p.TLD, Site: p.Site, Depth: p.Depth, Visitors: p.Visitors, Category: p.Category, Genre: p.Genre}
}

// classesOf puts pages into the classes of SCIENCE A11, those of a kind together:
// depths and visitors ascending, the others by name.
func classesOf(pages []store.PageChange) []*class {
	out := []*class{}
	if len(pages) > 0 {
		all := &class{kind: "all", name: "all"}
		for _, p := range pages {
			all.add(p)
		}
		out = append(out, all)
	}
	for _, kind := range kindsOf() {
		byName := map[string]*class{}
		for _, p := range pages {
			name := labelsOf(p).Of(kind)
			if name == "" {
				continue
			}
			if byName[name] == nil {
				byName[name] = &class{kind: string(kind), name: name}
			}
			byName[name].add(p)
		}
		out = append(out, slices.SortedFunc(maps.Values(byName), func(a, b *class) int { return classes.CompareNames(kind, a.name, b.name) })...)
	}
	return out
}

// reportClasses makes paper A's Table 1, and Figure 3 as its figure (SCIENCE A10 to
// A14).
func reportClasses(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
	pages, err := r.PageChanges(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{Title: "How pages change, by class (means over pages of their own means)", Columns: []string{
		"class kind", "class", "pages", "unchanged",
		"hours mean", "hours median", "dice mean", "dice median", "changes a day (Poisson) mean", "changes a day (Poisson) median", "knotted", "sloped", "flat", "unknown",
		"knot hours mean", "knot hours median", "knot dice mean", "knot dice median",
	}}
	var all class
	for _, c := range classesOf(pages) {
		if c.kind == "all" {
			all = *c
		}
		t.Add(c.kind, c.name, c.pages, c.unchanged, mean(c.gaps), median(c.gaps), mean(c.dices), median(c.dices), mean(c.rates), median(c.rates),
			c.knotted, c.sloped, c.flat, c.unknown, mean(c.knotHours), median(c.knotHours), mean(c.knotDices), median(c.knotDices))
	}
	t.Note("%s seen at least twice; %d of them did not change and count in no mean.", pluralOf(all.pages, "page was", "pages were"), all.unchanged)
	t.Note("Hours are between changes: the time before a page's first change is not known. %s a single change and so none.", pluralOf(all.singleChanges, "page has", "pages have"))
	t.Note("The curves of %d changed pages have too few points for a shape.", all.unknown)
	t.Note("Mean hours between changes are too low where a page was watched for a short time; the Poisson rate allows for changes between visits.")
	t.Note("Where nearly each visit found a change, the rate says little more than that it is at least that of the visits.")
	noteDifferences(t, pages)
	if len(pages) == 0 {
		t.Note("There is nothing to show yet: no page was seen twice.")
	}
	if err := noteCategories(ctx, r.DB, t); err != nil {
		return nil, nil, err
	}
	noteTotals(t, &all)
	noteWeights(t, pages)
	f := chart.PageHistograms{Subtitle: fmt.Sprintf("%d pages that changed", len(all.dices)), LogGap: true}
	f.Gap, f.Dice = logBins(all.gaps), evenBins(all.dices, 20)
	t.Note("Bins of the figure: hours %s; Dice 20 from 0 to 1. A bin holds its lower edge.", edges(f.Gap.Edges))
	return t, f, nil
}

func edges(e []float64) string {
	return fmt.Sprintf("%d, each twice as wide as the one before, from %g to %g", len(e)-1, e[0], e[len(e)-1])
}

// logBins counts values in bins that double from a quarter of an hour on. Smaller
// values fall into the first bin, greater ones into the last.
func logBins(values []float64) chart.Bins {
	b := chart.Bins{Edges: []float64{.25}}
	for e := .5; e <= 16384; e *= 2 {
		b.Edges = append(b.Edges, e)
	}
	b.Counts = make([]float64, len(b.Edges)-1)
	for _, v := range values {
		i, found := slices.BinarySearch(b.Edges, v)
		if !found {
			i--
		}
		b.Counts[min(max(i, 0), len(b.Counts)-1)]++
	}
	return b
}

// evenBins counts values from 0 to 1 in bins of equal width; the last one holds 1.
func evenBins(values []float64, n int) chart.Bins {
	b := chart.Bins{Counts: make([]float64, n)}
	for i := range n + 1 {
		b.Edges = append(b.Edges, float64(i)/float64(n))
	}
	for _, v := range values {
		b.Counts[min(max(int(v*float64(n)), 0), n-1)]++
	}
	return b
}

// mean returns nil for no values.
func mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	var sum float64
	for _, v := range values {
		sum += v
	}
	sum /= float64(len(values))
	return &sum
}

// median returns the mean of the middle two of an even number, nil for none.
func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	s := slices.Sorted(slices.Values(values))
	m := (s[(len(s)-1)/2] + s[len(s)/2]) / 2
	return &m
}
