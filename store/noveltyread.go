package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var (
	qConvergenceOf = statement{local, `
		select n.snapshot, c.delta, c.iteration, c.l1
		from core.snapshot_convergence c join core.numbered_snapshot n using (snapshot_id)
		where n.series_id = $1 order by n.snapshot, c.delta, c.iteration`}
	qDistributionOf = statement{local, `
		select n.snapshot, d.delta, d.bin, d.pages
		from core.snapshot_distribution d join core.numbered_snapshot n using (snapshot_id)
		where n.series_id = $1 order by n.snapshot, d.delta, d.bin`}
	qTruthOf = statement{local, `
		select n.snapshot, t.truth, t.old, t.new, t.future, t.undated
		from core.snapshot_truth t join core.numbered_snapshot n using (snapshot_id)
		where n.series_id = $1 order by n.snapshot, t.truth`}
	qAccuracyOf = statement{local, `
		select n.snapshot, a.truth, a.delta, a.threshold, a.judged, a.hits
		from core.snapshot_accuracy a join core.numbered_snapshot n using (snapshot_id)
		where n.series_id = $1 order by n.snapshot, a.truth, a.delta, a.threshold`}
	qMissOf = statement{local, `
		select n.snapshot, m.delta, m.pages, m.above_zero, m.above_tenth
		from core.snapshot_miss m join core.numbered_snapshot n using (snapshot_id)
		where n.series_id = $1 order by n.snapshot, m.delta`}
	qJudgedNovel = statement{all, `
		select n.snapshot, count(*) filter (where v.novelty >= $2::float8::real)
		from core.numbered_snapshot n join core.snapshot_novelty v using (snapshot_id)
		where n.series_id = $1 and v.class = 'U' group by n.snapshot`}
)

// Novelty returns what was computed of the snapshots of a series, by their numbers.
// The rows are in order; snapshots of which nothing was computed are left out.
func (db *DB) Novelty(ctx context.Context, series SeriesID) (map[int]*NoveltyResult, error) {
	out := map[int]*NoveltyResult{}
	of := func(number int) *NoveltyResult {
		if out[number] == nil {
			out[number] = &NoveltyResult{}
		}
		return out[number]
	}
	var number int
	var step NoveltyStep
	var bin NoveltyBin
	var truth NoveltyTruth
	var accuracy NoveltyAccuracy
	var miss NoveltyMiss
	for _, q := range []struct {
		statement
		row []any
		add func()
	}{
		{qConvergenceOf, []any{&number, &step.Delta, &step.Iteration, &step.L1}, func() {
			of(number).Convergence = append(of(number).Convergence, step)
		}},
		{qDistributionOf, []any{&number, &bin.Delta, &bin.Bin, &bin.Pages}, func() {
			of(number).Distribution = append(of(number).Distribution, bin)
		}},
		{qTruthOf, []any{&number, &truth.Truth, &truth.Old, &truth.New, &truth.Future, &truth.Undated}, func() {
			of(number).Truths = append(of(number).Truths, truth)
		}},
		{qAccuracyOf, []any{&number, &accuracy.Truth, &accuracy.Delta, &accuracy.Threshold, &accuracy.Judged, &accuracy.Hits}, func() {
			of(number).Accuracy = append(of(number).Accuracy, accuracy)
		}},
		{qMissOf, []any{&number, &miss.Delta, &miss.Pages, &miss.AboveZero, &miss.AboveTenth}, func() {
			of(number).Misses = append(of(number).Misses, miss)
		}},
	} {
		rows, err := db.pool.Query(ctx, q.sql, series)
		if err != nil {
			return nil, fmt.Errorf("read novelty of a series: %w", err)
		}
		if _, err := pgx.ForEachRow(rows, q.row, func() error { q.add(); return nil }); err != nil {
			return nil, fmt.Errorf("read novelty of a series: %w", err)
		}
	}
	return out, nil
}

// JudgedNovel counts the pages of U whose novelty is a threshold or more, by numbers of
// the snapshots; those without such pages may be left out. It reads the pages of all
// snapshots of the series.
func (db *DB) JudgedNovel(ctx context.Context, series SeriesID, threshold float64) (map[int]int64, error) {
	rows, err := db.pool.Query(ctx, qJudgedNovel.sql, series, threshold)
	if err != nil {
		return nil, fmt.Errorf("count pages judged novel: %w", err)
	}
	out := map[int]int64{}
	var number int
	var pages int64
	if _, err := pgx.ForEachRow(rows, []any{&number, &pages}, func() error { out[number] = pages; return nil }); err != nil {
		return nil, fmt.Errorf("count pages judged novel: %w", err)
	}
	return out, nil
}
