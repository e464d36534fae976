package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Lists of the schedule. Pages that fail or were set aside are few and have an
// index of their own.
var (
	qDueSlots = statement{all, `
		select date_bin($3::interval, s.next_due_at, $1) as slot, count(*)
		from core.page_schedule s
		where s.next_due_at > $1 and s.next_due_at <= $2
		group by slot order by slot`}
	qDueList = statement{all, `
		select s.page_id, p.url, h.name, s.due_at, s.next_due_at, s.lease_until > $2, s.deferred_at, s.failing_since, ''
		from (select d.* from core.page_schedule d where d.next_due_at <= $1 and ($3::timestamptz is null or (d.next_due_at, d.page_id) > ($3, $4::bigint))
		      order by d.next_due_at, d.page_id limit $5) s
		join core.page p on p.bucket = s.bucket and p.page_id = s.page_id
		join core.host h on h.bucket = p.bucket and h.host_id = p.host_id
		order by s.next_due_at, s.page_id`}
	qFailingList = statement{all, `
		select s.page_id, p.url, h.name, s.due_at, s.next_due_at, s.lease_until > $1, s.deferred_at, s.failing_since, coalesce(t.last_error, '')
		from (select d.* from core.page_schedule d
		      where d.failing_since is not null and ($2::timestamptz is null or (d.failing_since, d.page_id) > ($2, $3::bigint))
		      order by d.failing_since, d.page_id limit $4) s
		join core.page p on p.bucket = s.bucket and p.page_id = s.page_id
		join core.host h on h.bucket = p.bucket and h.host_id = p.host_id
		left join core.page_state t on t.bucket = s.bucket and t.page_id = s.page_id
		order by s.failing_since, s.page_id`}
	qAsideList = statement{all, `
		select m.page_id, p.url, h.name, m.set_aside_at, w.name || ': ' || coalesce(m.set_aside_reason, '')
		from core.watch_page m
		join core.watch w using (watch_id)
		join core.page p on p.bucket = m.bucket and p.page_id = m.page_id
		join core.host h on h.bucket = p.bucket and h.host_id = p.host_id
		where m.set_aside_at is not null and ($1::timestamptz is null or (m.set_aside_at, m.page_id) > ($1, $2::bigint))
		order by m.set_aside_at, m.page_id limit $3`}
	qHostQueues = statement{all, `
		select h.name, q.due, q.late, q.oldest, q.running
		from (
			select p.bucket, p.host_id, count(*) as due, count(*) filter (where s.next_due_at < $2) as late, min(s.next_due_at) as oldest,
			       count(*) filter (where s.lease_until > $1) as running
			from (select d.page_id, d.bucket, d.next_due_at, d.lease_until from core.page_schedule d where d.next_due_at <= $1 order by d.next_due_at limit 20000) s
			join core.page p on p.bucket = s.bucket and p.page_id = s.page_id
			group by p.bucket, p.host_id
			order by due desc, oldest limit $3
		) q
		join core.host h on h.bucket = q.bucket and h.host_id = q.host_id
		order by q.due desc, q.oldest`}
)

// DueSlot is how many pages are due in a span of time.
type DueSlot struct {
	At    time.Time
	Pages int64
}

// DueSlots counts the pages due after from and up to to, in slots of a length.
// Slots without any are left out.
func (db *DB) DueSlots(ctx context.Context, from, to time.Time, slot time.Duration) ([]DueSlot, error) {
	rows, err := db.pool.Query(ctx, qDueSlots.sql, from, to, slot)
	if err != nil {
		return nil, fmt.Errorf("read due times: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[DueSlot])
	if err != nil {
		return nil, fmt.Errorf("read due times: %w", err)
	}
	return out, nil
}

// DueRow is a watched page in a list of the schedule.
type DueRow struct {
	Page         PageID
	URL, Host    string
	DueAt        time.Time
	NextDueAt    time.Time
	Running      bool      // a daemon has taken it
	DeferredAt   time.Time // zero: it was not put off
	FailingSince time.Time // zero: it does not fail
	SetAsideAt   time.Time // zero: it is not set aside
	Reason       string    // of the failure, or of being set aside
}

// TimeMark is the place of a row in a list ordered by time.
type TimeMark struct {
	At   time.Time
	Page PageID
}

func (m *TimeMark) args() (*time.Time, PageID) {
	if m == nil {
		return nil, 0
	}
	return &m.At, m.Page
}

// DuePages lists the pages that were due before a time, the longest due first.
func (db *DB) DuePages(ctx context.Context, before, now time.Time, after *TimeMark, limit int) ([]DueRow, error) {
	at, page := after.args()
	rows, err := db.pool.Query(ctx, qDueList.sql, listMode, before, now, at, page, limit)
	return collectDue(rows, err)
}

// FailingPages lists the watched pages that fail, the longest failing first.
func (db *DB) FailingPages(ctx context.Context, now time.Time, after *TimeMark, limit int) ([]DueRow, error) {
	at, page := after.args()
	rows, err := db.pool.Query(ctx, qFailingList.sql, listMode, now, at, page, limit)
	return collectDue(rows, err)
}

func collectDue(rows pgx.Rows, err error) ([]DueRow, error) {
	if err != nil {
		return nil, fmt.Errorf("list due pages: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r DueRow, err error) {
		var due, next, deferred, failing *time.Time
		var running *bool
		err = row.Scan(&r.Page, &r.URL, &r.Host, &due, &next, &running, &deferred, &failing, &r.Reason)
		r.DueAt, r.NextDueAt, r.DeferredAt, r.FailingSince, r.Running = deref(due), deref(next), deref(deferred), deref(failing), deref(running)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("list due pages: %w", err)
	}
	return out, nil
}

// AsidePages lists the pages that were set aside, the longest set aside first.
func (db *DB) AsidePages(ctx context.Context, after *TimeMark, limit int) ([]DueRow, error) {
	at, page := after.args()
	rows, err := db.pool.Query(ctx, qAsideList.sql, listMode, at, page, limit)
	if err != nil {
		return nil, fmt.Errorf("list pages set aside: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r DueRow, err error) {
		err = row.Scan(&r.Page, &r.URL, &r.Host, &r.SetAsideAt, &r.Reason)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("list pages set aside: %w", err)
	}
	return out, nil
}

// HostQueue is a host with pages that are due.
type HostQueue struct {
	Host      string
	Due, Late int64
	OldestAt  time.Time
	Running   int64 // that a daemon has taken
}

// HostQueues returns the hosts with the most due pages, of the 20,000 pages that
// have been due for longest.
func (db *DB) HostQueues(ctx context.Context, now, late time.Time, limit int) ([]HostQueue, error) {
	rows, err := db.pool.Query(ctx, qHostQueues.sql, now, late, limit)
	if err != nil {
		return nil, fmt.Errorf("read queues of hosts: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[HostQueue])
	if err != nil {
		return nil, fmt.Errorf("read queues of hosts: %w", err)
	}
	return out, nil
}
