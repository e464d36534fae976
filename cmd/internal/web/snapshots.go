package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/cmd/internal/seriesreport"
	measure "github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

func (s *Server) snapshotRoutes() []route {
	return []route{
		{"GET /snapshots", s.seriesList, viewer, false},
		{"GET /snapshots/{series}", s.seriesPage, viewer, false},
		{"GET /snapshots/{series}/{figure}", s.seriesFigure, viewer, false},
	}
}

// seriesKind is a figure of a series, which has the same address as its data.
type seriesKind struct {
	name  string // in addresses
	title string
	make  func(*seriesreport.Series) (*report.Table, chart.Figure)
}

func seriesKinds() []seriesKind {
	return []seriesKind{
		{"sizes", "Pages of the snapshots", (*seriesreport.Series).Sizes},
		{"convergence", "How soon novelty settles", (*seriesreport.Series).Convergence},
		{"distribution", "How novelty is spread", (*seriesreport.Series).Distribution},
		{"accuracy", "How well novelty tells new pages", (*seriesreport.Series).Accuracy},
	}
}

// seriesRow is a series of the list.
type seriesRow struct {
	Name, Href string
	Snapshots  int
	Last       *store.SeriesSnapshot // that is computed; nil: none
	At         time.Time             // the latest start
}

// seriesListBody is the list of series.
type seriesListBody struct {
	Heads []head
	Rows  []seriesRow
}

// seriesList lists the series with the sizes of their last computed snapshots.
func (s *Server) seriesList(w http.ResponseWriter, r *http.Request) error {
	all, err := s.db.AllSeries(r.Context())
	if err != nil {
		return err
	}
	b := seriesListBody{Rows: make([]seriesRow, len(all))}
	rows := b.Rows
	for i, one := range all {
		snapshots, err := s.db.Snapshots(r.Context(), one.ID)
		if err != nil {
			return err
		}
		rows[i] = seriesRow{Name: one.Name, Href: seriesPath(one.Name), Snapshots: len(snapshots)}
		for j := range snapshots {
			rows[i].At = snapshots[j].StartedAt
			if !snapshots[j].ComputedAt.IsZero() {
				rows[i].Last = &snapshots[j]
			}
		}
	}
	last := func(count func(*store.SeriesSnapshot) int64) func(a, b seriesRow) int {
		return by(func(row seriesRow) int64 {
			if row.Last == nil {
				return -1
			}
			return count(row.Last)
		})
	}
	b.Heads, err = heads(r.URL, "order", "name", rows, []column[seriesRow]{
		{key: "name", name: "Series", rises: true, order: by(func(row seriesRow) string { return row.Name })},
		{key: "snapshots", name: "Snapshots", number: true, order: by(func(row seriesRow) int { return row.Snapshots })},
		{key: "begun", name: "Last begun", number: true, order: byTime(func(row seriesRow) time.Time { return row.At })},
		{key: "pages", name: "Pages of the last computed", number: true, order: last(func(s *store.SeriesSnapshot) int64 { return s.Pages })},
		{key: "new", name: "of them not known to be old", number: true, order: last(func(s *store.SeriesSnapshot) int64 { return s.Unidentified })},
	})
	if err != nil {
		return err
	}
	return s.show(w, r, "snapshots.html", "Snapshots", b)
}

// seriesView is what the address of a series asks for.
type seriesView struct {
	Name       string
	Deltas     []tab
	Thresholds []tab
	Unstored   []string // what was asked for and is neither stored nor computed, and what to do
	*seriesreport.Series

	delta, threshold string // as in the address; empty: all, none
	before           int    // number of the snapshot behind which the rows of the table go on; 0: from the first
}

func seriesPath(name string, parts ...string) string {
	return "/snapshots/" + url.PathEscape(name) + strings.Join(parts, "")
}

// query is what follows the address of a page or figure of this view.
func (v *seriesView) query(pairs ...string) string {
	return query("", append([]string{"delta", v.delta, "threshold", v.threshold}, pairs...)...)
}

// Without counts the pages of U of a snapshot that are no copies; empty where there are
// none.
func (v *seriesView) Without(s store.SeriesSnapshot) string {
	c := v.Copies[s.Number]
	if c.Copies+c.Moved+c.Twins == 0 {
		return ""
	}
	return count(s.Unidentified - c.Copies - c.Moved - c.Twins)
}

// Panels of a figure of a series: of one among others on a page, so that the page stays
// below 300 KB, and of one alone.
const (
	panelsInPage = 8
	panelsAlone  = 48
)

// lookSeries reads the series and narrows it as the address asks; its figures have some
// panels at most.
func (s *Server) lookSeries(r *http.Request, panels int) (*seriesView, error) {
	one, err := s.db.SeriesByName(r.Context(), r.PathValue("series"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, notFound("There is no series of this name.")
	}
	if err != nil {
		return nil, err
	}
	asked := r.URL.Query()
	v := &seriesView{Name: one.Name, delta: asked.Get("delta"), threshold: asked.Get("threshold")}
	if t := asked.Get("before"); t != "" {
		if v.before, err = strconv.Atoi(t); err != nil || v.before < 1 || v.before > maxSnapshot {
			return nil, badRequest(fmt.Sprintf("The snapshot to go on from is a number from 1 to %d.", maxSnapshot))
		}
	}
	if v.Series, err = seriesreport.Read(r.Context(), s.db, one); err != nil {
		return nil, err
	}
	v.Series.Panels = panels
	return v, s.narrow(r.Context(), v, one.ID)
}

// narrow gives a view one delta and marks a threshold in it, as the address asks. What is
// not stored is computed, where the series is small; else Unstored says what to do.
func (s *Server) narrow(ctx context.Context, v *seriesView, id store.SeriesID) error {
	deltas, thresholds := v.Series.Deltas(), v.Series.Thresholds()
	at := func(delta, threshold string) string {
		return query(seriesPath(v.Name), "delta", delta, "threshold", threshold)
	}
	v.Deltas = []tab{{"all", at("", v.threshold) + "#figures", v.delta == ""}}
	for _, d := range deltas {
		v.Deltas = append(v.Deltas, tab{decimal(d), at(decimal(d), v.threshold) + "#figures", decimal(d) == v.delta})
	}
	v.Thresholds = []tab{{"none", at(v.delta, "") + "#accuracy", v.threshold == ""}}
	for _, t := range thresholds {
		v.Thresholds = append(v.Thresholds, tab{decimal(t), at(v.delta, decimal(t)) + "#accuracy", decimal(t) == v.threshold})
	}
	trial := measure.Trial{Deltas: deltas}
	if v.delta != "" {
		d, err := strconv.ParseFloat(v.delta, 64)
		if err != nil || !(d >= 0 && d < 1) {
			return badRequest("δ is a number from 0 to below 1.")
		}
		if one, ok := stored(deltas, v.delta); ok {
			trial.Deltas = []float64{one}
			v.Series = v.Only(one)
		} else {
			trial.Deltas = []float64{d}
			results, err := measure.Try(ctx, s.db, id, trial)
			switch {
			case errors.Is(err, measure.ErrLarge):
				v.Unstored = append(v.Unstored, fmt.Sprintf("Nothing is stored of δ = %s, and the series is too large to compute it while you wait. The command strandline novelty %q --delta %s --all "+
					"computes it and makes it the δ of the series. Figures show the stored ones: %s.", decimal(d), v.Name, decimal(d), decimals(deltas)))
				trial.Deltas = deltas
			case err != nil:
				return err
			default:
				v.Series = v.Tried(results)
			}
		}
	}
	if v.threshold == "" {
		return nil
	}
	t, err := strconv.ParseFloat(v.threshold, 64)
	if err != nil || !(t >= 0 && t <= 1) {
		return badRequest("A threshold of novelty is a number from 0 to 1.")
	}
	novel, err := s.db.JudgedNovel(ctx, id, t)
	if err != nil {
		return err
	}
	var results map[int]*store.NoveltyResult
	if one, ok := stored(thresholds, v.threshold); ok {
		t = one
	} else {
		trial.Thresholds = []float64{t}
		results, err = measure.Try(ctx, s.db, id, trial)
		switch {
		case errors.Is(err, measure.ErrLarge):
			results = nil
			v.Unstored = append(v.Unstored, fmt.Sprintf("How well a threshold of %s tells new pages is not stored, and the series is too large to compute it while you wait; it is of the thresholds %s. "+
				"How many pages it judges novel is counted below.", decimal(t), decimals(thresholds)))
		case err != nil:
			return err
		}
	}
	v.Series = v.Mark(t).Count(novel, results)
	return nil
}

// decimal writes a parameter of the measure for an address.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func decimals(all []float64) string {
	if len(all) == 0 {
		return "none yet"
	}
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = decimal(v)
	}
	return strings.Join(words, ", ")
}

// stored finds the value that an address names.
func stored(all []float64, text string) (float64, bool) {
	for _, v := range all {
		if decimal(v) == text {
			return v, true
		}
	}
	return 0, false
}

// seriesBody is the page of a series.
type seriesBody struct {
	*seriesView
	Path     string
	Heads    []head
	Rows     []store.SeriesSnapshot // newest first, or as the address asks
	Next     string
	First    string
	Unlike   string // what hinders comparing the snapshots
	Compared bool   // figures have something to show
	Sizes    figureBody
	Figures  []figureBody
	Judged   []*report.Table // at the marked threshold
	Delta    string          // as asked for
	Cut      string          // the threshold as asked for
}

// snapshotColumns are those of the table of snapshots (paper T, Tables 1 and 2).
func snapshotColumns() []column[store.SeriesSnapshot] {
	number := func(key, name, note string, value func(store.SeriesSnapshot) int64) column[store.SeriesSnapshot] {
		return column[store.SeriesSnapshot]{key: key, name: name, note: note, number: true, order: by(value)}
	}
	return []column[store.SeriesSnapshot]{
		{key: "number", name: "Snapshot", number: true, order: by(func(s store.SeriesSnapshot) int { return s.Number })},
		{key: "begun", name: "Begun", number: true, order: byTime(func(s store.SeriesSnapshot) time.Time { return s.StartedAt })},
		{key: "status", name: "Status", rises: true, order: by(func(s store.SeriesSnapshot) string { return string(s.Status) })},
		number("links", "Links", "", func(s store.SeriesSnapshot) int64 { return s.Links }),
		number("l2", "|L2|", "old: crawled by the snapshot before, too", func(s store.SeriesSnapshot) int64 { return s.L2 }),
		number("old", `|O \ L2|`, "old by another sign", func(s store.SeriesSnapshot) int64 { return s.OldOther }),
		number("new", "|U|", "not known to be old", func(s store.SeriesSnapshot) int64 { return s.Unidentified }),
		number("pages", "|W|, pages", "all pages of the snapshot", func(s store.SeriesSnapshot) int64 { return s.Pages }),
		{name: "δ", note: "decay of novelty for each link", number: true},
		{name: "Iterations", number: true},
	}
}

// seriesPage shows the tables and figures of a series.
func (s *Server) seriesPage(w http.ResponseWriter, r *http.Request) error {
	v, err := s.lookSeries(r, panelsInPage)
	if err != nil {
		return err
	}
	b := seriesBody{seriesView: v, Path: seriesPath(v.Name), Unlike: measure.Unlike(v.All), Compared: len(v.Deltas) > 1, Delta: v.delta, Cut: v.threshold}
	order := r.URL.Query().Get("order")
	rows := slices.Clone(v.All)
	slices.Reverse(rows)
	top := &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: strings.TrimPrefix(v.query("order", order), "?")} // another order begins anew
	if b.Heads, err = heads(top, "order", "number", rows, snapshotColumns()); err != nil {
		return err
	}
	b.Rows = behind(rows, v.before)
	if len(b.Rows) > rowsAPage {
		b.Rows = b.Rows[:rowsAPage]
		b.Next = b.Path + v.query("order", order, "before", strconv.Itoa(b.Rows[rowsAPage-1].Number))
	}
	if v.before > 0 {
		b.First = b.Path + v.query("order", order)
	}
	for _, k := range seriesKinds() {
		f := v.inline(k)
		if k.name == "sizes" {
			b.Sizes = f
		} else {
			b.Figures = append(b.Figures, f)
		}
	}
	if v.threshold != "" {
		b.Judged = []*report.Table{v.Novel(), v.Series.Judged()}
	}
	return s.show(w, r, "series.html", middle(60, v.Name), b)
}

// behind gives the rows behind that of a snapshot, 0: all of them. Of a snapshot that
// there is none of, those of smaller numbers.
func behind(rows []store.SeriesSnapshot, number int) []store.SeriesSnapshot {
	if number == 0 {
		return rows
	}
	if i := slices.IndexFunc(rows, func(s store.SeriesSnapshot) bool { return s.Number == number }); i >= 0 {
		return rows[i+1:]
	}
	return slices.DeleteFunc(rows, func(s store.SeriesSnapshot) bool { return s.Number > number })
}

// inline makes a figure to stand in the page of the series, with as many of the last
// snapshots as fit; its subtitle says how many there are.
func (v *seriesView) inline(k seriesKind) figureBody {
	drawn := *v.Series
	var f figureBody
	for {
		table, figure := k.make(&drawn)
		f = inline(k.name, k.title, seriesPath(v.Name, "/", k.name), table, figure, 40)
		if k.name == "sizes" || len(f.SVG) <= figureBytes || drawn.Panels <= 1 {
			break
		}
		drawn.Panels--
	}
	f.Query = v.query()
	f.Part = f.Part || k.name != "sizes" && len(v.All) > drawn.Panels
	return f
}

// seriesFigure answers with a figure alone: as a page with its whole table, or as
// SVG or CSV by the suffix of its address.
func (s *Server) seriesFigure(w http.ResponseWriter, r *http.Request) error {
	name, suffix, _ := strings.Cut(r.PathValue("figure"), ".")
	for _, k := range seriesKinds() {
		if k.name != name {
			continue
		}
		v, err := s.lookSeries(r, panelsAlone)
		if err != nil {
			return err
		}
		if len(v.Unstored) > 0 {
			return badRequest(strings.Join(v.Unstored, " "))
		}
		table, figure := k.make(v.Series)
		switch suffix {
		case "":
			svg := figure.SVG(chart.Options{ID: "figure-" + k.name, Inline: true, Bare: true, Width: figureWidth})
			f := figureOf(k.name, k.title, seriesPath(v.Name, "/", k.name), table, svg, false, 500)
			f.Query = v.query()
			return s.show(w, r, "figure.html", k.title, figurePage{seriesPath(v.Name) + v.query(), "Series " + middle(60, v.Name), f})
		case "svg":
			s.sendSVG(w, r, figure)
			return nil
		case "csv":
			return s.sendCSV(w, r, table, fmt.Sprintf("strandline-series-%s.csv", k.name))
		}
	}
	return notFound("A series has the figures sizes, convergence, distribution and accuracy, each also with .svg and .csv behind its name.")
}
