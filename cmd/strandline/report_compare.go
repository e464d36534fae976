package main

import (
	"fmt"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/classes"
	"github.com/strandlinehq/strandline/store"
)

const (
	// permutations is how often classes are dealt anew; with very many pages less
	// often, since even small differences stand out then.
	permutations    = 10_000
	permutationsFew = 1_000
	manyPages       = 20_000

	// namedPairs is how many pairs a note names.
	namedPairs = 12
)

// noteDifferences says which classes differ by more than chance, and names those
// that do not, which the paper marks with a star (SCIENCE A12).
func noteDifferences(t *report.Table, pages []store.PageChange) {
	var forHours, forDice []classes.Page
	for _, p := range pages {
		c := classes.Page{
			Labels:  labelsOf(p),
			Changes: int(p.Changes),
		}
		if p.Dice != nil {
			c.Dice = *p.Dice
			forDice = append(forDice, c)
		}
		if p.Gap != nil {
			c.Hours = *p.Gap
			forHours = append(forHours, c)
		}
	}
	opt := classes.Options{Permutations: permutations}
	if len(pages) > manyPages {
		opt.Permutations = permutationsFew
	}
	tested := 0
	for _, kind := range kindsOf() {
		for _, m := range []struct {
			classes.Measured
			pages []classes.Page
		}{{classes.Hours, forHours}, {classes.Dice, forDice}} {
			pairs := classes.Compare(m.pages, kind, m.Measured, opt)
			if len(pairs) == 0 {
				continue
			}
			tested++
			var not, differ []string
			for _, p := range pairs {
				pair := fmt.Sprintf("%s and %s (p=%.3g)", p.A, p.B, p.Corrected)
				if p.Significant {
					differ = append(differ, pair)
				} else {
					not = append(not, pair)
				}
			}
			// The shorter list tells the other.
			said := fmt.Sprintf("%d of %d pairs of classes differ significantly", len(differ), len(pairs))
			switch {
			case len(not) == 0:
				said = fmt.Sprintf("all %d pairs of classes differ significantly", len(pairs))
			case len(differ) == 0:
				said = fmt.Sprintf("none of %d pairs of classes differs significantly", len(pairs))
			case len(differ) < len(not):
				said += ", namely " + some(differ)
			default:
				said += "; not " + some(not)
			}
			t.Note("Mean %s by %s: %s.", m.Measured, kind, said)
		}
	}
	if tested > 0 {
		t.Note("Significant: p below 0.05 by %d permutations of the pages that changed, corrected by Holm over the pairs of a kind; at most 24 classes of a kind are compared, those with most pages.", opt.Permutations)
	} else {
		t.Note("There are no two classes of pages that changed to compare.")
	}
}

// some names the first of a list of pairs.
func some(pairs []string) string {
	more := ""
	if n := len(pairs); n > namedPairs {
		pairs, more = pairs[:namedPairs], fmt.Sprintf(" and %d more", n-namedPairs)
	}
	return strings.Join(pairs, ", ") + more
}
