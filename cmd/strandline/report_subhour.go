package main

import (
	"context"
	"math"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/classes"
	"github.com/strandlinehq/strandline/store"
)

// reportSubhour makes paper A's Table 2, the paper's rows beside ours (SCIENCE A6,
// A7, A13). It has no figure: the paper has none, and five rows are read sooner than
// drawn.
func reportSubhour(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
	rows, err := r.SubhourChanges(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{Title: "Change within the hour, of the pages that change in nearly every slot", Columns: []string{
		"minutes", "pages", "any", "any %", "nearly all", "nearly all %", "all", "all %", "dice mean", "dice median",
		"paper any", "paper any %", "paper all", "paper all %", "paper dice mean", "paper dice median",
	}}
	printed := classes.Printed()
	share := func(n, of int64) any {
		if of == 0 {
			return nil
		}
		return 100 * float64(n) / float64(of)
	}
	add := func(minutes float64, ours []any) {
		row := append([]any{math.Round(minutes*1000) / 1000}, ours...)
		paper := make([]any, 6)
		for _, p := range printed.Subhour {
			if math.Abs(float64(p.Minutes)-minutes) < 1e-9 {
				of := int64(printed.SubhourPages)
				paper = []any{p.Any, share(int64(p.Any), of), p.All, share(int64(p.All), of), p.DiceMean, p.DiceMedian}
			}
		}
		t.Add(append(row, paper...)...)
	}
	have := map[float64]bool{}
	for _, s := range rows {
		have[s.Minutes] = true
	}
	for _, p := range printed.Subhour { // an interval without a pair shows the paper's row all the same
		if m := float64(p.Minutes); !have[m] {
			i := 0
			for i < len(rows) && rows[i].Minutes < m {
				i++
			}
			rows = append(rows[:i:i], append([]store.SubhourChange{{Minutes: m}}, rows[i:]...)...)
		}
	}
	for _, s := range rows {
		add(s.Minutes, []any{
			s.Pages, s.Any, share(s.Any, s.Pages), s.NearlyAll, share(s.NearlyAll, s.Pages), s.All, share(s.All, s.Pages), s.DiceMean, s.DiceMedian,
		})
	}
	t.Note("Minutes are from the first snapshot of a round to each of the others; 0 are two requests at one moment, 60 the slots of the watch's own schedule.")
	t.Note("Any: the text differs in one pair at least; nearly all: in nine of ten; all: in every valid pair. A fetch that failed or came outside of its tolerance takes its pairs out.")
	t.Note("Shares are of our pages with a valid pair, which all change nearly every hour; the paper's are of all of its %d pages.", printed.SubhourPages)
	t.Note("Dice is the mean over pages of a page's pairs, those without change counting as 1; at 60 minutes of its slots, by the changes that no round and no pair found.")
	t.Note("Both requests at one moment come from one machine and one address, so what a site shows by address does not differ: the row at 0 minutes is a lower bound.")
	t.Note("The paper's text calls its 22,818 pages of the last row changed nearly every hour, its table in all; nearly all stands beside all for that.")
	if len(have) == 0 {
		t.Note("There is nothing of ours yet: no page of a watch with bursts has had a round.")
	}
	return t, nil, nil
}
