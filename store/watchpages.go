package store

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qWatchedPages = statement{all, `
		select m.page_id, m.source, m.left_at is not null from core.watch_page m where m.watch_id = $1`}
	qPutWatchPages = statement{routed, `
		insert into core.watch_page as m (page_id, bucket, watch_id, source, slot_at, due_at, joined_at, set_aside_at, set_aside_reason)
		select v.page_id, (v.page_id >> 40)::int, $2, coalesce($3::text, ''), v.slot_at, v.due_at, $4, case when v.reason is not null then $4::timestamptz end, v.reason
		from unnest($1::bigint[], $5::timestamptz[], $6::timestamptz[], $7::text[]) v(page_id, slot_at, due_at, reason)
		on conflict (page_id, bucket, watch_id) do update set source = coalesce($3::text, m.source), slot_at = excluded.slot_at, due_at = excluded.due_at,
		    left_at = null, set_aside_at = excluded.set_aside_at, set_aside_reason = excluded.set_aside_reason`}
	// Without figures on a table that was empty until now, the planner takes a list of ids for a good part of
	// it, and reads all of it for each list.
	qAnalyzeWatchPages = statement{local, `analyze core.watch_page, core.page`}
	qLeaveWatch        = statement{routed, `
		update core.watch_page m set left_at = $3, slot_at = null, due_at = null, set_aside_at = null, set_aside_reason = null
		where m.bucket = any($4::int[]) and m.page_id = any($1::bigint[]) and m.watch_id = $2`}
	qPauseWatchPages = statement{all, `
		update core.watch_page m set slot_at = null, due_at = null, set_aside_at = null, set_aside_reason = null
		where m.watch_id = any($1::int[]) and (m.due_at is not null or m.set_aside_at is not null)
		returning m.page_id`}
	qSetAsidePages = statement{all, `
		select m.page_id, p.url from core.watch_page m join core.page p on p.bucket = m.bucket and p.page_id = m.page_id
		where m.watch_id = $1 and m.set_aside_at is not null and m.left_at is null`}
	qSourcedPages = statement{all, `
		select m.page_id, p.url from core.watch_page m join core.page p on p.bucket = m.bucket and p.page_id = m.page_id
		where m.watch_id = $1 and m.source <> '' and m.left_at is null and ($2 or m.due_at is null) order by m.page_id`}
	qLastFetches = statement{routed, `
		select s.page_id, s.last_fetched from core.page_state s
		where s.bucket = any($2::int[]) and s.page_id = any($1::bigint[]) and s.last_fetched is not null`}
	qSettlePages = statement{routed, `
		insert into core.page_schedule as s (page_id, bucket, next_due_at, due_at)
		select w.page_id, w.bucket, d.at, d.at
		from (
			select m.page_id, m.bucket, min(m.due_at) as due_at
			from core.watch_page m
			where m.bucket = any($2::int[]) and m.page_id = any($1::bigint[])
			group by m.page_id, m.bucket
		) w
		left join core.burst_state b on b.bucket = any($2::int[]) and b.page_id = w.page_id
		cross join lateral (select case when w.due_at is not null then least(w.due_at, b.next_due_at) end as at) d
		on conflict (page_id, bucket) do update set next_due_at = excluded.next_due_at, due_at = excluded.due_at, deferred_at = null`}
)

// settleChunk is how many pages one statement writes.
const settleChunk = 10_000

// applier applies a configuration in a transaction.
type applier struct {
	tx      pgx.Tx
	now     time.Time
	out     *Applied
	touched []PageID // whose earliest due time may have changed
	labeled []PageID // whose labels may have changed
}

type firstFunc = func(url string, now time.Time) (slot, due time.Time, err error)

// timing gives the due times of pages, see WatchSpec.
type timing struct {
	first firstFunc
	again func(url string, last, now time.Time) (slot, due time.Time, err error)
}

// of returns when a page is due that was last fetched at a time; zero: never, or it does not count.
func (t timing) of(url string, last, now time.Time) (slot, due time.Time, err error) {
	if t.again == nil || last.IsZero() {
		return t.first(url, now)
	}
	return t.again(url, last, now)
}

// apply applies one watch. Without ids its list and timing are as before.
func (a *applier) apply(ctx context.Context, s *WatchSpec, ids []PageID, hash []byte, old WatchRow, known bool) error {
	config := s.Config
	if len(config) == 0 {
		config = []byte("{}")
	}
	var id int32
	err := a.tx.QueryRow(ctx, qPutWatch.sql, s.Name, textOrNil(s.Category), textOrNil(s.Genre), a.now, config, s.Timing, s.Every.Seconds()).Scan(&id)
	if err != nil {
		return err
	}
	fresh := !known || old.Paused
	switch {
	case fresh:
		a.out.Added = append(a.out.Added, s.Name)
	case old.Timing != s.Timing || old.Category != s.Category || old.Genre != s.Genre || !slices.Equal(old.pagesHash, hash):
		a.out.Changed = append(a.out.Changed, s.Name)
	}
	if known && (old.Category != s.Category || old.Genre != s.Genre) {
		if err := a.labelAll(ctx, id); err != nil {
			return err
		}
	}
	if known && !sameIgnored(old.Config, config) {
		if _, err := a.tx.Exec(ctx, qRemeasureWatch.sql, id, StageChange, a.now); err != nil {
			return err
		}
	}
	if ids == nil && len(s.Pages) > 0 {
		return a.takeUp(ctx, id, s.First)
	}
	if err := a.list(ctx, id, "", s.Pages, ids, timing{s.First, s.Again}, fresh || old.Timing != s.Timing); err != nil {
		return err
	}
	labels := len(s.Labels) > 0
	if !labels {
		if labels, err = a.hasLabels(ctx, id); err != nil {
			return err
		}
	}
	if labels {
		if err := a.labelListed(ctx, id, s, ids); err != nil {
			return err
		}
	}
	_, err = a.tx.Exec(ctx, qHashWatch.sql, id, hash)
	return err
}

// list makes the pages that a source brings to a watch those given. With anew all
// of the watch's pages are scheduled anew, those of its sources included, else only those that join.
func (a *applier) list(ctx context.Context, watch int32, source string, urls []string, ids []PageID, t timing, anew bool) error {
	type member struct {
		source string
		left   bool
	}
	have := map[PageID]member{}
	rows, err := a.tx.Query(ctx, qWatchedPages.sql, watch)
	if err != nil {
		return err
	}
	var page PageID
	var m member
	if _, err := pgx.ForEachRow(rows, []any{&page, &m.source, &m.left}, func() error { have[page] = m; return nil }); err != nil {
		return err
	}
	labels, err := a.hasLabels(ctx, watch)
	if err != nil {
		return err
	}
	var put membership
	var stay []PageID // that are scheduled anew
	stayURLs := map[PageID]string{}
	wanted := make(map[PageID]bool, len(ids))
	for i, id := range ids {
		if wanted[id] {
			continue
		}
		wanted[id] = true
		h, ok := have[id]
		joins := !ok || h.left
		if joins {
			a.out.Joined++
			if labels {
				a.labeled = append(a.labeled, id)
			}
		}
		// A page that the configuration lists stays its own when a feed names it too.
		switch {
		case joins:
			a.add(&put, id, urls[i], time.Time{}, t)
		case (anew && h.source == source) || (source == "" && h.source != ""):
			stay = append(stay, id)
			stayURLs[id] = urls[i]
		}
	}
	if err := a.anew(ctx, &put, stay, stayURLs, t); err != nil {
		return err
	}
	if err := a.put(ctx, watch, &source, &put); err != nil {
		return err
	}
	if anew && source == "" {
		if err := a.sourced(ctx, watch, wanted, t); err != nil {
			return err
		}
	}
	var leaving []PageID
	for id, h := range have {
		if !wanted[id] && !h.left && h.source == source {
			leaving = append(leaving, id)
		}
	}
	slices.Sort(leaving)
	a.out.Left += len(leaving)
	a.touched = append(a.touched, leaving...)
	for part := range slices.Chunk(leaving, settleChunk) {
		if _, err := a.tx.Exec(ctx, qLeaveWatch.sql, part, watch, a.now, bucketsOf(part)); err != nil {
			return err
		}
	}
	return nil
}

// sourced schedules anew the pages that sources brought to a watch, but for those that its own list has. Where no
// page keeps its last fetch, only those that are not due at all.
func (a *applier) sourced(ctx context.Context, watch int32, listed map[PageID]bool, t timing) error {
	rows, err := a.tx.Query(ctx, qSourcedPages.sql, watch, t.again != nil)
	if err != nil {
		return err
	}
	var ids []PageID
	urls := map[PageID]string{}
	var page PageID
	var url string
	_, err = pgx.ForEachRow(rows, []any{&page, &url}, func() error {
		if !listed[page] {
			ids = append(ids, page)
			urls[page] = url
		}
		return nil
	})
	if err != nil {
		return err
	}
	var put membership
	if err := a.anew(ctx, &put, ids, urls, t); err != nil {
		return err
	}
	return a.put(ctx, watch, nil, &put)
}

// anew adds pages that stay in their watch: those that were fetched keep their last fetch.
func (a *applier) anew(ctx context.Context, m *membership, ids []PageID, urls map[PageID]string, t timing) error {
	for part := range slices.Chunk(ids, settleChunk) {
		last, err := lastFetches(ctx, a.tx, part)
		if err != nil {
			return err
		}
		for _, id := range part {
			a.add(m, id, urls[id], last[id], t)
		}
	}
	return nil
}

// lastFetches returns when pages were last fetched, without those that never were.
func lastFetches(ctx context.Context, q queryer, ids []PageID) (map[PageID]time.Time, error) {
	rows, err := q.Query(ctx, qLastFetches.sql, ids, bucketsOf(ids))
	if err != nil {
		return nil, err
	}
	out := make(map[PageID]time.Time, len(ids))
	var page PageID
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&page, &at}, func() error { out[page] = at; return nil })
	return out, err
}

// takeUp schedules the pages that were set aside.
func (a *applier) takeUp(ctx context.Context, watch int32, first firstFunc) error {
	rows, err := a.tx.Query(ctx, qSetAsidePages.sql, watch)
	if err != nil {
		return err
	}
	var put membership
	var page PageID
	var url string
	if _, err := pgx.ForEachRow(rows, []any{&page, &url}, func() error { a.add(&put, page, url, time.Time{}, timing{first: first}); return nil }); err != nil {
		return err
	}
	return a.put(ctx, watch, nil, &put)
}

// membership are rows of watch_page on their way.
type membership struct {
	pages       []PageID
	slots, dues []*time.Time
	reasons     []*string
}

func (a *applier) add(m *membership, id PageID, url string, last time.Time, t timing) {
	slot, due, err := t.of(url, last, a.now)
	m.pages = append(m.pages, id)
	if err != nil {
		reason := err.Error()
		m.slots, m.dues, m.reasons = append(m.slots, nil), append(m.dues, nil), append(m.reasons, textOrNil(reason))
		a.out.SetAside++
		return
	}
	m.slots, m.dues, m.reasons = append(m.slots, orNil(slot)), append(m.dues, orNil(due)), append(m.reasons, nil)
}

// put writes rows; without a source those that are there keep theirs.
func (a *applier) put(ctx context.Context, watch int32, source *string, m *membership) error {
	a.touched = append(a.touched, m.pages...)
	for from := 0; from < len(m.pages); from += settleChunk {
		to := min(from+settleChunk, len(m.pages))
		_, err := a.tx.Exec(ctx, qPutWatchPages.sql, m.pages[from:to], watch, source, a.now, m.slots[from:to], m.dues[from:to], m.reasons[from:to])
		if err != nil {
			return err
		}
	}
	if len(m.pages) <= settleChunk {
		return nil
	}
	_, err := a.tx.Exec(ctx, qAnalyzeWatchPages.sql)
	return err
}

// pause takes watches out of the schedule.
func (a *applier) pause(ctx context.Context, watches []int32) error {
	if len(watches) == 0 {
		return nil
	}
	if _, err := a.tx.Exec(ctx, qPauseWatches.sql, watches, a.now); err != nil {
		return err
	}
	rows, err := a.tx.Query(ctx, qPauseWatchPages.sql, watches)
	if err != nil {
		return err
	}
	pages, err := pgx.CollectRows(rows, pgx.RowTo[PageID])
	a.touched = append(a.touched, pages...)
	return err
}

// settle gives all pages touched their earliest due time, and has those measured again of which
// other rules say what counts now.
func (a *applier) settle(ctx context.Context) error {
	slices.Sort(a.touched)
	for part := range slices.Chunk(slices.Compact(a.touched), settleChunk) {
		if _, err := a.tx.Exec(ctx, qSettlePages.sql, part, bucketsOf(part)); err != nil {
			return err
		}
		if _, err := a.tx.Exec(ctx, qRemeasureOthers.sql, part, bucketsOf(part), StageChange, a.now); err != nil {
			return err
		}
	}
	return nil
}
