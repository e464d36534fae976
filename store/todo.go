package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

var qTakeTodo = statement{routed, `
	with d as (
		select t.bucket, t.page_id, t.version
		from core.monitor_todo t
		where t.stage = $1 and ($3::int[] is null or t.bucket = any($3))
		order by t.page_id, t.version
		limit $2
		for update skip locked
	)
	delete from core.monitor_todo t using d
	where t.bucket = d.bucket and t.page_id = d.page_id and t.version = d.version and t.stage = $1
	  and ($3::int[] is null or t.bucket = any($3))
	returning t.page_id, t.version`}

var qTakeWith = statement{routed, `
	with d as (
		select t.bucket, t.page_id, t.version
		from unnest($2::bigint[], $3::int[]) v(page_id, version)
		join core.monitor_todo t on t.page_id = v.page_id and t.version <= v.version
		where t.stage = $1 and t.bucket = any($4::int[])
		for update of t skip locked
	)
	delete from core.monitor_todo t using d
	where t.bucket = d.bucket and t.page_id = d.page_id and t.version = d.version and t.stage = $1 and t.bucket = any($4::int[])
	returning t.page_id, t.version`}

var qSetAside = statement{routed, `
	update core.monitor_todo set stage = stage || ' (set aside)'
	where page_id = $1 and bucket = $2 and version = $3 and stage = $4`}

// Todo is a new version that a stage has to look at.
type Todo struct {
	Page    PageID
	Version int32
}

// TakeTodo takes up to limit versions out of a stage's queue and calls f with
// them and the transaction in which they were taken: what f writes by it and the
// taking are one. When f fails the versions stay queued. TakeTodo returns how
// many were taken; 0 means that the queue is empty.
func (db *DB) TakeTodo(ctx context.Context, stage string, limit int, f func(*Tx, []Todo) error) (int, error) {
	var n int
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, qTakeTodo.sql, stage, limit, nil)
		if err != nil {
			return err
		}
		todo, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Todo, err error) {
			err = row.Scan(&t.Page, &t.Version)
			return t, err
		})
		if err != nil {
			return err
		}
		if n = len(todo); n == 0 {
			return nil
		}
		return f(&Tx{db: db, tx: tx}, todo)
	})
	if err != nil {
		return 0, fmt.Errorf("work off stage %s: %w", stage, err)
	}
	return n, nil
}

// Tx is a transaction in which a stage writes its results.
type Tx struct {
	db *DB
	tx pgx.Tx
}

// TakeWith takes, out of another stage's queue, the versions of the same pages up to the
// last of each that were taken, so that both stages look at them together.
func (t *Tx) TakeWith(ctx context.Context, stage string, todo []Todo) ([]Todo, error) {
	last := make(map[PageID]int32, len(todo))
	for _, d := range todo {
		last[d.Page] = max(last[d.Page], d.Version)
	}
	pages := slices.Sorted(maps.Keys(last))
	versions := make([]int32, len(pages))
	for i, p := range pages {
		versions[i] = last[p]
	}
	rows, err := t.tx.Query(ctx, qTakeWith.sql, stage, pages, versions, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("take versions of stage %s: %w", stage, err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Todo])
	if err != nil {
		return nil, fmt.Errorf("take versions of stage %s: %w", stage, err)
	}
	return out, nil
}

// SetAside takes a version that a stage cannot deal with out of its way. It stays
// in the queue under the stage's name with a mark, for a person to see.
func (db *DB) SetAside(ctx context.Context, stage string, t Todo) error {
	if _, err := db.pool.Exec(ctx, qSetAside.sql, t.Page, t.Page.Bucket(), t.Version, stage); err != nil {
		return fmt.Errorf("set version %d of page %d aside: %w", t.Version, t.Page, err)
	}
	return nil
}
