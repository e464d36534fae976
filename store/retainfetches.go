package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// The log of fetches is given up by partition: a year before 2025, a month from then
// on, when the whole of it is old. Rows that first saw a version whose content is kept
// stay, since captures are found by them. Readers go on while a partition is made
// smaller; the exchange itself locks the whole log for some milliseconds.

var (
	qOldPartitions = statement{local, `select o.name, o.from_at, o.to_at from core.partitions_of('fetch') o where o.to_at <= $1 order by o.from_at`}
	qOldFetches    = statement{all, `
		select count(*), count(*) filter (where f.outcome in ('new', 'changed') and v.page_id is not null)
		from core.fetch f
		left join core.version v on v.bucket = f.bucket and v.page_id = f.page_id and v.version = f.version and v.first_seen = f.started_at
		     and v.first_seen >= $1 and v.first_seen < $2 and v.thinned_at is null
		where f.started_at >= $1 and f.started_at < $2`}
	// Payloads of answers that made no version are nobody's without their fetch.
	qLoosenFetched = statement{all, `
		insert into core.loose_blob (bucket, sha256, kind)
		select distinct f.bucket, f.sha256, 0 from core.fetch f
		where f.started_at >= $1 and f.started_at < $2 and f.sha256 is not null and f.version is null
		on conflict (sha256, bucket, kind) do nothing`}
	qShrinkFetches = statement{local, `select dropped, kept from core.shrink_fetches($1)`}
)

// fewFetches is the share of a partition's rows, one in so many, below which it is not
// worth making it smaller.
const fewFetches = 5

// dropFetches makes old partitions smaller or drops them.
func (r *retention) dropFetches(ctx context.Context) error {
	rows, err := r.db.pool.Query(ctx, qOldPartitions.sql, r.now.Add(-r.opt.Fetches))
	if err != nil {
		return fmt.Errorf("read partitions: %w", err)
	}
	type partition struct {
		Name     string
		From, To time.Time
	}
	old, err := pgx.CollectRows(rows, pgx.RowToStructByPos[partition])
	if err != nil {
		return fmt.Errorf("read partitions: %w", err)
	}
	dropped := false
	for _, p := range old {
		var all, kept int64
		if err := r.db.pool.QueryRow(ctx, qOldFetches.sql, p.From, p.To).Scan(&all, &kept); err != nil {
			return fmt.Errorf("count the rows of %s: %w", p.Name, err)
		}
		for _, at := range r.would {
			if !at.Before(p.From) && at.Before(p.To) {
				kept--
			}
		}
		if all > 0 && (all-kept)*fewFetches < all {
			continue
		}
		if r.opt.Dry {
			r.report.Fetches += all - kept
			r.report.Partitions++
			continue
		}
		if _, err := r.db.pool.Exec(ctx, qLoosenFetched.sql, p.From, p.To); err != nil {
			return fmt.Errorf("note the payloads of %s: %w", p.Name, err)
		}
		var gone int64
		_, ok, err := r.short(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, qShrinkFetches.sql, p.Name).Scan(&gone, &kept) })
		if err != nil {
			return fmt.Errorf("make %s smaller: %w", p.Name, err)
		}
		if !ok {
			r.report.Waiting++
			continue
		}
		dropped = true
		r.report.Fetches += gone
		r.report.Partitions++
		r.tell()
	}
	if dropped {
		return r.sweepBlobs(ctx)
	}
	return nil
}
