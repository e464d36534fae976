package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// A page's summary holds what lists of many pages show of it, so that a list reads
// one row a page. It is made with the page's state and computed anew from the last
// summaryChanges changes with each version: the cost does not grow with the history.
var (
	qMakeSummaries = statement{routed, `
		insert into core.page_summary (page_id, bucket, host, url, search_text)
		select p.page_id, p.bucket, h.name, p.url, lower(p.url)
		from core.page p
		join core.host h on h.bucket = p.bucket and h.host_id = p.host_id
		where p.bucket = any($2::int[]) and h.bucket = any($2::int[]) and p.page_id = any($1::bigint[])
		on conflict (page_id, bucket) do nothing`}
	qPutSummaries = statement{routed, `
		update core.page_summary s
		set title = coalesce(t.title, ''), search_text = lower(s.url || ' ' || coalesce(t.title, '')),
		    changed_at = coalesce(c.changed_at, '-infinity'), every_hours = coalesce(c.every_hours, 'infinity'), dice = c.dice,
		    knot_hours = coalesce(k.knot_hours, 'infinity'), knot_dice = k.knot_dice, shape = k.shape,
		    recent = coalesce(c.recent, '{}'), noise = coalesce(c.noise, '{}'), computed_at = $4
		from core.page_state t
		left join core.page_curve k on k.bucket = any($2::int[]) and k.page_id = t.page_id
		left join lateral (
			select max(r.changed_at) filter (where not r.masked) as changed_at,
			       extract(epoch from max(r.changed_at) filter (where not r.masked) - min(r.changed_at) filter (where not r.masked))::float8 / 3600
			           / nullif(count(*) filter (where not r.masked) - 1, 0) as every_hours,
			       avg(r.dice) filter (where not r.masked) as dice,
			       array_agg(r.dice::real order by r.version) as recent, array_agg(r.masked order by r.version) as noise
			from (select d.version, d.changed_at, d.dice, d.masked from core.change d
			      where d.bucket = any($2::int[]) and d.page_id = t.page_id and d.text_changed order by d.version desc limit $3) r
		) c on true
		where s.bucket = any($2::int[]) and s.page_id = any($1::bigint[])
		  and t.bucket = any($2::int[]) and t.page_id = s.page_id`}
)

// summaryChanges is how many changes of a page its summary is computed from.
const summaryChanges = 48

// makeSummaries makes the summaries of pages that have none.
func makeSummaries(ctx context.Context, tx pgx.Tx, pages []PageID) error {
	if _, err := tx.Exec(ctx, qMakeSummaries.sql, pages, bucketsOf(pages)); err != nil {
		return fmt.Errorf("make page summaries: %w", err)
	}
	return nil
}

// PutSummaries computes the summaries of the pages of versions that were measured.
func (t *Tx) PutSummaries(ctx context.Context, todo []Todo) error {
	pages := make([]PageID, len(todo))
	for i, d := range todo {
		pages[i] = d.Page
	}
	slices.Sort(pages)
	pages = slices.Compact(pages)
	if _, err := t.tx.Exec(ctx, qPutSummaries.sql, pages, bucketsOf(pages), summaryChanges, t.db.now()); err != nil {
		return fmt.Errorf("store page summaries: %w", err)
	}
	return nil
}
