package pagereport

import (
	"context"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/terms"
)

// Terms prints the page's part of paper A's Table 3 (SCIENCE A25), and draws when its terms were there.
func (r *Page) Terms(ctx context.Context) (*report.Table, chart.Figure, error) {
	const top, side = 20, 10
	t := &report.Table{
		Title:   "Terms of " + r.Page.URL,
		Columns: []string{"part", "term", "fleeting", "staying power", "divergence", "divergence at first", "share of words", "share in all pages"},
	}
	all, err := r.Analysis.Divergences(ctx, r.DB)
	if err != nil {
		return nil, nil, err
	}
	of := make(map[string]monitor.Diverged, len(all))
	scored := make([]terms.Scored, len(all))
	unknown, noPower := 0, 0
	for i, d := range all {
		of[d.Term], scored[i] = d, d.Scored
		if !d.HasDiv {
			unknown++
		}
		if !d.HasPower {
			noPower++
		}
	}
	table := terms.Select(scored, top, side)
	list := func(part string, rows []terms.Scored) {
		for _, s := range rows {
			var power, div, at, col *float64
			if s.HasPower {
				power = &s.Power
			}
			d := of[s.Term]
			if s.HasDiv {
				div, col = &s.Div, &d.PCol
			}
			if s.HasAt {
				at = &s.At
			}
			t.Add(part, s.Term, s.HasPower && s.Power < terms.Fleeting, power, div, at, d.PDoc, col)
		}
	}
	list("first hour", table.Start)
	list("lasting, high", table.High)
	list("lasting, low", table.Low)
	t.Note("First hour: at most %d terms with the greatest divergence from all pages seen in the hour of the page's first version; fleeting ones have a staying power below %g.", top, terms.Fleeting)
	t.Note("Lasting: terms with a staying power above %g, at most %d of those with the greatest and of those with the least divergence over all versions.", terms.Lasting, side)
	if noPower > 0 {
		t.Note("%d terms have no staying power: the page has words in fewer than two hourly versions.", noPower)
	}
	if len(all) == 0 {
		t.Note("No version has words.")
	}
	c, err := r.DB.Collection(ctx)
	if err != nil {
		return nil, nil, err
	}
	t.Note("Divergence is P(w|page) ln(P(w|page)/P(w|all pages)). The model of all pages has %d terms from %d versions in %d hours.", c.Terms, c.Versions, c.Slots)
	if unknown > 0 && c.Slots > 0 {
		t.Note("%d terms are not in it, so that their divergence is empty: they are newer than it, or have less than %.2g of all words.", unknown, c.CutShare())
	}
	if c.Waiting > 0 {
		t.Note("It is not up to date: what was fetched lately is not in it yet.")
	}
	r.noteTerms(t)
	_, figure, err := r.Lifespans(ctx) // the same terms, over time
	return t, figure, err
}
