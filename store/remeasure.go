package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// When other rules say what of a page counts, its measures are taken again. The
// configuration only queues the last version of each page of the watch; whoever
// measures it sees that the rules differ and queues the others.
var (
	qRemeasure = statement{routed, `
		insert into core.monitor_todo (page_id, bucket, version, stage, enqueued_at)
		select v.page_id, v.bucket, v.version, $3, $4
		from core.version v where v.bucket = any($2::int[]) and v.page_id = any($1::bigint[])
		on conflict (page_id, bucket, version, stage) do nothing`}
	qHoursSeen = statement{routed, `
		select distinct date_trunc('hour', f.started_at, 'UTC')
		from core.fetch f where f.bucket = any($2::int[]) and f.page_id = any($1::bigint[]) and f.version is not null`}
	qRemeasureWatch = statement{all, `
		insert into core.monitor_todo (page_id, bucket, version, stage, enqueued_at)
		select s.page_id, s.bucket, s.version, $2, $3
		from core.watch_page m
		join core.page_state s on s.bucket = m.bucket and s.page_id = m.page_id
		where m.watch_id = $1 and m.left_at is null and s.version > 0
		on conflict (page_id, bucket, version, stage) do nothing`}
)

// Remeasure queues all versions of pages for the stage that measures changes, and the
// periods of the language model in which they were seen.
func (t *Tx) Remeasure(ctx context.Context, pages []PageID) error {
	if _, err := t.tx.Exec(ctx, qRemeasure.sql, pages, bucketsOf(pages), StageChange, t.db.now()); err != nil {
		return fmt.Errorf("queue versions: %w", err)
	}
	rows, err := t.tx.Query(ctx, qHoursSeen.sql, pages, bucketsOf(pages))
	if err != nil {
		return fmt.Errorf("read hours: %w", err)
	}
	hours, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return fmt.Errorf("read hours: %w", err)
	}
	return notePeriods(ctx, t.tx, hourEnds(hours))
}

// hourEnds returns the first and the last moment of hours.
func hourEnds(hours []time.Time) []time.Time {
	out := make([]time.Time, 0, 2*len(hours))
	for _, h := range hours {
		out = append(out, h, h.Add(time.Hour))
	}
	return out
}
