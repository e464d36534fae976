package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// A change that is not measured yet counts as one.
var qOutcomes = statement{routed, `
	with f as (
		select f.started_at, f.version, lag(f.version) over (order by f.started_at, f.attempt) as before
		from core.fetch f
		where f.bucket = $2 and f.page_id = $1 and f.version is not null and f.started_at <= $3 and f.started_at > $4
	)
	select f.started_at, f.version <> f.before and (
	           exists (select 1 from core.change c where c.bucket = $2 and c.page_id = $1 and c.version > f.before and c.version <= f.version
	                                                and c.text_changed and not c.masked)
	           or not exists (select 1 from core.change c where c.bucket = $2 and c.page_id = $1 and c.version = f.version))
	from f
	order by f.started_at desc limit $5`}

// FetchOutcome is a fetch that told what a page says.
type FetchOutcome struct {
	StartedAt time.Time
	Changed   bool // since the one before, in more than noise; of the first one false
}

// Outcomes returns the latest fetches of a page in (from, to] that told what it says, oldest
// first and at most limit of them, with their changes as they are flagged now.
func (t *Tx) Outcomes(ctx context.Context, page PageID, from, to time.Time, limit int) ([]FetchOutcome, error) {
	rows, err := t.tx.Query(ctx, qOutcomes.sql, page, page.Bucket(), to, from, limit)
	if err != nil {
		return nil, fmt.Errorf("read outcomes of fetches: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (o FetchOutcome, err error) {
		var changed *bool
		err = row.Scan(&o.StartedAt, &changed)
		o.Changed = deref(changed)
		return o, err
	})
	if err != nil {
		return nil, fmt.Errorf("read outcomes of fetches: %w", err)
	}
	slices.Reverse(out)
	return out, nil
}
