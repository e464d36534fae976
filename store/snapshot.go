package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

const snapshotColumnList = `n.snapshot_id, n.series_id, n.snapshot, n.status, n.origin, n.started_at, n.finished_at, coalesce(s.error, ''),
	coalesce(s.pages, 0), coalesce(s.links, 0), coalesce(s.fringe, 0), coalesce(s.aliases, 0), coalesce(s.failed, 0), coalesce(s.traps, 0),
	coalesce(s.l2, 0), coalesce(s.old_other, 0), coalesce(s.unidentified, 0), coalesce(s.delta, 0), coalesce(s.iterations, 0), s.rules, s.computed_at`

var (
	qSnapshotsOf = statement{local, `
		select ` + snapshotColumnList + `
		from core.numbered_snapshot n join core.snapshot s using (snapshot_id)
		where n.series_id = $1 order by n.snapshot`}
	qSnapshot = statement{local, `
		select ` + snapshotColumnList + `
		from core.numbered_snapshot n join core.snapshot s using (snapshot_id)
		where n.snapshot_id = $1`}
	qStartSnapshot = statement{local, `
		insert into core.snapshot (series_id, status, origin, due_at, started_at) values ($1, 'running', 'crawl', $2, $3)
		returning snapshot_id`}
	qEndSnapshot = statement{local, `
		update core.snapshot set status = $2, finished_at = $3, error = nullif($4, '') where snapshot_id = $1 and status in ('planned', 'running')`}
	qStillRunning = statement{local, `select exists (select from core.snapshot where snapshot_id = $1 and status = 'running')`}
	qRecut        = statement{local, `
		update core.series set stale_from = '0001-01-01 00:00:00Z' where series_id = $1 and gap_seconds is not null`}
	qUncomputeFrom = statement{local, `
		update core.snapshot set computed_at = null where series_id = $1 and started_at >= $2`}
)

// SnapshotID is the id of a snapshot for all time.
type SnapshotID int32

// SnapshotStatus says how far a snapshot is.
type SnapshotStatus string

// The states of a snapshot.
const (
	SnapshotPlanned  SnapshotStatus = "planned"
	SnapshotRunning  SnapshotStatus = "running"
	SnapshotDone     SnapshotStatus = "done"
	SnapshotFailed   SnapshotStatus = "failed"
	SnapshotCutShort SnapshotStatus = "cut short" // stopped before its frontier was empty
)

// SeriesSnapshot is a snapshot of a series with its counts.
type SeriesSnapshot struct {
	ID         SnapshotID
	Series     SeriesID
	Number     int // in the series, from 1 in order of time
	Status     SnapshotStatus
	Origin     string // crawl or import
	StartedAt  time.Time
	FinishedAt time.Time // zero while it runs
	Error      string
	NoveltyCounts
	Delta      float64
	Iterations int
	Rules      []string
	ComputedAt time.Time // zero: classes and scores are not computed, nor are the counts
}

// NoveltyCounts are the sizes of a snapshot's sets. Pages = L2 + OldOther +
// Unidentified.
type NoveltyCounts struct {
	Pages, Links, Fringe       int64
	Aliases, Failed, Traps     int64
	L2, OldOther, Unidentified int64
}

// Ended reports whether the snapshot has pages to be looked at.
func (s *SeriesSnapshot) Ended() bool {
	return s.Status == SnapshotDone || s.Status == SnapshotCutShort
}

// Snapshots returns the snapshots of a series in order of time.
func (db *DB) Snapshots(ctx context.Context, series SeriesID) ([]SeriesSnapshot, error) {
	rows, err := db.pool.Query(ctx, qSnapshotsOf.sql, series)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanSnapshot)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	return out, nil
}

// Snapshot returns a snapshot, or ErrNotFound.
func (db *DB) Snapshot(ctx context.Context, id SnapshotID) (SeriesSnapshot, error) {
	rows, err := db.pool.Query(ctx, qSnapshot.sql, id)
	if err != nil {
		return SeriesSnapshot{}, fmt.Errorf("read snapshot %d: %w", id, err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, scanSnapshot)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return s, fmt.Errorf("read snapshot %d: %w", id, err)
	}
	return s, nil
}

func scanSnapshot(row pgx.CollectableRow) (s SeriesSnapshot, err error) {
	var finished, computed *time.Time
	err = row.Scan(&s.ID, &s.Series, &s.Number, &s.Status, &s.Origin, &s.StartedAt, &finished, &s.Error,
		&s.Pages, &s.Links, &s.Fringe, &s.Aliases, &s.Failed, &s.Traps, &s.L2, &s.OldOther, &s.Unidentified,
		&s.Delta, &s.Iterations, &s.Rules, &computed)
	s.FinishedAt, s.ComputedAt = deref(finished), deref(computed)
	return s, err
}

// StartSnapshot begins a crawled snapshot.
func (db *DB) StartSnapshot(ctx context.Context, series SeriesID, due, at time.Time) (SnapshotID, error) {
	var id SnapshotID
	if err := db.pool.QueryRow(ctx, qStartSnapshot.sql, series, orNil(due), at.Truncate(time.Microsecond)).Scan(&id); err != nil {
		return 0, fmt.Errorf("start a snapshot: %w", err)
	}
	return id, nil
}

// EndSnapshot says how a snapshot came to its end, and why where it is not done.
// A snapshot that has ended stays as it is.
func (db *DB) EndSnapshot(ctx context.Context, id SnapshotID, status SnapshotStatus, at time.Time, reason string) error {
	if !slices.Contains([]SnapshotStatus{SnapshotDone, SnapshotFailed, SnapshotCutShort}, status) {
		return fmt.Errorf("end a snapshot: %q is no end", status)
	}
	if _, err := db.pool.Exec(ctx, qEndSnapshot.sql, id, status, at.Truncate(time.Microsecond), cleanText(reason)); err != nil {
		return fmt.Errorf("end a snapshot: %w", err)
	}
	return nil
}

// StillRunning reports whether a snapshot is being crawled, as the database has it.
func (db *DB) StillRunning(ctx context.Context, id SnapshotID) (bool, error) {
	var running bool
	if err := db.pool.QueryRow(ctx, qStillRunning.sql, id).Scan(&running); err != nil {
		return false, fmt.Errorf("read the status of a snapshot: %w", err)
	}
	return running, nil
}

// Uncompute marks the snapshots of a series from a time on as not computed.
func (db *DB) Uncompute(ctx context.Context, series SeriesID, from time.Time) error {
	if _, err := db.pool.Exec(ctx, qUncomputeFrom.sql, series, from); err != nil {
		return fmt.Errorf("mark snapshots: %w", err)
	}
	return nil
}

var errNoGap = errors.New("the series has no gap: nothing was imported into it")

// Recut makes the next CutSnapshots cut all snapshots of a series anew: payloads
// of captures may have come, or versions may have been read by other rules.
func (db *DB) Recut(ctx context.Context, series SeriesID) error {
	if _, err := db.pool.Exec(ctx, qRecut.sql, series); err != nil {
		return fmt.Errorf("mark a series: %w", err)
	}
	return nil
}
