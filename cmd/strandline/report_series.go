package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
	"github.com/strandlinehq/strandline/store"
)

// mostPanels bounds the snapshots of a figure: the last ones are drawn.
const mostPanels = 12

// snapshotResult is a computed snapshot that can be compared with one before it.
type snapshotResult struct {
	store.SeriesSnapshot
	*store.NoveltyResult
}

// name is how a panel calls the snapshot.
func (s *snapshotResult) name() string {
	return fmt.Sprintf("%d: %s", s.Number, s.StartedAt.UTC().Format("2006-01-02"))
}

// results are the computed snapshots of the series.
func (r *reported) results(ctx context.Context) ([]snapshotResult, error) {
	all, err := r.Snapshots(ctx, r.series.ID)
	if err != nil {
		return nil, err
	}
	computed, err := r.Novelty(ctx, r.series.ID)
	if err != nil {
		return nil, err
	}
	var out []snapshotResult
	for _, s := range all {
		if res := computed[s.Number]; res != nil && !s.ComputedAt.IsZero() {
			out = append(out, snapshotResult{s, res})
		}
	}
	return out, nil
}

// drawn are the snapshots of a figure, with its subtitle: the last ones that have
// unidentified pages.
func (r *reported) drawn(all []snapshotResult, what string) ([]snapshotResult, string) {
	all = slices.DeleteFunc(slices.Clone(all), func(s snapshotResult) bool { return s.Unidentified == 0 })
	if len(all) <= mostPanels {
		return all, fmt.Sprintf("series %s, %s", r.series.Name, what)
	}
	return all[len(all)-mostPanels:], fmt.Sprintf("series %s, %s; the last %d of %d snapshots that have any", r.series.Name, what, mostPanels, len(all))
}

// noteEmpty says why there is nothing.
func noteEmpty(t *report.Table) {
	if len(t.Rows) == 0 {
		t.Note("There is nothing to show yet: it needs two computed snapshots of the series.")
	}
}

// reportSnapshots makes paper T's Tables 1 and 2 (SCIENCE T6).
func reportSnapshots(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
	all, err := r.Snapshots(ctx, r.series.ID)
	if err != nil {
		return nil, nil, err
	}
	f := chart.SnapshotSizes{Series: "series " + r.series.Name}
	for _, s := range all {
		f.Snapshots = append(f.Snapshots, chart.SnapshotSize{
			At: s.StartedAt, L2: float64(s.L2), Other: float64(s.OldOther), Unidentified: float64(s.Unidentified), Missing: s.ComputedAt.IsZero(),
		})
	}
	return snapshotTable(r.series.Name, all), f, nil
}

// reportConvergence makes paper T's Figure 1 (SCIENCE T4).
func reportConvergence(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
	all, err := r.results(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{Title: "How the scores of series " + r.series.Name + " come to rest", Columns: []string{"snapshot", "started", "delta", "iteration", "L1 change"}}
	for _, s := range all {
		for _, c := range s.Convergence {
			t.Add(s.Number, s.StartedAt, c.Delta, c.Iteration, c.L1)
		}
	}
	f := chart.Convergence{}
	var drawn []snapshotResult
	drawn, f.Subtitle = r.drawn(all, "sum over unidentified pages")
	for _, s := range drawn {
		p := chart.ConvergencePanel{Name: s.name()}
		for _, c := range s.Convergence {
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
	return t, f, nil
}

// reportDistribution makes paper T's Figures 2 to 4 and 8 to 10 (SCIENCE T5).
func reportDistribution(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
	all, err := r.results(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{
		Title:   "How novelty is spread over the unidentified pages of series " + r.series.Name,
		Columns: []string{"snapshot", "started", "delta", "above", "up to", "pages", "share", "cumulative"},
	}
	for _, s := range all {
		var sum, total int64
		for i, b := range s.Distribution {
			if i%chart.NoveltyBins == 0 {
				sum, total = 0, 0
				for _, c := range s.Distribution[i:min(i+chart.NoveltyBins, len(s.Distribution))] {
					total += c.Pages
				}
			}
			sum += b.Pages
			var above any
			if b.Bin > 0 {
				above = float64(b.Bin-1) / 10
			}
			t.Add(s.Number, s.StartedAt, b.Delta, above, float64(b.Bin)/10, b.Pages, quotient(b.Pages, total), quotient(sum, total))
		}
	}
	f := chart.Distribution{}
	var drawn []snapshotResult
	drawn, f.Subtitle = r.drawn(all, "unidentified pages")
	for _, s := range drawn {
		p := chart.DistributionPanel{Name: s.name()}
		for _, b := range s.Distribution {
			if n := len(p.Runs); n == 0 || p.Runs[n-1].Delta != b.Delta {
				p.Runs = append(p.Runs, chart.DistributionRun{Delta: b.Delta})
			}
			p.Runs[len(p.Runs)-1].Counts[b.Bin] = float64(b.Pages)
		}
		f.Panels = append(f.Panels, p)
	}
	noteEmpty(t)
	t.Note("Bins: novelty 0, then tenths that hold their upper edge. 0 means that nothing is known, not that the page is old.")
	return t, f, nil
}

// reportAccuracy makes paper T's Table 3, Figures 5 to 7 and the miss rate (SCIENCE
// T7 to T9).
func reportAccuracy(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
	all, err := r.results(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{
		Title:   "How well novelty tells new pages, by pages of a known age: series " + r.series.Name,
		Columns: []string{"snapshot", "started", "truth", "old", "new", "future", "delta", "threshold", "judged", "hits", "precision", "recall"},
	}
	f := chart.PrecisionRecall{}
	drawn, subtitle := r.drawn(all, "pages with a month in their URL")
	f.Subtitle = subtitle
	for _, s := range all {
		truths := map[string]store.NoveltyTruth{}
		for _, truth := range s.Truths {
			truths[truth.Truth] = truth
		}
		p := chart.AccuracyPanel{Name: s.name()}
		for _, a := range s.Accuracy {
			truth := truths[a.Truth]
			if truth.Old+truth.New+truth.Future == 0 {
				continue // nothing is dated: no figure is defined
			}
			precision, recall := quotient(a.Hits, a.Judged), quotient(a.Hits, truth.New+truth.Future)
			t.Add(s.Number, s.StartedAt, a.Truth, truth.Old, truth.New, truth.Future, a.Delta, a.Threshold, a.Judged, a.Hits, precision, recall)
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
		shown := slices.ContainsFunc(drawn, func(d snapshotResult) bool { return d.Number == s.Number })
		if shown && len(p.Runs) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	noteTruth(t, all)
	return t, f, nil
}

// noteTruth says what the accuracy rests on, and how often the measure misses.
func noteTruth(t *report.Table, all []snapshotResult) {
	var dated eval.Dated
	var undated int64
	without := 0
	for _, s := range all {
		for _, truth := range s.Truths {
			if truth.Truth != "url" {
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
	t.Note("Novel: dated in the month of the snapshot before or later. Threshold 0 judges all pages novel: the baseline.")
	t.Note("Paper: baselines 0.6734, 0.7598 and 0.6689; about 20 %%, 40 %% and 20 %% of old pages get novelty above 0.")
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
