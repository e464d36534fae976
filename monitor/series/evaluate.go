package series

import (
	"context"
	"fmt"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
	"github.com/strandlinehq/strandline/store"
)

// truthURL is the truth of dated URLs: the month in a page's URL is when it appeared.
const truthURL = "url"

// firstYear is the first one that counts as a year in a URL (SCIENCE T8); the last
// one is the year after the snapshot.
const firstYear = 1993

// mostSteps bounds the iterations whose differences are kept: with delta 0 scores
// may take thousands to settle.
const mostSteps = 200

// evaluation collects what the scores of a snapshot are judged by.
type evaluation struct {
	set    *pageSet
	graph  *novelty.Graph
	dated  []int  // pages of U with a month, by their numbers within U
	novel  []bool // and whether that makes them novel
	counts eval.Dated
}

func newEvaluation(set *pageSet, graph *novelty.Graph) *evaluation {
	e := &evaluation{set: set, graph: graph}
	previous, current := eval.MonthOf(set.before.StartedAt), eval.MonthOf(set.snapshot.StartedAt)
	for _, c := range set.pages {
		index, ok := graph.Index(uint32(c.page.Number()))
		if !ok || c.month == 0 {
			continue
		}
		age := eval.AgeOf(c.month, previous, current)
		e.counts.Add(age)
		e.dated, e.novel = append(e.dated, index), append(e.novel, age != eval.Old)
	}
	return e
}

// truth is the row of the snapshot's dated URLs (SCIENCE T8).
func (e *evaluation) truth() store.NoveltyTruth {
	return store.NoveltyTruth{
		Truth: truthURL, Old: int64(e.counts.Old), New: int64(e.counts.New), Future: int64(e.counts.Future),
		Undated: int64(e.graph.Len()) - int64(e.counts.Total()),
	}
}

// add judges the scores of one delta (SCIENCE T4, T5, T7).
func (e *evaluation) add(res *store.NoveltyResult, delta float64, run *novelty.Scores[float32]) {
	for i, l1 := range run.L1[:min(len(run.L1), mostSteps)] {
		res.Convergence = append(res.Convergence, store.NoveltyStep{Delta: delta, Iteration: i + 1, L1: l1})
	}
	for bin, pages := range eval.Distribute(run.N) {
		res.Distribution = append(res.Distribution, store.NoveltyBin{Delta: delta, Bin: bin, Pages: int64(pages)})
	}
	scores := make([]float32, len(e.dated))
	for i, index := range e.dated {
		scores[i] = run.N[index]
	}
	for _, a := range eval.Judge(scores, e.novel, eval.Thresholds()) {
		res.Accuracy = append(res.Accuracy, store.NoveltyAccuracy{
			Truth: truthURL, Delta: delta, Threshold: a.Threshold, Judged: int64(a.Judged), Hits: int64(a.Hits),
		})
	}
}

// misses scores the snapshot by the first rule alone and looks how pages fare that
// their Last-Modified shows to be old (SCIENCE T9).
func misses(ctx context.Context, res *store.NoveltyResult, set *pageSet, l *links, opt Options) error {
	classes, err := novelty.Classify(ctx, set.flags, l, novelty.RuleKnown, l.workers())
	if err != nil {
		return fmt.Errorf("classes by the first rule: %w", err)
	}
	var old []uint32
	for _, c := range set.pages {
		number := uint32(c.page.Number())
		if classes[number] == novelty.Unidentified && set.flags[number]&novelty.Modified != 0 {
			old = append(old, number)
		}
	}
	if len(old) == 0 {
		for _, delta := range opt.deltas() {
			res.Misses = append(res.Misses, store.NoveltyMiss{Delta: delta})
		}
		return nil
	}
	graph, err := novelty.Build(ctx, classes, l, novelty.BuildOptions{Workers: l.workers(), Distinct: true})
	if err != nil {
		return fmt.Errorf("links of unidentified pages by the first rule: %w", err)
	}
	for _, delta := range opt.deltas() {
		run, err := novelty.Score[float32](ctx, graph, novelty.ScoreOptions{Delta: delta, Iterations: opt.Iterations})
		if err != nil {
			return fmt.Errorf("novelty by the first rule: %w", err)
		}
		scores := make([]float32, len(old))
		for i, number := range old {
			index, _ := graph.Index(number)
			scores[i] = run.N[index]
		}
		m := eval.Miss(scores)
		res.Misses = append(res.Misses, store.NoveltyMiss{
			Delta: delta, Pages: int64(m.Old), AboveZero: int64(m.Positive), AboveTenth: int64(m.Tenth),
		})
	}
	return nil
}
