package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Snapshots of imports are cut from the captures of their series: captures closer
// together than the gap are one snapshot. A capture that comes later may join two
// snapshots or fall before all of them, so they are cut anew from the first one
// that it may touch on; what is cut depends on the captures alone.

var (
	qStaleSeries   = statement{local, `select gap_seconds, stale_from from core.series where series_id = $1`}
	qFreshSeries   = statement{local, `update core.series set stale_from = null where series_id = $1`}
	qCaptureTimes  = statement{all, `select captured_at from core.series_capture where series_id = $1 group by captured_at order by captured_at`}
	qImportedSpans = statement{local, `
		select snapshot_id, started_at, finished_at from core.snapshot where series_id = $1 and origin = 'import' order by started_at`}
	qAddImported = statement{local, `
		insert into core.snapshot (series_id, status, origin, started_at, finished_at) values ($1, 'done', 'import', $2, $3)
		returning snapshot_id`}
	qMoveImported = statement{local, `
		update core.snapshot set finished_at = $2, computed_at = null where snapshot_id = $1`}
	qDropSnapshots     = statement{local, `delete from core.snapshot where snapshot_id = any($1::int[])`}
	qDropConvergence   = statement{local, `delete from core.snapshot_convergence where snapshot_id = any($1::int[])`}
	qDropDistribution  = statement{local, `delete from core.snapshot_distribution where snapshot_id = any($1::int[])`}
	qDropTruth         = statement{local, `delete from core.snapshot_truth where snapshot_id = any($1::int[])`}
	qDropAccuracy      = statement{local, `delete from core.snapshot_accuracy where snapshot_id = any($1::int[])`}
	qDropMiss          = statement{local, `delete from core.snapshot_miss where snapshot_id = any($1::int[])`}
	qDropSnapshotPages = statement{all, `delete from core.snapshot_page where snapshot_id = any($1::int[])`}
	qDropScores        = statement{all, `delete from core.snapshot_novelty where snapshot_id = any($1::int[])`}
	qDropKnown         = statement{all, `delete from core.snapshot_known where snapshot_id = any($1::int[])`}
	qDropFrontier      = statement{all, `delete from core.snapshot_frontier where snapshot_id = any($1::int[])`}

	// Of several captures of a page the last one with content stands for it. A
	// capture whose payload is still missing has no version, and so no content.
	qCutPages = statement{all, `
		insert into core.snapshot_page (snapshot_id, page_id, bucket, crawled_at, crawled, status, alias_of, last_modified, last_modified_valid, links_hash)
		select distinct on (c.bucket, c.page_id) $1::int, c.page_id, c.bucket, c.captured_at, r.page_id is not null, c.status, c.alias_of, c.last_modified,
		       c.last_modified_valid, r.links_hash
		from core.series_capture c
		left join core.version r on r.bucket = c.bucket and r.page_id = c.page_id and r.first_seen <= c.captured_at and r.last_seen >= c.captured_at and c.crawled
		where c.series_id = $2 and c.captured_at >= $3 and c.captured_at <= $4
		order by c.bucket, c.page_id, r.page_id is null, c.captured_at desc, r.version desc`}
)

// span is the time from a snapshot's first capture to its last.
type span struct {
	id       SnapshotID
	from, to time.Time
}

// spansOf cuts rising times where they lie gap or more apart.
func spansOf(times []time.Time, gap time.Duration) []span {
	var out []span
	for _, at := range times {
		if n := len(out); n > 0 && at.Sub(out[n-1].to) < gap {
			out[n-1].to = at
		} else {
			out = append(out, span{from: at, to: at})
		}
	}
	return out
}

// CutSnapshots makes snapshots of what was imported into a series since it was
// last called, and marks them and all later ones as not computed. It returns how
// many were cut; 0 means that nothing was imported.
func (db *DB) CutSnapshots(ctx context.Context, series SeriesID) (int, error) {
	var n int
	err := db.inTx(ctx, func(tx pgx.Tx) (err error) {
		n, err = cutSnapshots(ctx, tx, series)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("cut snapshots: %w", err)
	}
	return n, nil
}

func cutSnapshots(ctx context.Context, tx pgx.Tx, series SeriesID) (int, error) {
	if _, err := tx.Exec(ctx, qHoldSeries.sql, series); err != nil {
		return 0, err
	}
	var seconds *int32
	var stale *time.Time
	if err := tx.QueryRow(ctx, qStaleSeries.sql, series).Scan(&seconds, &stale); err != nil {
		return 0, err
	}
	if stale == nil {
		return 0, nil
	}
	if seconds == nil {
		return 0, errNoGap
	}
	rows, err := tx.Query(ctx, qCaptureTimes.sql, series)
	if err != nil {
		return 0, err
	}
	times, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return 0, err
	}
	rows, err = tx.Query(ctx, qImportedSpans.sql, series)
	if err != nil {
		return 0, err
	}
	have, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s span, err error) {
		err = row.Scan(&s.id, &s.from, &s.to)
		return s, err
	})
	if err != nil {
		return 0, err
	}
	stand := map[time.Time]span{}
	for _, s := range have {
		stand[s.from.UTC()] = s
	}
	var cut []span
	for _, s := range spansOf(times, time.Duration(*seconds)*time.Second) {
		old, ok := stand[s.from.UTC()]
		s.id = old.id
		if ok {
			delete(stand, s.from.UTC())
		}
		if ok && old.to.Equal(s.to) && s.to.Before(*stale) {
			continue // nothing of it came
		}
		cut = append(cut, s)
	}
	var gone []SnapshotID
	from := *stale
	for _, s := range stand {
		gone = append(gone, s.id)
		if s.from.Before(from) {
			from = s.from
		}
	}
	if err := dropSnapshots(ctx, tx, gone); err != nil {
		return 0, err
	}
	for _, s := range cut {
		if s.from.Before(from) {
			from = s.from
		}
		if err := cutOne(ctx, tx, series, s); err != nil {
			return 0, err
		}
	}
	if _, err := tx.Exec(ctx, qUncomputeFrom.sql, series, from); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, qFreshSeries.sql, series); err != nil {
		return 0, err
	}
	return len(cut), nil
}

// cutOne writes a snapshot's row and pages.
func cutOne(ctx context.Context, tx pgx.Tx, series SeriesID, s span) error {
	if s.id == 0 {
		if err := tx.QueryRow(ctx, qAddImported.sql, series, s.from, s.to).Scan(&s.id); err != nil {
			return err
		}
	} else if _, err := tx.Exec(ctx, qMoveImported.sql, s.id, s.to); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, qDropSnapshotPages.sql, []SnapshotID{s.id}); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, qCutPages.sql, s.id, series, s.from, s.to)
	return err
}

// dropSnapshots deletes snapshots with all that hangs on them.
func dropSnapshots(ctx context.Context, tx pgx.Tx, ids []SnapshotID) error {
	if len(ids) == 0 {
		return nil
	}
	for _, q := range []statement{
		qDropScores, qDropKnown, qDropFrontier, qDropSnapshotPages, qDropConvergence, qDropDistribution, qDropTruth, qDropAccuracy, qDropMiss, qDropCopyCounts, qDropSnapshots,
	} {
		if _, err := tx.Exec(ctx, q.sql, ids); err != nil {
			return err
		}
	}
	return nil
}
