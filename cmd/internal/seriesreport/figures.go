package seriesreport

import (
	"fmt"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
	"github.com/strandlinehq/strandline/store"
)

// mostPanels bounds the snapshots of a figure where nothing else is asked for.
const mostPanels = 12

// name is how a panel calls the snapshot.
func (c *computed) name() string {
	return fmt.Sprintf("%d: %s", c.Number, c.StartedAt.UTC().Format("2006-01-02"))
}

// drawn are the snapshots of a figure, with its subtitle: the last ones that have
// unidentified pages.
func (s *Series) drawn(what string) ([]computed, string) {
	all := slices.DeleteFunc(slices.Clone(s.computed), func(c computed) bool { return c.Unidentified == 0 })
	most := s.Panels
	if most <= 0 {
		most = mostPanels
	}
	if len(all) <= most {
		return all, fmt.Sprintf("series %s, %s", s.Name, what)
	}
	return all[len(all)-most:], fmt.Sprintf("series %s, %s; the last %d of %d snapshots that have any", s.Name, what, most, len(all))
}

// noteEmpty says why there is nothing.
func noteEmpty(t *report.Table) {
	if len(t.Rows) == 0 {
		t.Note("There is nothing to show yet: it needs two computed snapshots of the series.")
	}
}

// Convergence makes paper T's Figure 1 (SCIENCE T4).
func (s *Series) Convergence() (*report.Table, chart.Figure) {
	t := &report.Table{Title: "How the scores of series " + s.Name + " come to rest", Columns: []string{"snapshot", "started", "delta", "iteration", "L1 change"}}
	for _, one := range s.computed {
		for _, c := range one.Convergence {
			t.Add(one.Number, one.StartedAt, c.Delta, c.Iteration, c.L1)
		}
	}
	f := chart.Convergence{}
	var drawn []computed
	drawn, f.Subtitle = s.drawn("sum over unidentified pages")
	for _, one := range drawn {
		p := chart.ConvergencePanel{Name: one.name()}
		for _, c := range one.Convergence {
			if n := len(p.Runs); n == 0 || p.Runs[n-1].Delta != c.Delta {
				p.Runs = append(p.Runs, chart.ConvergenceRun{Delta: c.Delta})
			}
			last := &p.Runs[len(p.Runs)-1]
			last.L1 = append(last.L1, c.L1)
		}
		f.Panels = append(f.Panels, p)
	}
	noteEmpty(t)
	t.Note("L1 change: sum over the unidentified pages of how much their scores changed in the iteration. It may rise at first, since one page can feed many.")
	t.Note("Paper: 10 iterations are enough for delta of 0.1 and more.")
	return t, f
}

// Distribution makes paper T's Figures 2 to 4 and 8 to 10 (SCIENCE T5).
func (s *Series) Distribution() (*report.Table, chart.Figure) {
	t := &report.Table{
		Title:   "How novelty is spread over the unidentified pages of series " + s.Name,
		Columns: []string{"snapshot", "started", "delta", "above", "up to", "pages", "share", "cumulative"},
	}
	for _, one := range s.computed {
		var sum, total int64
		for i, b := range one.Distribution {
			if i%chart.NoveltyBins == 0 {
				sum, total = 0, 0
				for _, c := range one.Distribution[i:min(i+chart.NoveltyBins, len(one.Distribution))] {
					total += c.Pages
				}
			}
			sum += b.Pages
			var above any
			if b.Bin > 0 {
				above = float64(b.Bin-1) / 10
			}
			t.Add(one.Number, one.StartedAt, b.Delta, above, float64(b.Bin)/10, b.Pages, quotient(b.Pages, total), quotient(sum, total))
		}
	}
	f := chart.Distribution{}
	var drawn []computed
	drawn, f.Subtitle = s.drawn("unidentified pages")
	for _, one := range drawn {
		p := chart.DistributionPanel{Name: one.name()}
		for _, b := range one.Distribution {
			if n := len(p.Runs); n == 0 || p.Runs[n-1].Delta != b.Delta {
				p.Runs = append(p.Runs, chart.DistributionRun{Delta: b.Delta})
			}
			p.Runs[len(p.Runs)-1].Counts[b.Bin] = float64(b.Pages)
		}
		f.Panels = append(f.Panels, p)
	}
	noteEmpty(t)
	t.Note("Bins: novelty 0, then tenths that hold their upper edge. 0 means that nothing is known, not that the page is old.")
	return t, f
}

// Accuracy makes paper T's Table 3, Figures 5 to 7 and the miss rate (SCIENCE
// T7 to T9).
func (s *Series) Accuracy() (*report.Table, chart.Figure) {
	t := &report.Table{
		Title:   "How well novelty tells new pages, by pages of a known age: series " + s.Name,
		Columns: []string{"snapshot", "started", "truth", "old", "new", "future", "delta", "threshold", "judged", "hits", "precision", "recall"},
	}
	f := chart.PrecisionRecall{Marked: s.threshold}
	drawn, subtitle := s.drawn("pages with a month in their URL")
	f.Subtitle = subtitle
	for _, one := range s.computed {
		truths := map[string]store.NoveltyTruth{}
		for _, truth := range one.Truths {
			truths[truth.Truth] = truth
		}
		p := chart.AccuracyPanel{Name: one.name()}
		for _, a := range one.Accuracy {
			truth := truths[a.Truth]
			if truth.Old+truth.New+truth.Future == 0 {
				continue // nothing is dated: no figure is defined
			}
			precision, recall := quotient(a.Hits, a.Judged), quotient(a.Hits, truth.New+truth.Future)
			t.Add(one.Number, one.StartedAt, a.Truth, truth.Old, truth.New, truth.Future, a.Delta, a.Threshold, a.Judged, a.Hits, precision, recall)
			if a.Truth != "url" {
				continue
			}
			if n := len(p.Runs); n == 0 || p.Runs[n-1].Delta != a.Delta {
				p.Runs = append(p.Runs, chart.AccuracyRun{Delta: a.Delta})
			}
			run := &p.Runs[len(p.Runs)-1]
			run.Threshold = append(run.Threshold, a.Threshold)
			run.Precision, run.Recall = append(run.Precision, orNaN(precision)), append(run.Recall, orNaN(recall))
		}
		shown := slices.ContainsFunc(drawn, func(d computed) bool { return d.Number == one.Number })
		if shown && len(p.Runs) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	noteTruth(t, s.computed)
	return t, f
}

// Judged tells how well novelty at the marked threshold tells new pages, by the
// months in their URLs (SCIENCE T7). It has no rows where none is marked.
func (s *Series) Judged() *report.Table {
	t := &report.Table{Columns: []string{"snapshot", "delta", "judged novel", "of them new", "precision", "recall"}}
	if s.threshold == nil {
		return t
	}
	t.Title = fmt.Sprintf("Dated pages judged novel from a novelty of %g on", *s.threshold)
	for _, c := range s.computed {
		var novel int64
		for _, truth := range c.Truths {
			if truth.Truth == "url" && truth.Old+truth.New+truth.Future > 0 {
				novel = truth.New + truth.Future
			}
		}
		all := c.Accuracy
		if s.judged != nil {
			all = s.judged[c.Number]
		}
		for _, a := range all {
			if a.Truth == "url" && a.Threshold == *s.threshold && novel+a.Judged > 0 {
				t.Add(c.Number, a.Delta, a.Judged, a.Hits, quotient(a.Hits, a.Judged), quotient(a.Hits, novel))
			}
		}
	}
	return t
}

// Novel tells how many pages the marked threshold judges novel, by the scores that the
// snapshots were computed with. It has no rows where none is marked.
func (s *Series) Novel() *report.Table {
	t := &report.Table{Columns: []string{"snapshot", "delta", "not known to be old, |U|", "judged novel", "share"}}
	if s.threshold == nil {
		return t
	}
	t.Title = fmt.Sprintf("Pages judged novel from a novelty of %g on", *s.threshold)
	for _, c := range s.All {
		if !c.ComputedAt.IsZero() && c.Unidentified > 0 {
			t.Add(c.Number, c.Delta, c.Unidentified, s.novel[c.Number], quotient(s.novel[c.Number], c.Unidentified))
		}
	}
	return t
}

// noteTruth says what the accuracy rests on, and how often the measure misses.
func noteTruth(t *report.Table, all []computed) {
	var dated, own eval.Dated
	var undated, silent int64
	without := 0
	for _, s := range all {
		for _, truth := range s.Truths {
			if truth.Truth != "url" {
				own.Old += uint64(truth.Old)
				own.New += uint64(truth.New)
				own.Future += uint64(truth.Future)
				silent += truth.Undated
				continue
			}
			if truth.Old+truth.New+truth.Future == 0 {
				without++
			}
			dated.Old += uint64(truth.Old)
			dated.New += uint64(truth.New)
			dated.Future += uint64(truth.Future)
			undated += truth.Undated
		}
		for _, m := range s.Misses {
			if m.Pages > 0 {
				t.Note("Snapshot %d, delta %g: of %d pages that Last-Modified shows to be old, %.1f %% get novelty above 0 and %.1f %% at least 0.1 when Last-Modified tells no page to be old.",
					s.Number, m.Delta, m.Pages, 100*float64(m.AboveZero)/float64(m.Pages), 100*float64(m.AboveTenth)/float64(m.Pages))
			}
		}
	}
	switch p, ok := dated.Baseline(); {
	case len(all) == 0:
		noteEmpty(t)
	case !ok:
		t.Note("No unidentified page of the %d snapshots has a month in its URL: nothing can be judged by it.", len(all))
	default:
		t.Note("Dated URLs of all snapshots: %d old, %d new, %d future, %d without a month; judging all novel has precision %.4f. %d snapshots have none.",
			dated.Old, dated.New, dated.Future, undated, p, without)
	}
	if p, ok := own.Baseline(); ok {
		t.Note("Pages that date themselves, by markup or text (truth page): %d old, %d new, %d without a date; judging all novel has precision %.4f.",
			own.Old, own.New+own.Future, silent, p)
	}
	t.Note("Novel: dated in the month of the snapshot before or later. Threshold 0 judges all pages novel: the baseline.")
	t.Note("Paper: baselines 0.6734, 0.7598 and 0.6689; about 20 %%, 40 %% and 20 %% of old pages get novelty above 0.")
}

// PrecisionRecall are those of a threshold by its truth (SCIENCE T7); nil where they are
// not defined.
func PrecisionRecall(res *store.NoveltyResult, a *store.NoveltyAccuracy) (precision, recall *float64) {
	for _, truth := range res.Truths {
		if truth.Truth == a.Truth && truth.Old+truth.New+truth.Future > 0 {
			return quotient(a.Hits, a.Judged), quotient(a.Hits, truth.New+truth.Future)
		}
	}
	return nil, nil // nothing is dated
}

// quotient is nil where it is not defined.
func quotient(a, b int64) *float64 {
	if b == 0 {
		return nil
	}
	q := float64(a) / float64(b)
	return &q
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
