package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// What the first page and the schedule show: over all pages, each from an index.
var (
	qTopChanges = statement{all, `
		select b.page_id, s.url, s.host, s.title, b.version, b.changed_at, b.dice, b.significance, s.recent, s.noise
		from (
			select distinct on (t.page_id) t.*
			from (select c.page_id, c.bucket, c.version, c.changed_at, c.dice, c.significance
			      from core.change c
			      where c.changed_at > $1 and c.changed_at <= $2 and c.text_changed and not c.masked
			      order by c.significance desc limit 600) t
			order by t.page_id, t.significance desc
		) b
		join core.page_summary s on s.bucket = b.bucket and s.page_id = b.page_id
		order by b.significance desc, b.changed_at desc limit $3`}
	qCountRecent = statement{all, `
		select count(*), count(*) filter (where c.significance >= $3) from core.change c
		where c.changed_at > $1 and c.changed_at <= $2 and c.text_changed and not c.masked`}
	qLastChange = statement{all, `
		select c.changed_at from core.change c where c.text_changed and not c.masked order by c.changed_at desc limit 1`}
	qHourLoad = statement{local, `
		select l.hour, sum(l.fetches)::bigint from core.schedule_lag l where l.hour > $1 and l.hour <= $2 group by l.hour order by l.hour`}
	// Of what fails still, every fetch since it began to fail has failed: few pages are read.
	qHourFailed = statement{all, `
		select date_trunc('hour', f.started_at, 'UTC') as hour, count(*)
		from core.page_schedule s
		join core.fetch f on f.bucket = s.bucket and f.page_id = s.page_id and f.started_at >= s.failing_since
		where s.failing_since is not null and f.started_at >= $1 and f.started_at <= $2 and f.kind in ('schedule', 'burst', 'pair')
		group by hour order by hour`}
	qSizes = statement{local, `
		select pg_database_size(current_database()),
		       coalesce(sum(greatest(c.reltuples, pg_stat_get_live_tuples(c.oid))) filter (where c.relname like 'fetch%'), 0)::bigint,
		       coalesce(sum(greatest(c.reltuples, pg_stat_get_live_tuples(c.oid))) filter (where c.relname like 'version%'), 0)::bigint,
		       coalesce(sum(greatest(c.reltuples, pg_stat_get_live_tuples(c.oid))) filter (where c.relname = 'page_summary'), 0)::bigint
		from pg_class c
		where c.relnamespace = 'core'::regnamespace and c.relkind = 'r'`}
	qTrouble = statement{all, `
		select (select count(*) from core.page_schedule s where s.next_due_at < $1),
		       (select count(*) from core.page_schedule s where s.failing_since is not null),
		       (select count(*) from core.watch_page m where m.set_aside_at is not null)`}
)

// TopChange is a change for a person to look at, with the recent ones of its page.
type TopChange struct {
	Page         PageID
	URL          string
	Host         string
	Title        string
	Version      int32
	At           time.Time
	Dice         float64
	Significance float64
	Recent       []float32
	Noise        []bool
}

// TopChanges returns the most significant changes after from and up to to, one a
// page. Where very few pages make nearly all of the largest changes there may be
// fewer than limit.
func (db *DB) TopChanges(ctx context.Context, from, to time.Time, limit int) ([]TopChange, error) {
	rows, err := db.pool.Query(ctx, qTopChanges.sql, listMode, from, to, limit)
	if err != nil {
		return nil, fmt.Errorf("read top changes: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[TopChange])
	if err != nil {
		return nil, fmt.Errorf("read top changes: %w", err)
	}
	return out, nil
}

// CountChanges counts the changes of text but for noise after from and up to to,
// and those with at least a significance.
func (db *DB) CountChanges(ctx context.Context, from, to time.Time, significance float64) (n, worth int64, err error) {
	if err := db.pool.QueryRow(ctx, qCountRecent.sql, listMode, from, to, significance).Scan(&n, &worth); err != nil {
		return 0, 0, fmt.Errorf("count changes: %w", err)
	}
	return n, worth, nil
}

// LastChange returns when a text last changed but for noise; zero: never.
func (db *DB) LastChange(ctx context.Context) (time.Time, error) {
	rows, err := db.pool.Query(ctx, qLastChange.sql)
	if err != nil {
		return time.Time{}, fmt.Errorf("read last change: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil || len(out) == 0 {
		return time.Time{}, err
	}
	return out[0], nil
}

// Trouble counts what an operator looks after.
type Trouble struct {
	Late, Failing, SetAside int64 // pages
}

// Trouble counts the pages that were due before late and those that fail or were
// set aside.
func (db *DB) Trouble(ctx context.Context, late time.Time) (t Trouble, err error) {
	if err := db.pool.QueryRow(ctx, qTrouble.sql, late).Scan(&t.Late, &t.Failing, &t.SetAside); err != nil {
		return t, fmt.Errorf("count late and failing pages: %w", err)
	}
	return t, nil
}

// HourLoad is how many scheduled fetches started in an hour.
type HourLoad struct {
	Hour    time.Time
	Fetches int64
}

// Load returns the hours after from and up to to in which something was fetched.
func (db *DB) Load(ctx context.Context, from, to time.Time) ([]HourLoad, error) {
	rows, err := db.pool.Query(ctx, qHourLoad.sql, from, to)
	if err != nil {
		return nil, fmt.Errorf("read load: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[HourLoad])
	if err != nil {
		return nil, fmt.Errorf("read load: %w", err)
	}
	return out, nil
}

// FailedLoad returns the hours, in fetches that started from from up to to, in which
// scheduled fetches of pages failed that fail still. Those of pages that have come back
// since are not counted: the log of fetches is kept by page and not by time.
func (db *DB) FailedLoad(ctx context.Context, from, to time.Time) ([]HourLoad, error) {
	rows, err := db.pool.Query(ctx, qHourFailed.sql, from, to)
	if err != nil {
		return nil, fmt.Errorf("read failed fetches by hour: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[HourLoad])
	if err != nil {
		return nil, fmt.Errorf("read failed fetches by hour: %w", err)
	}
	return out, nil
}

// Sizes is what the database holds, as PostgreSQL last estimated it.
type Sizes struct {
	Bytes                    int64
	Fetches, Versions, Pages int64
}

// Sizes returns the size of the database, from its catalogue and thus at once.
func (db *DB) Sizes(ctx context.Context) (s Sizes, err error) {
	if err := db.pool.QueryRow(ctx, qSizes.sql).Scan(&s.Bytes, &s.Fetches, &s.Versions, &s.Pages); err != nil {
		return s, fmt.Errorf("read sizes: %w", err)
	}
	return s, nil
}
