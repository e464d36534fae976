package series

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
	"github.com/strandlinehq/strandline/store"
)

// ErrLarge means that a series is too large to be computed while somebody waits.
var ErrLarge = errors.New("the series is too large to be computed on the fly")

// Bounds of what Try computes: all of it takes some tenths of a second.
const (
	tryPages   = 20_000     // in all snapshots
	tryLinks   = 500_000    // in all snapshots
	tryNumbers = 20_000_000 // pages that the database knows, once for each snapshot
)

// Trial says what Try computes.
type Trial struct {
	Deltas     []float64 // decays of novelty per link
	Thresholds []float64 // nil: those of the paper
}

// Try computes the novelty of the computed snapshots of a series by other parameters, and
// stores nothing: how the scores settle and are spread, and how well they tell pages
// with a month in their URL, by number of snapshot. Classes come by the rules that the
// snapshot was computed by, with as many iterations. The error is ErrLarge for a
// series that takes long.
func Try(ctx context.Context, db *store.DB, id store.SeriesID, trial Trial) (map[int]*store.NoveltyResult, error) {
	all, err := db.Snapshots(ctx, id)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s store.SeriesSnapshot) bool { return !s.Ended() })
	numbers, err := db.PageNumbers(ctx)
	if err != nil {
		return nil, err
	}
	var pages, links int64
	for _, s := range all {
		pages, links = pages+s.Pages, links+s.Links
	}
	if pages > tryPages || links > tryLinks || numbers*int64(len(all)) > tryNumbers {
		return nil, ErrLarge
	}
	out := map[int]*store.NoveltyResult{}
	for i := range all {
		if s := &all[i]; !s.ComputedAt.IsZero() {
			if out[s.Number], err = try(ctx, db, s, all[:i], trial); err != nil {
				return nil, fmt.Errorf("try snapshot %d: %w", s.Number, err)
			}
		}
	}
	return out, nil
}

// try computes one snapshot; of the first nothing can be said.
func try(ctx context.Context, db *store.DB, snapshot *store.SeriesSnapshot, earlier []store.SeriesSnapshot, trial Trial) (*store.NoveltyResult, error) {
	res := &store.NoveltyResult{}
	set, err := readPages(ctx, db, snapshot, earlier)
	if err != nil || set.before == nil {
		return res, err
	}
	l, err := openLinks(ctx, db, set, defaultLinkBytes)
	if err != nil {
		return nil, err
	}
	seen, err := survey(l, set)
	if err != nil {
		return nil, err
	}
	if _, err := set.dropEndless(l, seen); err != nil {
		return nil, err
	}
	set.knowAliases()
	classes, err := classify(ctx, db, set, l, rulesNamed(snapshot.Rules))
	if err != nil {
		return nil, err
	}
	graph, err := novelty.Build(ctx, classes, l, novelty.BuildOptions{Workers: l.workers(), Distinct: true})
	if err != nil {
		return nil, fmt.Errorf("links of unidentified pages: %w", err)
	}
	dated := datedURLs(set, graph)
	res.Truths = append(res.Truths, dated.row())
	thresholds := trial.Thresholds
	if thresholds == nil {
		thresholds = eval.Thresholds()
	}
	for _, delta := range trial.Deltas {
		run, err := novelty.Score[float32](ctx, graph, novelty.ScoreOptions{Delta: delta, Iterations: max(1, snapshot.Iterations)})
		if err != nil {
			return nil, fmt.Errorf("novelty: %w", err)
		}
		judge(res, []*truth{dated}, delta, thresholds, run)
	}
	return res, nil
}
