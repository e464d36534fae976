package pagereport

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/terms"
)

// Changes lists the changes of a page (paper A Figure 2; SCIENCE A9).
func (r *Page) Changes(ctx context.Context) (*report.Table, chart.Figure, error) {
	t := &report.Table{Title: "Changes of " + r.Page.URL, Columns: []string{"version", "time", "hours since the last change", "dice", "words added", "words removed", "censored"}}
	f := chart.ChangeScatter{Page: r.Page.URL}
	rows, err := r.DB.Pool().Query(ctx, `select version, changed_at, hours, dice, words_added, words_removed from api_v1.change
		where bucket = $2 and page_id = $1 and text_changed and not masked order by version`, r.Page.ID, r.Page.ID.Bucket())
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var version, added, removed int32
		var at time.Time
		var hours, dice float64
		if err := rows.Scan(&version, &at, &hours, &dice, &added, &removed); err != nil {
			return nil, nil, err
		}
		first := len(t.Rows) == 0
		t.Add(version, at, hours, dice, added, removed, first)
		f.Changes = append(f.Changes, chart.IntervalChange{Hours: hours, Dice: dice, Censored: first, Words: stamp(at)})
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	r.noteCover(t)
	if len(t.Rows) == 0 {
		t.Note("The text did not change.")
	} else {
		t.Note("The first change is censored: what was there before may have stood for longer than the hours say.")
	}
	return t, f, nil
}

// Curve prints the change curve with its fit (paper A Figure 4; SCIENCE A15
// to A20).
func (r *Page) Curve(_ context.Context) (*report.Table, chart.Figure, error) {
	a := r.Analysis
	t := &report.Table{Title: "Change curve of " + a.URL, Columns: []string{"step", "hours", "dice", "support", "fitted"}}
	f := chart.ChangeCurve{Page: a.URL}
	for step := range a.Curve.Value {
		y, ok := a.Curve.At(step)
		if !ok {
			f.Mean = append(f.Mean, chart.Point{X: float64(step), Y: math.NaN()}) // drawn as a gap
			continue
		}
		f.Mean = append(f.Mean, chart.Point{X: float64(step), Y: y})
		t.Add(step, float64(step), y, a.Curve.Support[step], step <= a.Curve.Full)
	}
	for _, c := range a.Each {
		var line []chart.Point
		for step := range c.Value {
			y, ok := c.At(step)
			switch {
			case ok:
				line = append(line, chart.Point{X: float64(step), Y: y})
			case len(line) > 0 && !math.IsNaN(line[len(line)-1].Y):
				line = append(line, chart.Point{X: float64(step), Y: math.NaN()}) // drawn as a gap
			}
		}
		f.Starts = append(f.Starts, line)
	}
	fit, shape := a.Curve.Shape()
	at := func(l curve.Line, x float64) chart.Point { return chart.Point{X: x, Y: l.At(x)} }
	switch shape {
	case curve.Knotted:
		t.Note("Knotted: it levels off after %.4g hours at a Dice of %.3f; slopes %.3g and %.3g an hour, squared error %.3g.",
			fit.X, fit.Y, fit.First.Slope, fit.Second.Slope, fit.SSE)
		f.Knot = &chart.Point{X: fit.X, Y: fit.Y}
		f.Fit = []chart.Fitted{{From: at(fit.First, fit.From), To: *f.Knot}, {From: *f.Knot, To: at(fit.Second, fit.To)}}
	case curve.Flat, curve.Sloped:
		t.Note("%s: slope %.3g an hour, squared error %.3g; no knot.", shape, fit.Line.Slope, fit.Line.SSE)
		f.Shape = shape.String()
		f.Fit = []chart.Fitted{{From: at(fit.Line, fit.From), To: at(fit.Line, fit.To)}}
	default:
		t.Note("No shape: fewer than three distances have a value for all starts.")
	}
	t.Note("Starts at slots %d; the fit uses the %d points up to step %d, which all starts reach; %d steps without a pair of versions are left out.",
		a.Starts, fit.Points, a.Curve.Full, len(a.Curve.Value)-len(t.Rows))
	r.noteCover(t)
	return t, f, nil
}

// Lifespans lists when each term was there (paper A Figure 5; SCIENCE A21).
func (r *Page) Lifespans(_ context.Context) (*report.Table, chart.Figure, error) {
	a := r.Analysis
	t := &report.Table{Title: "Term lifespans of " + a.URL, Columns: []string{"term", "first", "last", "versions", "stretches", "staying power"}}
	f := chart.TermLifespans{Page: a.URL}
	for _, slot := range a.Observed {
		f.Versions = append(f.Versions, a.SlotTime(slot))
	}
	index := func(slot int) int { // of the first version at or after it
		i, _ := slices.BinarySearch(a.Observed, slot)
		return i
	}
	for _, w := range a.Terms {
		t.Add(w.Term, a.SlotTime(w.First()), a.SlotTime(w.Last()), w.Versions, len(w.Spans), powerOf(w))
		row := chart.TermRow{Term: w.Term}
		for _, s := range w.Spans {
			row.Spans = append(row.Spans, [2]int{index(s.From), index(s.To)})
		}
		switch {
		case w.HasPower && w.Power > terms.Lasting:
			row.Lasting = w.PDoc
		case w.HasPower && w.Power < terms.Fleeting:
			row.Passing = w.PDoc
		}
		f.Terms = append(f.Terms, row)
	}
	t.Note("The order is that of the figure from the bottom up. Slots without a version do not end a stretch.")
	if len(f.Terms) > chart.MaxTerms {
		t.Note("The figure shows an even selection of %d of the %d terms.", chart.MaxTerms, len(f.Terms))
	}
	r.noteTerms(t)
	return t, f, nil
}

// powerOf returns the staying power of a term, nil where it is not defined.
func powerOf(w terms.Row) *float64 {
	if !w.HasPower {
		return nil
	}
	return &w.Power
}

// noteTerms says what the terms are.
func (r *Page) noteTerms(t *report.Table) {
	if s := r.Analysis.Sampled; s < 1 {
		t.Note("The page has too many terms to keep: these are a fair sample of %.3g %%, each exact.", 100*s)
	}
	r.noteCover(t)
}

// StayingPower prints the distribution of the staying powers (paper A Figure
// 6; SCIENCE A23).
func (r *Page) StayingPower(_ context.Context) (*report.Table, chart.Figure, error) {
	const bins = 20
	var powers []float64
	for _, w := range r.Analysis.Terms {
		if w.HasPower {
			powers = append(powers, w.Power)
		}
	}
	h := terms.NewHistogram(powers, bins)
	t := &report.Table{Title: "Staying power of the terms of " + r.Page.URL, Columns: []string{"from", "to", "terms"}}
	f := chart.StayingPower{Page: r.Page.URL, Fleeting: h.Fleeting, Lasting: h.Lasting, Bins: chart.Bins{Edges: h.Edges}}
	for i, n := range h.Counts {
		t.Add(h.Edges[i], h.Edges[i+1], n)
		f.Bins.Counts = append(f.Bins.Counts, float64(n))
	}
	if share, ok := h.Bimodality(); ok {
		t.Note("%d terms: %d fleeting (below %g), %d lasting (above %g), together %.1f %%.", h.Terms, h.Fleeting, terms.Fleeting, h.Lasting, terms.Lasting, 100*share)
	} else {
		t.Note("Staying power is not defined for a page that has words in fewer than two hourly versions.")
	}
	t.Note("A bin holds its lower edge, the last one both. %d terms without a staying power are left out.", len(r.Analysis.Terms)-len(powers))
	r.noteTerms(t)
	return t, f, nil
}
