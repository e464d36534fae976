package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/store"
)

// TestRatesAndHintsTogether has writers learn of pages and of their hosts in opposite orders, while the dates
// of a feed are taken for the same pages. The writers complete their pages after they learned of them, so
// that each of the three orders of locks differs from the others unless the store makes them one.
func TestRatesAndHintsTogether(t *testing.T) {
	t.Parallel()
	db := open(t)
	const pages, rounds = 60, 8
	urls := make([]string, pages)
	for i := range urls {
		urls[i] = fmt.Sprintf("http://h%d.test/p", i)
	}
	watch := apply(t, db, epoch, watching("x", time.Minute, urls...)).Watches[0].ID
	claims := make([]store.Claimed, pages)
	for i, u := range urls {
		claims[i] = store.Claimed{URL: u, At: epoch}
	}
	take := func() error {
		_, err := db.SetHints(t.Context(), watch, "feed", claims, func(r store.Rate, _ []byte, w store.WatchDue, at time.Time) store.Hint {
			r.ClaimedAt = at
			return store.Hint{Rate: r, Due: w.Due.Add(-time.Second)}
		})
		return err
	}
	if err := take(); err != nil { // so that the pages have a kind of date, by which signals are found
		t.Fatal(err)
	}
	sightings := make([]store.Sighting, pages)
	for i, u := range urls {
		sightings[i] = store.Sighting{URL: u, At: epoch}
	}
	byURL, err := db.ResolvePages(t.Context(), sightings)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]store.PageID, pages)
	for i, u := range urls {
		ids[i] = byURL[u]
	}
	learn := func(ids []store.PageID) error {
		_, err := db.WriteWith(t.Context(), nil, func(ctx context.Context, tx *store.Tx, _ []store.Stored) error {
			rates, err := tx.Rates(ctx, ids)
			if err != nil {
				return err
			}
			if _, err := tx.Signals(ctx, rates); err != nil {
				return err
			}
			var learned []store.Rate
			var heard []store.Signal
			var done []store.Completion
			for _, id := range ids {
				r := rates[id]
				learned = append(learned, r)
				heard = append(heard, store.Signal{HostID: r.HostID, Bucket: id.Bucket(), Kind: "feed", Signals: []byte{1}})
				done = append(done, store.Completion{Page: id})
			}
			if err := tx.PutRates(ctx, learned); err != nil {
				return err
			}
			if err := tx.PutSignals(ctx, heard); err != nil {
				return err
			}
			return tx.Complete(ctx, 1, epoch, done)
		})
		return err
	}
	before := deadlocks(t, db)
	var g errgroup.Group
	back := slices.Clone(ids)
	slices.Reverse(back)
	for _, f := range []func() error{take, func() error { return learn(ids) }, func() error { return learn(back) }} {
		g.Go(func() error {
			for range rounds {
				if err := f(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if n := deadlocks(t, db) - before; n > 0 {
		t.Errorf("%d deadlocks: the store repeats such transactions, and yet shall make none here", n)
	}
}

// deadlocks is how many the server has found in the test's database.
func deadlocks(t testing.TB, db *store.DB) int64 {
	t.Helper()
	var n int64
	if err := db.Pool().QueryRow(t.Context(), `select deadlocks from pg_stat_database where datname = current_database()`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
