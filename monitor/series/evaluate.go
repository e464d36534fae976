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

// truth is pages of U whose age is known from elsewhere.
type truth struct {
	name   string
	pages  []int  // by their numbers within U
	novel  []bool // whether their age makes them novel
	counts eval.Dated
	asked  int // pages that were looked at
}

// ages are the months that a page's own is held against.
type ages struct{ previous, current eval.Month }

func agesOf(set *pageSet) ages {
	return ages{eval.MonthOf(set.before.StartedAt), eval.MonthOf(set.snapshot.StartedAt)}
}

// add takes a page of U with its month.
func (t *truth) add(index int, month eval.Month, a ages) {
	age := eval.AgeOf(month, a.previous, a.current)
	t.counts.Add(age)
	t.pages, t.novel = append(t.pages, index), append(t.novel, age != eval.Old)
}

// row is the truth as it is stored (SCIENCE T8).
func (t *truth) row() store.NoveltyTruth {
	return store.NoveltyTruth{
		Truth: t.name, Old: int64(t.counts.Old), New: int64(t.counts.New), Future: int64(t.counts.Future),
		Undated: int64(t.asked) - int64(t.counts.Total()),
	}
}

// datedURLs are the pages of U with a month in their URL.
func datedURLs(set *pageSet, graph *novelty.Graph) *truth {
	t := &truth{name: truthURL, asked: graph.Len()}
	a := agesOf(set)
	for _, c := range set.pages {
		if index, ok := graph.Index(uint32(c.page.Number())); ok && c.month != 0 {
			t.add(index, c.month, a)
		}
	}
	return t
}

// judge holds the scores of one delta against the truths (SCIENCE T4, T5, T7).
func judge(res *store.NoveltyResult, truths []*truth, delta float64, thresholds []float64, run *novelty.Scores[float32]) {
	for i, l1 := range run.L1[:min(len(run.L1), mostSteps)] {
		res.Convergence = append(res.Convergence, store.NoveltyStep{Delta: delta, Iteration: i + 1, L1: l1})
	}
	for bin, pages := range eval.Distribute(run.N) {
		res.Distribution = append(res.Distribution, store.NoveltyBin{Delta: delta, Bin: bin, Pages: int64(pages)})
	}
	for _, t := range truths {
		scores := make([]float32, len(t.pages))
		for i, index := range t.pages {
			scores[i] = run.N[index]
		}
		for _, a := range eval.Judge(scores, t.novel, thresholds) {
			res.Accuracy = append(res.Accuracy, store.NoveltyAccuracy{
				Truth: t.name, Delta: delta, Threshold: a.Threshold, Judged: int64(a.Judged), Hits: int64(a.Hits),
			})
		}
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
