package main

import (
	"fmt"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/classes"
	"github.com/strandlinehq/strandline/store"
)

// noteTotals prints what the paper prints over all of its pages beside ours
// (SCIENCE A13, A19).
func noteTotals(t *report.Table, all *class) {
	p := classes.Printed()
	pages := float64(p.Unchanged + p.Changed)
	shapes := float64(p.Flat + p.Sloped + p.Knotted)
	ours := func(format string, v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf(format, *v)
	}
	share := func(n, of float64) *float64 {
		if of == 0 {
			return nil
		}
		x := 100 * n / of
		return &x
	}
	fitted := float64(all.flat + all.sloped + all.knotted)
	var b strings.Builder
	for _, row := range []struct {
		what, format string
		ours         *float64
		paper        float64
	}{
		{"unchanged %", "%.1f", share(float64(all.unchanged), float64(all.pages)), 100 * float64(p.Unchanged) / pages},
		{"mean hours", "%.0f", mean(all.gaps), p.HoursMean},
		{"mean Dice", "%.3f", mean(all.dices), p.DiceMean},
		{"flat %", "%.1f", share(float64(all.flat), fitted), 100 * float64(p.Flat) / shapes},
		{"sloped %", "%.1f", share(float64(all.sloped), fitted), 100 * float64(p.Sloped) / shapes},
		{"knotted %", "%.1f", share(float64(all.knotted), fitted), 100 * float64(p.Knotted) / shapes},
		{"knot hours mean", "%.0f", mean(all.knotHours), p.KnotHoursMean},
		{"median", "%.0f", median(all.knotHours), p.KnotHoursMedian},
		{"knot Dice mean", "%.2f", mean(all.knotDices), p.KnotDiceMean},
		{"median", "%.2f", median(all.knotDices), p.KnotDiceMedian},
	} {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %s (%s)", row.what, ours(row.format, row.ours), fmt.Sprintf(row.format, row.paper))
	}
	t.Note("Ours, and in brackets the paper's of %d pages in five weeks of 2007: %s.", p.Unchanged+p.Changed, b.String())
}

// noteWeights prints the means as estimates for the log that the pages were drawn
// from, where they were: each page counts for those that it stands for, and those
// added for their visitors not at all (SCIENCE A2).
func noteWeights(t *report.Table, pages []store.PageChange) {
	var total, unchanged, hours, hoursOf, dice, diceOf float64
	drawn, added := 0, 0
	for _, p := range pages {
		switch {
		case p.Weight == nil:
			continue
		case *p.Weight == 0:
			added++
			continue
		}
		drawn++
		w := float64(*p.Weight)
		total += w
		if p.Changes == 0 {
			unchanged += w
		}
		if p.Gap != nil {
			hours, hoursOf = hours+w**p.Gap, hoursOf+w
		}
		if p.Dice != nil {
			dice, diceOf = dice+w**p.Dice, diceOf+w
		}
	}
	if drawn == 0 || hoursOf == 0 || diceOf == 0 {
		return
	}
	t.Note("Weighted back to the log by the %d pages drawn from it: %.1f %% unchanged, mean hours %.4g, mean Dice %.3f; %d pages added for their visitors are left out of this only.",
		drawn, 100*unchanged/total, hours/hoursOf, dice/diceOf, added)
}
