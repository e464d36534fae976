package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// What has to be known of claimed pages is read beside each other on two sessions, since most
// of it is spent on rows that are not in memory: what a page is and which watches want it, and
// what its last fetch left. Nobody else fetches a page that is leased, so that the latter does
// not change in between; the former may, which WatchDue.Was tells Complete.
var (
	qClaimedWatches = statement{routed, `
		select p.page_id, p.url, m.watch_id, m.slot_at, m.due_at
		from core.page p
		left join core.watch_page m on m.bucket = any($2::int[]) and m.bucket = p.bucket and m.page_id = p.page_id and m.due_at is not null
		where p.bucket = any($2::int[]) and p.page_id = any($1::bigint[])`}
	qClaimedStates = statement{routed, `
		select st.page_id, coalesce(st.failures, 0), coalesce(st.version, 0), coalesce(st.etag, ''), coalesce(st.last_modified, ''), st.last_fetched, st.sha256,
		       coalesce(st.last_outcome::text, ''), coalesce(st.validated_url, '')
		from core.page_state st
		where st.bucket = any($2::int[]) and st.page_id = any($1::bigint[])`}
	qClaimedBursts = statement{routed, `
		select b.page_id, b.watch_id, b.phase, b.slots, b.slot_changes, b.slot_text, b.first_version, b.rounds_before, b.state, b.pairs, b.pair_at,
		       b.next_due_at, k.mask
		from core.burst_state b
		left join core.page_mask k on k.bucket = any($2::int[]) and k.bucket = b.bucket and k.page_id = b.page_id
		where b.bucket = any($2::int[]) and b.page_id = any($1::bigint[])`}
)

// readClaims completes claims by what the other tables know of their pages, and
// puts them in the order in which they are due, and their watches likewise.
func (db *DB) readClaims(ctx context.Context, claims []*Claim) error {
	if len(claims) == 0 {
		return nil
	}
	ids := make([]PageID, len(claims))
	byPage := make(map[PageID]*Claim, len(claims))
	for i, c := range claims {
		ids[i], byPage[c.Page] = c.Page, c
	}
	// Neighbours in a table are read one after the other.
	slices.Sort(ids)
	buckets := bucketsOf(ids)
	g, both := errgroup.WithContext(ctx)
	g.Go(func() error { return db.claimedWatches(both, byPage, ids, buckets) })
	g.Go(func() error {
		if err := db.claimedStates(both, byPage, ids, buckets); err != nil {
			return err
		}
		return db.claimedBursts(both, byPage, ids, buckets)
	})
	if err := g.Wait(); err != nil {
		return err
	}
	for _, c := range claims {
		slices.SortFunc(c.Watches, func(a, b WatchDue) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Watch, b.Watch)) })
	}
	slices.SortFunc(claims, func(a, b *Claim) int { return cmp.Or(a.NextDueAt.Compare(b.NextDueAt), cmp.Compare(a.Page, b.Page)) })
	return nil
}

// claimedWatches sets URL, Host and Watches.
func (db *DB) claimedWatches(ctx context.Context, byPage map[PageID]*Claim, ids []PageID, buckets []int32) error {
	rows, err := db.pool.Query(ctx, qClaimedWatches.sql, ids, buckets)
	if err != nil {
		return err
	}
	var page PageID
	var url string
	var watch *int32
	var slot, due *time.Time
	_, err = pgx.ForEachRow(rows, []any{&page, &url, &watch, &slot, &due}, func() error {
		c := byPage[page]
		if c.URL == "" { // else it is the row of another watch
			facts, _ := canonical.FactsOf(url) // stored URLs have a host
			c.URL, c.Host = url, facts.Host
		}
		if watch != nil {
			c.Watches = append(c.Watches, WatchDue{Watch: *watch, Slot: deref(slot), Was: deref(slot), Due: deref(due)})
		}
		return nil
	})
	return err
}

// claimedStates sets what the last fetch left.
func (db *DB) claimedStates(ctx context.Context, byPage map[PageID]*Claim, ids []PageID, buckets []int32) error {
	rows, err := db.pool.Query(ctx, qClaimedStates.sql, ids, buckets)
	if err != nil {
		return err
	}
	var s Claim
	var fetched *time.Time
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&s.Page, &s.Failures, &s.Version, &s.ETag, &s.LastModified, &fetched, &hash, &s.LastOutcome, &s.ValidatedURL}, func() error {
		c := byPage[s.Page]
		c.LastOutcome = s.LastOutcome
		c.Failures, c.Version, c.LastFetched = s.Failures, s.Version, deref(fetched)
		c.ETag, c.LastModified, c.ValidatedURL = s.ETag, s.LastModified, s.ValidatedURL
		copy(c.Hash[:], hash)
		return nil
	})
	return err
}

// claimedBursts sets Burst for the pages that a watch with bursts has looked at.
func (db *DB) claimedBursts(ctx context.Context, byPage map[PageID]*Claim, ids []PageID, buckets []int32) error {
	rows, err := db.pool.Query(ctx, qClaimedBursts.sql, ids, buckets)
	if err != nil {
		return err
	}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		b := &Burst{}
		var pair, due *time.Time
		var text *[16]byte
		err := row.Scan(&b.Page, &b.Watch, &b.Phase, &b.Slots, &b.SlotChanges, &text, &b.FirstVersion, &b.RoundsBefore, &b.State, &b.Pairs, &pair, &due, &b.Mask)
		b.SlotText, b.PairDue, b.Due = deref(text), deref(pair), deref(due)
		if err == nil {
			byPage[b.Page].Burst = b
		}
		return struct{}{}, err
	})
	return err
}
