package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/canonical"
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
	qClaim = statement{routed, `
		with d as (
			select s.bucket, s.page_id, s.lease_owner
			from core.page_schedule s
			where ($1::int[] is null or s.bucket = any($1)) and s.next_due_at <= $2
			  and (s.lease_until is null or s.lease_until <= $3 or s.lease_owner = any($4::int[]))
			order by s.next_due_at limit $5
			for update skip locked
		)
		update core.page_schedule s set lease_owner = $6, lease_until = $7
		from d
		where ($1::int[] is null or s.bucket = any($1)) and s.bucket = d.bucket and s.page_id = d.page_id
		returning s.page_id, s.next_due_at, s.due_at, coalesce(d.lease_owner, 0), s.deferred_at, s.failing_since`}
	qNextDue = statement{all, `
		select s.next_due_at from core.page_schedule s
		where ($1::int[] is null or s.bucket = any($1)) and s.next_due_at > $2
		order by s.next_due_at limit 1`}
	qClaimedPages = statement{routed, `
		select p.page_id, p.url, coalesce(st.failures, 0), coalesce(st.version, 0), coalesce(st.etag, ''), coalesce(st.last_modified, ''),
		       st.last_fetched, st.sha256
		from core.page p
		left join core.page_state st on st.bucket = p.bucket and st.page_id = p.page_id and st.bucket = any($2::int[])
		where p.bucket = any($2::int[]) and p.page_id = any($1::bigint[])`}
	qClaimedWatches = statement{routed, `
		select m.page_id, m.watch_id, m.slot_at, m.due_at
		from core.watch_page m
		where m.bucket = any($2::int[]) and m.page_id = any($1::bigint[]) and m.due_at is not null
		order by m.page_id, m.due_at, m.watch_id`}
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
		    failing_since = v.failing_since
		from unnest($1::bigint[], $2::timestamptz[]) v(page_id, failing_since)
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
	Version      int32     // 0: none
	Hash         SHA256    // content of that version
	ETag         string
	LastModified string
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
func (db *DB) Claim(ctx context.Context, r ClaimRequest) ([]*Claim, time.Time, error) {
	var out []*Claim
	var next time.Time
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		var err error
		if out, err = claim(ctx, tx, r); err != nil {
			return err
		}
		// One journey for all that is left to read.
		b := &pgx.Batch{}
		next = r.Now // there may be more
		if len(out) < r.Limit {
			b.Queue(qNextDue.sql, r.Buckets, r.Horizon).Query(func(rows pgx.Rows) error {
				var err error
				next, err = pgx.CollectOneRow(rows, pgx.RowTo[time.Time])
				if errors.Is(err, pgx.ErrNoRows) {
					return nil
				}
				return err
			})
		}
		describe(b, out)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return nil, next, fmt.Errorf("claim due pages: %w", err)
	}
	return out, next, nil
}

func claim(ctx context.Context, tx pgx.Tx, r ClaimRequest) ([]*Claim, error) {
	dead := r.Dead
	if dead == nil {
		dead = []int32{}
	}
	rows, err := tx.Query(ctx, qClaim.sql, r.Buckets, r.Horizon, r.Now, dead, r.Limit, r.Daemon, r.Until)
	if err != nil {
		return nil, err
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Claim, error) {
		var c Claim
		var due, deferred, failing *time.Time
		err := row.Scan(&c.Page, &c.NextDueAt, &due, &c.Before, &deferred, &failing)
		c.DueAt, c.DeferredAt, c.FailingSince = deref(due), deref(deferred), deref(failing)
		return &c, err
	})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	sortClaims(out)
	return out, nil
}

func sortClaims(claims []*Claim) {
	slices.SortFunc(claims, func(a, b *Claim) int {
		if c := a.NextDueAt.Compare(b.NextDueAt); c != 0 {
			return c
		}
		return cmp.Compare(a.Page, b.Page)
	})
}

// describe asks, in a batch, for what the fetches of the claims need to know.
func describe(b *pgx.Batch, claims []*Claim) {
	if len(claims) == 0 {
		return
	}
	byPage := make(map[PageID]*Claim, len(claims))
	pages := make([]PageID, len(claims))
	for i, c := range claims {
		byPage[c.Page], pages[i] = c, c.Page
	}
	buckets := bucketsOf(pages)
	b.Queue(qClaimedPages.sql, pages, buckets).Query(func(rows pgx.Rows) error {
		var page PageID
		var url, etag, modified string
		var failures int
		var version int32
		var fetched *time.Time
		var hash []byte
		_, err := pgx.ForEachRow(rows, []any{&page, &url, &failures, &version, &etag, &modified, &fetched, &hash}, func() error {
			c := byPage[page]
			facts, _ := canonical.FactsOf(url) // stored URLs have a host
			c.URL, c.Host, c.Failures, c.Version, c.ETag, c.LastModified, c.LastFetched = url, facts.Host, failures, version, etag, modified, deref(fetched)
			copy(c.Hash[:], hash)
			return nil
		})
		return err
	})
	b.Queue(qClaimedWatches.sql, pages, buckets).Query(func(rows pgx.Rows) error {
		var page PageID
		var w WatchDue
		var slot *time.Time
		_, err := pgx.ForEachRow(rows, []any{&page, &w.Watch, &slot, &w.Due}, func() error {
			w.Slot, w.Was = deref(slot), deref(slot)
			byPage[page].Watches = append(byPage[page].Watches, w)
			return nil
		})
		return err
	})
	describeBursts(b, byPage, pages, buckets)
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
}

// Complete ends leases and moves the pages on to their next due times. Pages whose
// lease the daemon has lost are left as they are.
func (tx *Tx) Complete(ctx context.Context, daemon int32, now time.Time, done []Completion) error {
	if len(done) == 0 {
		return nil
	}
	if _, err := tx.tx.Exec(ctx, qShareSchedule.sql); err != nil {
		return fmt.Errorf("complete leases: %w", err)
	}
	var in struct {
		pages, watched []PageID
		failing        []*time.Time
		watches        []int32
		was            []*time.Time
		slots, dues    []*time.Time
		reasons        []*string
	}
	for _, d := range done {
		in.pages = append(in.pages, d.Page)
		in.failing = append(in.failing, orNil(d.FailingSince))
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
	if _, err := tx.tx.Exec(ctx, qCompleteWatches.sql, in.watched, in.watches, in.was, in.slots, in.dues, in.reasons, buckets, now); err != nil {
		return fmt.Errorf("complete leases: %w", err)
	}
	if _, err := tx.tx.Exec(ctx, qCompletePages.sql, in.pages, in.failing, buckets, daemon); err != nil {
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
