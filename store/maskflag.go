package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// A page's changes are flagged as masked when they are measured, by the mask of then.
// What is learned later, or switched on or off, marks the mask as stale, and a stage
// goes through the changes again, some at a time. A page with versions that are not
// measured yet waits: these read the mask when they are.
var (
	qTakeStaleMask = statement{routed, `
		select m.page_id, m.mask, m.active, m.flagged_to
		from core.page_mask m
		where ($1::int[] is null or m.bucket = any($1)) and m.stale
		  and not exists (select 1 from core.monitor_todo t
		                  where ($1::int[] is null or t.bucket = any($1)) and t.bucket = m.bucket and t.page_id = m.page_id and t.stage = $2)
		order by m.page_id limit 1
		for update of m skip locked`}
	qChangesAfter = statement{routed, `
		select c.version, c.masked from core.change c
		where c.bucket = $2 and c.page_id = $1 and c.version > $3 and c.text_changed
		order by c.version limit $4`}
	qFlagChanges = statement{routed, `
		update core.change c set masked = v.masked
		from unnest($3::int[], $4::bool[]) v(version, masked)
		where c.bucket = $2 and c.page_id = $1 and c.version = v.version`}
	qRelearnRate = statement{routed, `
		update core.page_rate r set relearn = true where r.bucket = $2 and r.page_id = $1 and not r.relearn`}
	qFlaggedMask = statement{routed, `
		update core.page_mask m set stale = $3, flagged_to = $4 where m.bucket = $2 and m.page_id = $1`}
)

// StaleMask is a mask by which some changes of its page have to be flagged anew.
type StaleMask struct {
	Page   PageID
	Mask   []byte // packed by monitor/mask
	Active bool
	// Masked says how the changes stand, by the version they lead to.
	Masked map[int32]bool
}

// FlagChanges takes one page whose mask is stale and has f say which of some of its changes
// are masked; what f leaves out stays as it is. When all are gone through,
// the page's rate of change is to be learned anew. It returns false when there is no such page.
// Pages are gone through in rising order of their versions, at most limit a call. F is called
// again when the transaction has to be repeated.
func (db *DB) FlagChanges(ctx context.Context, limit int, f func(*Tx, StaleMask) (map[int32]bool, error)) (bool, error) {
	found := false
	// A writer locks the rate of a page before its mask.
	err := db.inTxAgain(ctx, func(tx pgx.Tx) error {
		s := StaleMask{Masked: map[int32]bool{}}
		var to int32
		err := tx.QueryRow(ctx, qTakeStaleMask.sql, nil, StageChange).Scan(&s.Page, &s.Mask, &s.Active, &to)
		if found = err == nil; errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, qChangesAfter.sql, s.Page, s.Page.Bucket(), to, limit)
		if err != nil {
			return err
		}
		var version int32
		var masked bool
		if _, err := pgx.ForEachRow(rows, []any{&version, &masked}, func() error { s.Masked[version] = masked; return nil }); err != nil {
			return err
		}
		want := map[int32]bool{}
		if len(s.Masked) > 0 {
			if want, err = f(&Tx{db: db, tx: tx}, s); err != nil {
				return err
			}
		}
		var versions []int32
		var flags []bool
		for v, m := range want {
			if was, ok := s.Masked[v]; ok && was != m {
				versions, flags = append(versions, v), append(flags, m)
			}
		}
		if len(versions) > 0 {
			if _, err := tx.Exec(ctx, qFlagChanges.sql, s.Page, s.Page.Bucket(), versions, flags); err != nil {
				return err
			}
		}
		more := len(s.Masked) == limit
		if !more {
			version = 0 // the next time begins at the first
			// Also where no flag turned: changes may have been measured late, by a mask that was not
			// known when their fetches taught.
			if _, err := tx.Exec(ctx, qRelearnRate.sql, s.Page, s.Page.Bucket()); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, qFlaggedMask.sql, s.Page, s.Page.Bucket(), more, version)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("flag changes by masks: %w", err)
	}
	return found, nil
}
