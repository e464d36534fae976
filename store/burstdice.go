package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var (
	qUnmeasuredSnapshots = statement{all, `
		select r.page_id, r.round, r.snapshot, a.record, b.record
		from core.burst_result r
		join core.version a on a.bucket = r.bucket and a.page_id = r.page_id and a.version = r.first_version
		join core.version b on b.bucket = r.bucket and b.page_id = r.page_id and b.version = r.version
		where r.dice is null
		limit $1`}
	qPutSnapshotDice = statement{routed, `
		update core.burst_result r set dice = v.dice
		from unnest($1::bigint[], $2::int[], $3::int[], $4::float8[]) v(page_id, round, snapshot, dice)
		where r.bucket = any($5::int[]) and r.page_id = v.page_id and r.round = v.round and r.snapshot = v.snapshot`}
	qDropSnapshot = statement{routed, `
		delete from core.burst_result r where r.bucket = $2 and r.page_id = $1 and r.round = $3 and r.snapshot = $4`}
)

// Snapshot is a snapshot of a round that differs from the first, by their records.
type Snapshot struct {
	Page            PageID
	Round, Snapshot int
	Before, After   SHA256
	Dice            float64 // for PutSnapshotDice
}

// UnmeasuredSnapshots returns some of the snapshots whose change is not measured yet.
func (db *DB) UnmeasuredSnapshots(ctx context.Context, limit int) ([]Snapshot, error) {
	rows, err := db.pool.Query(ctx, qUnmeasuredSnapshots.sql, limit)
	if err != nil {
		return nil, fmt.Errorf("read snapshots: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Snapshot, err error) {
		var a, b []byte
		err = row.Scan(&s.Page, &s.Round, &s.Snapshot, &a, &b)
		copy(s.Before[:], a)
		copy(s.After[:], b)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read snapshots: %w", err)
	}
	return out, nil
}

// SnapshotRecords returns the extracted records of both versions of a snapshot.
func (db *DB) SnapshotRecords(ctx context.Context, s Snapshot) (before, after []byte, err error) {
	keys := []ContentKey{{s.Page.Bucket(), s.Before}, {s.Page.Bucket(), s.After}}
	records, err := db.contents(ctx, db.pool, recordTable, keys)
	return records[keys[0]], records[keys[1]], err
}

// PutSnapshotDice stores what was measured.
func (db *DB) PutSnapshotDice(ctx context.Context, snapshots []Snapshot) error {
	var pages []PageID
	var rounds, numbers []int32
	var dice []float64
	for _, s := range snapshots {
		pages = append(pages, s.Page)
		rounds, numbers, dice = append(rounds, int32(s.Round)), append(numbers, int32(s.Snapshot)), append(dice, s.Dice)
	}
	if _, err := db.pool.Exec(ctx, qPutSnapshotDice.sql, pages, rounds, numbers, dice, bucketsOf(pages)); err != nil {
		return fmt.Errorf("store snapshots: %w", err)
	}
	return nil
}

// DropSnapshot forgets a snapshot that cannot be measured: it is no valid pair.
func (db *DB) DropSnapshot(ctx context.Context, s Snapshot) error {
	if _, err := db.pool.Exec(ctx, qDropSnapshot.sql, s.Page, s.Page.Bucket(), s.Round, s.Snapshot); err != nil {
		return fmt.Errorf("drop snapshot: %w", err)
	}
	return nil
}
