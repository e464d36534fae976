package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qMakeSeries = statement{local, `
		insert into core.series (name, added_at, gap_seconds, config) values ($1, $2, $3, $4)
		on conflict (name) do nothing`}
	qSeriesNamed = statement{local, `
		select series_id, name, added_at, paused_at, gap_seconds, config from core.series where name = $1`}
	qAllSeries = statement{local, `
		select series_id, name, added_at, paused_at, gap_seconds, config from core.series order by name`}
	// Another gap cuts everything anew.
	qSetGap = statement{local, `
		update core.series set gap_seconds = $2, stale_from = '0001-01-01 00:00:00Z' where series_id = $1 and gap_seconds is distinct from $2`}
	qSetStale = statement{local, `
		update core.series set stale_from = $2 where series_id = $1 and (stale_from is null or stale_from > $2)`}
	// Imports into a series share the lock, who cuts its snapshots holds it alone:
	// what is imported meanwhile would be marked as cut and was not seen.
	qShareSeries = statement{local, `select pg_advisory_xact_lock_shared(7305821, $1)`}
	qHoldSeries  = statement{local, `select pg_advisory_xact_lock(7305821, $1)`}

	// Of two captures of one moment the one with content counts, whichever came
	// first, then the one with the lower status and the earlier Last-Modified.
	qPutSeriesCaptures = statement{routed, `
		insert into core.series_capture as c (series_id, page_id, bucket, captured_at, crawled, status, alias_of, last_modified, last_modified_valid)
		select $1, v.page_id, (v.page_id >> 40)::int, v.at, v.crawled, v.status, v.alias_of, v.last_modified, v.valid
		from unnest($2::bigint[], $3::timestamptz[], $4::boolean[], $5::smallint[], $6::bigint[], $7::timestamptz[], $8::boolean[])
		     v(page_id, at, crawled, status, alias_of, last_modified, valid)
		on conflict (series_id, page_id, bucket, captured_at) do update
		set crawled = excluded.crawled, status = excluded.status, alias_of = excluded.alias_of, last_modified = excluded.last_modified,
		    last_modified_valid = excluded.last_modified_valid
		where (not excluded.crawled, coalesce(excluded.status, 0), coalesce(excluded.last_modified, 'infinity'), coalesce(excluded.alias_of, 0))
		    < (not c.crawled, coalesce(c.status, 0), coalesce(c.last_modified, 'infinity'), coalesce(c.alias_of, 0))
		returning captured_at`}
)

// SeriesID is the id of a series for all time.
type SeriesID int32

// Series is a part of the web of which snapshots are taken.
type Series struct {
	ID       SeriesID
	Name     string
	AddedAt  time.Time
	PausedAt time.Time     // zero: it runs, or is filled by imports
	Gap      time.Duration // imported captures closer together are one snapshot; 0: none were imported
	Config   json.RawMessage
}

// EnsureSeries returns the series of a name and makes it when there is none.
func (db *DB) EnsureSeries(ctx context.Context, name string, config json.RawMessage) (Series, error) {
	if config == nil {
		config = json.RawMessage("{}")
	}
	if _, err := db.pool.Exec(ctx, qMakeSeries.sql, name, db.now().UTC(), nil, config); err != nil {
		return Series{}, fmt.Errorf("make series %s: %w", name, err)
	}
	return db.SeriesByName(ctx, name)
}

// SetGap sets the gap by which imported captures are cut into snapshots; a gap
// other than before cuts all of them anew.
func (db *DB) SetGap(ctx context.Context, series SeriesID, gap time.Duration) error {
	if _, err := db.pool.Exec(ctx, qSetGap.sql, series, int32(gap/time.Second)); err != nil {
		return fmt.Errorf("set the gap of a series: %w", err)
	}
	return nil
}

// SeriesByName returns the series of a name, or ErrNotFound.
func (db *DB) SeriesByName(ctx context.Context, name string) (Series, error) {
	rows, err := db.pool.Query(ctx, qSeriesNamed.sql, name)
	if err != nil {
		return Series{}, fmt.Errorf("look up series %s: %w", name, err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, scanSeries)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return Series{}, fmt.Errorf("look up series %s: %w", name, err)
	}
	return s, nil
}

// AllSeries returns every series by name.
func (db *DB) AllSeries(ctx context.Context) ([]Series, error) {
	rows, err := db.pool.Query(ctx, qAllSeries.sql)
	if err != nil {
		return nil, fmt.Errorf("list series: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanSeries)
	if err != nil {
		return nil, fmt.Errorf("list series: %w", err)
	}
	return out, nil
}

func scanSeries(row pgx.CollectableRow) (Series, error) {
	var s Series
	var paused *time.Time
	var gap *int32
	err := row.Scan(&s.ID, &s.Name, &s.AddedAt, &paused, &gap, &s.Config)
	s.PausedAt, s.Gap = deref(paused), time.Duration(deref(gap))*time.Second
	return s, err
}

// PutSeriesCaptures adds imported captures to a series; those that it has already
// change nothing. CutSnapshots makes snapshots of them.
func (t *Tx) PutSeriesCaptures(ctx context.Context, series SeriesID, captures []SnapshotFetch) error {
	captures = distinctFetches(captures)
	if len(captures) == 0 {
		return nil
	}
	if _, err := t.tx.Exec(ctx, qShareSeries.sql, series); err != nil {
		return fmt.Errorf("add captures to a series: %w", err)
	}
	c := columnsOf(captures)
	rows, err := t.tx.Query(ctx, qPutSeriesCaptures.sql, series, c.pages, c.at, c.crawled, c.status, c.aliases, c.modified, c.valid)
	if err != nil {
		return fmt.Errorf("add captures to a series: %w", err)
	}
	times, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return fmt.Errorf("add captures to a series: %w", err)
	}
	if len(times) == 0 {
		return nil
	}
	earliest := times[0]
	for _, at := range times {
		if at.Before(earliest) {
			earliest = at
		}
	}
	if _, err := t.tx.Exec(ctx, qSetStale.sql, series, earliest); err != nil {
		return fmt.Errorf("add captures to a series: %w", err)
	}
	return nil
}
