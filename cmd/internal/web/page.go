package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/cmd/internal/found"
	"github.com/strandlinehq/strandline/cmd/internal/pagereport"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/pagedate"
	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
)

func (s *Server) pageRoutes() []route {
	return []route{
		{"GET /pages/{id}", s.page, viewer, false},
		{"GET /pages/{id}/{figure}", s.figure, viewer, false},
	}
}

// looked is a page that was asked for, with its analysis.
type looked struct {
	store.PageView
	report pagereport.Page // its Analysis is nil while nothing was measured
}

// look reads the page that an address names.
func (s *Server) look(r *http.Request, analysed bool) (*looked, error) {
	id, err := pageID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return s.lookAt(r.Context(), id, analysed)
}

func pageID(text string) (store.PageID, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n >= 1<<52 {
		return 0, notFound("Pages are named by a number here; this is none.")
	}
	return store.PageID(n), nil
}

func (s *Server) lookAt(ctx context.Context, id store.PageID, analysed bool) (*looked, error) {
	view, err := s.db.PageView(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, notFound("No page that was ever fetched has this number.")
	}
	if err != nil {
		return nil, err
	}
	p := &looked{PageView: view, report: pagereport.Page{DB: s.db, Page: store.Page{ID: view.Page, URL: view.URL, FirstSeen: view.FirstSeen}}}
	if !analysed {
		return p, nil
	}
	p.report.Analysis, err = monitor.ReadAnalysis(ctx, s.db, p.report.Page)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if a := p.report.Analysis; a != nil {
		p.KnotHours, p.KnotDice, p.Shape = shapeOf(&a.Curve)
	}
	return p, nil
}

// shapeOf says how a curve runs, as a page's summary does. The summary is of the last version that was
// measured, and the curve that is drawn goes on to the last fetch: what an answer says comes from the latter.
func shapeOf(c *curve.Curve) (knotHours float64, knotDice *float64, shape string) {
	fit, s := c.Shape()
	if s != curve.Knotted {
		return math.Inf(1), nil, s.String()
	}
	return fit.X, &fit.Y, s.String()
}

// pageBody is the page of one page.
type pageBody struct {
	*looked
	Heading  string
	Sentence string // how it changes, in words
	Figures  []figureBody
	Dates    []string // that the page gives itself, in words
	Copy     *copied  // nil: of none
	Lasting  []string
	Passing  []string
	Versions []store.Version
	Heads    []head // of their table
	ByTime   bool   // they are the newest first
	Next     string // address of the versions behind these
	First    string // of the first; empty: these are
}

// figureBody is a figure as it stands in a page.
type figureBody struct {
	Name  string // in addresses
	Title string // of its section
	SVG   template.HTML
	Heads []string
	Rows  [][]string // of the table beside it, the first of them
	More  int        // rows that the table has beyond
	Part  bool       // the figure has a part of its marks only
	Notes []string
	Base  string // its address without suffix
	Query string // behind the suffix; with its question mark, or empty
}

func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	p, err := s.look(r, true)
	if err != nil {
		return err
	}
	b := pageBody{looked: p, Heading: headingOf(p.PageView), Sentence: sentence(p.PageView)}
	for _, k := range figureKinds() {
		if !k.onPage {
			continue
		}
		f, err := s.drawn(ctx, p, k, 20)
		if err != nil {
			return err
		}
		if f != nil {
			b.Figures = append(b.Figures, *f)
		}
	}
	if err := s.versionTable(r, &b); err != nil {
		return err
	}
	b.Lasting, b.Passing = lastingWords(p.report.Analysis, languageOf(b.Versions))
	copies, err := s.db.Copies(ctx, []store.PageID{p.Page})
	if err != nil {
		return err
	}
	if c, ok := copies[p.Page]; ok {
		b.Copy = &copied{found.CopyWords(c.Kind), c.Source, c.SourceURL}
	}
	if b.Dates, err = s.ownDates(ctx, p.PageView); err != nil {
		return err
	}
	return s.show(w, r, "page.html", b.Heading, b)
}

// ownDates are the dates that the last version of a page gives itself, in words.
func (s *Server) ownDates(ctx context.Context, p store.PageView) ([]string, error) {
	v, err := s.db.VersionNumber(ctx, p.Page, p.Version)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := compare.Text(ctx, s.db, v)
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	dates := pagedate.Of(p.URL, text, v.FirstSeen)
	for _, find := range []func() (pagedate.Date, bool){dates.Published, dates.Modified} {
		if d, ok := find(); ok {
			sure := ""
			if d.Confidence < pagedate.Sure {
				sure = ", not sure"
			}
			out = append(out, fmt.Sprintf("%s %s (%s%s)", d.Kind, d, d.Source, sure))
		}
	}
	return out, nil
}

// headingOf is what a page is called: by its title, or its address without one.
func headingOf(p store.PageView) string {
	if t := titled(p.Title); t != "" {
		if r := []rune(t); len(r) > 160 {
			return string(r[:159]) + "…"
		}
		return t
	}
	return middle(100, p.URL)
}

// sentence says in words how a page changes.
func sentence(p store.PageView) string {
	var parts []string
	knotted := p.KnotDice != nil && !math.IsInf(p.KnotHours, 0)
	switch {
	case p.Version == 0:
		return "No version yet: no attempt has brought content."
	case p.ChangedAt.IsZero() && (knotted || p.Shape == "sloped"):
		// The curve is ahead of the list of changes, or all of these are noise.
		parts = append(parts, "No change is on record yet that is more than noise")
	case p.ChangedAt.IsZero():
		return "It has not changed since it was first fetched."
	case math.IsInf(p.EveryHours, 0):
		parts = append(parts, "It has changed once")
	default:
		parts = append(parts, "It changes every "+chart.SpanText(p.EveryHours))
	}
	if p.Dice != nil {
		parts = append(parts, "keeps "+diceWords(p.Dice)+" of its words by Dice each time")
	}
	switch {
	case knotted:
		parts = append(parts, chart.KnotText(p.KnotHours, *p.KnotDice))
	case p.Shape == "flat":
		parts = append(parts, "hardly moves away from what it was")
	case p.Shape == "sloped":
		parts = append(parts, "moves away from what it was without settling")
	}
	return strings.Join(parts, "; ") + "."
}

// lastingWords are the words of a page that stay, and those that pass, the most
// frequent first, without the stop words of its language: these stay on every page.
func lastingWords(a *monitor.Analysis, language string) (lasting, passing []string) {
	if a == nil {
		return nil, nil
	}
	const most = 24
	top := func(want func(terms.Row) bool) []string {
		best := make([]terms.Row, 0, most+1)
		for _, t := range a.Terms {
			if !t.HasPower || !want(t) || text.Stop(t.Term, language) {
				continue
			}
			i := len(best)
			for i > 0 && best[i-1].PDoc < t.PDoc {
				i--
			}
			if i < most {
				best = append(best, terms.Row{})
				copy(best[i+1:], best[i:])
				best[i] = t
				best = best[:min(len(best), most)]
			}
		}
		var out []string
		for _, t := range best {
			out = append(out, clean(t.Term))
		}
		return out
	}
	return top(func(t terms.Row) bool { return t.Power > terms.Lasting }), top(func(t terms.Row) bool { return t.Power < terms.Fleeting })
}

// languageOf is the language of the first of some versions that has one.
func languageOf(versions []store.Version) string {
	for i := range versions {
		if versions[i].Language != "" {
			return versions[i].Language
		}
	}
	return ""
}
