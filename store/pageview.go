package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// What the page of one page shows beyond its versions.
var (
	qPageRow = statement{routed, listColumns + `
		from core.page_summary s
		join core.page_state t on t.bucket = s.bucket and t.page_id = s.page_id and t.bucket = $2
		left join core.page_schedule d on d.bucket = s.bucket and d.page_id = s.page_id and d.bucket = $2
		where s.bucket = $2 and s.page_id = $1`}
	qPageSpan = statement{routed, `
		select p.first_seen, (select count(*) from core.fetch f where f.bucket = $2 and f.page_id = $1), m.packed
		from core.page p
		left join (select k.page_id, k.mask as packed from core.page_mask k where k.bucket = $2 and k.page_id = $1 and k.active) m on m.page_id = p.page_id
		where p.bucket = $2 and p.page_id = $1`}
	qPageWatches = statement{routed, `
		select w.name, m.source, m.due_at, m.left_at, coalesce(m.set_aside_reason, ''), w.paused_at is not null
		from core.watch_page m join core.watch w using (watch_id)
		where m.bucket = $2 and m.page_id = $1
		order by m.left_at is not null, w.name`}
	qChangeDays = statement{routed, `
		select date_trunc('day', c.changed_at, 'UTC') as day, min(c.dice), count(*), min(c.version), max(c.version)
		from core.change c
		where c.bucket = $2 and c.page_id = $1 and c.text_changed and not c.masked
		group by day order by day`}
	qFetchDays = statement{routed, `
		select date_trunc('day', f.started_at, 'UTC') as day, count(*), count(*) filter (where f.outcome in ('new', 'changed', 'same', 'not_modified'))
		from core.fetch f
		where f.bucket = $2 and f.page_id = $1
		group by day order by day`}
	qStepAfter = statement{routed, `
		select min(c.version) from core.change c
		where c.bucket = $2 and c.page_id = $1 and c.text_changed and c.version > $3`}
	qStepBefore = statement{routed, `
		select max(c.version) from core.change c
		where c.bucket = $2 and c.page_id = $1 and c.text_changed and c.version < $3`}
)

// PageWatch is a watch that wants, or wanted, a page.
type PageWatch struct {
	Name     string
	Source   string    // empty: the configured list
	DueAt    time.Time // zero: not at all now
	LeftAt   time.Time // zero: it belongs to it
	SetAside string    // why it was set aside; empty: it is not
	Paused   bool
}

// PageView is a page with what is known of it.
type PageView struct {
	PageRow
	FirstSeen time.Time
	Fetches   int64
	Mask      []byte // packed; nil without one that is active
	Watches   []PageWatch
}

// PageView returns a fetched page by its id, or an error that wraps ErrNotFound.
func (db *DB) PageView(ctx context.Context, id PageID) (PageView, error) {
	var v PageView
	rows, err := db.pool.Query(ctx, qPageRow.sql, id, id.Bucket())
	if err == nil {
		v.PageRow, err = pgx.CollectExactlyOneRow(rows, scanPageRow)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return v, fmt.Errorf("page %d: %w", id, ErrNotFound)
	}
	if err == nil {
		err = db.pool.QueryRow(ctx, qPageSpan.sql, id, id.Bucket()).Scan(&v.FirstSeen, &v.Fetches, &v.Mask)
	}
	if err != nil {
		return v, fmt.Errorf("page %d: %w", id, err)
	}
	rows, err = db.pool.Query(ctx, qPageWatches.sql, id, id.Bucket())
	if err != nil {
		return v, fmt.Errorf("watches of page %d: %w", id, err)
	}
	v.Watches, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (w PageWatch, err error) {
		var due, left *time.Time
		err = row.Scan(&w.Name, &w.Source, &due, &left, &w.SetAside, &w.Paused)
		w.DueAt, w.LeftAt = deref(due), deref(left)
		return w, err
	})
	if err != nil {
		return v, fmt.Errorf("watches of page %d: %w", id, err)
	}
	return v, nil
}

// ChangeDay is a day, in UTC, on which the text of a page changed but for noise.
type ChangeDay struct {
	Day         time.Time
	Dice        float64 // of the largest change
	Changes     int
	First, Last int32 // versions that the changes led to
}

// FetchDay is a day, in UTC, on which a page was fetched.
type FetchDay struct {
	Day         time.Time
	Fetches, OK int // attempts, and those that saw a version
}

// PageDays returns the days on which a page changed and those on which it was
// fetched, ascending.
func (db *DB) PageDays(ctx context.Context, id PageID) ([]ChangeDay, []FetchDay, error) {
	rows, err := db.pool.Query(ctx, qChangeDays.sql, id, id.Bucket())
	if err != nil {
		return nil, nil, fmt.Errorf("days of page %d: %w", id, err)
	}
	changes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ChangeDay])
	if err != nil {
		return nil, nil, fmt.Errorf("days of page %d: %w", id, err)
	}
	if rows, err = db.pool.Query(ctx, qFetchDays.sql, id, id.Bucket()); err != nil {
		return nil, nil, fmt.Errorf("days of page %d: %w", id, err)
	}
	fetches, err := pgx.CollectRows(rows, pgx.RowToStructByPos[FetchDay])
	if err != nil {
		return nil, nil, fmt.Errorf("days of page %d: %w", id, err)
	}
	return changes, fetches, nil
}

// NextChanges returns the versions of a page that changed its text: the last one
// before a version and the first one after it; 0 where there is none.
func (db *DB) NextChanges(ctx context.Context, id PageID, version int32) (before, after int32, err error) {
	var earlier, later *int32
	err = db.pool.QueryRow(ctx, qStepBefore.sql, id, id.Bucket(), version).Scan(&earlier)
	if err == nil {
		err = db.pool.QueryRow(ctx, qStepAfter.sql, id, id.Bucket(), version).Scan(&later)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("changes of page %d: %w", id, err)
	}
	return deref(earlier), deref(later), nil
}
