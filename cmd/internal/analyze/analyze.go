// Package analyze measures the pages of WARC files without a database: the
// command analyze. What it computes per page is what the daemon stores of it,
// by the same functions.
//
// Pages reads the files and calls back with one Page each, in the order of their
// URLs. The captures of a page may come in any order and from any of the files,
// and the order of the files makes no difference to what is printed of a page.
//
// The files are read once. Of each distinct content there remain its words as
// numbers of a common vocabulary and, if the elements are asked for, its record
// as a zstd frame: some ten kilobytes together. The measures that need all
// versions of a page then hold those of one page at a time.
//
// Curve, terms and elements are measured on the hour grid that starts at the
// page's first capture (SCIENCE C6): of several captures in one slot the last
// counts, and a slot without one is missing.
package analyze

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/intake"
)

// Options for Pages.
type Options struct {
	Archive archive.ImportOptions
	Parts   Parts
}

// Parts chooses what is computed.
type Parts struct{ Changes, Curve, Terms, DOM bool }

// Page is what is printed of one page; parts that were not asked for or that the
// data cannot give are null.
type Page struct {
	URL      string         `json:"url"`
	Versions int            `json:"versions"`
	Fetches  int            `json:"fetches"`
	First    time.Time      `json:"first"` // first fetch
	Last     time.Time      `json:"last"`  // last fetch
	Changes  []Change       `json:"changes"`
	Curve    []Point        `json:"curve"`
	Knot     *Knot          `json:"knot"`
	Terms    []Term         `json:"terms"`
	Survival map[string]any `json:"survival"` // share by horizon ("2h"), null where undefined
	Blocks   []Block        `json:"blocks"`
}

// Pages measures the pages of files and calls emit with each.
func Pages(ctx context.Context, reader *intake.Reader, files []string, opt Options, emit func(Page) error) (archive.Report, error) {
	g, err := newGatherer(opt.Parts)
	if err != nil {
		return archive.Report{}, err
	}
	report, err := archive.Read(ctx, reader, files, opt.Archive, g.add)
	if err != nil {
		return report, err
	}
	urls := slices.Sorted(maps.Keys(g.pages))
	histories := make([]*history, len(urls))
	for i, url := range urls {
		histories[i] = g.history(url)
	}
	var all *collection
	if opt.Parts.Terms {
		all = newCollection(&g.words, histories)
	}
	for i := range histories {
		if err := ctx.Err(); err != nil {
			return report, err
		}
		p, err := g.measure(histories[i], all)
		if err != nil {
			return report, err
		}
		if err := emit(p); err != nil {
			return report, err
		}
	}
	return report, nil
}

// measure computes what was asked for of one page.
func (g *gatherer) measure(h *history, all *collection) (p Page, err error) {
	p = Page{URL: h.url, Versions: h.versions, Fetches: h.fetches, First: h.first, Last: h.last}
	if g.parts.Changes || g.parts.Curve {
		sets := g.words.sets(h)
		if g.parts.Changes {
			p.Changes = changes(h, sets)
		}
		if g.parts.Curve {
			p.Curve, p.Knot = changeCurve(h, sets)
		}
	}
	if g.parts.Terms {
		p.Terms = measureTerms(h, &g.words, all)
	}
	if g.parts.DOM {
		p.Survival, p.Blocks, err = g.elements(h)
	}
	return p, err
}
