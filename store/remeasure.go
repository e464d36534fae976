package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// When other rules say what of a page counts, its measures are taken again. The
// configuration only queues the last version of each page of the watch, and of each page that
// joins or leaves one and was analysed under other rules; whoever measures it sees that the
// rules differ and queues the others. The hash is that of package monitor.
var (
	qRemeasure = statement{routed, `
		insert into core.monitor_todo (page_id, bucket, version, stage, enqueued_at)
		select v.page_id, v.bucket, v.version, $3, $4
		from core.version v where v.bucket = any($2::int[]) and v.page_id = any($1::bigint[])
		on conflict (page_id, bucket, version, stage) do nothing`}
	qHoursSeen = statement{routed, `
		select distinct date_trunc('hour', f.started_at, 'UTC')
		from core.fetch f where f.bucket = any($2::int[]) and f.page_id = any($1::bigint[]) and f.version is not null`}
	qRemeasureOthers = statement{routed, `
		insert into core.monitor_todo (page_id, bucket, version, stage, enqueued_at)
		select s.page_id, s.bucket, s.version, $3, $4
		from core.page_state s
		join core.page_analysis a on a.bucket = any($2::int[]) and a.page_id = s.page_id
		cross join lateral (
			select substring(sha256(convert_to(string_agg(r.rule, e'\n' order by w.watch_id, r.n), 'UTF8')) for 16) as hash
			from core.watch_page m
			join core.watch w on w.watch_id = m.watch_id
			cross join lateral jsonb_array_elements_text(coalesce(w.config->'ignore', '[]'::jsonb)) with ordinality r(rule, n)
			where m.bucket = any($2::int[]) and m.page_id = s.page_id and m.left_at is null and w.paused_at is null
		) now
		where s.bucket = any($2::int[]) and s.page_id = any($1::bigint[]) and a.version > 0 and a.rules is distinct from now.hash
		on conflict (page_id, bucket, version, stage) do nothing`}
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
