package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
)

// The life of a row of page_schedule: a daemon claims it, which leases it; it
// fetches the page; Complete gives it the next due time and takes the lease off,
// in the transaction that stores the fetch. A row whose lease ran out is claimed
// again and says so, since its page may have been fetched.
//
// Every writer of due times holds the advisory lock below, shared when it
// completes pages and alone when it applies a configuration, so that none of them
// computes the earliest due time of a page from rows that the other just changes.
var (
	// Nothing but page_schedule: pages that come due together lie all over the other tables, and reading
	// their rows, which are rarely in memory, takes three times as long as claiming. On one server the
	// buckets come as bits, which cost the same however many they are; spread over several, as
	// the array by which the statement is routed.
	qClaim = statement{routed, `
		with d as (
			select s.bucket, s.page_id, s.lease_owner
			from core.page_schedule s
			where ($1::int[] is null or s.bucket = any($1)) and ($8::bytea is null or get_bit($8, s.bucket) = 1) and s.next_due_at <= $2
			  and (s.lease_until is null or s.lease_until <= $3 or s.lease_owner = any($4::int[]))
			order by s.next_due_at limit $5
			for update skip locked
		)
		update core.page_schedule s set lease_owner = $6, lease_until = $7
		from d
		where ($1::int[] is null or s.bucket = any($1)) and s.bucket = d.bucket and s.page_id = d.page_id
		returning s.page_id, s.next_due_at, s.due_at, coalesce(d.lease_owner, 0), s.deferred_at, s.failing_since, s.missing`}
	qNextDue = statement{all, `
		select s.next_due_at from core.page_schedule s
		where ($1::int[] is null or s.bucket = any($1)) and ($3::bytea is null or get_bit($3, s.bucket) = 1) and s.next_due_at > $2
		order by s.next_due_at limit 1`}
	qShareSchedule   = statement{local, `select pg_advisory_xact_lock_shared(7305819)`}
	qCompleteWatches = statement{routed, `
		update core.watch_page m
		set slot_at = v.slot_at, due_at = case when v.reason is null then v.due_at end,
		    set_aside_at = case when v.reason is not null then $8::timestamptz end, set_aside_reason = v.reason
		from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::text[]) v(page_id, watch_id, was, slot_at, due_at, reason)
		where m.bucket = any($7::int[]) and m.page_id = v.page_id and m.watch_id = v.watch_id and m.due_at is not null
		  and m.slot_at is not distinct from v.was`}
	qCompletePages = statement{routed, `
		update core.page_schedule s
		set next_due_at = d.due_at, due_at = d.due_at, lease_owner = null, lease_until = null, deferred_at = null,
		    failing_since = v.failing_since, missing = v.missing
		from unnest($1::bigint[], $2::timestamptz[], $5::smallint[]) v(page_id, failing_since, missing)
		cross join lateral (
			select case when w.due_at is not null then least(w.due_at, b.next_due_at) end as due_at
			from (select min(m.due_at) as due_at from core.watch_page m where m.bucket = any($3::int[]) and m.page_id = v.page_id) w
			left join core.burst_state b on b.bucket = any($3::int[]) and b.page_id = v.page_id
		) d
		where s.bucket = any($3::int[]) and s.page_id = v.page_id and s.lease_owner = $4`}
	qDefer = statement{routed, `
		update core.page_schedule s
		set next_due_at = greatest(v.at, s.due_at), lease_owner = null, lease_until = null,
		    deferred_at = case when v.at > s.due_at then $3 else s.deferred_at end
		from unnest($1::bigint[], $2::timestamptz[]) v(page_id, at)
		where s.bucket = any($4::int[]) and s.page_id = v.page_id and s.lease_owner = $5`}
	qCountDue = statement{all, `
		select count(*) from (select 1 from core.page_schedule s where s.next_due_at <= $1 limit $2) d`}
)

// ClaimRequest says what a daemon would take.
type ClaimRequest struct {
	Daemon int32
	// Buckets of one group that the daemon holds; nil means all, for a daemon alone.
	Buckets []int32
	// Routed says that the tables are spread over several servers, and Buckets lie on one.
	Routed  bool
	Now     time.Time
	Horizon time.Time // pages due up to here
	Until   time.Time // end of the leases
	Limit   int
	// Dead are daemons that are known to have ended: their leases count for nothing.
	Dead []int32
}

// Claim is a page that a daemon has taken.
type Claim struct {
	Page PageID
	URL  string // canonical
	Host string
	// NextDueAt is when the page may be fetched, DueAt when it was due; they differ
	// when it was put off, at DeferredAt.
	NextDueAt, DueAt, DeferredAt time.Time
	// Before is the daemon whose lease of the page ran out; 0 if none. The page may
	// have been fetched under it.
	Before       int32
	FailingSince time.Time // zero: the page does not fail
	Failures     int       // in a row
	Missing      int       // answers that the page is not there, since it was last seen
	LastOutcome  Outcome   // of the last attempt; empty: none
	Version      int32     // 0: none
	Hash         SHA256    // content of that version
	ETag         string
	LastModified string
	ValidatedURL string    // that sent these two; empty: URL
	LastFetched  time.Time // zero: never
	Watches      []WatchDue
	Burst        *Burst // nil: no watch with bursts has looked at the page yet
}

// WatchDue is when a watch next wants a page.
type WatchDue struct {
	Watch     int32
	Slot, Due time.Time
	// Was is the slot that stood there when the page was claimed. Complete moves on
	// only from there: a configuration applied in between has the last word.
	Was time.Time
	// SetAside, if not empty, is why the page is no longer scheduled for the watch
	// until the configuration is applied again.
	SetAside string
}

// Claim leases due pages, those due first before others. A page that no watch
// wants any more is not among them. The rows of one claim are in the order of
// NextDueAt; the second result is when the next page that was not claimed comes
// due, zero if none does.
//
// With an error there may be claims too: they are leased, but no more is known of them
// than their Page and times, so that they can only be given back by Defer.
func (db *DB) Claim(ctx context.Context, r ClaimRequest) ([]*Claim, time.Time, error) {
	out, err := db.claim(ctx, r)
	if err == nil {
		err = db.readClaims(ctx, out)
	}
	if err != nil {
		return out, time.Time{}, fmt.Errorf("claim due pages: %w", err)
	}
	if len(out) >= r.Limit {
		return out, r.Now, nil // there may be more
	}
	var next time.Time
	buckets, bits := r.filter()
	err = db.pool.QueryRow(ctx, qNextDue.sql, buckets, r.Horizon, bits).Scan(&next)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		// The pages are leased: whoever asked shall have them, and ask again soon.
		return out, r.Now, nil
	}
	return out, next, nil
}

// filter returns the buckets as an array or as bits, of which one is nil.
func (r *ClaimRequest) filter() ([]int32, []byte) {
	if r.Routed || r.Buckets == nil {
		return r.Buckets, nil
	}
	bits := make([]byte, Buckets/8)
	for _, b := range r.Buckets {
		bits[b/8] |= 1 << (b % 8)
	}
	return nil, bits
}

// claim leases pages, and says no more of them than page_schedule does.
func (db *DB) claim(ctx context.Context, r ClaimRequest) ([]*Claim, error) {
	dead := r.Dead
	if dead == nil {
		dead = []int32{}
	}
	buckets, bits := r.filter()
	rows, err := db.pool.Query(ctx, qClaim.sql, buckets, r.Horizon, r.Now, dead, r.Limit, r.Daemon, r.Until, bits)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Claim, error) {
		var c Claim
		var due, deferred, failing *time.Time
		err := row.Scan(&c.Page, &c.NextDueAt, &due, &c.Before, &deferred, &failing, &c.Missing)
		c.DueAt, c.DeferredAt, c.FailingSince = deref(due), deref(deferred), deref(failing)
		return &c, err
	})
}

// CountDue counts the pages that are due at a time, up to a limit.
func (db *DB) CountDue(ctx context.Context, at time.Time, limit int) (int, error) {
	var n int
	if err := db.pool.QueryRow(ctx, qCountDue.sql, at, limit).Scan(&n); err != nil {
		return 0, fmt.Errorf("count due pages: %w", err)
	}
	return n, nil
}

// Completion says when a claimed page is wanted again.
type Completion struct {
	Page         PageID
	Watches      []WatchDue // those of the claim, moved on
	FailingSince time.Time  // zero: the page does not fail
	Missing      int        // answers that the page is not there, since it was last seen
}

// Complete ends leases and moves the pages on to their next due times. Pages whose
// lease the daemon has lost are left as they are.
func (t *Tx) Complete(ctx context.Context, daemon int32, now time.Time, done []Completion) error {
	if len(done) == 0 {
		return nil
	}
	if _, err := t.tx.Exec(ctx, qShareSchedule.sql); err != nil {
		return fmt.Errorf("complete leases: %w", err)
	}
	var in struct {
		pages, watched []PageID
		failing        []*time.Time
		missing        []int16
		watches        []int32
		was            []*time.Time
		slots, dues    []*time.Time
		reasons        []*string
	}
	for _, d := range done {
		in.pages = append(in.pages, d.Page)
		in.failing = append(in.failing, orNil(d.FailingSince))
		in.missing = append(in.missing, int16(min(d.Missing, math.MaxInt16)))
		for _, w := range d.Watches {
			in.watched = append(in.watched, d.Page)
			in.watches = append(in.watches, w.Watch)
			in.was = append(in.was, orNil(w.Was))
			in.slots = append(in.slots, orNil(w.Slot))
			in.dues = append(in.dues, orNil(w.Due))
			in.reasons = append(in.reasons, textOrNil(w.SetAside))
		}
	}
	buckets := bucketsOf(in.pages)
	if _, err := t.tx.Exec(ctx, qCompleteWatches.sql, in.watched, in.watches, in.was, in.slots, in.dues, in.reasons, buckets, now); err != nil {
		return fmt.Errorf("complete leases: %w", err)
	}
	if _, err := t.tx.Exec(ctx, qCompletePages.sql, in.pages, in.failing, buckets, daemon, in.missing); err != nil {
		return fmt.Errorf("complete leases: %w", err)
	}
	return nil
}

// Deferral puts a page off.
type Deferral struct {
	Page PageID
	At   time.Time
}

// Defer ends leases of pages that were not fetched and are to be taken up again at
// another time, but not before they are due.
func (db *DB) Defer(ctx context.Context, daemon int32, now time.Time, pages []Deferral) error {
	if len(pages) == 0 {
		return nil
	}
	ids := make([]PageID, len(pages))
	at := make([]time.Time, len(pages))
	for i, p := range pages {
		ids[i], at[i] = p.Page, p.At
	}
	if _, err := db.pool.Exec(ctx, qDefer.sql, ids, at, now, bucketsOf(ids), daemon); err != nil {
		return fmt.Errorf("put pages off: %w", err)
	}
	return nil
}
