package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qSetNovelty = statement{local, `
		update core.snapshot set pages = $2, links = $3, fringe = $4, aliases = $5, failed = $6, traps = $7, l2 = $8, old_other = $9,
		    unidentified = $10, delta = $11, iterations = $12, rules = $13, computed_at = $14
		where snapshot_id = $1`}
	qLockSnapshot = statement{local, `select status from core.snapshot where snapshot_id = $1 for update`}
)

// The classes of pages (SCIENCE T2).
const (
	ClassL2           = "L2" // old, and crawled by the snapshot before
	ClassOld          = "O"  // another old page
	ClassUnidentified = "U"
)

// PageNovelty is what is computed of a crawled page of a snapshot.
type PageNovelty struct {
	Page    PageID
	Class   string
	OldBy   int // the first rule that told it to be old, from 1; 0 for U
	Novelty float32
	InLinks int32 // crawled pages that link to it
	Birth         // of a page of U; zero where it was not estimated
}

// Birth is when a page appeared, as far as links to it tell (SCIENCE T17, 3.2).
type Birth struct {
	From, To time.Time // within which it appeared, with a probability of 0.9
	New      float32   // probability that it appeared after the snapshot before began
}

// NoveltyResult is all that is computed of a snapshot.
type NoveltyResult struct {
	Counts       NoveltyCounts
	Delta        float64
	Iterations   int
	Rules        []string
	Convergence  []NoveltyStep
	Distribution []NoveltyBin
	Truths       []NoveltyTruth
	Accuracy     []NoveltyAccuracy
	Misses       []NoveltyMiss
}

// NoveltyStep is the change of the scores in an iteration, from 1 (SCIENCE T4).
type NoveltyStep struct {
	Delta     float64
	Iteration int
	L1        float64
}

// NoveltyBin counts pages of U: bin 0 those of novelty 0, bin i those above
// (i-1)/10 and up to i/10 (SCIENCE T5).
type NoveltyBin struct {
	Delta float64
	Bin   int
	Pages int64
}

// NoveltyTruth counts pages of U by what tells when they appeared (SCIENCE T8).
type NoveltyTruth struct {
	Truth                     string // url or page
	Old, New, Future, Undated int64
}

// NoveltyAccuracy counts the dated pages of U that a threshold judges novel, and
// those of them that are (SCIENCE T7).
type NoveltyAccuracy struct {
	Truth            string
	Delta, Threshold float64
	Judged, Hits     int64
}

// NoveltyMiss counts pages of U by the first rule alone that their Last-Modified
// shows to be old, and those of them that got novelty (SCIENCE T9).
type NoveltyMiss struct {
	Delta                        float64
	Pages, AboveZero, AboveTenth int64
}

// PutNovelty replaces all that is computed of a snapshot: the scores of its pages,
// which next gives until it says no more, and the pages that the series had not
// heard of before. One transaction, so that readers see the old or the new.
func (db *DB) PutNovelty(ctx context.Context, id SnapshotID, res *NoveltyResult, known []PageID, next func() (PageNovelty, bool)) error {
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		var status string
		if err := tx.QueryRow(ctx, qLockSnapshot.sql, id).Scan(&status); err != nil {
			return err
		}
		for _, q := range []statement{qDropScores, qDropKnown, qDropConvergence, qDropDistribution, qDropTruth, qDropAccuracy, qDropMiss} {
			if _, err := tx.Exec(ctx, q.sql, []SnapshotID{id}); err != nil {
				return err
			}
		}
		if err := copyScores(ctx, tx, id, next); err != nil {
			return err
		}
		if err := copyEvaluation(ctx, tx, id, res, known); err != nil {
			return err
		}
		c := res.Counts
		_, err := tx.Exec(ctx, qSetNovelty.sql, id, c.Pages, c.Links, c.Fringe, c.Aliases, c.Failed, c.Traps, c.L2, c.OldOther, c.Unidentified,
			res.Delta, res.Iterations, res.Rules, db.now().UTC().Truncate(time.Microsecond))
		return err
	})
	if err != nil {
		return fmt.Errorf("store novelty of snapshot %d: %w", id, err)
	}
	return nil
}

func copyScores(ctx context.Context, tx pgx.Tx, id SnapshotID, next func() (PageNovelty, bool)) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "snapshot_novelty"},
		[]string{"snapshot_id", "page_id", "bucket", "class", "old_by", "novelty", "in_links", "born_from", "born_to", "born_new"},
		pgx.CopyFromFunc(func() ([]any, error) {
			p, more := next()
			if !more {
				return nil, nil
			}
			return []any{int32(id), int64(p.Page), p.Page.Bucket(), p.Class, int16(p.OldBy), p.Novelty, p.InLinks, orNil(p.From), orNil(p.To), p.newOrNil()}, nil
		}))
	return err
}

// newOrNil is the probability where there is an estimate.
func (b Birth) newOrNil() *float32 {
	if b.To.IsZero() {
		return nil
	}
	return &b.New
}

// copyEvaluation writes the small tables.
func copyEvaluation(ctx context.Context, tx pgx.Tx, id SnapshotID, res *NoveltyResult, known []PageID) error {
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "snapshot_known"}, []string{"snapshot_id", "bucket", "pages", "targets"},
		pgx.CopyFromRows(packKnown(id, known))); err != nil {
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "snapshot_convergence"}, []string{"snapshot_id", "delta", "iteration", "l1"},
		pgx.CopyFromSlice(len(res.Convergence), func(i int) ([]any, error) {
			s := res.Convergence[i]
			return []any{id, s.Delta, s.Iteration, s.L1}, nil
		})); err != nil {
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "snapshot_distribution"}, []string{"snapshot_id", "delta", "bin", "pages"},
		pgx.CopyFromSlice(len(res.Distribution), func(i int) ([]any, error) {
			b := res.Distribution[i]
			return []any{id, b.Delta, int16(b.Bin), b.Pages}, nil
		})); err != nil {
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "snapshot_truth"}, []string{"snapshot_id", "truth", "old", "new", "future", "undated"},
		pgx.CopyFromSlice(len(res.Truths), func(i int) ([]any, error) {
			t := res.Truths[i]
			return []any{id, t.Truth, t.Old, t.New, t.Future, t.Undated}, nil
		})); err != nil {
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "snapshot_accuracy"}, []string{"snapshot_id", "truth", "delta", "threshold", "judged", "hits"},
		pgx.CopyFromSlice(len(res.Accuracy), func(i int) ([]any, error) {
			a := res.Accuracy[i]
			return []any{id, a.Truth, a.Delta, a.Threshold, a.Judged, a.Hits}, nil
		})); err != nil {
		return err
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "snapshot_miss"}, []string{"snapshot_id", "delta", "pages", "above_zero", "above_tenth"},
		pgx.CopyFromSlice(len(res.Misses), func(i int) ([]any, error) {
			m := res.Misses[i]
			return []any{id, m.Delta, m.Pages, m.AboveZero, m.AboveTenth}, nil
		}))
	return err
}
