package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Series that are crawled have their next due time in the database: a restart
// loses none, and of several daemons the one that moves it on starts the snapshot.
var (
	qPlanSeries = statement{local, `
		update core.series
		set config = $2, paused_at = null, schedule = $3,
		    next_due_at = case when schedule is distinct from $3 or next_due_at is null then $4 else next_due_at end
		where series_id = $1`}
	qPauseSeries = statement{local, `
		update core.series set paused_at = $2, next_due_at = null
		where name <> all($1::text[]) and schedule is not null and paused_at is null`}
	qCutPaused = statement{local, `
		update core.snapshot s set status = 'cut short', finished_at = $1, error = 'the series left the configuration'
		from core.series r
		where r.series_id = s.series_id and r.paused_at is not null and s.status = 'running' and s.origin = 'crawl'
		returning s.snapshot_id`}
	qDueSeries = statement{local, `
		select series_id, name, next_due_at from core.series where next_due_at is not null and paused_at is null order by next_due_at, series_id`}
	qHoldDue = statement{local, `select next_due_at from core.series where series_id = $1 for update`}
	qMoveDue = statement{local, `update core.series set next_due_at = $2 where series_id = $1`}
	qLastOf  = statement{local, `
		select s.snapshot_id, s.status = 'running' and s.origin = 'crawl', greatest(s.started_at, s.finished_at)
		from core.snapshot s where s.series_id = $1 order by s.started_at desc limit 1`}
	qMissSnapshot = statement{local, `
		insert into core.snapshot (series_id, status, origin, due_at, started_at, finished_at, error) values ($1, 'failed', 'crawl', $2, $3, $3, $4)
		on conflict (series_id, started_at) do nothing`}
	qRunningCrawls = statement{local, `
		select s.snapshot_id, s.series_id, r.name, s.started_at
		from core.snapshot s join core.series r using (series_id)
		where s.status = 'running' and s.origin = 'crawl' order by s.snapshot_id`}
	qLastEnded = statement{local, `
		select coalesce(s.finished_at, s.started_at) from core.snapshot s
		where s.series_id = $1 and s.snapshot_id <> $2 and s.status in ('done', 'cut short') order by s.started_at desc limit 1`}
)

var (
	// ErrClockBack means that the clock stands before the end of the last snapshot:
	// what a snapshot finds now cannot be told to be newer.
	ErrClockBack = errors.New("the clock has gone back")
	// ErrStarted means that a snapshot was begun by somebody else.
	ErrStarted = errors.New("another daemon has started the snapshot")
)

// SeriesDue is when a series is due.
type SeriesDue struct {
	ID   SeriesID
	Name string
	At   time.Time
}

// PlanSeries makes a crawled series known, or tells of its new configuration. It is
// due at first, unless a due time by the same schedule stands already.
func (db *DB) PlanSeries(ctx context.Context, name string, config json.RawMessage, schedule string, first time.Time) (Series, error) {
	s, err := db.EnsureSeries(ctx, name, config)
	if err != nil {
		return s, err
	}
	if _, err := db.pool.Exec(ctx, qPlanSeries.sql, s.ID, config, schedule, orNil(first)); err != nil {
		return s, fmt.Errorf("plan series %s: %w", name, err)
	}
	return s, nil
}

// PauseSeries pauses the crawled series that are not named. Their running snapshots
// are cut short, with nothing left in their frontiers; it returns those.
func (db *DB) PauseSeries(ctx context.Context, named []string, now time.Time) ([]SnapshotID, error) {
	if named == nil {
		named = []string{}
	}
	if _, err := db.pool.Exec(ctx, qPauseSeries.sql, named, now); err != nil {
		return nil, fmt.Errorf("pause series: %w", err)
	}
	var out []SnapshotID
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, qCutPaused.sql, now)
		if err != nil {
			return err
		}
		if out, err = pgx.CollectRows(rows, pgx.RowTo[SnapshotID]); err != nil || len(out) == 0 {
			return err
		}
		_, err = tx.Exec(ctx, qDropFrontier.sql, out)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("pause series: %w", err)
	}
	return out, nil
}

// DueSeries returns the crawled series, those due first before others.
func (db *DB) DueSeries(ctx context.Context) ([]SeriesDue, error) {
	rows, err := db.pool.Query(ctx, qDueSeries.sql)
	if err != nil {
		return nil, fmt.Errorf("read due series: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[SeriesDue])
	if err != nil {
		return nil, fmt.Errorf("read due series: %w", err)
	}
	return out, nil
}

// RunningCrawl is a snapshot that is being crawled.
type RunningCrawl struct {
	ID        SnapshotID
	Series    SeriesID
	Name      string
	StartedAt time.Time
}

// RunningCrawls returns the snapshots that are being crawled.
func (db *DB) RunningCrawls(ctx context.Context) ([]RunningCrawl, error) {
	rows, err := db.pool.Query(ctx, qRunningCrawls.sql)
	if err != nil {
		return nil, fmt.Errorf("read running snapshots: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[RunningCrawl])
	if err != nil {
		return nil, fmt.Errorf("read running snapshots: %w", err)
	}
	return out, nil
}

// LastEnded returns when the last other snapshot of a series that has pages came to
// its end; zero if there is none.
func (db *DB) LastEnded(ctx context.Context, series SeriesID, but SnapshotID) (time.Time, error) {
	var at time.Time
	err := db.pool.QueryRow(ctx, qLastEnded.sql, series, but).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read the last snapshot: %w", err)
	}
	return at, nil
}

// Begin asks for a snapshot to be started.
type Begin struct {
	Series SeriesID
	At     time.Time
	// Due is the due time that it is started for, and Next the one behind it; zero:
	// somebody asked for it.
	Due, Next time.Time
	Seeds     []Find
}

// BeginSnapshot starts a crawled snapshot with its seeds in the frontier. While
// another snapshot of the series runs, one that was due is recorded as failed, and
// one that somebody asked for is that other one. The error is ErrStarted when
// another daemon was first, ErrClockBack when the last snapshot lies ahead.
func (db *DB) BeginSnapshot(ctx context.Context, b Begin) (SnapshotID, error) {
	var id SnapshotID
	var refused error
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		id, refused = 0, nil
		var due *time.Time
		if err := tx.QueryRow(ctx, qHoldDue.sql, b.Series).Scan(&due); err != nil {
			return err
		}
		if !b.Due.IsZero() {
			if due == nil || !due.Equal(b.Due) {
				return ErrStarted
			}
			if _, err := tx.Exec(ctx, qMoveDue.sql, b.Series, orNil(b.Next)); err != nil {
				return err
			}
		}
		at := b.At.Truncate(time.Microsecond)
		var last SnapshotID
		var runs bool
		var until time.Time
		switch err := tx.QueryRow(ctx, qLastOf.sql, b.Series).Scan(&last, &runs, &until); {
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return err
		case runs && b.Due.IsZero():
			id = last
			return nil
		case runs:
			_, err := tx.Exec(ctx, qMissSnapshot.sql, b.Series, b.Due, at, fmt.Sprintf("the snapshot before was still running when this one was due at %s", b.Due.UTC().Format(time.RFC3339)))
			return err
		case !at.After(until):
			// The due time is moved on all the same: the next one may find a clock that is right.
			refused = fmt.Errorf("%w: it says %s, and the last snapshot of the series was there at %s; no snapshot is taken",
				ErrClockBack, at.UTC().Format(time.RFC3339), until.UTC().Format(time.RFC3339))
			return nil
		}
		if err := tx.QueryRow(ctx, qStartSnapshot.sql, b.Series, orNil(b.Due), at).Scan(&id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, qHalveYields.sql, b.Series); err != nil {
			return err
		}
		_, err := (&Tx{db: db, tx: tx}).AddFrontier(ctx, id, b.Seeds)
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return 0, fmt.Errorf("start a snapshot: %w", err)
	}
	return id, nil
}
